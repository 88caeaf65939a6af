"""A product footprint in the form of the PACT data model 3.0, from one certificate whose figure is one product's.

Both totals of the footprint are gross: the form would let removals lower them, here they stand apart, in the extension.
What does not belong here: the rules of the form (pact_rules) and sending it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction
from uuid import NAMESPACE_URL, uuid5

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.confidence import stated_half_width
from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import rounded
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.report.disclosures.pact_rules import GEOGRAPHIES, SPEC_VERSION, footprint_faults
from mrv_assets.report.disclosures.record_rules import require_sound
from mrv_assets.report.disclosures.written import about, if_shown, interval, plain

_COMMENT = (
    "Both totals are gross. Removals of the certificate and biogenic uptake are in neither; the removals are in the "
    "extension, with the sha256 of the certificate."
)
_SHA256 = re.compile(r"[0-9a-f]{64}")
_KG_PER_TONNE = 1000
_PLACES = 9
_GEOGRAPHY_FACTS = dict(
    zip(GEOGRAPHIES, ("geography_region", "geography_country", "geography_subdivision"), strict=True)
)
_FIGURES = {
    "productMassPerDeclaredUnit": "product_mass_kg",
    "fossilCarbonContent": "fossil_carbon_content_kg",
    "biogenicCarbonContent": "biogenic_carbon_content_kg",
    "exemptedEmissionsPercent": "exempted_emissions_percent",
}


def footprint_id(certificate_sha256: str, product_id: str) -> str:
    """Return the id of the footprint of a product from a certificate: always the same, so that a later one can name it.

    It is a UUID made of a name (version 5).
    """
    return str(uuid5(NAMESPACE_URL, f"urn:mrv:pact-footprint:{certificate_sha256}:{product_id}"))


def pact_record(certificate: Certificate, monitoring: Monitoring, *, supersedes: Sequence[str] = ()) -> bytes:
    """Return the product footprint as canonical JSON, kg CO2e for each declared unit, rounded once to 1e-9.

    `supersedes` are the sha256 of the certificates whose footprints of this product it replaces. Raises ContractError
    for one that is no sha256, missing evidence, fossil emissions above all emissions, warming potentials that are not
    those of the certificate, and a record that the rules refuse, with every fault.
    """
    _require_digests(supersedes)
    products = _listed(monitoring.fact("product_ids"))
    created = monitoring.day("disclosure_date")
    preceding: list[Json] = [footprint_id(digest, products[0]) for digest in supersedes]
    record: dict[str, Json] = {
        "id": footprint_id(certificate.sha256, products[0]),
        "specVersion": SPEC_VERSION,
        **({"precedingPfIds": preceding} if preceding else {}),
        "created": _instant(created),
        "status": "Active",
        "companyName": monitoring.fact("company_name"),
        "companyIds": list(_listed(monitoring.fact("company_ids"))),
        "productDescription": monitoring.fact("product_description"),
        "productIds": list(products),
        "productNameCompany": monitoring.fact("product_name"),
        "comment": _COMMENT,
        "pcf": _carbon_footprint(certificate, monitoring),
        "extensions": [_extension(certificate, monitoring)],
    }
    where = f"{certificate.key.project_id} {certificate.key.period}"
    require_sound(footprint_faults(record), what="PACT product footprint", where=where)
    return canonical_json(record)


def _carbon_footprint(certificate: Certificate, monitoring: Monitoring) -> dict[str, Json]:
    emissions, fossil = certificate.totals.emissions_tco2e, monitoring.quantity("fossil_emissions_tco2e")
    if not 0 <= fossil <= emissions:
        raise monitoring.unusable(
            "quantity fossil_emissions_tco2e", expected=f"0 to the {emissions:f} that are certified", found=str(fossil)
        )
    gross, period = _each_unit(monitoring, emissions), Period.parse(certificate.key.period)
    shown = {field: if_shown(monitoring, name) for field, name in _GEOGRAPHY_FACTS.items()}
    return {
        "declaredUnitOfMeasurement": monitoring.fact("declared_unit"),
        "declaredUnitAmount": plain(monitoring.quantity("declared_unit_amount")),
        **{field: plain(monitoring.quantity(name)) for field, name in _FIGURES.items()},
        "referencePeriodStart": _instant(period.first),
        "referencePeriodEnd": _instant(period.last + timedelta(days=1)),
        **{field: text for field, text in shown.items() if text},
        "boundaryProcessesDescription": monitoring.fact("boundary_processes"),
        "pcfExcludingBiogenicUptake": gross,
        "pcfIncludingBiogenicUptake": gross,
        "fossilGhgEmissions": _each_unit(monitoring, fossil),
        "ipccCharacterizationFactors": _gwp_sets(certificate, monitoring),
        "crossSectoralStandards": list(_listed(monitoring.fact("cross_sectoral_standards"))),
        "exemptedEmissionsDescription": monitoring.fact("exempted_emissions_description"),
        "secondaryEmissionFactorSources": [{"name": "factor release", "version": certificate.key.factor_version}],
    }


def _gwp_sets(certificate: Certificate, monitoring: Monitoring) -> list[Json]:
    """Return the potentials that the evidence names, which are those that the figure was computed with."""
    stated = _listed(monitoring.fact("gwp_sets").upper())
    certified = {ref.name.upper() for ref in certificate.inputs if ref.kind == "gwp_set"}
    if certified and certified != set(stated):
        raise monitoring.unusable(
            "fact gwp_sets",
            expected=f"{', '.join(sorted(certified))}, which the certificate pins",
            found=monitoring.fact("gwp_sets"),
        )
    return list(stated)


def _require_digests(supersedes: Sequence[str]) -> None:
    for text in supersedes:
        if not _SHA256.fullmatch(text):
            raise ContractError(
                "superseded certificate is not named by its sha256",
                where="--supersedes",
                expected="64 hex digits in lower case, whole: the id of its footprint is made of them",
                found=repr(text),
                remedy="take the digest from `mrv ledger --history --json` or from the earlier footprint",
            )


def _each_unit(monitoring: Monitoring, tonnes: Decimal) -> str:
    units = monitoring.quantity("declared_units_produced")
    if units <= 0:
        raise monitoring.unusable("quantity declared_units_produced", expected="more than 0", found=str(units))
    return plain(rounded(Fraction(tonnes) * _KG_PER_TONNE / Fraction(units), places=_PLACES))


def _extension(certificate: Certificate, monitoring: Monitoring) -> dict[str, Json]:
    """Return what the form has no field for: the certificate, removals apart, and the uncertainty with its level."""
    return {
        "specVersion": "2.0.0",
        "dataSchema": monitoring.fact("extension_schema"),
        "data": {
            "certificate": about(certificate),
            "removals_kgco2e_per_unit": _each_unit(monitoring, certificate.totals.removals_tco2e),
            "uncertainty": _uncertainty(monitoring),
        },
    }


def _uncertainty(monitoring: Monitoring) -> dict[str, Json]:
    return interval(
        stated_half_width(
            plain(monitoring.quantity("footprint_half_width")),
            monitoring.facts.get("footprint_confidence", ""),
            where=f"{monitoring.where}, footprint_half_width",
        )
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))


def _instant(day: date) -> str:
    return f"{day.isoformat()}T00:00:00Z"
