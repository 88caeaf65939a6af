"""The datapoints of ESRS E1-6 and E1-7 for one period, with unit, uncertainty and the digest of what each rests on.

Totals are computed and never lowered by removals or credits. Nothing is written unless the identities hold. What does
not belong here: which datapoints there are (datapoints) and the same identities as gates (compliance).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from mrv_assets.compliance.controls.esrs import gross_of, removed_by, used_although_sold
from mrv_assets.compliance.controls.shown import word_of
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.confidence import stated_half_width
from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.gross import HUNDRED, is_whole
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.report.disclosures.datapoints import Datapoint, DatapointList
from mrv_assets.report.disclosures.written import about, interval, plain

_SCOPES = ("scope1", "scope2_location", "scope2_market", "scope3")
_CANCELLED, _SOLD = "credits_cancelled_tco2e", "credits_sold_tco2e"
_IDENTITIES = (
    "E1-6_12 = E1-6_07 + E1-6_09 + E1-6_11",
    "E1-6_13 = E1-6_07 + E1-6_10 + E1-6_11",
    "E1-7_05 = sum of the removal activities",
    "no removal or credit lowers a figure of E1-6",
    "E1-7_13 + E1-7_14 = 100 %, where credits were cancelled",
    "no serial number of E1-7_09 backs a claim of one's own",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Computed:
    """A figure that is computed, and the names of the evidence that it is computed from."""

    value: Decimal
    of: tuple[str, ...]


def esrs_e1(certificate: Certificate, monitoring: Monitoring, datapoints: DatapointList) -> bytes:
    """Return the datapoints as canonical JSON.

    Raises ContractError when a required figure is missing, a stated total is not its sum, the scope that holds the
    certificate is smaller than it, the shares of credits do not come to 100 %, or credits that were sold are used.
    """
    computed = _computed(monitoring)
    _refuse_netted(certificate, monitoring, computed["removals_tco2e"].value)
    _refuse_broken_shares(monitoring)
    _refuse_sold_and_used(monitoring)
    shown = {*computed, *monitoring.quantities}
    told = [each for each in datapoints.datapoints if each.is_required or each.source in shown]
    return canonical_json(
        {
            "schema": "mrv-esrs-e1-1",
            "standard": datapoints.standard,
            "xbrl": {"namespace": datapoints.namespace, "element_status": datapoints.element_status},
            "certificate": about(certificate),
            "datapoints": [_datapoint(each, monitoring, computed, datapoints.element_status) for each in told],
            "not_reported": [each.id for each in datapoints.datapoints if each not in told],
            "removal_activities": _activities(monitoring),
            "identities": list(_IDENTITIES),
        }
    )


def _computed(monitoring: Monitoring) -> Mapping[str, _Computed]:
    gross = gross_of(monitoring)
    s1, location, market, s3 = (f"{scope}_tco2e" for scope in _SCOPES)
    rows = monitoring.table("removal_activities", "activity", "kind", "place", "tco2e")
    found = {
        "total_location_tco2e": _Computed(value=gross.total_location, of=(s1, location, s3)),
        "total_market_tco2e": _Computed(value=gross.total_market, of=(s1, market, s3)),
        "removals_tco2e": _Computed(
            value=exact_sum(removed_by(monitoring, row) for row in rows), of=("removal_activities",)
        ),
    }
    for name, sum_of in found.items():
        if name in monitoring.quantities and monitoring.quantity(name) != sum_of.value:
            raise _broken(
                f"{monitoring.where}, quantity {name}", expected=f"{sum_of.value}, the sum of {', '.join(sum_of.of)}",
                found=monitoring.quantities[name],
            )  # fmt: skip
    return found


def _refuse_netted(certificate: Certificate, monitoring: Monitoring, removals: Decimal) -> None:
    scope = monitoring.fact("certificate_scope")
    if scope not in _SCOPES:
        raise monitoring.unusable("fact certificate_scope", expected=", ".join(_SCOPES), found=scope)
    stated, totals = monitoring.quantity(f"{scope}_tco2e"), certificate.totals
    if stated < totals.emissions_tco2e or removals < totals.removals_tco2e:
        raise _broken(
            f"{monitoring.where}, {scope} and removals against certificate {certificate.sha256[:12]}",
            expected=f"at least {totals.emissions_tco2e:f} emitted and {totals.removals_tco2e:f} removed, gross",
            found=f"{stated} and {removals}",
        )


def _refuse_broken_shares(monitoring: Monitoring) -> None:
    names = ("credits_reduction_percent", "credits_removal_percent")
    has_cancelled = _CANCELLED in monitoring.quantities and monitoring.quantity(_CANCELLED) != 0
    if not has_cancelled and not any(name in monitoring.quantities for name in names):
        return
    shares = [monitoring.quantity(name) for name in names]
    if not is_whole(*shares):
        raise _broken(
            f"{monitoring.where}, {' and '.join(names)}", expected="together 100 %", found=str(exact_sum(shares))
        )


def _refuse_sold_and_used(monitoring: Monitoring) -> None:
    has_sold = _SOLD in monitoring.quantities and monitoring.quantity(_SOLD) != 0
    both = used_although_sold(monitoring) if has_sold else []
    if both:
        raise _broken(
            f"{monitoring.where}, credits_used", expected="no serial number that was sold", found=", ".join(both)
        )


def _datapoint(
    each: Datapoint, monitoring: Monitoring, computed: Mapping[str, _Computed], element_status: str
) -> dict[str, Json]:
    known = computed.get(each.source)
    value = known.value if known else monitoring.quantity(each.source)
    is_out = value < 0 or (each.unit == "percent" and value > HUNDRED)
    if is_out:
        raise monitoring.unusable(
            f"quantity {each.source}",
            expected="0 to 100 %" if each.unit == "percent" else "0 or more",
            found=str(value),
        )
    return {
        "id": each.id,
        "title": each.title,
        "unit": each.unit,
        "value": plain(value),
        "uncertainty": _uncertainty(monitoring, each.source),
        "source_sha256": monitoring.digest_of(*(known.of if known else (each.source,))),
        "element": {"name": each.element, "status": element_status} if each.element else None,
    }


def _uncertainty(monitoring: Monitoring, source: str) -> Json:
    """Return the half-width with its level, None when none is stated. Raises ContractError for one without a level."""
    relative = monitoring.quantities.get(f"{source}_half_width")
    if relative is None:
        return None
    where = f"{monitoring.where}, {source}_half_width"
    return interval(stated_half_width(relative, monitoring.facts.get(f"{source}_confidence", ""), where=where))


def _activities(monitoring: Monitoring) -> list[Json]:
    return [
        {
            "activity": row["activity"],
            "kind": word_of(monitoring, "removal_activities", row, "kind"),
            "place": word_of(monitoring, "removal_activities", row, "place"),
            "tco2e": plain(removed_by(monitoring, row)),
        }
        for row in monitoring.table("removal_activities", "activity", "kind", "place", "tco2e")
    ]


def _broken(where: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        "disclosure contradicts itself",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the evidence; gross emissions are never lowered by removals or credits",
    )
