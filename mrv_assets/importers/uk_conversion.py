"""UK Government GHG Conversion Factors for Company Reporting: the yearly flat files, 2016 to 2023.

Each key becomes one row in CO2e, the publisher's total. What does not belong here: the layout of the file (uk_sheet)
and how totals are told from parts (uk_totals).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.domain.factors import CO2E, factor_basis
from mrv_assets.importers.draft import DraftRelease, DraftRow, Validity, noted
from mrv_assets.importers.ids import activity_id
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.uk_sheet import Edition, Record, read_edition, read_records
from mrv_assets.importers.uk_totals import Sorted, sorted_records
from mrv_assets.importers.uk_units import uk_unit
from mrv_assets.importers.weighting import weighted_with
from mrv_assets.importers.workbook import read_sheets

_TITLE = "UK Government GHG Conversion Factors for Company Reporting"
_REFRIGERANTS = "refrigerant & other"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """What all rows of an edition share."""

    source: str
    gwp_set: str
    valid: Validity


def import_uk_conversion(
    data: bytes, *, where: str, gwp_set: str | None = None, valid: Validity | None = None
) -> DraftRelease:
    """Return the totals of a UK flat file as a draft, kg CO2e per unit, region GB.

    The GWP set is the one of the potentials that the file lists for methane and nitrous oxide as refrigerants (AR4 to
    2022, AR5 in 2023). The factors hold for the calendar year on the front page unless `valid` says otherwise. It does
    not matter in which order the rows stand.

    Raises FactorError when the file is not laid out as a flat file, `gwp_set` is not the file's own, a total has an
    unknown unit, a key is there twice, or parts miss their total by more than rounding.
    """
    sheets = read_sheets(data, where=where)
    edition = read_edition(sheets, where=where)
    done = sorted_records(read_records(sheets, edition, where=where))
    own = _own_set(done.totals, where)
    if gwp_set not in (None, own):
        raise refused("mixed GWP: every factor is weighted already", where=where, expected=own, found=str(gwp_set))
    title = f"{_TITLE} {edition.year}, flat file {edition.version}".rstrip()
    frame = _Frame(source=title, gwp_set=own, valid=valid or Validity.of_year(edition.year))
    return _draft(done, edition, frame)


def _draft(done: Sorted, edition: Edition, frame: _Frame) -> DraftRelease:
    return DraftRelease(
        title=frame.source,
        published=edition.updated,
        gwp_set=frame.gwp_set,
        rows=tuple(_row(total, frame) for total in done.totals),
        notes=noted(done.notes),
        published_keys=frozenset(done.keys),
    )


def _row(total: Record, frame: _Frame) -> DraftRow:
    unit, qualifier = uk_unit(total.uom, where=total.place)
    labels = (*total.levels, qualifier)
    return DraftRow(
        activity_id=activity_id(labels),
        region="GB",
        gas=CO2E,
        ef_value=total.value,
        numerator_unit="kg",
        denominator_unit=unit,
        basis=factor_basis(CO2E, frame.gwp_set),
        valid_from=frame.valid.first,
        valid_to=frame.valid.last,
        source=frame.source,
        source_ref=total.label,
        label=" | ".join(labels),
        place=total.place,
    )


def _own_set(totals: Sequence[Record], where: str) -> str:
    """Return the GWP set of the potentials that the file lists, the one evidence in it of how it was weighted."""
    listed = {"methane": set[str](), "nitrous oxide": set[str]()}
    for total in totals:
        name = total.levels[2].casefold()
        if total.levels[0].casefold() == _REFRIGERANTS and name in listed and total.uom == "kg":
            listed[name].add(total.value)
    ch4, n2o = (" and ".join(sorted(values)) for values in listed.values())
    return weighted_with(ch4, n2o, where=f"{where}, Refrigerant & other, Methane and Nitrous oxide")
