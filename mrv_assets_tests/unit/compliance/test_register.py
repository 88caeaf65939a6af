from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.gates import GATE_NAMES, GATES
from mrv_assets.compliance.judge import judge_all
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.compliance import (
    test_activity_gates,
    test_aggregated_gates,
    test_assessed_gates,
    test_certificate_gates,
    test_factored_gates,
    test_ledger_gates,
    test_normalized_gates,
)
from mrv_assets_tests.unit.compliance.breaks import Break

BREAKS: tuple[Break, ...] = (
    *test_activity_gates.BREAKS,
    *test_normalized_gates.BREAKS,
    *test_factored_gates.BREAKS,
    *test_aggregated_gates.BREAKS,
    *test_certificate_gates.BREAKS,
    *test_assessed_gates.BREAKS,
    *test_ledger_gates.BREAKS,
)
EVERY_GATE = [(asset, gate) for asset in Asset for gate in GATES[asset]]


@pytest.mark.parametrize("asset", list(Asset), ids=list(Asset))
def test_good_content_passes_every_gate(asset: Asset) -> None:
    """Content that the stages made from a good source passes every gate, in the order of the register."""
    outcomes = judge_all(asset, good_case(asset))
    assert [(outcome.gate, outcome.passed) for outcome in outcomes] == [(name, True) for name in GATE_NAMES[asset]]


@pytest.mark.parametrize(("asset", "gate"), EVERY_GATE, ids=[f"{asset} {gate.name}" for asset, gate in EVERY_GATE])
def test_every_gate_can_turn_red(asset: Asset, gate: Gate) -> None:
    """Each gate is the first to name at least one defect of the tables, so none is always true."""
    assert [b for b in BREAKS if b.asset is asset and b.red.split()[0] == gate.name]


@pytest.mark.parametrize(("asset", "gate"), EVERY_GATE, ids=[f"{asset} {gate.name}" for asset, gate in EVERY_GATE])
def test_every_gate_asks_and_answers_in_full(asset: Asset, gate: Gate) -> None:
    """A gate has a question; its outcome has a limit and numbers, no remedy when green, and survives a record."""
    outcome = gate.outcome(good_case(asset))
    assert re.fullmatch(r"[a-z][a-z0-9_]*", gate.name)
    assert gate.question.endswith("?")
    assert outcome.observed
    assert outcome.limit
    assert outcome.metrics
    assert outcome.remedy == ""
    assert all(isinstance(value, int | Decimal) for value in outcome.metrics.values())
    assert GateOutcome.from_json(outcome.to_json()) == outcome


@pytest.mark.parametrize("asset", list(Asset), ids=list(Asset))
def test_gate_names_are_unique_in_an_asset(asset: Asset) -> None:
    """A check on the page belongs to one gate."""
    assert len(set(GATE_NAMES[asset])) == len(GATE_NAMES[asset])


@pytest.mark.parametrize("asset", [asset for asset in Asset if asset is not Asset.CERTIFICATE], ids=str)
def test_a_table_without_columns_or_rows_is_red_and_judged_to_the_end(asset: Asset) -> None:
    """A gate that lacks its column is red and does not stop the others; nothing about rows passes on none."""
    case = good_case(asset)
    for table in (pa.table({}), case.staged.table.schema.empty_table()):
        outcomes = judge_all(asset, replace(case, staged=replace(case.staged, content=table)))
        assert [outcome.gate for outcome in outcomes] == list(GATE_NAMES[asset])
        passed = {outcome.gate for outcome in outcomes if outcome.passed}
        # These ask about the source, the operation and the other periods, not about rows.
        assert passed <= {
            "source_readable",
            "columns_present",
            "crs_declared",
            "source_keeps_periods",
            "crs_operation_accurate",
            "no_overlap",
            "succession",
        }


def test_an_exception_that_is_no_refusal_passes_through() -> None:
    """A defect of a gate is not an outcome: it fails the run, and nothing is kept."""

    def judge(case: Case) -> Verdict:
        raise ZeroDivisionError(str(case.key))

    gate = Gate(name="broken", question="Is this gate well made?", judge=judge)
    with pytest.raises(ZeroDivisionError, match="metc-anoka"):
        gate.outcome(good_case(Asset.ACTIVITY))


def test_asking_a_document_for_a_column_is_a_defect_of_the_caller() -> None:
    """A case whose upstream is of the wrong kind is no fault of the data and raises TypeError."""
    with pytest.raises(TypeError, match="is a document, not a table"):
        good_case(Asset.LEDGER).upstream_column(Asset.CERTIFICATE, "rows")
    with pytest.raises(TypeError, match="is a table, not a document"):
        good_case(Asset.NORMALIZED).upstream_document(Asset.ACTIVITY)
