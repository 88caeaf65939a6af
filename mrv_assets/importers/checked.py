"""Judging a draft: every refusal names the published rows at fault, and what passes is read back as a release.

What does not belong here: whether the parts of a total sum to it (uk_totals): a release holds no parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factors import CO2E, FactorRelease, GwpSet, factor_basis
from mrv_assets.domain.units import canonical_unit, tonnes_per
from mrv_assets.importers.cells import decimal_text
from mrv_assets.importers.draft import DraftRelease, DraftRow
from mrv_assets.importers.refusal import refused
from mrv_assets.importers.written import ReleaseHead, factors_csv, release_toml


def checked(draft: DraftRelease, gwp: GwpSet) -> DraftRelease:
    """Return the draft once it is known to make a release under `gwp`.

    Raises FactorError: for a draft without rows or under another GWP set; for a unit that is unknown or no mass, a
    value that is no plain decimal or negative, or a basis that is not the gas (mixed GWP), the row named; for two rows
    that could both apply to one activity row, or two labels that make one id, both named.
    """
    if draft.gwp_set != gwp.name:
        raise refused("mixed GWP", where=draft.title, expected=f"GWP set {draft.gwp_set}", found=gwp.name)
    if not draft.rows:
        raise refused("nothing to release", where=draft.title, expected="at least one factor", found="none")
    for row in draft.rows:
        _refuse_value(row)
        _refuse_basis(row, draft.gwp_set)
    _refuse_collisions(draft.rows)
    _refuse_duplicates(draft.rows)
    _read_back(draft, gwp)
    return draft


def _refuse_value(row: DraftRow) -> None:
    if decimal_text(row.ef_value) is None:
        raise refused("factor is no decimal", where=row.told, expected="digits and a point", found=repr(row.ef_value))
    if Decimal(row.ef_value).is_signed():
        raise refused(
            "factor is negative",
            where=row.told,
            expected="0 or more",
            found=row.ef_value,
            remedy="declare a removal by flux = removal with a positive value; never by a negative factor",
        )


def _refuse_basis(row: DraftRow, gwp_set: str) -> None:
    expected = factor_basis(row.gas, gwp_set)
    if row.basis != expected:
        what = "mixed GWP" if row.gas == CO2E else "substance basis is not the gas"
        raise refused(what, where=row.told, expected=expected, found=row.basis)


def _refuse_collisions(rows: Sequence[DraftRow]) -> None:
    seen: dict[str, DraftRow] = {}
    for row in rows:
        other = seen.setdefault(row.activity_id, row)
        if other.label != row.label:
            raise refused(
                "two labels make one activity id",
                where=row.activity_id,
                expected="one label for one id",
                found=f"{other.told} and {row.told}",
            )


def _refuse_duplicates(rows: Sequence[DraftRow]) -> None:
    groups: dict[tuple[str, str, str], list[DraftRow]] = {}
    for row in rows:
        same = groups.setdefault((row.activity_id, row.region, _unit(row)), [])
        for other in same:
            is_shared_day = row.valid_from <= other.valid_to and other.valid_from <= row.valid_to
            is_counted_twice = row.gas == other.gas or CO2E in (row.gas, other.gas) or row.flux != other.flux
            if is_shared_day and is_counted_twice:
                raise refused(
                    "two factors could apply to one activity row",
                    where=f"{row.activity_id} {row.region}",
                    expected="one factor per activity, region, unit, gas and day, with one flux; CO2e alone",
                    found=f"{other.told} and {row.told}",
                )
        same.append(row)


def _unit(row: DraftRow) -> str:
    """Return the canonical unit of the activity, once both units of the row are known to be sound."""
    try:
        tonnes_per(row.numerator_unit)
        return canonical_unit(row.denominator_unit)
    except ContractError as error:
        raise refused("unit is refused", where=row.told, expected=error.expected, found=error.where) from error


def _read_back(draft: DraftRelease, gwp: GwpSet) -> None:
    """Read what would be written by the reader of releases, which has the last word."""
    factors = factors_csv(draft)
    head = ReleaseHead.on_trial(draft, "draft")
    FactorRelease.parse("draft", release_toml=release_toml(head, factors=factors), factors_csv=factors, gwp=gwp)
