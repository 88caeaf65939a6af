"""Deliberate defects: each takes a good case, breaks one thing, and says which gates have to turn red over it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.contract import QUARANTINE, saying
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One defect of one asset: how it is made, the gates it turns red, and what the first of them observes."""

    name: str
    asset: Asset
    do: Callable[[Case], Case]
    red: str
    says: str


def check(defect: Break) -> None:
    """Assert that exactly the named gates are red, that each says what to do, and that the first names the defect."""
    outcomes = judge_all(defect.asset, defect.do(good_case(defect.asset)))
    red = [outcome for outcome in outcomes if not outcome.passed]
    assert {outcome.gate for outcome in red} == set(defect.red.split())
    assert all(outcome.remedy and outcome.limit for outcome in red)
    first = next(outcome for outcome in red if outcome.gate == defect.red.split()[0])
    assert re.search(defect.says, first.observed), first.observed


def column(name: str, *values: object) -> Callable[[Case], Case]:
    """Put `values` into the first rows of a staged column."""

    def do(case: Case) -> Case:
        table = case.staged.table
        kept = table.column(name).to_pylist()[len(values) :]
        changed = pa.array([*values, *kept], table.schema.field(name).type)
        return with_table(case, table.set_column(table.column_names.index(name), name, changed))

    return do


def with_table(case: Case, table: pa.Table) -> Case:
    """Stage another table."""
    return replace(case, staged=replace(case.staged, content=table))


def rows(*indices: int) -> Callable[[Case], Case]:
    """Stage these rows of the good table only, an index twice for a doubled row."""
    return lambda case: with_table(case, case.staged.table.take(pa.array(indices, pa.int64())))


def with_a_note(case: Case) -> Case:
    """Stage a column that the contract does not know."""
    table = case.staged.table
    return with_table(case, table.append_column("note", pa.array(["approved"] * table.num_rows)))


def without(name: str) -> Callable[[Case], Case]:
    """Drop a staged column."""
    return lambda case: with_table(case, case.staged.table.drop_columns([name]))


def evidence(name: str, value: str | None) -> Callable[[Case], Case]:
    """Change one measured text, or take it away."""

    def do(case: Case) -> Case:
        kept = {key: text for key, text in case.staged.evidence.items() if key != name}
        changed = kept if value is None else {**kept, name: value}
        return replace(case, staged=replace(case.staged, evidence=changed))

    return do


def crs(text: str | None) -> Callable[[Case], Case]:
    """Stage the same content under another CRS."""
    return lambda case: with_table(case, saying(case.staged.table, {} if text is None else {"crs": text}))


def aside(*row_ids: str, max_share: str = "0", because: str = "the sender mends them") -> Callable[[Case], Case]:
    """Let the stage have set these rows aside as well, beside those that are staged, up to an allowed share."""

    def do(case: Case) -> Case:
        rows = [
            {"row": 100 + number, "row_id": name, "gate": "quantity_valid", "reason": "no number", "given": "?"}
            for number, name in enumerate(row_ids)
        ]
        staged = replace(case.staged, quarantined=pa.Table.from_pylist(rows, schema=QUARANTINE.schema))
        changed = replace(case, staged=staged)
        for name, text in (
            ("rows_in", str(staged.rows + len(rows))),
            ("rows_quarantined", str(len(rows))),
            ("quarantine_max_share", max_share),
            ("quarantine_because", because),
        ):
            changed = evidence(name, text)(changed)
        return changed

    return do


def both(*steps: Callable[[Case], Case]) -> Callable[[Case], Case]:
    """Break several things at once."""

    def do(case: Case) -> Case:
        for step in steps:
            case = step(case)
        return case

    return do


def ids(defects: Sequence[Break]) -> list[str]:
    """Return the names of the defects, for pytest."""
    return [defect.name for defect in defects]
