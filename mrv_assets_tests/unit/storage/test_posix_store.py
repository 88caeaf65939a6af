"""The local store: what a failing disk, a foreign file or a network mount does to it."""

from __future__ import annotations

import errno
import os
from pathlib import Path, PurePosixPath

import pytest

from mrv_assets.domain.errors import CommitStateUnknown, ContractError, StoreUnavailable, Transient
from mrv_assets.storage.mounts import network_type
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests.unit.storage.faulty_files import (
    FaultyFiles,
    fail_first,
    fail_first_after,
    fail_never,
    fail_nth,
)

KEY = "commits/a/000000000001.json"


def temporaries(root: Path) -> list[Path]:
    """Return the temporary files that were left behind."""
    return list(root.rglob(".tmp-*"))


def calls_of_one_put(root: Path) -> int:
    """Return how many calls a first create takes."""
    files = FaultyFiles(fail_never)
    PosixStore(root, files=files).put_if_absent(KEY, b"bytes")
    return len(files.calls)


def test_a_write_leaves_no_temporary_file(tmp_path: Path) -> None:
    """After create, refused create and replace only the object is in the folder."""
    store = PosixStore(tmp_path)
    store.put_if_absent(KEY, b"first")
    store.put_if_absent(KEY, b"second")
    store.replace(KEY, b"third")
    assert [path.name for path in (tmp_path / "commits/a").iterdir()] == ["000000000001.json"]


def test_a_half_written_file_is_never_listed_or_read(tmp_path: Path) -> None:
    """The temporary file of a killed writer is in no listing, and its name is no key."""
    store = PosixStore(tmp_path)
    store.put_if_absent(KEY, b"whole")
    (tmp_path / "commits/a/.tmp-killed").write_bytes(b"ha")
    (tmp_path / "commits/.tmp-folder").mkdir()
    (tmp_path / "commits/.tmp-folder/x").write_bytes(b"lf")
    assert list(store.list("")) == [KEY]
    with pytest.raises(ContractError, match=r"starts with \.tmp-"):
        store.get("commits/a/.tmp-killed")


def test_the_name_comes_after_the_bytes_are_on_the_disk(tmp_path: Path) -> None:
    """The order of calls is: write and sync the file, link it, then sync the folder that holds the name."""
    files = FaultyFiles(fail_never)
    PosixStore(tmp_path, files=files).put_if_absent("a", b"bytes")
    assert files.calls == [
        "open_new", "write", "sync", "close", "link", "unlink", "open_folder", "sync", "close",
    ]  # fmt: skip


def test_a_refused_create_syncs_the_folder_too(tmp_path: Path) -> None:
    """The first writer may have been killed before its sync, so who builds on its object makes it durable."""
    PosixStore(tmp_path).put_if_absent("a", b"bytes")
    files = FaultyFiles(fail_never)
    assert PosixStore(tmp_path, files=files).put_if_absent("a", b"bytes") is False
    assert files.calls[-3:] == ["open_folder", "sync", "close"]


def test_every_new_folder_is_synced_into_its_parent_once(tmp_path: Path) -> None:
    """A record in a folder that a power loss takes away would be lost, so each folder is synced, once a process."""
    files = FaultyFiles(fail_never)
    store = PosixStore(tmp_path / "new/root", files=files)
    store.put_if_absent("a/b/1", b"1")
    assert files.calls.count("make_folder") == 4
    assert files.calls.count("open_folder") == 5
    files.calls.clear()
    store.put_if_absent("a/b/2", b"2")
    assert files.calls.count("make_folder") == 0
    assert files.calls.count("open_folder") == 1


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    """ENOSPC while writing is StoreUnavailable: nothing became visible, and the temporary file is gone."""
    store = PosixStore(tmp_path, files=FaultyFiles(fail_first("write", errno.ENOSPC)))
    with pytest.raises(StoreUnavailable, match="No space left on device"):
        store.put_if_absent(KEY, b"bytes")
    assert list(store.list("")) == []
    assert temporaries(tmp_path) == []
    assert store.put_if_absent(KEY, b"bytes") is True


def test_a_folder_that_cannot_be_synced_leaves_the_commit_unknown(tmp_path: Path) -> None:
    """After the name is given a failing sync is CommitStateUnknown, and the object is left where it is."""
    store = PosixStore(tmp_path, files=FaultyFiles(fail_first_after("link", "sync")))
    with pytest.raises(CommitStateUnknown, match="may or may not have reached the disk"):
        store.put_if_absent(KEY, b"bytes")
    assert store.get(KEY) == b"bytes"
    assert store.put_if_absent(KEY, b"bytes") is False


