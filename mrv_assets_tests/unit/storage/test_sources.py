"""Landing files."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.sources import Landing


def test_a_file_comes_with_its_address_digest_and_size(tmp_path: Path) -> None:
    """What was read can be named exactly afterwards."""
    (tmp_path / "2024-02-01").mkdir()
    (tmp_path / "2024-02-01/electricity.csv").write_bytes(b"a,b\n1,2\n")
    source = Landing(PosixStore(tmp_path)).fetch("2024-02-01/electricity.csv")
    assert source.data == b"a,b\n1,2\n"
    assert source.sha256 == sha256_hex(b"a,b\n1,2\n")
    assert source.size == 8
    assert source.uri == f"{tmp_path.as_uri()}/2024-02-01/electricity.csv"
    assert "1,2" not in repr(source)


def test_a_missing_file_is_refused_with_a_remedy(tmp_path: Path) -> None:
    """The message names the path and what to do about it."""
    with pytest.raises(ContractError, match=r"source file is missing .*electricity\.csv.*point MRV_LANDING"):
        Landing(PosixStore(tmp_path)).fetch("electricity.csv")


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../secret", "", "a//b"])
def test_a_path_that_leads_out_of_the_landing_is_refused(tmp_path: Path, path: str) -> None:
    """A project file cannot make the platform read elsewhere."""
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "landing").mkdir()
    with pytest.raises(ContractError, match="object key is refused"):
        Landing(PosixStore(tmp_path / "landing")).fetch(path)
