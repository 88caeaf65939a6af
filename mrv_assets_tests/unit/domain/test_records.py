from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.errors import BrokenChain, GateError
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, GenerationRecord, Quarantined, UpstreamRef, check_chain
from mrv_assets.domain.lineage import LineageEvent, Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets_tests.builders import DIGEST, KEY, record

GREEN = GateOutcome(
    gate="rows_present", passed=True, observed="1 row", limit="at least 1", metrics={"rows": 1, "t": Decimal("0.10")}
)
RED = GateOutcome(gate="quantity_valid", passed=False, observed="1 NaN", limit="finite", remedy="correct the source")


def full_record() -> GenerationRecord:
    """Return a record with something in every field."""
    slot = Slot.of(Asset.ACTIVITY, KEY)
    return replace(
        record(Asset.FACTORED, gates=[GREEN, RED], evidence={"crs": "EPSG:4269"}, generation=2, prev=DIGEST),
        upstream=(UpstreamRef(slot=slot, generation=1, content_digest=DIGEST),),
    )


def test_record_reads_back_as_it_was_written() -> None:
    """Writing a record and reading it gives the record, and the same digest."""
    written = full_record()
    read = GenerationRecord.from_bytes(written.to_bytes(), where="slot")
    assert read.to_bytes() == written.to_bytes()
    assert read.sha256 == written.sha256
    assert read.slot == written.slot
    assert list(read.gates) == [GREEN, RED]


def test_rows_set_aside_are_part_of_the_record() -> None:
    """They are sealed with it and found by their blob; a record of before has no word about them."""
    aside = Quarantined(blob=BlobRef(sha256="1" * 64, size=7, media_type="application/vnd.apache.parquet"), rows=3)
    written = replace(full_record(), quarantine=aside)
    read = GenerationRecord.from_bytes(written.to_bytes(), where="slot")
    assert read.quarantine == aside
    assert read.blobs == (written.blob, aside.blob)
    assert read.sha256 != full_record().sha256
    assert full_record().blobs == (full_record().blob,)
    assert b"quarantine" not in full_record().to_bytes()


ATTEMPT = replace(
    full_record(),
    generation=7,
    prev="7" * 64,
    reason="forced recomputation",
    run_id="another run",
    write_id="another attempt",
    written_utc="2031-05-06T07:08:09Z",
    evidence={
        "crs": "EPSG:4269",
        "source_uri": "s3://elsewhere/source.csv",
        "source_modified_utc": "2030-01-01T00:00:00Z",
    },
    upstream=[replace(full_record().upstream[0], generation=4)],
)


def test_a_record_states_the_same_wherever_whenever_and_by_whom_it_is_written() -> None:
    """Number, run, attempt, instant and place of the source are the seal, not what is stated."""
    assert ATTEMPT.sha256 != full_record().sha256
    assert ATTEMPT.stated_sha256 == full_record().stated_sha256


@pytest.mark.parametrize(
    "other",
    [
        pytest.param({"content_digest": "9" * 64}, id="content"),
        pytest.param({"blob": BlobRef(sha256="9" * 64, size=1, media_type="text/csv")}, id="blob"),
        pytest.param({"rows": 3}, id="rows"),
        pytest.param({"inputs_digest": "9" * 64}, id="inputs digest"),
        pytest.param({"inputs": ()}, id="inputs"),
        pytest.param({"pins": {"code": "9"}}, id="pins"),
        pytest.param({"gates": [GREEN]}, id="gates"),
        pytest.param({"evidence": {"crs": "EPSG:4326"}}, id="evidence"),
        pytest.param({"upstream": ()}, id="upstream"),
        pytest.param({"slot": Slot.of(Asset.AGGREGATED, KEY)}, id="slot"),
    ],
)
def test_a_record_of_something_else_states_something_else(other: dict[str, Any]) -> None:
    """Everything that says what the content is and what it was made from is stated."""
    assert replace(full_record(), **other).stated_sha256 != full_record().stated_sha256


def _edited(edit: Callable[[dict[str, Any]], None]) -> bytes:
    document = json.loads(full_record().to_bytes())
    edit(document)
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "JSONDecodeError"),
        (b"[]", "TypeError"),
        (full_record().to_bytes()[:-1], "JSONDecodeError"),
        (full_record().to_bytes() + b"\n", "in another spelling"),
        (json.dumps(json.loads(full_record().to_bytes())).encode(), "in another spelling"),
        (_edited(lambda d: d.update(schema="mrv-generation-9")), "schema 'mrv-generation-9'"),
        (_edited(lambda d: d.pop("gates")), "KeyError: 'gates'"),
        (_edited(lambda d: d.update(extra=1)), "in another spelling"),
        (_edited(lambda d: d["slot"].update(asset="price")), "ValueError"),
        (_edited(lambda d: d["blob"].pop("size")), "TypeError"),
        (_edited(lambda d: d["gates"][0].update(passed="yes")), "gate outcome is malformed"),
    ],
    ids=[
        "nothing",
        "a list",
        "cut off",
        "a line end more",
        "other spacing",
        "other schema",
        "no gates",
        "a field more",
        "unknown asset",
        "no size",
        "a gate that says yes",
    ],
)
def test_tampered_record_is_refused(data: bytes, says: str) -> None:
    """Bytes that are not exactly a record stop the reader, naming where they were."""
    with pytest.raises(BrokenChain, match=rf"\[slot 7\].*{says}"):
        GenerationRecord.from_bytes(data, where="slot 7")


