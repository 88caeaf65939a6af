"""A large restatement is held until somebody approves exactly it."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from mrv_assets.domain.approval import APPROVAL, Approval
from mrv_assets.domain.errors import BrokenChain, CommitConflict, ContractError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.approving import Waiting, approve, to_approve, waiting
from mrv_assets.pipeline.audit import stored_intact
from mrv_assets.pipeline.carried import is_carried_through
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets.pipeline.promotion import AWAITS_APPROVAL, promotion
from mrv_assets.pipeline.run import Kept, Run
from mrv_assets.report.restatement import causes_between
from mrv_assets.storage.approvals import APPROVALS, approval_key
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.gc import collectable
from mrv_assets_tests.passing_store import PassingStore
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, OLD, WRONG, Bench, ledger
from mrv_assets_tests.unit.pipeline.landings import NEWEST, key, projects, rows
from mrv_assets_tests.world import outcomes, run_partition

TINY = "0.000001"
"""A materiality that every release of the line exceeds, except the last one, which moves nothing."""

BY_APPROVAL = {"publication": "approve", "materiality": TINY}


def bench(*, newest: str = NEWEST, materiality: str = TINY, publication: str = "approve") -> Bench:
    """Return Anoka with its first figure, by the first release."""
    files = projects("anoka", publication=publication, materiality=materiality)
    found = Bench(newest=newest, projects_toml=files)
    run(found, FIRST)
    return found


def run(place: Bench, version: str) -> Kept:
    """Run Anoka's 2021 with a release and return what became of the ledger."""
    place.tick()
    return run_partition(place.world, anoka(version), run_id=f"run {place.clock.now.isoformat()}")[-1]


def anoka(version: str) -> PartitionKey:
    """Name Anoka's 2021 with a release."""
    return key("anoka", "2021", version)


def net(place: Bench) -> Decimal:
    """Return what the ledger shows for Anoka, t CO2e."""
    record = place.world.slots.current(ledger("anoka"))
    assert record is not None
    return Decimal(record.evidence["net_tco2e"])


def approved(place: Bench, version: str, *, by: str = "R. Reviewer", reason: str = "the grid was updated") -> Approval:
    """Approve what waits."""
    return approve(place.world, to_approve(place.world, anoka(version)), causes_between, reason=reason, by=by)


def test_a_material_change_is_held_and_certified_all_the_same() -> None:
    """The certificate is made, the ledger is skipped with the old and the new figure in the reason."""
    place = bench()
    before = net(place)
    place.tick()
    kept = run_partition(place.world, anoka(MIDDLE))
    assert outcomes(kept)[2:] == [Outcome.COMMITTED, Outcome.COMMITTED, Outcome.COMMITTED, Outcome.SKIPPED]
    assert re.match(rf"{AWAITS_APPROVAL}: net {before} → [0-9.]+ t CO2e, a share of 0\.000108998", kept[-1].reason)
    assert net(place) == before


@pytest.mark.parametrize(
    ("publication", "materiality"),
    [pytest.param("latest", TINY, id="nobody has to approve"), pytest.param("approve", "0.05", id="small change")],
)
def test_other_changes_are_not_held(publication: str, materiality: str) -> None:
    """A project that follows its line, and a change within the materiality, move the ledger at once."""
    place = bench(publication=publication, materiality=materiality)
    assert run(place, MIDDLE).outcome is Outcome.COMMITTED
    assert list(waiting(place.world)) == []


def test_an_approved_change_moves_the_ledger_and_stays_with_it() -> None:
    """The generation names the approval by digest, says who and why, and the record keeps old, new, cause and share."""
    place = bench()
    before = net(place)
    run(place, MIDDLE)
    approval = approved(place, MIDDLE)
    kept = run(place, MIDDLE)
    assert kept.outcome is Outcome.COMMITTED
    assert kept.record is not None
    [ref] = [ref for ref in kept.record.inputs if ref.kind == APPROVAL]
    assert (ref.name, ref.digest) == (approval_key(approval.proposal), approval.sha256)
    assert kept.record.evidence["approved_by"] == "R. Reviewer"
    assert kept.record.evidence["approved_because"] == "the grid was updated"
    assert (approval.proposal.old.tonnes.net, approval.proposal.new.tonnes.net) == (before, net(place))
    assert approval.causes[0] == f"factor release {FIRST} → {MIDDLE}"
    assert run(place, MIDDLE).reason == "inputs unchanged"
    assert check_store(place.world).breaches == ()
    assert stored_intact(place.world, anoka(MIDDLE)).passed


