"""The conformance suite of the object store seam: every store passes it, and a new one is added in `conftest`."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Event

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.probe import probe


def test_an_absent_object_is_none_to_every_read(store: ObjectStore) -> None:
    """What is not there is None, not an error and not empty bytes."""
    assert store.get("a/b") is None
    assert store.head("a/b") is None
    assert store.get_range("a/b", 0, 1) is None
    assert store.fetch("a/b") is None
    assert store.describe("a/b") is None
    assert list(store.list("")) == []
    assert list(store.list("a/")) == []


def test_a_created_object_reads_back_whole(store: ObjectStore) -> None:
    """The bytes, their number and any range of them are what was put."""
    assert store.put_if_absent("a/b", b"0123456789") is True
    assert store.get("a/b") == b"0123456789"
    assert store.head("a/b") == 10


def test_an_object_is_fetched_with_what_the_store_says_of_it(store: ObjectStore) -> None:
    """Its tag, and the time of its last change, are those that a look without reading gives."""
    store.put_if_absent("a/b", b"0123456789")
    found, described = store.fetch("a/b"), store.describe("a/b")
    assert found is not None
    assert described is not None
    assert (found.data, described.size) == (b"0123456789", 10)
    assert (found.version, found.etag) == (described.version, described.etag)
    # The head of an answer over HTTP tells whole seconds.
    assert abs(found.modified - described.modified) < timedelta(seconds=1)
    assert abs(datetime.now(UTC) - found.modified) < timedelta(minutes=5)
    assert "0123" not in repr(found)


def test_a_look_tells_that_an_object_was_written_anew(store: ObjectStore) -> None:
    """Other bytes of the same number have another tag; what nobody touched has the same one."""
    store.replace("a/b", b"0123456789")
    store.replace("a/c", b"0123456789")
    before, untouched = store.describe("a/b"), store.describe("a/c")
    store.replace("a/b", b"9876543210")
    after, found = store.describe("a/b"), store.fetch("a/b")
    assert before is not None
    assert after is not None
    assert found is not None
    assert before.etag != after.etag == found.etag
    assert store.describe("a/c") == untouched


def test_an_empty_object_is_fetched(store: ObjectStore) -> None:
    """Zero bytes come with their tag as any others."""
    store.put_if_absent("empty", b"")
    found, described = store.fetch("empty"), store.describe("empty")
    assert found is not None
    assert described is not None
    assert (found.data, described.size) == (b"", 0)
    assert found.etag


def test_a_folder_is_no_object(store: ObjectStore) -> None:
    """What only has keys below it is absent to every read."""
    store.put_if_absent("a/b/c", b"1")
    assert (store.get("a/b"), store.fetch("a/b"), store.head("a/b"), store.describe("a/b")) == (None,) * 4


@pytest.mark.parametrize(
    ("start", "length", "expected"),
    [
        pytest.param(2, 3, b"234", id="inside"),
        pytest.param(8, 100, b"89", id="over the end"),
        pytest.param(10, 1, b"", id="at the end"),
        pytest.param(99, 1, b"", id="behind the end"),
        pytest.param(0, 0, b"", id="nothing asked"),
    ],
)
def test_a_range_ends_with_the_object(store: ObjectStore, start: int, length: int, expected: bytes) -> None:
    """A range that reaches over the end is cut there, on every store alike."""
    store.put_if_absent("a/b", b"0123456789")
    assert store.get_range("a/b", start, length) == expected


def test_an_empty_object_is_not_an_absent_one(store: ObjectStore) -> None:
    """Zero bytes are a content."""
    assert store.put_if_absent("empty", b"") is True
    assert store.get("empty") == b""
    assert store.head("empty") == 0
    assert store.put_if_absent("empty", b"other") is False


def test_a_second_create_is_refused_and_changes_nothing(store: ObjectStore) -> None:
    """Bytes that were created are never overwritten by a create."""
    assert store.put_if_absent("a/b", b"first") is True
    assert store.put_if_absent("a/b", b"second") is False
    assert store.get("a/b") == b"first"


def test_of_many_concurrent_creates_one_wins(store: ObjectStore) -> None:
    """Of twenty writers of one key one gets True, and its bytes are those that stay."""
    contents = [f"writer {n}".encode() * 1000 for n in range(20)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda data: store.put_if_absent("race/key", data), contents))
    assert sum(answers) == 1
    assert store.get("race/key") == contents[answers.index(True)]


def test_five_workers_append_ten_each_without_gap_or_loss(store: ObjectStore) -> None:
    """A log that is built on create-if-absent alone holds every append once, under contiguous numbers."""

    def append_ten(worker: int) -> None:
        for append in range(10):
            payload = f"{worker}-{append}".encode()
            while not store.put_if_absent(f"log/{len(list(store.list('log/'))):04d}", payload):
                pass

    with ThreadPoolExecutor(5) as pool:
        list(pool.map(append_ten, range(5)))
    keys = list(store.list("log/"))
    assert keys == [f"log/{number:04d}" for number in range(50)]
    kept = sorted(store.get(key) or b"" for key in keys)
    assert kept == sorted(f"{worker}-{append}".encode() for worker in range(5) for append in range(10))


def test_replace_creates_and_replaces(store: ObjectStore) -> None:
    """Replace does not ask whether something is there."""
    store.replace("view/file", b"old")
    store.replace("view/file", b"new and longer")
    assert store.get("view/file") == b"new and longer"


def test_a_reader_sees_the_whole_old_or_the_whole_new(store: ObjectStore) -> None:
    """A looping reader of a key that is replaced all the time never sees a mix, a part or nothing."""
    versions = [bytes([letter]) * 200_000 for letter in b"abcdefgh"]
    store.replace("view/file", versions[0])
    is_over = Event()

    def read_until_over() -> set[bytes]:
        seen = set()
        while not is_over.is_set():
            seen.add(store.get("view/file") or b"")
        return seen

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_until_over)
        for round_ in range(40):
            store.replace("view/file", versions[round_ % len(versions)])
        is_over.set()
        assert reading.result() <= set(versions)


def test_a_listing_is_in_order_and_under_its_folder(store: ObjectStore) -> None:
    """Keys come sorted as text, and a folder is a folder: `a/` holds neither `a` nor `ab/x`."""
    keys = ["a/b=2/x", "a/b-2", "a/b/c", "a/b.json", "a/b/d/e", "ab/x", "a/0042", "a/42", "a/é"]
    for key in keys:
        store.put_if_absent(key, b"1")
    assert list(store.list("a/")) == sorted(key for key in keys if key.startswith("a/"))
    assert list(store.list("")) == sorted(keys)
    assert list(store.list("a/b/")) == ["a/b/c", "a/b/d/e"]


@pytest.mark.parametrize(
    "key", ["a b", "a+b&c=d", "%41", "a%2Fb", "a~b#c?d", "a'(b)!,;:@$*", '"a"', "[a]{b}|^`<c>", "é–京"]
)
def test_a_key_is_kept_letter_by_letter(store: ObjectStore, key: str) -> None:
    """Signs that a URL or a shell reads as something else come back as they were put."""
    assert store.put_if_absent(f"x/{key}/y", b"1") is True
    assert list(store.list("")) == [f"x/{key}/y"]
    assert list(store.list(f"x/{key}/")) == [f"x/{key}/y"]
    assert store.get(f"x/{key}/y") == b"1"


@pytest.mark.parametrize("after", ["a/12", "a/12-", "a/12.json", "a/12/x", "a/11", "a/1", "a/12.json/z", "a/é"])
def test_a_folder_and_a_file_of_one_stem_are_listed_in_order(store: ObjectStore, after: str) -> None:
    """A service that keeps folders sorts `12/` before `12.json` and may pass over it; a listing here does not."""
    keys = ["a/11.json", "a/12-x", "a/12.json", "a/12/x", "a/12/y/z", "a/120", "a/é/x"]
    for key in keys:
        store.put_if_absent(key, b"1")
    assert list(store.list("a/", start_after=after)) == sorted(key for key in keys if key > after)


@pytest.mark.parametrize("after", ["", "a", "a/b", "a/b/2", "a/b/9", "a/b-2", "a/c", "b"])
def test_a_listing_starts_after_a_key(store: ObjectStore, after: str) -> None:
    """`start_after` leaves out every key up to and with it, whether or not there is an object of that name."""
    keys = ["a/b-2", "a/b/1", "a/b/2", "a/b/3", "a/c/1", "a/d"]
    for key in keys:
        store.put_if_absent(key, b"1")
    assert list(store.list("a/", start_after=after)) == sorted(key for key in keys if key > after)


@pytest.mark.parametrize(
    "key",
    [
        pytest.param("", id="empty"),
        pytest.param("/etc/passwd", id="absolute"),
        pytest.param("a//b", id="empty segment"),
        pytest.param("a/", id="folder"),
        pytest.param("../a", id="upwards"),
        pytest.param("a/../../b", id="upwards inside"),
        pytest.param("a/./b", id="here"),
        pytest.param("a/.tmp-1", id="temporary file"),
        pytest.param(".tmp-1/a", id="temporary folder"),
        pytest.param("a\nb", id="line break"),
        pytest.param("a\x00b", id="null character"),
        pytest.param("a/\udc80", id="not Unicode"),
        pytest.param("a/" + "é" * 128, id="name too long"),
        pytest.param("/".join(["a" * 200] * 6), id="key too long"),
    ],
)
def test_a_key_that_some_store_could_not_keep_is_refused_by_all(store: ObjectStore, key: str) -> None:
    """Every operation on a malformed key is refused before the store is asked."""
    for call in (
        lambda: store.get(key),
        lambda: store.get_range(key, 0, 1),
        lambda: store.head(key),
        lambda: store.fetch(key),
        lambda: store.describe(key),
        lambda: store.put_if_absent(key, b"1"),
        lambda: store.replace(key, b"1"),
    ):
        with pytest.raises(ContractError, match="object key is refused"):
            call()
    assert list(store.list("")) == []


@pytest.mark.parametrize("prefix", ["a", "a/b", "/", "a//", "../"])
def test_a_prefix_that_is_no_folder_is_refused(store: ObjectStore, prefix: str) -> None:
    """Half a name lists different things on different stores, so it lists nothing here."""
    with pytest.raises(ContractError, match="is refused"):
        list(store.list(prefix))


def test_the_store_keeps_the_promise_it_is_probed_for(store: ObjectStore) -> None:
    """The start-up probe finds nothing to complain about, leaves one tiny object, and asks only once."""
    probe(store)
    probe(store)
    assert [store.head(key) for key in store.list("probe/")] == [5]


def test_the_address_of_a_store_opens_the_same_store(store: ObjectStore) -> None:
    """What is written through one handle is read through another that was opened by its URI."""
    store.put_if_absent("a/b", b"1")
    assert open_store(store.uri).get("a/b") == b"1"
