from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import BrokenChain, DigestMismatch
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import figure_history, live_figures, read_figure, upstream_record
from mrv_assets.pipeline.world import World
from mrv_assets.report.audit import audit
from mrv_assets.report.land import land_of
from mrv_assets_tests.world import TWIN_CITIES, committed_references, memory_store, memory_world, run_partition

KEY = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2024.02.01")
LEDGER = Slot.of(Asset.LEDGER, KEY)


@pytest.fixture
def world() -> World:
    """Two figures of Anoka in 2021, one after the other."""
    source = (TWIN_CITIES / "landing" / "2024-02-01" / "electricity.csv").read_bytes()
    world = memory_world(references=committed_references(), landing=memory_store({"electricity.csv": source}))
    run_partition(world, KEY)
    run_partition(world, replace(KEY, factor_version="mrow-2024.02.06"))
    return world


def test_a_figure_comes_with_its_certificate(world: World) -> None:
    """Each generation of the ledger is read with the certificate that seals it, the first ones too."""
    first, second = figure_history(world.slots, LEDGER)
    assert (first.factor_version, second.factor_version) == ("mrow-2024.02.01", "mrow-2024.02.06")
    assert (first.generation, second.generation) == (1, 2)
    assert live_figures(world.slots, project_id=None, period=None) == (second,)
    assert live_figures(world.slots, project_id="metc-anoka", period="2020") == ()


def test_a_figure_that_its_certificate_does_not_seal_is_not_shown(world: World) -> None:
    """A ledger record that names the certificate of another figure raises instead of being read."""
    first, second = world.slots.history(LEDGER)
    with pytest.raises(DigestMismatch, match="ledger column factor_version"):
        read_figure(world.slots, replace(second, upstream=first.upstream))


def test_a_record_that_rests_on_nothing_is_a_broken_chain(world: World) -> None:
    """A ledger record without a certificate among what it was made from is a broken chain."""
    record = world.slots.history(LEDGER)[0]
    with pytest.raises(BrokenChain, match="a generation of certificate"):
        upstream_record(world.slots, replace(record, upstream=()), Asset.CERTIFICATE)


def test_the_land_is_that_of_the_figure(world: World) -> None:
    """The land behind a figure has the area of the county, about 115,600 ha, and a point for its label inside."""
    [live] = live_figures(world.slots, project_id=None, period=None)
    land = land_of(world.slots, live)
    assert land.area_ha == pytest.approx(115_600, rel=0.01)
    xs, ys = zip(*land.rings[0], strict=True)
    assert min(xs) < land.inside[0] < max(xs)
    assert min(ys) < land.inside[1] < max(ys)


def test_the_audit_counts_every_generation(world: World) -> None:
    """The audit checks all certificates and figures of the named projects, and only theirs."""
    found = audit(world.slots, ["metc-anoka"])
    assert (found.certificates, found.figures) == (2, 2)
    assert audit(world.slots, ["metc-pierce"]).certificates == 0


def test_the_audit_finds_a_changed_certificate(world: World) -> None:
    """A certificate of an earlier figure whose bytes were changed is found, though it is no longer live."""
    record = world.slots.history(Slot.of(Asset.CERTIFICATE, KEY))[0]
    [blob] = [key for key in world.store.list("blobs/") if record.blob.sha256 in key]
    data = world.store.get(blob) or b""
    world.store.replace(blob, data.replace(b"ar5", b"ar4"))
    with pytest.raises(DigestMismatch, match="stored bytes are not the bytes that were sealed"):
        audit(world.slots, ["metc-anoka"])