def test_the_journal_tells_of_the_approval() -> None:
    """The event of the commit names the approval among what was consumed."""
    place = bench()
    run(place, MIDDLE)
    approval = approved(place, MIDDLE)
    run(place, MIDDLE)
    event = [e for entry in place.world.journal.entries() for e in entry.events if e.asset is Asset.LEDGER][-1]
    assert event.inputs[f"approval {approval_key(approval.proposal)}"] == approval.sha256


def test_an_approval_lets_nothing_else_through() -> None:
    """A newer release, and the same release with other activity, need an approval of their own."""
    place = bench()
    run(place, WRONG)
    approved(place, WRONG)
    assert run(place, MIDDLE).reason.startswith(AWAITS_APPROVAL)
    place.deliver(rows("anoka 2021 8"))
    assert run(place, WRONG).reason.startswith(AWAITS_APPROVAL)
    assert net(place) == Decimal("3.183944921")


def test_an_approval_is_given_once() -> None:
    """Who approves the same again gets the first approval, with the first name and reason."""
    place = bench()
    run(place, MIDDLE)
    first = approved(place, MIDDLE)
    assert approved(place, MIDDLE, by="Somebody Else", reason="me too") == first
    assert len(list(place.store.list(APPROVALS))) == 1


def test_replaying_an_older_release_needs_no_approval_and_moves_nothing() -> None:
    """What is superseded is held as that, and waits for nobody."""
    place = bench()
    run(place, MIDDLE)
    approved(place, MIDDLE)
    run(place, MIDDLE)
    after = net(place)
    assert run(place, WRONG).reason.startswith("superseded")
    with pytest.raises(ContractError, match=r"nothing waits for an approval.*superseded"):
        to_approve(place.world, anoka(WRONG))
    assert net(place) == after


def test_small_steps_count_together() -> None:
    """Of two changes that are each within the materiality the second is held when both together are not."""
    place = bench(materiality="0.1")
    place.deliver(rows("anoka 2021 7.5"))
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    place.deliver(rows("anoka 2021 8"))
    assert run(place, FIRST).reason.startswith(AWAITS_APPROVAL)
    approved(place, FIRST)
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    place.deliver(rows("anoka 2021 8.5"))
    assert run(place, FIRST).outcome is Outcome.COMMITTED


def test_a_change_back_to_what_was_agreed_is_measured_from_what_is_reported() -> None:
    """A step that is large against the reported figure is held, though the figure comes near the agreed one."""
    place = bench(materiality="0.1")
    place.deliver(rows("anoka 2021 7.6"))
    run(place, FIRST)
    place.deliver(rows("anoka 2021 6.7"))
    assert run(place, FIRST).reason.startswith(AWAITS_APPROVAL)


def test_what_waits_is_listed_until_it_is_reported() -> None:
    """Held, then approved and not run yet, then gone from the list."""
    place = bench()
    assert list(waiting(place.world)) == []
    run(place, NEWEST)
    [held] = waiting(place.world)
    assert isinstance(held, Waiting)
    assert (held.key, held.promotion.approval) == (anoka(NEWEST), None)
    approval = approved(place, NEWEST)
    [ready] = waiting(place.world, project_id="anoka")
    assert isinstance(ready, Waiting)
    assert ready.promotion.approval == approval
    run(place, NEWEST)
    assert list(waiting(place.world)) == []


@pytest.mark.parametrize(
    ("publication", "version", "digits", "words"),
    [
        pytest.param("latest", MIDDLE, None, 'a project with publication = "latest"', id="publishes otherwise"),
        pytest.param(
            "approve", OLD, None, "no certificate of the current activity; run the partition first", id="never run"
        ),
        pytest.param("approve", FIRST, None, "the figure of this certificate, or none, is reported", id="reported"),
        pytest.param("approve", MIDDLE, "0000", "another certificate waits", id="other certificate"),
        pytest.param("approve", MIDDLE, "", "another certificate waits", id="no digit"),
    ],
)
def test_what_does_not_wait_cannot_be_approved(publication: str, version: str, digits: str | None, words: str) -> None:
    """The refusal says why, and no approval is kept."""
    place = bench(publication=publication)
    run(place, MIDDLE)
    with pytest.raises(ContractError, match=re.escape(words)):
        to_approve(place.world, anoka(version), certificate=digits)
    assert list(place.store.list(APPROVALS)) == []


@pytest.mark.parametrize(("by", "reason"), [("", "because"), ("  ", "because"), ("R. Reviewer", "\t")])
def test_an_approval_says_who_and_why(by: str, reason: str) -> None:
    """Blank words are refused and nothing is kept."""
    place = bench()
    run(place, MIDDLE)
    with pytest.raises(ContractError, match="does not say who approves or why"):
        approved(place, MIDDLE, by=by, reason=reason)
    assert list(place.store.list(APPROVALS)) == []


