"""The gates of `factored`: has every row its factor, and tonnes that are numbers on one side only.

What does not belong here: whether a factor release is well formed (domain.factors).
"""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.expectations import expectations_met
from mrv_assets.compliance.fallbacks import FALLBACKS_BOUNDED
from mrv_assets.compliance.masks import count, first_names
from mrv_assets.compliance.rows import quantity_valid, rows_conserved_from, tonnage_valid
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.contract import FACTORED
from mrv_assets.domain.factors import Flux
from mrv_assets.domain.limits import FEW_ROWS, ROW_LIMIT_TCO2E
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.remedies import MATCH_FACTORS
from mrv_assets.domain.source import SPATIAL

_KEY = ["activity_id", "region", "unit", "epoch"]


def _factors_matched(case: Case) -> Verdict:
    factor = case.column("ef_value")
    is_bad = pc.fill_null(pc.less(factor, Decimal(0)), True)
    by_row = pa.table({name: case.column(name) for name in _KEY})
    keys = by_row.group_by(_KEY, use_threads=by_row.num_rows > FEW_ROWS).aggregate([]).num_rows
    matched = int(case.measured("matched_keys"))
    version = case.staged.evidence.get("factor_version", "")
    bad = count(is_bad)
    return Verdict(
        passed=len(factor) > 0 and not bad and keys == matched and version == case.key.factor_version,
        observed=f"{keys} distinct keys, {matched} of them matched in {version or 'no release'}; "
        f"rows without a factor: {first_names(case.column('row_id'), is_bad) or 'none'}",
        limit=f"at least one row; a factor of release {case.key.factor_version} for every key",
        metrics={"rows": len(factor), "keys": keys, "matched_keys": matched, "without": bad},
        remedy=MATCH_FACTORS,
    )


def _regions_located(case: Case) -> Verdict:
    region = case.column("region")
    is_open = pc.fill_null(pc.equal(region, SPATIAL), True)
    is_spatial = "located_rows" in case.staged.evidence
    located = int(case.measured("located_rows")) if is_spatial else len(region)
    borders = int(case.measured("rows_on_borders")) if is_spatial else 0
    by = f"{located} located by their footprints, {borders} of them on borders" if is_spatial else "as the source says"
    return Verdict(
        passed=len(region) > 0 and not count(is_open) and located == len(region),
        observed=f"regions of {len(region)} rows {by}; without one: "
        f"{first_names(case.column('row_id'), is_open) or 'none'}",
        limit="at least one row; every row in one region: on a border in that with the smaller id",
        metrics={"rows": len(region), "located": located if is_spatial else 0, "on_borders": borders},
        remedy='add the region to a new factor release, or declare region = "spatial" under [source] of the project',
    )


def _tonnage_valid(case: Case) -> Verdict:
    return tonnage_valid(case, names=case.column("row_id"), limit=ROW_LIMIT_TCO2E)


def _one_flux(case: Case) -> Verdict:
    flux = case.column("flux")
    is_emission, is_removal = pc.equal(flux, Flux.EMISSION.value), pc.equal(flux, Flux.REMOVAL.value)
    has_emissions = pc.not_equal(case.column("emissions_tco2e"), Decimal(0))
    has_removals = pc.not_equal(case.column("removals_tco2e"), Decimal(0))
    is_unknown = pc.fill_null(pc.invert(pc.or_(is_emission, is_removal)), True)
    is_mixed = pc.fill_null(pc.or_(pc.and_(is_emission, has_removals), pc.and_(is_removal, has_emissions)), True)
    is_bad = pc.or_(is_unknown, is_mixed)
    return Verdict(
        passed=len(flux) > 0 and not count(is_bad),
        observed=f"{count(is_emission)} emissions, {count(is_removal)} removals; "
        f"neither or both: {first_names(case.column('row_id'), is_bad) or 'none'}",
        limit="at least one row; every row an emission or a removal, with tonnes on that side only",
        metrics={"emissions": count(is_emission), "removals": count(is_removal), "bad": count(is_bad)},
        remedy="declare one flux per activity in the factor release; a row never nets emissions and removals",
    )


GATES = (
    Gate(
        name="rows_conserved",
        question="Are these exactly the normalised rows?",
        judge=rows_conserved_from(Asset.NORMALIZED),
    ),
    Gate(
        name="quantity_valid",
        question="Is every quantity a finite number, not negative?",
        judge=quantity_valid,
    ),
    Gate(
        name="factors_matched",
        question="Has every row its factor from the pinned release?",
        judge=_factors_matched,
    ),
    FALLBACKS_BOUNDED,
    Gate(
        name="regions_located",
        question="Is every row in a region, and in one only?",
        judge=_regions_located,
    ),
    Gate(
        name="tonnage_valid",
        question="Are all tonnes there, not negative and of believable size?",
        judge=_tonnage_valid,
    ),
    Gate(name="one_flux", question="Is every row either an emission or a removal?", judge=_one_flux),
    expectations_met(FACTORED),
)
