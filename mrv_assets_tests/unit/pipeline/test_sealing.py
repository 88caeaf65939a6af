"""A run signs the certificate that it leaves behind, once for each key, and tells the journal."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from mrv_assets.domain.dsse import Signer
from mrv_assets.domain.journal_entry import DocumentKind
from mrv_assets.domain.lineage import Outcome
from mrv_assets.pipeline.bundling import bundle_of
from mrv_assets.pipeline.certificates import certificate_of
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.world import World
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.journal import CHECKPOINT, Journal, entry_key
from mrv_assets.storage.seals import SEALS, read_seals
from mrv_assets.storage.signing import KeyFolder, signer_from
from mrv_assets.verify.signatures import verify_signatures
from mrv_assets_tests.unit.pipeline.bumps import FIRST, Bench
from mrv_assets_tests.unit.pipeline.landings import key, projects
from mrv_assets_tests.world import outcomes, run_partition

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def signer(folder: Path) -> Signer:
    """Return who signs with the key of a folder."""
    found = signer_from({}, folder, clock=lambda: NOW)
    assert found is not None
    return found


def run(place: Bench, by: Signer | None) -> list[Outcome]:
    """Run Anoka's 2021, with a signer or without."""
    world = place.world
    world = replace(world, signer=by, journal=Journal(world.store, world.clock, signer=by))
    return outcomes(run_partition(world, key("anoka", "2021", FIRST)))


def bench() -> Bench:
    """Return Anoka, with nothing run yet."""
    return Bench(newest=FIRST, projects_toml=projects("anoka"))


def seals(world: World) -> list[str]:
    """Return the keys of all seals."""
    return list(world.store.list(SEALS))


def told(world: World) -> list[str]:
    """Return the keys of the seals that the journal tells of."""
    documents = (document for entry in world.journal.entries() for document in entry.documents)
    return [document.key for document in documents if document.kind is DocumentKind.SEAL]


def test_a_certificate_is_sealed_by_the_run_that_makes_it(tmp_path: Path) -> None:
    """Statement and checkpoint are signed, and whoever trusts the key finds that they are."""
    place, keys = bench(), KeyFolder(tmp_path / "keys")
    keys.init("Met Council", NOW)
    run(place, signer(tmp_path / "keys"))
    bundle = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021"))
    assert bundle.checkpoint is not None
    for envelope in (bundle.envelope, bundle.checkpoint):
        [found] = verify_signatures(
            envelope, keys.trust(), since_utc=NOW.isoformat(), until_utc=NOW.isoformat(), where="test"
        )
        assert found.owner == "Met Council"
    assert told(place.world) == seals(place.world)
    assert check_store(place.world).breaches == ()


def test_a_certificate_is_sealed_once_by_one_key(tmp_path: Path) -> None:
    """Running again skips everything and signs nothing."""
    place, keys = bench(), KeyFolder(tmp_path / "keys")
    keys.init("Met Council", NOW)
    run(place, signer(tmp_path / "keys"))
    first = seals(place.world)
    assert run(place, signer(tmp_path / "keys")) == [Outcome.SKIPPED] * 6
    assert seals(place.world) == first == told(place.world)


def test_without_a_key_nothing_is_signed() -> None:
    """That is allowed, and a check finds nothing wrong."""
    place = bench()
    run(place, None)
    assert seals(place.world) == []
    assert check_store(place.world).breaches == ()
    bundle = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021"))
    assert bundle.checkpoint is not None
    assert (tuple(bundle.envelope.signatures), tuple(bundle.checkpoint.signatures)) == ((), ())


def test_a_certificate_of_before_there_was_a_key_is_sealed_by_the_next_run(tmp_path: Path) -> None:
    """Nothing is made anew; the seal is added, and each key that comes adds its own."""
    place, keys = bench(), KeyFolder(tmp_path / "keys")
    run(place, None)
    keys.init("Met Council", NOW)
    assert run(place, signer(tmp_path / "keys")) == [Outcome.SKIPPED] * 6
    keys.rotate(None, NOW.replace(hour=1))
    later = signer_from({}, tmp_path / "keys", clock=lambda: NOW.replace(hour=2))
    assert run(place, later) == [Outcome.SKIPPED] * 6
    assert len(seals(place.world)) == 2
    assert sorted(told(place.world)) == seals(place.world)
    envelope = read_seals(place.store, certificate_of(place.world.slots, "anoka", "2021").content_digest)
    assert envelope is not None
    assert {one.key_id for one in envelope.signatures} == {known.key_id for known in keys.trust().keys}
    bundle = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021"))
    assert [entry.number for entry in bundle.entries] == [1, 2, 3]


def test_a_seal_that_a_death_kept_out_of_the_journal_is_found(tmp_path: Path) -> None:
    """It is told of as untold, which a repair completes."""
    place, keys = bench(), KeyFolder(tmp_path / "keys")
    run(place, None)
    keys.init("Met Council", NOW)
    run(place, signer(tmp_path / "keys"))
    died = bench()
    for path in place.store.list(""):
        if path not in (CHECKPOINT, entry_key(2)):
            died.store.replace(path, place.store.get(path) or b"")
    died.world.journal.catch_up()
    assert [breach.kind for breach in check_store(died.world).breaches] == [BreachKind.DOCUMENT_NOT_IN_JOURNAL]
