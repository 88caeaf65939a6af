"""What the columns of an EPA table hold: labels, a unit, or the factor of a gas per unit.

What does not belong here: rows (epa_rows).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mrv_assets.importers.cells import Row

_GAS = re.compile(r"\b(CO2|CH4|N2O)\b")
_MEASURE = re.compile(r"\b(kg|g|lb)(?: (?:CO2|CH4|N2O))? ?(?:/|per) ?([A-Za-z -]+?)\s*(?:\)|$)")
_BY_UNIT_COLUMN = "unit"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorColumn:
    """A column of factors: `mass` of `gas` per `per`; `per` is empty where a column of the table names the unit."""

    at: int
    gas: str
    mass: str
    per: str
    block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """Where labels, units and factors stand. Whatever else there is, such as heat contents, is no factor."""

    labels: Sequence[int]
    unit: int | None
    factors: Sequence[FactorColumn]


def is_header(row: Row, first: int) -> bool:
    """Tell whether a row says in which mass and unit factors are given; a row of data has numbers there."""
    texts = row[first + 1 :]
    return any((_GAS.search(text) and _MEASURE.search(text)) or _MEASURE.fullmatch(text.strip("()")) for text in texts)


def columns_of(header: Sequence[Row], first: int) -> Columns:
    """Return the columns that the rows of a header describe, the last of which has the measures.

    A gas may stand above its measure, and a block such as `Non-Baseload Emission Factors` above its columns.
    """
    blocks = _blocks(header, first)
    factors = []
    for at in range(first + 1, len(header[-1])):
        measure = _MEASURE.search(header[-1][at])
        gas = next((match[1] for row in reversed(header) if (match := _GAS.search(row[at]))), None)
        if measure and gas:
            per = "" if measure[2] == _BY_UNIT_COLUMN else measure[2].strip()
            factors.append(FactorColumn(at=at, gas=gas, mass=measure[1], per=per, block=blocks.get(at, "")))
    end = min((column.at for column in factors), default=first + 1)
    units = [at for at, text in enumerate(header[-1]) if text in ("Unit", "Units")]
    heat = [at for row in header for at, text in enumerate(row) if text.startswith(("Heat Content", "mmBtu per"))]
    return Columns(
        labels=tuple(range(first, min([end, *heat]))), unit=units[0] if units else None, factors=tuple(factors)
    )


def _blocks(header: Sequence[Row], first: int) -> Mapping[int, str]:
    """Return the block of every column: a text over several columns stands in the first of them."""
    blocks: dict[int, str] = {}
    for row in header:
        if not any(text.endswith("Emission Factors") for text in row[first + 1 :]):
            continue
        block = ""
        for at in range(first + 1, len(row)):
            block = row[at] or block
            blocks[at] = block
    return blocks
