"""The rules of the PACT data model 3.0 for a product footprint, as far as public texts of it were found, restated.

Read: the types that the publisher's own conformance service makes of version 3.0, and the draft of the specification;
where they differ, the former counts. Not written and so refused: indicators of data quality, verification, details of
land sector, packaging, logistics and capture. What does not belong here: filling the record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mrv_assets.report.disclosures.record_rules import Field, Kind, Record, faults, faults_of_each

SPEC_VERSION = "3.0.0"
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_URN = re.compile(r"[uU][rR][nN]:.+")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z")
_REGIONS = (
    "Africa", "Americas", "Asia", "Europe", "Oceania", "Australia and New Zealand", "Central Asia", "Eastern Asia",
    "Eastern Europe", "Latin America and the Caribbean", "Melanesia", "Micronesia", "Northern Africa",
    "Northern America", "Northern Europe", "Polynesia", "South-eastern Asia", "Southern Asia", "Southern Europe",
    "Sub-Saharan Africa", "Western Asia", "Western Europe",
)  # fmt: skip
_AMOUNT = Field(kind=Kind.DECIMAL, pattern=re.compile(r"\d+(\.\d+)?"))
_INSTANT = Field(pattern=_TIME)
GEOGRAPHIES = ("geographyRegionOrSubregion", "geographyCountry", "geographyCountrySubdivision")

FOOTPRINT: Mapping[str, Field] = {
    "id": Field(pattern=_UUID),
    "specVersion": Field(pattern=re.compile(r"\d+\.\d+\.\d+(-\d{8})?")),
    "precedingPfIds": Field(kind=Kind.WORDS, is_required=False, pattern=_UUID),
    "created": _INSTANT,
    "status": Field(words=("Active", "Deprecated")),
    "validityPeriodStart": Field(is_required=False, pattern=_TIME),
    "validityPeriodEnd": Field(is_required=False, pattern=_TIME),
    "companyName": Field(),
    "companyIds": Field(kind=Kind.WORDS, pattern=_URN),
    "productDescription": Field(),
    "productIds": Field(kind=Kind.WORDS, pattern=_URN),
    "productClassifications": Field(kind=Kind.WORDS, is_required=False, pattern=_URN),
    "productNameCompany": Field(),
    "comment": Field(is_required=False),
    "pcf": Field(kind=Kind.RECORD),
    "extensions": Field(kind=Kind.RECORDS, is_required=False),
}
CARBON_FOOTPRINT: Mapping[str, Field] = {
    "declaredUnitOfMeasurement": Field(
        words=(
            "liter",
            "kilogram",
            "cubic meter",
            "kilowatt hour",
            "megajoule",
            "ton kilometer",
            "square meter",
            "piece",
            "hour",
            "megabit second",
        )
    ),
    "declaredUnitAmount": _AMOUNT,
    "productMassPerDeclaredUnit": _AMOUNT,
    "referencePeriodStart": _INSTANT,
    "referencePeriodEnd": _INSTANT,
    "geographyRegionOrSubregion": Field(is_required=False, words=_REGIONS),
    "geographyCountry": Field(is_required=False, pattern=re.compile("[A-Z]{2}")),
    "geographyCountrySubdivision": Field(is_required=False, pattern=re.compile("[A-Z]{2}-[A-Z0-9]{1,3}")),
    "boundaryProcessesDescription": Field(is_required=False),
    "pcfExcludingBiogenicUptake": Field(kind=Kind.DECIMAL),
    "pcfIncludingBiogenicUptake": Field(kind=Kind.DECIMAL),
    "fossilGhgEmissions": _AMOUNT,
    "fossilCarbonContent": _AMOUNT,
    "biogenicCarbonContent": Field(kind=Kind.DECIMAL, is_required=False, pattern=_AMOUNT.pattern),
    "ipccCharacterizationFactors": Field(kind=Kind.WORDS, pattern=re.compile(r"AR\d+")),
    "crossSectoralStandards": Field(
        kind=Kind.WORDS,
        words=(
            "ISO14067",
            "ISO14083",
            "ISO14040-44",
            "GHGP-Product",
            "PEF",
            "PACT-1.0",
            "PACT-2.0",
            "PACT-3.0",
            "PAS2050",
        ),
    ),
    "exemptedEmissionsPercent": _AMOUNT,
    "exemptedEmissionsDescription": Field(is_required=False),
    "secondaryEmissionFactorSources": Field(kind=Kind.RECORDS, is_required=False),
}
FACTOR_SOURCE: Mapping[str, Field] = {"name": Field(), "version": Field()}  # fmt: skip
EXTENSION: Mapping[str, Field] = {
    "specVersion": Field(),
    "dataSchema": Field(pattern=re.compile("https?://.+")),
    "data": Field(kind=Kind.RECORD),
}


def footprint_faults(record: Record) -> list[str]:
    """Return what is wrong with a product footprint and what is in it."""
    pcf = record.get("pcf")
    found = faults(record, FOOTPRINT)
    preceding = record.get("precedingPfIds")
    if isinstance(preceding, list | tuple) and record.get("id") in preceding:
        found.append("precedingPfIds: a footprint does not precede itself")
    if isinstance(pcf, Mapping):
        found += [f"pcf.{fault}" for fault in carbon_footprint_faults(pcf)]
    return [*found, *faults_of_each(record, "extensions", lambda extension: faults(extension, EXTENSION))]


def carbon_footprint_faults(pcf: Record) -> list[str]:
    """Return what is wrong with the figures: at most one geography, a period that moves forward, an amount above 0."""
    found = faults(pcf, CARBON_FOOTPRINT)
    if sum(name in pcf for name in GEOGRAPHIES) > 1:
        found.append(f"{', '.join(GEOGRAPHIES)}: at most one of them")
    start, end, amount = (pcf.get(n) for n in ("referencePeriodStart", "referencePeriodEnd", "declaredUnitAmount"))
    if isinstance(start, str) and isinstance(end, str) and end <= start:
        found.append(f"referencePeriodEnd: {end} is not after {start}")
    if isinstance(amount, str) and not amount.strip("0."):
        found.append("declaredUnitAmount: not above 0")
    sources = faults_of_each(pcf, "secondaryEmissionFactorSources", lambda source: faults(source, FACTOR_SOURCE))
    return [*found, *sources]