def chain(length: int) -> list[GenerationRecord]:
    """Return a good chain of records."""
    records: list[GenerationRecord] = []
    for number in range(1, length + 1):
        records.append(record(generation=number, prev=records[-1].sha256 if records else None))
    return records


def test_good_chain_passes() -> None:
    """Generations 1, 2, 3 that each name the one before are a chain; so is nothing."""
    check_chain(chain(3))
    check_chain([])


@pytest.mark.parametrize(
    "broken",
    [
        chain(3)[1:],
        [chain(3)[0], chain(3)[2]],
        list(reversed(chain(2))),
        [replace(chain(2)[0], rows=99), chain(2)[1]],
        [chain(2)[0], replace(chain(2)[1], prev=None)],
        [chain(1)[0], chain(1)[0]],
    ],
    ids=["first missing", "gap", "reversed", "first altered", "link cut", "first twice"],
)
def test_broken_chain_is_refused(broken: list[GenerationRecord]) -> None:
    """A generation that does not continue the one before it stops the reader."""
    with pytest.raises(BrokenChain, match="does not continue the one before it"):
        check_chain(broken)


def test_generation_is_read_only_with_passed_gates() -> None:
    """A generation with a red gate, or with none, is never read."""
    record(gates=[GREEN]).require_passed()
    with pytest.raises(GateError, match="found red: quantity_valid") as red:
        record(gates=[GREEN, RED]).require_passed()
    with pytest.raises(GateError, match="found no gate outcome") as none:
        record(gates=[]).require_passed()
    assert (red.value.gate, none.value.gate) == ("quantity_valid", "gates_present")


def test_refusal_of_a_stage_is_the_red_outcome_of_its_gate() -> None:
    """A GateError carries everything its outcome shows."""
    error = GateError("what", gate="rows_present", where="here", expected="rows", found="none", remedy="deliver")
    outcome = GateOutcome.from_error(error)
    assert (outcome.gate, outcome.passed, outcome.observed) == ("rows_present", False, "here: none")
    assert (outcome.limit, outcome.remedy) == ("rows", "deliver")


def event(outcome: Outcome, *, run_id: str = "run-1", generation: int | None = 1) -> LineageEvent:
    """Return an event of the partition under test."""
    return LineageEvent(
        outcome=outcome,
        slot=Slot.of(Asset.FACTORED, KEY),
        factor_version=KEY.factor_version,
        generation=generation,
        content_digest=DIGEST,
        record_sha256=DIGEST,
        inputs_digest=DIGEST,
        inputs={"b": DIGEST, "a": DIGEST},
        reason="inputs unchanged",
        run_id=run_id,
        occurred_utc="2026-01-02T03:04:05+00:00",
    )


def test_commit_is_one_event_whichever_run_reports_it() -> None:
    """A commit that a later run heals has the id it would have had; skips and refusals belong to their run."""
    committed = [event(Outcome.COMMITTED, run_id=run).event_id for run in ("run-1", "run-2")]
    skipped = [event(Outcome.SKIPPED, run_id=run).event_id for run in ("run-1", "run-2")]
    assert committed[0] == committed[1]
    assert len({committed[0], *skipped, event(Outcome.COMMITTED, generation=2).event_id}) == 4


def test_a_commit_is_told_by_its_record_alone() -> None:
    """The event that a later run writes from the record says what the run that committed would have said."""
    written = full_record()
    told = LineageEvent.of_commit(written, factor_version=KEY.factor_version)
    assert (told.outcome, told.slot, told.generation, told.key) == (Outcome.COMMITTED, written.slot, 2, KEY)
    assert (told.record_sha256, told.content_digest) == (written.sha256, written.content_digest)
    assert (told.run_id, told.occurred_utc, told.reason) == (written.run_id, written.written_utc, written.reason)
    assert told.inputs == {"source electricity.csv": DIGEST, "activity metc-anoka 2021 generation 1": DIGEST}


IDENTITY = {"source_uri": "file:///landing/x.csv", "source_sha256": DIGEST, "source_stac_id": "x"}


def test_a_commit_tells_the_source_that_its_record_rests_on() -> None:
    """The identity comes from the evidence, without what else was measured; a record of before has none."""
    evidence = {"crs": "EPSG:4269", "source_rows": "5", "source_periods": "2021", **IDENTITY}
    told = LineageEvent.of_commit(record(Asset.ACTIVITY, gates=[GREEN], evidence=evidence), factor_version=None)
    assert told.source == IDENTITY
    assert told.to_json()["source"] == dict(sorted(IDENTITY.items()))
    old = LineageEvent.of_commit(
        record(Asset.ACTIVITY, gates=[GREEN], evidence={"source_rows": "5"}), factor_version=None
    )
    assert "source" not in old.to_json()


def test_an_event_without_factor_version_names_its_slot_and_no_partition() -> None:
    """A record of activity or geometry does not say for which factor version it was made; its event has the same id."""
    activity = record(Asset.ACTIVITY, gates=[GREEN])
    healed = LineageEvent.of_commit(activity, factor_version=None)
    assert (healed.key, healed.to_json()["factor_version"], healed.to_json()["idempotency_key"]) == (None, None, None)
    assert healed.event_id == LineageEvent.of_commit(activity, factor_version=KEY.factor_version).event_id
