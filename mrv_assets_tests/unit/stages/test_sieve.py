from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest

from mrv_assets.domain.contract import QUARANTINE, Column, Shape, about, handed_on
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.source import Quarantine
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.sieve import Fault, Sieve

SHAPE = Shape(
    version="mrv-things-1.0.0",
    grain="one row per thing",
    key=("row_id",),
    columns=(Column(name="row_id", type=pa.string(), meaning="Name of the thing."),),
)
ALLOWED = Quarantine(max_share=Decimal("0.1"), because="the sender mends them")
NO_NUMBER = Fault(
    what="quantity is no number", gate="quantity_valid", expected="a number", found="text", remedy="correct the source"
)
NO_ID = Fault(what="row has no id", gate="row_ids_unique", expected="an id", found="a blank", remedy="map another")
IDS = ["a", "b", "c", None]


def sieve(policy: Quarantine | None = ALLOWED, ids: list[str | None] | None = None) -> Sieve:
    """Return the sieve of a file whose first row is on line 2."""
    names = IDS if ids is None else ids
    column = pa.chunked_array([pa.array(names, pa.string())])
    return Sieve(numbers=np.arange(2, len(names) + 2), row_ids=column, policy=policy, where="plots.csv")


def mask(*rows: int, of: int = 4) -> np.ndarray:
    """Mark these rows."""
    return np.isin(np.arange(of), rows)


def staged(one: Sieve, ids: list[str | None] | None = None, crs: str | None = None) -> Staged:
    """Return what the stage hands on: the kept names, and beside them what the other rows said."""
    names = pa.array(IDS if ids is None else ids, pa.string())
    given = {"qty": pa.chunked_array([pa.array([1, None, 3, 4])]), "unit": pa.chunked_array([pa.array(list("xyzw"))])}
    table = pa.table({"row_id": names}).filter(pa.array(one.is_kept))
    return one.staged(SHAPE, table, given=given, crs=crs, evidence={"seen": "4"}, before={})


def test_without_a_policy_a_row_that_cannot_be_used_refuses_the_partition() -> None:
    """The refusal names the gate, how many rows, the first of them by its number in the file, and their ids."""
    one = sieve(None)
    with pytest.raises(GateError, match=r"plots.csv.*text in 2 row\(s\), the first is row 3: 'b', None") as caught:
        one.reject(mask(1, 3), NO_NUMBER)
    assert caught.value.gate == "quantity_valid"
    assert caught.value.remedy == "correct the source"


def test_a_refusal_names_the_first_rows_and_counts_the_rest() -> None:
    """A screen holds five names; how many more there are is said."""
    one = sieve(None, [f"r{number}" for number in range(30)])
    with pytest.raises(GateError, match=r"in 20 row\(s\), the first is row 12: 'r10', .*'r14' and 15 more") as caught:
        one.reject(np.arange(30) >= 10, NO_NUMBER)
    assert "r15" not in caught.value.found


def test_without_a_policy_a_row_that_gates_can_judge_is_left_to_them() -> None:
    """Nothing is set aside that the project has not allowed to be."""
    one = sieve(None)
    one.set_aside(mask(0, 1), NO_NUMBER)
    one.reject(mask(), NO_NUMBER)
    assert one.is_kept.all()
    assert staged(one).quarantined is None


def test_rows_are_set_aside_with_number_id_gate_reason_and_values() -> None:
    """Everything that an auditor needs to find the row and to see what was wrong with it."""
    one = sieve()
    one.reject(mask(1), NO_NUMBER)
    one.set_aside(mask(3), NO_ID)
    done = staged(one)
    assert done.table.column("row_id").to_pylist() == ["a", "c"]
    assert done.quarantined is not None
    assert done.quarantined.schema.remove_metadata() == pa.schema([(c.name, c.type) for c in QUARANTINE.columns])
    assert done.quarantined.to_pylist() == [
        {
            "row": 3,
            "row_id": "b",
            "gate": "quantity_valid",
            "reason": "quantity is no number: expected a number",
            "given": "qty = None; unit = 'y'",
        },
        {
            "row": 5,
            "row_id": None,
            "gate": "row_ids_unique",
            "reason": "row has no id: expected an id",
            "given": "qty = '4'; unit = 'w'",
        },
    ]