def test_the_sensor_waits_for_the_approval_and_then_asks() -> None:
    """What is held is done as far as a run can do it; once it is approved it is asked for until it is reported."""
    place = bench()
    run(place, NEWEST)
    assert is_carried_through(place.world, anoka(NEWEST))
    assert place.look().requests == ()
    approved(place, NEWEST)
    assert [request.key for request in place.look().requests] == [anoka(NEWEST)]
    run(place, NEWEST)
    assert place.look().requests == ()


def test_the_preview_says_what_will_be_held() -> None:
    """`factor_impact` tells of the approval before the run, and agrees with it."""
    place = bench()
    [one] = factor_impact(place.world, MIDDLE).partitions
    assert (one.hold, one.is_moving) == (AWAITS_APPROVAL, False)
    assert run(place, MIDDLE).reason.startswith(AWAITS_APPROVAL)
    approved(place, MIDDLE)
    run(place, MIDDLE)
    [last] = factor_impact(place.world, NEWEST).partitions
    assert (last.hold, last.is_moving) == (None, True)
    assert run(place, NEWEST).outcome is Outcome.COMMITTED


def test_the_preview_counts_small_steps_together() -> None:
    """A release that moves the reported figure within the threshold, and the agreed one beyond it, will be held."""
    place = bench(materiality="0.11")
    place.deliver(rows("anoka 2021 7.5"))
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    [one] = factor_impact(place.world, WRONG).partitions
    assert (one.hold, one.is_material) == (AWAITS_APPROVAL, False)
    assert run(place, WRONG).reason.startswith(AWAITS_APPROVAL)


def test_an_approval_does_not_outlive_the_figure_that_it_replaces() -> None:
    """Between approval and run somebody else's figure was reported: the change is another one, and is held."""
    place = bench(materiality="0.1")
    place.deliver(rows("anoka 2021 8"))
    held = run(place, FIRST)
    assert held.reason.startswith(AWAITS_APPROVAL)
    approved(place, FIRST)
    place.deliver(rows("anoka 2021 7.1"))
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    place.deliver(rows("anoka 2021 8"))
    assert run(place, FIRST).reason.startswith(AWAITS_APPROVAL)


def test_a_ledger_that_moves_meanwhile_is_not_moved_by_the_old_approval() -> None:
    """The plan was made for the generation that the approval names; the commit is refused."""
    place = bench(materiality="0.1")
    place.deliver(rows("anoka 2021 8"))
    run(place, FIRST)
    approved(place, FIRST)
    late = Run(place.world, run_id="late")
    planned = late.plan(Asset.LEDGER, anoka(FIRST))
    place.deliver(rows("anoka 2021 7.1"))
    run(place, FIRST)
    with pytest.raises(CommitConflict, match=r"slot (has )?moved|another"):
        late.keep(late.make(planned))


def test_an_altered_approval_lets_nothing_through() -> None:
    """A name that was changed afterwards is found before the ledger moves."""
    place = bench()
    run(place, MIDDLE)
    path = approval_key(approved(place, MIDDLE).proposal)
    data = place.store.get(path)
    assert data is not None
    place.store.replace(path, data.replace(b"R. Reviewer", b"S. Somebody"))
    with pytest.raises(BrokenChain, match="approval cannot be read"):
        run(place, MIDDLE)


def test_a_pin_does_not_approve() -> None:
    """A version that the project pins is held like any other until its change is approved."""
    place = bench()
    place.say("anoka", publication="approve", materiality=TINY, pins={"2021": MIDDLE})
    assert run(place, MIDDLE).reason.startswith(AWAITS_APPROVAL)
    [held] = waiting(place.world)
    assert isinstance(held, Waiting)
    assert held.key == anoka(MIDDLE)


def test_a_withdrawn_figure_is_replaced_when_it_is_approved() -> None:
    """The way back from a withdrawn release is a restatement like any other."""
    place = bench()
    run(place, WRONG)
    approved(place, WRONG)
    run(place, WRONG)
    place.withdraw(WRONG)
    assert run(place, FIRST).reason.startswith(AWAITS_APPROVAL)
    approved(place, FIRST)
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    assert net(place) == Decimal("3.183944921")


def test_a_certificate_of_an_older_activity_does_not_wait() -> None:
    """The next run makes another one, which nobody has looked at."""
    place = bench()
    run(place, MIDDLE)
    place.deliver(rows("anoka 2021 9"))
    run(place, FIRST)
    assert [one.key for one in waiting(place.world) if isinstance(one, Waiting)] == []
    with pytest.raises(ContractError, match="no certificate of the current activity"):
        to_approve(place.world, anoka(MIDDLE))


