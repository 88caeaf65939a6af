"""One journal entry as OpenLineage run events: the run of Dagster, and within it one run for every slot.

The same entry gives the same events, byte for byte, whenever and wherever it is exported: times come from the journal,
ids follow from its ids and the URI of the store. What does not belong here: sending them (outbox).
"""

from __future__ import annotations

from collections.abc import Iterator

from openlineage.client.event_v2 import RunEvent, RunState
from openlineage.client.facet_v2 import RunFacet, test_run

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.openlineage.datasets import Records, inputs_of, outputs_of
from mrv_assets.openlineage.facets import MrvDigestsRunFacet, MrvOutcomeRunFacet, MrvPinsRunFacet
from mrv_assets.openlineage.identity import PRODUCER, slot_uuid
from mrv_assets.openlineage.runs import (
    Whole,
    error_facet,
    job_of,
    parent_facet,
    run_of,
    runs_in,
    slot_job,
)


def events_of(entry: JournalEntry, records: Records, *, namespace: str) -> tuple[RunEvent, ...]:
    """Return the events of an entry in the order in which they are to be sent; `namespace` is the URI of the store.

    A run: START, then START and COMPLETE (committed, skipped) or FAIL (refused) of each slot, then COMPLETE; FAIL
    when a slot was refused; ABORT when a repair tells of it because its own entry was lost. The journal knows when a
    slot was decided and not when its stage began, so both events of a slot are of that instant.

    Raises what `records` raises, when a record that the journal names is gone or is not what it was.
    """
    return tuple(
        event for whole in runs_in(entry, namespace=namespace) for event in _run(whole, entry, records, namespace)
    )


def _run(whole: Whole, entry: JournalEntry, records: Records, namespace: str) -> Iterator[RunEvent]:
    yield _whole(whole, RunState.START, whole.started_utc, namespace)
    for event in whole.events:
        yield from _slot(event, whole, entry.number, records, namespace)
    yield _whole(whole, _ending(whole), whole.ended_utc, namespace)


def _ending(whole: Whole) -> RunState:
    if whole.is_lost:
        return RunState.ABORT
    return RunState.FAIL if _refused(whole) else RunState.COMPLETE


def _refused(whole: Whole) -> int:
    return sum(event.outcome is Outcome.REFUSED for event in whole.events)


def _whole(whole: Whole, state: RunState, at: str, namespace: str) -> RunEvent:
    facets: dict[str, RunFacet] = {}
    if whole.root is not None:
        facets["parent"] = parent_facet(whole.root, whole.root, namespace=namespace)
    if state is RunState.FAIL:
        facets["errorMessage"] = error_facet(f"{_refused(whole)} of {len(whole.events)} slots refused")
    return RunEvent(
        eventType=state,
        eventTime=at,
        run=run_of(whole.handle.run_id, facets=facets, periods=(event.slot.period for event in whole.events)),
        job=job_of(whole.handle.job, "JOB", namespace=namespace),
        producer=PRODUCER,
    )


def _slot(event: LineageEvent, whole: Whole, entry: int, records: Records, namespace: str) -> Iterator[RunEvent]:
    within = parent_facet(whole.handle, whole.root or whole.handle, namespace=namespace)
    ending = RunState.FAIL if event.outcome is Outcome.REFUSED else RunState.COMPLETE
    for state in (RunState.START, ending):
        is_over = state is not RunState.START
        facets: dict[str, RunFacet] = {"parent": within, **(_told(event, entry, records) if is_over else {})}
        yield RunEvent(
            eventType=state,
            eventTime=event.occurred_utc,
            run=run_of(slot_uuid(namespace, event.event_id), facets=facets, periods=[event.slot.period]),
            job=job_of(slot_job(event), "ASSET", namespace=namespace),
            inputs=inputs_of(event, records, namespace=namespace),
            outputs=outputs_of(event, records, namespace=namespace) if is_over else [],
            producer=PRODUCER,
        )


def _told(event: LineageEvent, entry: int, records: Records) -> dict[str, RunFacet]:
    """Return what is told of a slot at its end: outcome, digests, and by outcome the gates, the pins and the error."""
    key = event.key
    facets: dict[str, RunFacet] = {
        "mrv_outcome": MrvOutcomeRunFacet(
            outcome=event.outcome.value,
            reason=event.reason,
            asset=event.asset.value,
            projectId=event.slot.project_id,
            period=event.slot.period,
            factorVersion=event.factor_version,
            idempotencyKey=None if key is None else key.idempotency_key,
            generation=event.generation,
            eventId=event.event_id,
            entry=entry,
            producer=PRODUCER,
        ),
        "mrv_digests": MrvDigestsRunFacet(
            inputsDigest=event.inputs_digest,
            contentDigest=event.content_digest,
            recordSha256=event.record_sha256,
            inputs=dict(sorted(event.inputs.items())),
            producer=PRODUCER,
        ),
    }
    if event.outcome is Outcome.COMMITTED and event.generation is not None:
        facets |= _committed(records(event.slot, event.generation))
    if event.outcome is Outcome.REFUSED:
        facets["errorMessage"] = error_facet(event.reason)
    if event.red_gates:
        facets["test"] = _tests([_test(gate, "fail") for gate in event.red_gates])
    return facets


def _committed(record: GenerationRecord) -> dict[str, RunFacet]:
    tests = [_test(gate.gate, "pass" if gate.passed else "fail", gate.limit, gate.observed) for gate in record.gates]
    pins = MrvPinsRunFacet(pins=dict(sorted(record.pins.items())), producer=PRODUCER)
    return {"mrv_pins": pins, "test": _tests(tests)}


def _tests(tests: list[test_run.TestExecution]) -> test_run.TestRunFacet:
    return test_run.TestRunFacet(tests=tests, producer=PRODUCER)


def _test(gate: str, status: str, limit: str | None = None, observed: str | None = None) -> test_run.TestExecution:
    return test_run.TestExecution(
        name=gate, status=status, severity="error", type="gate", expected=limit, actual=observed
    )
