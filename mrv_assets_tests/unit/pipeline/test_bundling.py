"""A bundle holds everything that it takes to check a certificate, byte for byte as it is stored."""

from __future__ import annotations

import pytest

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.merkle import leaf_hash, verify_inclusion
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.bundling import bundle_of
from mrv_assets.pipeline.certificates import certificate_of
from mrv_assets.pipeline.run import Run
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, Bench
from mrv_assets_tests.unit.pipeline.landings import key, projects
from mrv_assets_tests.world import run_partition


def bench() -> Bench:
    """Return Anoka with two certificates, the second of which is reported."""
    place = Bench(newest=MIDDLE, projects_toml=projects("anoka"))
    for version in (FIRST, MIDDLE):
        run_partition(place.world, key("anoka", "2021", version), run_id=f"run {version}")
    return place


def test_a_bundle_reads_back_as_it_was_written() -> None:
    """And making it again gives the same bytes."""
    place = bench()
    data = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021")).to_bytes()
    assert Bundle.from_bytes(data, where="bundle").to_bytes() == data
    assert bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021")).to_bytes() == data


@pytest.mark.parametrize("version", [pytest.param(FIRST, id="superseded"), pytest.param(MIDDLE, id="reported")])
def test_a_bundle_holds_the_records_of_the_whole_chain(version: str) -> None:
    """Each asset once, with the figure that reported the certificate, also where another one is reported since."""
    place = bench()
    bundle = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021", version))
    records = [GenerationRecord.from_bytes(data, where="bundle") for data in bundle.records]
    assert [record.slot.asset for record in records] == list(Asset)
    assert records[-1].pins["factor_version"] == version
    assert bundle.ledger == place.world.slots.load_bytes(records[-1])


def test_every_entry_of_a_bundle_is_in_the_tree_of_its_checkpoint() -> None:
    """The proof leads from the bytes of the entry to the root."""
    place = bench()
    bundle = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021", FIRST))
    assert bundle.checkpoint is not None
    head = TreeHead.from_bytes(bundle.checkpoint.payload, where="bundle")
    [entry] = bundle.entries
    assert (entry.number, head.size) == (1, 2)
    verify_inclusion(
        leaf_hash(entry.data),
        index=entry.number - 1,
        size=head.size,
        proof=entry.proof,
        root=bytes.fromhex(head.root),
        where="bundle",
    )


def test_what_the_journal_does_not_tell_of_yet_is_not_handed_out() -> None:
    """A run that has not ended has no entry."""
    place = Bench(newest=FIRST, projects_toml=projects("anoka"))
    run = Run(place.world, run_id="under way")
    for asset in Asset:
        run.advance(asset, key("anoka", "2021", FIRST))
    with pytest.raises(ContractError, match="journal does not tell of a generation yet"):
        bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(b"mrv-bundle-1", b"mrv-bundle-2", id="schema"),
        pytest.param(b'"proof":', b'"proofs":', id="member"),
        pytest.param(b'{"checkpoint"', b'{ "checkpoint"', id="spelling"),
        pytest.param(b"]}", b"]", id="cut off"),
    ],
)
def test_other_bytes_are_no_bundle(old: bytes, new: bytes) -> None:
    """The form is refused by name before anything is checked."""
    place = bench()
    data = bundle_of(place.world, certificate_of(place.world.slots, "anoka", "2021")).to_bytes()
    assert old in data
    with pytest.raises(BrokenChain, match="bundle cannot be read"):
        Bundle.from_bytes(data.replace(old, new), where="bundle")
