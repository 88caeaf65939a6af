"""The EPA GHG Emission Factors Hub: one sheet of stacked tables, editions 2021 and 2024.

What does not belong here: how a table is laid out (epa_tables, epa_columns, epa_rows, epa_waste).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from mrv_assets.domain.factors import factor_basis
from mrv_assets.importers.draft import DraftRelease, DraftRow, Effect, Validity, noted
from mrv_assets.importers.epa_edition import Edition, read_edition
from mrv_assets.importers.epa_naming import is_biogenic, named, prefix_of
from mrv_assets.importers.epa_rows import Value, has_number, read_values
from mrv_assets.importers.epa_tables import Table, read_tables
from mrv_assets.importers.epa_units import AMBIGUOUS, epa_unit
from mrv_assets.importers.epa_waste import read_waste, waste_set
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.workbook import Rows, read_sheets

_WASTE = "waste"
_POTENTIALS = re.compile(r"Global Warming Potential")


@dataclass(slots=True, kw_only=True)
class _Work:
    """What is gathered on the way through the tables."""

    where: str
    edition: Edition
    gwp_set: str
    valid: Validity
    rows: list[DraftRow] = field(default_factory=list)
    notes: dict[tuple[Effect, str], list[str]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)

    def leave(self, label: str, reason: str, effect: Effect = Effect.LEFT_OUT) -> None:
        """Note something that is left out, or taken in spite of something."""
        self.notes.setdefault((effect, reason), []).append(label)


def import_epa_hub(
    data: bytes, *, where: str, gwp_set: str | None = None, valid: Validity | None = None
) -> DraftRelease:
    """Return the factors of an EPA hub as a draft: by gas, and CO2e for waste.

    The GWP set is the one of the potentials at the head of the hub (2021: AR4, 2024: AR5) unless `gwp_set` says
    otherwise, which is sound for factors by gas. Waste is weighted already: it is left out, and noted, when its notes
    name another set than the release (2024: AR4). The factors hold for the calendar year in which the hub was last
    modified unless `valid` says otherwise.

    Raises FactorError when no sheet is a hub, a unit or table layout is unknown, or a key is there twice.
    """
    rows, edition = _hub(read_sheets(data, where=where), where)
    work = _Work(
        where=where,
        edition=edition,
        gwp_set=gwp_set or edition.gwp_set,
        valid=valid or Validity.of_year(edition.modified.year),
    )
    for table in read_tables(rows):
        _take(table, work)
    return DraftRelease(
        title=edition.title,
        published=edition.modified,
        gwp_set=work.gwp_set,
        rows=tuple(work.rows),
        notes=noted(work.notes),
        published_keys=frozenset(work.keys),
    )


def _hub(sheets: Mapping[str, Rows], where: str) -> tuple[Rows, Edition]:
    for name, rows in sheets.items():
        if any("Emission Factors for Greenhouse Gas Inventories" in row for row in rows):
            return rows, read_edition(rows, where=f"{where}, sheet {name!r}")
    raise refused("no sheet is an EPA hub", where=where, expected="its title", found=", ".join(sheets))


def _take(table: Table, work: _Work) -> None:
    place = f"{work.where}, {table.name}"
    prefix = prefix_of(table.title)
    if _POTENTIALS.search(table.title):
        work.leave(f"{table.name} {table.title}", "table of global warming potentials, no factors")
    elif prefix is None:
        work.leave(f"{table.name} {table.title}", "table that this importer does not know")
    elif prefix == _WASTE and (own := waste_set(table, where=place)) != work.gwp_set:
        for value in filter(has_number, read_waste(table, where=place)):
            work.leave(_label(table, value), f"weighted with {own}, the release is under {work.gwp_set}")
    else:
        values = read_waste(table, where=place) if prefix == _WASTE else read_values(table)
        _take_values(table, prefix, values, work)


def _take_values(table: Table, prefix: str, values: Iterator[Value], work: _Work) -> None:
    count = 0
    for value in values:
        count += 1
        label = _label(table, value)
        if label in work.keys:
            raise refused("key is there twice", where=f"{work.where}, row {value.row}", expected="once", found=label)
        work.keys.add(label)
        if not has_number(value):
            work.leave(label, f"no factor published: {value.text or 'empty'}")
        elif value.per in AMBIGUOUS:
            work.leave(label, f"unit {value.per!r} does not say which ton")
        else:
            work.rows.append(_row(table, value, prefix, label, work))
            if is_biogenic(value):
                work.leave(label, "CO2 of biomass, which many programmes report apart", Effect.TAKEN)
    if not count:
        raise refused("table has no factors", where=f"{work.where}, {table.name}", expected="rows", found=table.title)


def _label(table: Table, value: Value) -> str:
    words = [text for text in (value.block, *value.labels) if text]
    return f"{table.name} {table.title} | {' | '.join(words)} | {value.mass} {value.gas} / {value.per}"


def _row(table: Table, value: Value, prefix: str, label: str, work: _Work) -> DraftRow:
    place = f"{work.where}, row {value.row}"
    name = named(prefix, value, where=place)
    return DraftRow(
        activity_id=name.activity_id,
        region=name.region,
        gas=value.gas,
        ef_value=value.text,
        numerator_unit=value.mass,
        denominator_unit=epa_unit(value.per, where=f"{place} ({label})"),
        basis=factor_basis(value.gas, work.gwp_set),
        valid_from=work.valid.first,
        valid_to=work.valid.last,
        source=work.edition.title,
        source_ref=f"{label}; {table.source}" if table.source else label,
        label=name.label,
        place=place,
    )
