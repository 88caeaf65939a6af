"""Adoption manifests as they are kept: numbered, chained, created once."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.adoption import AdoptedFile, AdoptedPartition, ForeignKey, Keep, Manifest
from mrv_assets.domain.errors import BrokenChain, CommitConflict
from mrv_assets.storage.adoptions import keep_manifest, latest_manifest, manifest_key, read_manifests
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.world import memory_store

FILE = AdoptedFile(
    path="project_id=p/period=2021/a.parquet",
    sha256="0" * 64,
    size=1,
    rows=1,
    distinct_rows=1,
    content_digest="1" * 64,
    digest_key="row_id",
    recorded_hash=None,
    generated_utc=None,
    modified_utc=None,
    tco2e="12400",
    why="the only table",
)
MANIFEST = Manifest(
    number=1,
    prev=None,
    source_uri="memory://tree",
    keep=Keep.NEWEST,
    list_sha256=None,
    partitions=(
        AdoptedPartition(
            key=ForeignKey(project_id="p", period="2021", factor_version=None),
            chosen=FILE,
            set_aside=(replace(FILE, path="b"),),
            provenance="unknown",
            chosen_tco2e="12400",
            all_tco2e="24800",
        ),
    ),
    set_aside=(replace(FILE, path="c", rows=None),),
    run_id="run",
    adopted_by="somebody",
    adopted_utc="2026-01-01T00:00:00+00:00",
    write_id="w1",
)


def numbered(before: tuple[Manifest, ...], *, source_uri: str = "memory://tree") -> Manifest:
    """Return the next manifest after those that exist."""
    prev = before[-1].sha256 if before else None
    return replace(MANIFEST, number=len(before) + 1, prev=prev, source_uri=source_uri)


def test_a_manifest_reads_back_as_it_was_written() -> None:
    """Nothing is lost on the way to bytes and back."""
    assert Manifest.from_bytes(MANIFEST.to_bytes(), where="here") == MANIFEST


def test_the_latest_manifest_is_that_of_the_tree() -> None:
    """Manifests of several trees share one chain; each tree has its own latest one."""
    store = memory_store()
    keep_manifest(store, numbered)
    keep_manifest(store, lambda before: numbered(before, source_uri="memory://other"))
    keep_manifest(store, numbered)
    assert [manifest.number for manifest in read_manifests(store)] == [1, 2, 3]
    latest = latest_manifest(store, "memory://other")
    assert latest is not None
    assert latest.number == 2
    assert latest_manifest(store, "memory://third") is None


def test_nothing_to_add_writes_nothing() -> None:
    """A draft that finds nothing new leaves the store as it was."""
    store = memory_store()
    assert keep_manifest(store, lambda _: None) is None
    assert list(store.list("")) == []


def test_a_lost_race_is_decided_again() -> None:
    """When another writer takes the number, the draft is made anew on what is there now."""
    store = memory_store()
    rivals = [replace(MANIFEST, write_id="rival")]

    def draft(before: tuple[Manifest, ...]) -> Manifest:
        ours = numbered(before)
        if rivals:
            store.put_if_absent(manifest_key(1), rivals.pop().to_bytes())
        return ours

    kept = keep_manifest(store, draft)
    assert kept is not None
    assert (kept.number, kept.prev) == (2, replace(MANIFEST, write_id="rival").sha256)


def test_a_race_that_is_always_lost_is_given_up() -> None:
    """Ten lost rounds are a conflict, and nothing of ours was kept."""
    store = memory_store()

    def draft(before: tuple[Manifest, ...]) -> Manifest:
        ours = numbered(before)
        store.put_if_absent(manifest_key(ours.number), replace(ours, write_id="rival").to_bytes())
        return ours

    with pytest.raises(CommitConflict, match="other writers kept taking the next number of the adoptions"):
        keep_manifest(store, draft, pause=no_pause)
    assert {manifest.write_id for manifest in read_manifests(store)} == {"rival"}


@pytest.mark.parametrize(
    ("files", "message"),
    [
        pytest.param({2: numbered((MANIFEST,)).to_bytes()}, "not whole.*1.json", id="the first is gone"),
        pytest.param({1: MANIFEST.to_bytes() + b" "}, "another spelling", id="a byte more"),
        pytest.param({1: b"{}"}, "cannot be read", id="no manifest"),
        pytest.param({1: MANIFEST.to_bytes().replace(b"12400", b"12401", 1), 2: b""}, "not whole|cannot", id="altered"),
        pytest.param({1: replace(MANIFEST, prev="f" * 64).to_bytes()}, "not whole", id="another chain"),
    ],
)
def test_a_damaged_history_is_tampering(files: dict[int, bytes], message: str) -> None:
    """A manifest that is gone or altered stops everything that would rest on it."""
    store = memory_store({manifest_key(number): data for number, data in files.items()})
    with pytest.raises(BrokenChain, match=message):
        read_manifests(store)


@pytest.mark.parametrize("position", range(20, len(MANIFEST.to_bytes()), 97))
def test_one_flipped_bit_in_the_only_manifest_is_noticed(position: int) -> None:
    """A manifest seals itself, so that also the last one, which no later one names, cannot be altered unnoticed."""
    data = bytearray(MANIFEST.to_bytes())
    data[position] ^= 1
    with pytest.raises(BrokenChain, match="adoption manifest cannot be read"):
        read_manifests(memory_store({manifest_key(1): bytes(data)}))


def test_a_manifest_that_was_written_anew_breaks_the_one_after_it() -> None:
    """Whoever changes a figure and seals it again still has to change every manifest after it."""
    altered = replace(MANIFEST, partitions=()).to_bytes()
    store = memory_store({manifest_key(1): altered, manifest_key(2): numbered((MANIFEST,)).to_bytes()})
    with pytest.raises(BrokenChain, match="history of adoptions is not whole"):
        read_manifests(store)