def test_a_project_that_cannot_be_read_hides_no_other() -> None:
    """The list tells of it beside what waits."""
    place = bench()
    run(place, NEWEST)
    place.references.replace("projects/broken.toml", b"nonsense")
    refused, held = sorted(waiting(place.world), key=lambda one: isinstance(one, Waiting))
    assert "broken" in str(refused)
    assert isinstance(held, Waiting)


def test_a_period_that_is_refused_hides_no_other() -> None:
    """A pin on a withdrawn release is told once, beside what waits of the other periods of the project."""
    place = Bench(newest=NEWEST, projects_toml=projects("anoka", reporting="month", **BY_APPROVAL))
    place.deliver(rows("anoka 2021-01 7", "anoka 2021-02 8", "anoka 2021-03 9"))
    for version in (FIRST, NEWEST):
        for month in ("2021-01", "2021-02", "2021-03"):
            run_partition(place.world, key("anoka", month, version))
    pins = {"2021-01": WRONG, "2021-03": WRONG}
    place.references.replace(
        "projects/anoka.toml", projects("anoka", reporting="month", pins=pins, **BY_APPROVAL)["projects/anoka.toml"]
    )
    place.withdraw(WRONG)
    found = list(waiting(place.world))
    assert [one.key.period for one in found if isinstance(one, Waiting)] == ["2021-02"]
    told = [str(one) for one in found if not isinstance(one, Waiting)]
    assert [re.search(r"pin of (\S+)]", text)[1] for text in told] == ["2021-01", "2021-03"]  # type: ignore[index]


def test_a_line_that_is_refused_is_told_once() -> None:
    """Twelve months of one broken line are one thing to correct."""
    place = Bench(newest=FIRST, projects_toml=projects("anoka", reporting="month", **BY_APPROVAL))
    place.deliver(rows("anoka 2021-01 7", "anoka 2021-02 8"))
    for month in ("2021-01", "2021-02"):
        run_partition(place.world, key("anoka", month, FIRST))
    place.withdraw(FIRST)
    [told] = waiting(place.world)
    assert "withdrawn releases only" in str(told)


@pytest.mark.parametrize(
    "publication", [pytest.param("latest", id="published otherwise"), pytest.param("approve", id="higher materiality")]
)
def test_a_figure_that_was_reported_before_the_threshold_is_not_moved_without_approval(publication: str) -> None:
    """A stricter rule does not reach back: the same certificate in a generation of its own moves nothing."""
    place = bench(publication=publication, materiality="0.5")
    place.deliver(rows("anoka 2021 9"))
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    place.say("anoka", publication="approve", materiality="0.05")
    assert run(place, FIRST).reason == "content unchanged"
    live = place.world.slots.current(ledger("anoka"))
    assert live is not None
    collectable(place.store).remove(blob_key(live.blob))  # the next run makes it anew
    assert run(place, FIRST).outcome is Outcome.COMMITTED
    assert check_store(place.world).breaches == ()


class _EditedBetween(PassingStore):
    """Reference data of which somebody edits one project file after it was read once."""

    edited: bytes | None = None

    def get(self, key: str) -> bytes | None:
        found = super().get(key)
        if self.edited is not None and key == "projects/anoka.toml":
            self.replace(key, self.edited)
        return found


def test_a_project_file_that_is_edited_meanwhile_pins_what_was_decided_by() -> None:
    """The threshold that a figure was let through by is the one that stays with it, and not one of a moment later."""
    place = bench(publication="latest")
    place.tick()
    place.until(anoka(MIDDLE), Asset.CERTIFICATE)
    edited = _EditedBetween(place.references)
    edited.edited = projects("anoka", **BY_APPROVAL)["projects/anoka.toml"]
    place.references = edited
    late = Run(place.world, run_id="late")
    assert late.advance(Asset.LEDGER, anoka(MIDDLE)).outcome is Outcome.COMMITTED
    late.close()
    assert check_store(place.world).breaches == ()


def test_promotion_reads_the_ledger_of_its_own_period_only() -> None:
    """A first figure has nothing that it could change."""
    place = bench()
    place.deliver(rows("anoka 2021 7", "anoka 2022 9"))
    first = key("anoka", "2022", NEWEST)
    run_partition(place.world, first)
    sealing = place.world.slots.current(Slot.of(Asset.CERTIFICATE, first))
    assert sealing is not None
    assert promotion(place.world, first, sealing).proposal is None
