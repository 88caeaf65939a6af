from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets_tests.unit.cli.conftest import Mrv


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["metc-nobody", "2021"], "reference file is missing"),
        (["metc-anoka", "2021-1"], "period is not in canonical form"),
        (["metc-anoka", "2021", "mrow@1"], "factor_version is not a canonical id"),
        (["metc/anoka", "2021", "mrow-2025.05.20"], "project_id is not a canonical id"),
    ],
    ids=["no-project", "bad-period", "bad-version", "bad-project"],
)
def test_a_bad_identity_is_refused_before_dagster(
    mrv: Mrv, fresh_folder: Path, arguments: list[str], message: str
) -> None:
    """What can be refused without a run is refused without one, and no home is created for it."""
    result = mrv(fresh_folder, "run", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert not (fresh_folder / "home" / "dagster").exists()
