"""One call of the local store at a time: whatever fails, the platform says it in its own words."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.errors import Transient
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.faults.files import CALLS, DoomedFiles, Fault

KEY = "commits/a/000000000001.json"


@pytest.mark.parametrize("fault", [Fault.EIO_ONCE, Fault.EIO_AFTER, Fault.EIO_FOR_GOOD, Fault.ENOSPC])
@pytest.mark.parametrize("existing", [b"", b"theirs"], ids=["first", "refused"])
def test_a_create_ends_well_or_is_transient_whichever_call_fails(tmp_path: Path, fault: Fault, existing: bytes) -> None:
    """No error of the system escapes, and the object is whole: absent, theirs, or ours."""
    counted = DoomedFiles()
    _create(tmp_path / "counted", counted, existing)
    for at in range(1, len(counted.calls) + 1):
        root = tmp_path / f"call-{at}"
        try:
            is_created = _create(root, DoomedFiles(fault, at=at), existing)
        except Transient:
            is_created = False
        kept = PosixStore(root).get(KEY)
        assert kept in ((existing,) if existing else (None, b"ours")), f"{counted.calls[at - 1]}, call {at}"
        assert not is_created or kept == b"ours"


def test_every_call_of_the_local_store_can_be_made_to_fail() -> None:
    """The calls that are broken are all that there are: a new one in `Files` is broken too, without being named."""
    assert {"link", "sync", "open_new", "write", "rename", "scan", "read", "is_folder"} <= CALLS


def _create(root: Path, files: DoomedFiles, existing: bytes) -> bool:
    if existing:
        PosixStore(root).put_if_absent(KEY, existing)
    return PosixStore(root, files=files).put_if_absent(KEY, b"ours")
