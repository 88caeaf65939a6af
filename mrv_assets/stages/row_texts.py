"""Rows that do not say which they are, or of what: without an id of their own, an activity, a region or a unit.

What does not belong here: whether an activity has a factor (factor) and a unit a meaning (normalize).
"""

from __future__ import annotations

import pyarrow.compute as pc

from mrv_assets.domain.contract import ACTIVITY
from mrv_assets.domain.mangled import MANGLED_ID
from mrv_assets.domain.remedies import NAME_ROWS
from mrv_assets.stages.selection import Selection
from mrv_assets.stages.sieve import Fault, Sieve, marked

_SAID = ("activity_id", "region", "unit")
_BAD_ID = Fault(
    what="row has no id of its own",
    gate="row_ids_unique",
    expected="an id in every row, each once, none turned into a number or date by a spreadsheet",
    found="a blank, repeated or mangled id",
    remedy=NAME_ROWS,
)


def set_nameless_aside(sieve: Sieve, rows: Selection) -> None:
    """Set aside every row whose id is blank, mangled or that of another row, then those that say nothing else.

    Nothing is refused: the gates judge what is left, `row_ids_unique` the ids and `expectations_met` the other texts.
    """
    ids = rows.columns["row_id"]
    counted = pc.value_counts(ids.combine_chunks())
    repeated = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
    sieve.set_aside(marked(pc.is_in(ids, repeated)), _BAD_ID)
    sieve.set_aside(marked(pc.fill_null(pc.equal(pc.utf8_trim_whitespace(ids), ""), True)), _BAD_ID)
    sieve.set_aside(marked(pc.match_substring_regex(ids, MANGLED_ID)), _BAD_ID)
    for column in ACTIVITY.columns:
        if column.name in _SAID:
            says = pc.match_substring_regex(rows.columns[column.name], f"^(?:{column.pattern})$")
            sieve.set_aside(marked(pc.invert(pc.fill_null(says, False))), _blank(column.name))


def _blank(name: str) -> Fault:
    return Fault(
        what=f"row says no {name}",
        gate="expectations_met",
        expected="text that is not blank",
        found="none, or blanks alone",
        remedy=f"correct the source, or map {name} to another column; one value for all rows is a constant",
    )