def test_the_first_fault_of_a_row_is_its_reason() -> None:
    """A row is set aside once, whatever else is wrong with it."""
    one = sieve()
    one.set_aside(mask(1, 2), NO_NUMBER)
    one.reject(mask(2, 3), NO_ID)
    done = staged(one).quarantined
    assert done is not None
    assert done.column("gate").to_pylist() == ["quantity_valid", "quantity_valid", "row_ids_unique"]


def test_evidence_counts_what_came_in_and_what_was_set_aside_and_says_why() -> None:
    """The gates need both counts, the allowed share and the reason of the project."""
    one = sieve()
    one.set_aside(mask(1), NO_NUMBER)
    assert staged(one).evidence == {
        "seen": "4",
        "rows_in": "4",
        "rows_quarantined": "1",
        "quarantine_max_share": "0.1",
        "quarantine_because": "the sender mends them",
    }
    assert staged(sieve(None)).evidence == {
        "seen": "4",
        "rows_in": "4",
        "rows_quarantined": "0",
        "quarantine_max_share": "0",
        "quarantine_because": "",
    }


def test_a_table_says_its_crs_and_what_was_set_aside() -> None:
    """All that is part of the content stands in the table itself, and nothing where there is nothing to say."""
    one = sieve()
    assert about(staged(one).table) == {}
    assert about(staged(one, crs="EPSG:4269").table) == {"crs": "EPSG:4269"}
    one.set_aside(mask(0, 3), NO_ID)
    done = staged(one, crs="EPSG:4269")
    assert done.quarantined is not None
    assert about(done.table) == {
        "crs": "EPSG:4269",
        "rows_quarantined": "2",
        "quarantine": QUARANTINE.digest(done.quarantined),
    }
    assert done.crs == "EPSG:4269"


def test_the_same_kept_rows_after_another_quarantine_are_another_content() -> None:
    """Otherwise a certificate could say the same of a partition that lost a row and of one that lost none."""
    digests = set()
    for faults in ([], [NO_NUMBER], [NO_ID]):
        one = sieve()
        for fault in faults:
            one.set_aside(mask(3), fault)
        kept = pa.table({"row_id": ["a", "b", "c"]})
        given = {"unit": pa.chunked_array([pa.array(list("xyzw"))])}
        done = one.staged(SHAPE, kept, given=given, crs=None, evidence={}, before={})
        digests.add(SHAPE.digest(done.table))
    assert len(digests) == 3


def test_what_was_set_aside_before_is_told_on() -> None:
    """Every later table says it: by the one digest there is, or by one of both, and by the sum of the rows."""
    kept, given = pa.table({"row_id": ["a", "b", "c", "d"]}), {"unit": pa.chunked_array([pa.array(list("xyzw"))])}
    before = {"quarantine_before": "ab", "rows_quarantined_before": "2"}
    none, some = sieve(), sieve()
    some.set_aside(mask(3), NO_NUMBER)
    assert handed_on(staged(none).table) == {}
    first = handed_on(staged(some).table)
    assert first == {"quarantine_before": about(staged(some).table)["quarantine"], "rows_quarantined_before": "1"}
    assert handed_on(none.staged(SHAPE, kept, given=given, crs=None, evidence={}, before=before).table) == before
    both = handed_on(some.staged(SHAPE, kept.slice(0, 3), given=given, crs=None, evidence={}, before=before).table)
    assert both["rows_quarantined_before"] == "3"
    assert both["quarantine_before"] not in ("ab", first["quarantine_before"])


def test_all_rows_may_be_set_aside() -> None:
    """What is left is a table without rows, for the gates to refuse."""
    one = sieve()
    one.reject(mask(0, 1, 2, 3), NO_NUMBER)
    done = staged(one)
    assert (done.rows, done.quarantined is not None and done.quarantined.num_rows) == (0, 4)


def test_no_rows_are_nothing_to_set_aside() -> None:
    """An empty source passes through."""
    one = sieve(ids=[])
    one.reject(mask(of=0), NO_NUMBER)
    assert one.is_kept.tolist() == []
