from __future__ import annotations

from collections.abc import Iterator

import pytest

from mrv_assets_tests.unit.openlineage.endpoint import Endpoint, endpoint


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """An endpoint that is asked without a proxy."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with endpoint() as served:
        yield served
