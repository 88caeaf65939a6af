"""Who has the records and the approvals alone sees every figure that moved without the approval that it needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.domain.approval import APPROVAL, APPROVAL_ABOVE, Approval, Certified, Proposal
from mrv_assets.domain.errors import DigestMismatch, GateError
from mrv_assets.domain.generation import BlobRef, GenerationRecord, InputRef, UpstreamRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.audit import stored_intact
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.verify import verify_approvals
from mrv_assets_tests.unit.pipeline.bumps import FIRST, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import key as key_of
from mrv_assets_tests.unit.pipeline.landings import projects
from mrv_assets_tests.world import run_partition

KEY = PartitionKey(project_id="p", period="2021", factor_version="grid-1")
LIMIT = "0.05"
NAME = "approvals/of p"


def reported(net: str, *, above: str | None = LIMIT, certificate: str | None = None) -> GenerationRecord:
    """Return a generation of the ledger that reports a figure; its certificate is named for the figure."""
    blob = BlobRef(sha256="0" * 64, size=1, media_type="application/vnd.apache.parquet")
    slot = Slot.of(Asset.CERTIFICATE, KEY)
    return GenerationRecord(
        slot=Slot.of(Asset.LEDGER, KEY),
        generation=1,
        prev=None,
        blob=blob,
        content_digest="0" * 64,
        rows=1,
        inputs_digest="0" * 64,
        inputs=(),
        upstream=(UpstreamRef(slot=slot, generation=1, content_digest=certificate or f"certificate {net}"),),
        pins={"factor_version": KEY.factor_version, **({APPROVAL_ABOVE: above} if above else {})},
        evidence={"emissions_tco2e": "1000", "removals_tco2e": str(1000 - Decimal(net))},
        gates=(),
        reason="",
        run_id="",
        write_id="",
        written_utc="",
    )


def history(*records: GenerationRecord) -> Sequence[GenerationRecord]:
    """Return the records as the generations of one slot."""
    return [replace(record, generation=number) for number, record in enumerate(records, start=1)]


def certified(net: str) -> Certified:
    """Return the figure of a generation."""
    tonnes = Tonnes(emissions=Decimal(1000), removals=1000 - Decimal(net))
    return Certified(factor_version=KEY.factor_version, certificate_sha256=f"certificate {net}", tonnes=tonnes)


def approval(old: str, new: str, *, generation: int = 1) -> Approval:
    """Return the approval of a change."""
    proposal = Proposal(
        project_id="p",
        period="2021",
        generation=generation,
        old=certified(old),
        agreed=certified(old),
        new=certified(new),
        materiality=Decimal(LIMIT),
    )
    return Approval.of(proposal, causes=[], reason="because", by="R. Reviewer", approved_utc="", write_id="")


def resting_on(given: Approval, record: GenerationRecord) -> GenerationRecord:
    """Return a generation that names an approval."""
    return replace(record, inputs=[InputRef(kind=APPROVAL, name=NAME, digest=given.sha256)])


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([], id="nothing"),
        pytest.param([reported("100")], id="first figure"),
        pytest.param([reported("100"), reported("105")], id="exactly the share"),
        pytest.param([reported("-100"), reported("-95")], id="net removal, exactly the share"),
        pytest.param([reported("0"), reported("0", certificate="another")], id="nothing moves from nothing"),
        pytest.param([reported("100"), reported("900", above=None)], id="project that asks for none"),
        pytest.param([reported("100"), reported("900", above=None), reported("900")], id="same certificate again"),
    ],
)
def test_what_needs_no_approval_passes(records: Sequence[GenerationRecord]) -> None:
    """A small change, a first figure, and the certificate that is reported already."""
    verify_approvals(history(*records), {})


@pytest.mark.parametrize(
    "records",
    [
        pytest.param([reported("100"), reported("105.000000001")], id="a nanotonne more"),
        pytest.param([reported("-100"), reported("-94.999999999")], id="net removal, a nanotonne more"),
        pytest.param([reported("-100"), reported("100")], id="net removal that became an emission"),
        pytest.param([reported("0"), reported("0.000000001")], id="from nothing"),
        pytest.param([reported("100"), reported("104"), reported("108")], id="two small steps"),
        pytest.param([reported("100"), reported("900", above=None), reported("901")], id="since it was agreed"),
        pytest.param(
            [reported("100"), reported("900", above=None), reported("901", certificate="certificate 900")],
            id="same certificate, another figure",
        ),
    ],
)
def test_a_change_without_the_approval_that_it_needs_is_refused(records: Sequence[GenerationRecord]) -> None:
    """It counts against the figure before and against the one that was agreed to."""
    with pytest.raises(GateError, match="moved without the approval that it needs"):
        verify_approvals(history(*records), {})


def test_an_approved_figure_is_the_one_that_later_ones_are_measured_against() -> None:
    """From there on small steps count anew."""
    given = approval("100", "200")
    records = history(reported("100"), resting_on(given, reported("200")), reported("205"), reported("209"))
    verify_approvals(records, {NAME: given})
    with pytest.raises(GateError, match=r"generation 5.*\+2\.000 t, \+11\.000 t"):
        verify_approvals([*records, replace(reported("211.000"), generation=5)], {NAME: given})


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        pytest.param(approval("100", "200"), {}, id="gone"),
        pytest.param(
            approval("100", "200"), {NAME: replace(approval("100", "200"), approved_by="Else")}, id="another one"
        ),
        pytest.param(approval("100", "300"), None, id="to another figure"),
        pytest.param(approval("50", "200"), None, id="from another figure"),
        pytest.param(approval("100", "200", generation=2), None, id="of another generation"),
    ],
)
def test_an_approval_of_something_else_lets_nothing_through(
    given: Approval, kept: Mapping[str, Approval] | None
) -> None:
    """It is the one that the generation names, of this change, at this place of the history."""
    records = history(reported("100"), resting_on(given, reported("200")))
    with pytest.raises(DigestMismatch, match=r"approval approvals/of p|change that was approved"):
        verify_approvals(records, {NAME: given} if kept is None else kept)


def test_a_generation_that_does_not_say_its_figure_is_refused() -> None:
    """Nobody can tell then how far it moved."""
    with pytest.raises(GateError, match="does not say what figure it reports"):
        verify_approvals(history(reported("100"), replace(reported("101"), evidence={})), {})


@pytest.mark.parametrize(
    ("pin", "is_intact"), [pytest.param("0.05", False, id="too far"), pytest.param("1", True, id="within")]
)
def test_the_check_of_what_is_stored_sees_it(pin: str, *, is_intact: bool) -> None:
    """`stored_intact` is red for a figure that moved 14 % where 5 % may go without approval."""
    place = Bench(projects_toml=projects("anoka", publication="approve", materiality="1"))
    partition = key_of("anoka", "2021", FIRST)
    run_partition(place.world, partition)
    place.tick()
    place.deliver(b"row_id,project,epoch,activity_qty\n0,anoka,2021,8\n")
    last = run_partition(place.world, partition)[-1].record
    assert last is not None
    forged = replace(last, pins={**last.pins, APPROVAL_ABOVE: pin})
    place.store.replace(record_key(ledger("anoka"), last.generation), forged.to_bytes())
    assert stored_intact(place.world, partition).passed is is_intact
