"""Sorting the records of a UK flat file into totals, parts of totals and what is neither; and totals against parts.

A total is labelled `kg CO2e`; its parts, by year, `kg CO2`, `kg CO2e of CO2` or `kg CO2e of CO2 per unit`.
What does not belong here: rows of a release (uk_conversion).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from mrv_assets.importers.cells import decimal_text
from mrv_assets.importers.draft import Effect
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.uk_sheet import Record

ROUNDING = Decimal("0.00003")
"""kg by which parts may miss their total: four figures of five decimals, each rounded by itself."""

ERROR = Decimal("0.001")
"""Share of the total above which a miss is no rounding: the file is refused."""

TOTAL = "kg CO2e"
MISSED = f"the parts miss the total by more than {ROUNDING} kg: the total is taken as published"

_PART = re.compile(r"kg (?:CO2e of )?(CO2|CH4|N2O)(?: per unit)?")
_PARTS = 3

Notes = dict[tuple[Effect, str], list[str]]


@dataclass(slots=True, kw_only=True)
class Sorted:
    """Totals that have a value, and everything else as notes; `keys` are the labels of all totals."""

    totals: list[Record] = field(default_factory=list)
    parts: dict[tuple[str, ...], list[Record]] = field(default_factory=dict)
    notes: Notes = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def leave(self, record: Record, reason: str, effect: Effect = Effect.LEFT_OUT) -> None:
        """Note a record."""
        self.notes.setdefault((effect, reason), []).append(f"{record.label} = {record.value}")


def sorted_records(records: Iterable[Record]) -> Sorted:
    """Sort the records. Raises FactorError when parts miss their total by more than `ROUNDING` kg and `ERROR` of it."""
    done = Sorted()
    for record in records:
        _sort(record, done)
    listed = {_key(record) for record in done.totals}
    for key, parts in done.parts.items():
        for part in parts:
            done.leave(
                part, "part of a total: checked against it, no factor of its own" if key in listed else _orphan(part)
            )
    for total in done.totals:
        _hold_against_parts(total, done)
    return done


def _sort(record: Record, done: Sorted) -> None:
    if record.ghg == TOTAL:
        if record.label in done.keys:
            raise refused("key is there twice", where=record.place, expected="each key once", found=record.label)
        done.keys.add(record.label)
        if decimal_text(record.value) is None:
            done.leave(record, f"total without a number: {record.value!r}" if record.value else "total without a value")
        else:
            done.totals.append(record)
    elif _PART.fullmatch(record.ghg):
        done.parts.setdefault(_key(record), []).append(record)
    elif "END" in record.fields:
        done.leave(record, "mark of the end")
    elif record.ghg.startswith("kWh"):
        done.leave(record, "energy in kWh, no greenhouse gas")
    else:
        done.leave(record, f"greenhouse gas label {record.ghg!r} says no gas")


def _key(record: Record) -> tuple[str, ...]:
    return tuple(text.casefold() for text in record.fields)


def _orphan(part: Record) -> str:
    if part.fields[0].casefold() == "outside of scopes":
        return "biogenic CO2 outside of scopes, reported apart from every total"
    return "part of a total that is not listed or has no value"


def _hold_against_parts(total: Record, done: Sorted) -> None:
    parts = done.parts.get(_key(total), [])
    values = {match[1]: part.value for part in parts if (match := _PART.fullmatch(part.ghg))}
    if len(values) != len(parts):
        raise refused("part is there twice", where=total.place, expected="each gas once", found=total.label)
    if not parts:
        return
    if len(parts) != _PARTS or None in map(decimal_text, values.values()):
        done.leave(total, "not all parts have a value: the total is taken unchecked", Effect.TAKEN)
        return
    _refuse_miss(total, values, done)


def _refuse_miss(total: Record, values: Mapping[str, str], done: Sorted) -> None:
    summed = sum(map(Decimal, values.values()), Decimal(0))
    miss = abs(summed - Decimal(total.value))
    if miss <= ROUNDING:
        return
    if miss > ERROR * Decimal(total.value):
        raise refused(
            "parts do not sum to their total",
            where=f"{total.place} ({total.label})",
            expected=f"{total.value} kg CO2e, within {ROUNDING} kg or {ERROR:%}",
            found=f"{summed} kg CO2e: {', '.join(f'{gas} {value}' for gas, value in sorted(values.items()))}",
        )
    done.leave(total, MISSED, Effect.TAKEN)