@pytest.mark.parametrize(
    ("code", "error"),
    [
        pytest.param(errno.ENOSPC, StoreUnavailable, id="no space for the name"),
        pytest.param(errno.EROFS, StoreUnavailable, id="read only"),
        pytest.param(errno.EIO, CommitStateUnknown, id="disk error"),
        pytest.param(errno.EPERM, ContractError, id="no hard links"),
    ],
)
def test_a_failing_link_says_what_is_known(tmp_path: Path, code: int, error: type[Exception]) -> None:
    """Refused calls are StoreUnavailable, broken ones CommitStateUnknown, and a disk without links is refused."""
    store = PosixStore(tmp_path, files=FaultyFiles(fail_first("link", code)))
    with pytest.raises(error, match="Remedy"):
        store.put_if_absent(KEY, b"bytes")
    assert temporaries(tmp_path) == []


@pytest.mark.parametrize("operation", ["put_if_absent", "replace"])
def test_whichever_call_fails_readers_see_all_or_nothing(tmp_path: Path, operation: str) -> None:
    """A disk error at each call in turn is told or harmless, never half an object, and the next attempt heals it."""
    total = calls_of_one_put(tmp_path / "count")
    told = 0
    for number in range(1, total + 1):
        root = tmp_path / f"fail-{number}"
        broken = PosixStore(root, files=FaultyFiles(fail_nth(number)))
        try:
            getattr(broken, operation)(KEY, b"bytes")
        except Transient:
            told += 1
        sound = PosixStore(root)
        assert sound.get(KEY) in (None, b"bytes")
        assert list(sound.list("")) in ([], [KEY])
        getattr(sound, operation)(KEY, b"bytes")
        assert sound.get(KEY) == b"bytes"
    # Only the removal of the temporary file may fail in silence.
    assert told >= total - 1


def test_what_is_unavailable_is_certainly_not_visible(tmp_path: Path) -> None:
    """Whichever call fails, StoreUnavailable means that no reader sees the object."""
    for number in range(1, calls_of_one_put(tmp_path / "count") + 1):
        root = tmp_path / f"fail-{number}"
        try:
            PosixStore(root, files=FaultyFiles(fail_nth(number))).put_if_absent(KEY, b"bytes")
        except StoreUnavailable:
            assert PosixStore(root).get(KEY) is None
        except CommitStateUnknown:
            continue


def test_a_short_write_is_continued(tmp_path: Path) -> None:
    """A system that takes a few bytes at a time gets all of them."""

    class Slow(Files):
        def write(self, descriptor: int, data: memoryview) -> int:
            return super().write(descriptor, data[:3])

    store = PosixStore(tmp_path, files=Slow())
    store.put_if_absent("a", b"0123456789")
    assert store.get("a") == b"0123456789"


def test_a_file_that_grows_while_it_is_read_is_not_taken(tmp_path: Path) -> None:
    """Half a delivery is no delivery: the read is refused as transient, and a later one gets all of it."""
    (tmp_path / "a").write_bytes(b"first half,")

    class Growing(Files):
        def read_with_status(self, path: Path) -> tuple[bytes, os.stat_result, os.stat_result]:
            data, before, _ = super().read_with_status(path)
            with path.open("ab") as file:
                file.write(b"second half")
            return data, before, path.stat()

    with pytest.raises(StoreUnavailable, match=r"changed while it was read .*key a\].*rename it when it is whole"):
        PosixStore(tmp_path, files=Growing()).fetch("a")
    found = PosixStore(tmp_path).fetch("a")
    assert found is not None
    assert found.data == b"first half,second half"


def test_a_file_that_was_replaced_under_its_old_time_has_another_tag(tmp_path: Path) -> None:
    """A copy that keeps times and happens to be as long, such as rsync makes, is told from what was there."""
    store, path = PosixStore(tmp_path), tmp_path / "a"
    path.write_bytes(b"old")
    before, times = store.describe("a"), path.stat()
    path.write_bytes(b"new")
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    after = store.describe("a")
    assert before is not None
    assert after is not None
    assert (after.size, after.modified) == (before.size, before.modified)
    assert after.etag != before.etag


def test_a_read_error_is_not_absence(tmp_path: Path) -> None:
    """A disk that cannot be read is StoreUnavailable, never a missing object."""

    class Unreadable(Files):
        def read(self, path: Path) -> bytes:  # noqa: ARG002
            raise OSError(errno.EIO, "Input/output error")

        def scan(self, path: Path) -> list[tuple[str, bool]]:  # noqa: ARG002
            raise OSError(errno.EIO, "Input/output error")

    store = PosixStore(tmp_path, files=Unreadable())
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        store.get("a")
    with pytest.raises(StoreUnavailable, match="Input/output error"):
        list(store.list(""))


@pytest.mark.parametrize("operation", ["put_if_absent", "replace"])
def test_a_file_is_never_removed_to_make_a_folder(tmp_path: Path, operation: str) -> None:
    """A key that runs through a file is refused, and the file keeps its bytes."""
    (tmp_path / "x").write_bytes(b"foreign")
    store = PosixStore(tmp_path)
    with pytest.raises(ContractError, match="a file where its key needs a folder"):
        getattr(store, operation)("x/y", b"1")
    assert (tmp_path / "x").read_bytes() == b"foreign"
    assert store.get("x/y") is None


@pytest.mark.parametrize("operation", ["put_if_absent", "replace"])
def test_a_folder_is_never_replaced_by_a_file(tmp_path: Path, operation: str) -> None:
    """A key that names a folder is refused, and not told to exist: the folder and its objects stay."""
    store = PosixStore(tmp_path)
    store.put_if_absent("x/y", b"1")
    with pytest.raises(ContractError, match="a folder of that name"):
        getattr(store, operation)("x", b"2")
    assert list(store.list("")) == ["x/y"]
    assert store.get("x") is None
    assert store.head("x") is None


def test_dots_in_a_name_are_part_of_it(tmp_path: Path) -> None:
    """`2024.1`, `2024.2` and `2024.10` are three objects with three contents."""
    store = PosixStore(tmp_path)
    for name in ("2024.1", "2024.2", "2024.10"):
        assert store.put_if_absent(name, name.encode()) is True
    assert [store.get(name) for name in ("2024.1", "2024.2", "2024.10")] == [b"2024.1", b"2024.2", b"2024.10"]


def test_foreign_files_are_keys(tmp_path: Path) -> None:
    """What somebody else put into the folder is listed and can be read; a link to a folder is not followed."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "store/notes").mkdir(parents=True)
    (tmp_path / "store/notes/read me.txt").write_bytes(b"hello")
    (tmp_path / "store/loop").symlink_to(tmp_path / "store")
    store = PosixStore(tmp_path / "store")
    assert list(store.list("")) == ["loop", "notes/read me.txt"]
    assert store.get("notes/read me.txt") == b"hello"


def test_reading_does_not_create_the_root(tmp_path: Path) -> None:
    """A store that is only read leaves no folder behind."""
    store = PosixStore(tmp_path / "absent")
    assert store.get("a") is None
    assert list(store.list("")) == []
    assert not (tmp_path / "absent").exists()


MOUNTS = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
40 27 0:50 / /srv/share rw shared:1 - nfs4 server:/export rw
41 27 0:51 / /srv/my\040disk rw - cifs //server/share rw
42 27 0:52 / /srv/twice rw - nfs server:/a rw
43 27 254:1 / /srv/twice rw - xfs /dev/vdb rw
44 40 254:2 / /srv/share/local rw - ext4 /dev/vdc rw
45 27 0:53 / /home/me/cloud rw - fuse.sshfs me@host: rw
""".strip()


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        pytest.param("/var/lib/mrv", None, id="local root"),
        pytest.param("/srv/share", "nfs4", id="the mount itself"),
        pytest.param("/srv/share/mrv/store", "nfs4", id="below a mount"),
        pytest.param("/srv/shared", None, id="a name that only starts the same"),
        pytest.param("/srv/my disk/store", "cifs", id="escaped name"),
        pytest.param("/srv/twice/store", None, id="hidden by a later mount"),
        pytest.param("/srv/share/local/store", None, id="local disk inside a share"),
        pytest.param("/home/me/cloud/x", "fuse.sshfs", id="sshfs"),
    ],
)
def test_the_innermost_mount_decides(path: str, expected: str | None) -> None:
    """The file system of a path is that of the deepest and latest mount above it."""
    assert network_type(MOUNTS, PurePosixPath(path)) == expected


class OnNfs(Files):
    def mount_table(self) -> str | None:
        return "27 1 0:50 / / rw - nfs4 server:/export rw"


def test_a_network_file_system_is_refused_for_writing(tmp_path: Path) -> None:
    """A store on NFS is refused with a remedy before anything is written; reading there is allowed."""
    store = PosixStore(tmp_path / "store", files=OnNfs())
    assert store.get("a") is None
    with pytest.raises(ContractError, match=r"found nfs4.*MRV_ALLOW_NETWORK_FS=1"):
        store.put_if_absent("a", b"1")
    assert not (tmp_path / "store").exists()


def test_a_network_file_system_is_used_when_told_so(tmp_path: Path) -> None:
    """Who knows that the server keeps its promises may say so."""
    store = PosixStore(tmp_path / "store", files=OnNfs(), allow_network_fs=True)
    assert store.put_if_absent("a", b"1") is True
