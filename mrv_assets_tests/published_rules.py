"""The published rules of registries and networks a second time, as JSON Schema and arithmetic: an outsider's view.

Written from the published rules without looking at the product's own, and evaluated by another library. What does not
belong here: anything of mrv_assets.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

_TEXT = {"type": "string", "pattern": r"\S"}
_DAY = {"type": "string", "pattern": r"^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$"}
_WHOLE = {"type": "integer"}


def _object(required: Mapping[str, Any], optional: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "required": list(required),
        "properties": {**required, **optional},
        "additionalProperties": False,
    }


def _some(item: Mapping[str, Any], *, unique: bool = False) -> dict[str, Any]:
    return {"type": "array", "minItems": 1, "items": item, "uniqueItems": unique}


_LABEL = _object(
    {
        "label": _TEXT,
        "labelType": {
            "enum": [
                "Endorsement",
                "Certification",
                "Letter of Approval",
                "Letter of Authorization",
                "Letter of Qualification",
            ]
        },
        "creditingPeriodStartDate": _DAY,
        "creditingPeriodEndDate": _DAY,
        "validityPeriodStartDate": _DAY,
        "validityPeriodEndDate": _DAY,
        "unitQuantity": _WHOLE,
        "labelLink": _TEXT,
    },
    {},
)
_ISSUANCE = _object(
    {"startDate": _DAY, "endDate": _DAY, "verificationApproach": _TEXT, "verificationReportDate": _DAY},
    {"verificationBody": _TEXT},
)
_LOCATION = _object({"country": _TEXT, "geographicIdentifier": _TEXT}, {"inCountryRegion": _TEXT, "fileId": _TEXT})
_PROJECT = _object(
    {
        "projectId": _TEXT,
        "originProjectId": _TEXT,
        "registryOfOrigin": _TEXT,
        "projectName": _TEXT,
        "projectLink": _TEXT,
        "projectDeveloper": _TEXT,
        "sector": _TEXT,
        "projectType": _TEXT,
        "coveredByNDC": {"enum": ["Inside NDC", "Outside NDC", "Unknown"]},
        "projectStatus": {"enum": ["Listed", "Registered", "Completed", "Transitioned", "Withdrawn", "De-registered"]},
        "projectStatusDate": _DAY,
        "unitMetric": {"const": "tCO2e"},
        "methodology": _TEXT,
    },
    {
        "currentRegistry": _TEXT,
        "program": _TEXT,
        "methodology2": _TEXT,
        "validationBody": _TEXT,
        "validationDate": _DAY,
        "description": _TEXT,
        "ndcInformation": _TEXT,
        "projectTags": _TEXT,
        "labels": _some(_LABEL),
        "issuances": _some(_ISSUANCE),
        "projectLocations": _some(_LOCATION),
    },
)
_UNIT = _object(
    {
        "countryJurisdictionOfOwner": _TEXT,
        "unitBlockStart": _TEXT,
        "unitBlockEnd": _TEXT,
        "unitCount": _WHOLE,
        "vintageYear": {"type": "integer", "minimum": 1900, "maximum": 3000},
        "unitType": {
            "enum": ["Reduction - nature", "Reduction - technical", "Removal - nature", "Removal - technical"]
        },
        "unitStatus": {"enum": ["Held", "Retired", "Cancelled", "Expired", "Buffer", "Exported", "Pending Export"]},
        "unitRegistryLink": _TEXT,
        "correspondingAdjustmentDeclaration": {"enum": ["Committed", "Not Required", "Unknown"]},
        "correspondingAdjustmentStatus": {"enum": ["Not Started", "Pending", "Completed"]},
    },
    {
        "inCountryJurisdictionOfOwner": _TEXT,
        "unitOwner": _TEXT,
        "unitStatusReason": _TEXT,
        "unitTags": _TEXT,
        "issuance": _ISSUANCE,
        "labels": _some(_LABEL),
    },
) | {
    "if": {"properties": {"unitStatus": {"enum": ["Cancelled", "Retired"]}}},
    "then": {"required": ["unitStatusReason"]},
}
_DECIMAL = {"type": "string", "pattern": r"^[+-]?\d+(\.\d+)?$"}
_NOT_NEGATIVE = {"type": "string", "pattern": r"^\d+(\.\d+)?$"}
_INSTANT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
_UUID = {"type": "string", "pattern": "^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$"}
_URN = {"type": "string", "pattern": "^([uU][rR][nN]):"}
_GEOGRAPHIES = ["geographyRegionOrSubregion", "geographyCountry", "geographyCountrySubdivision"]
_PCF = {
    "type": "object",
    "required": [
        "declaredUnitOfMeasurement",
        "declaredUnitAmount",
        "productMassPerDeclaredUnit",
        "referencePeriodStart",
        "referencePeriodEnd",
        "pcfExcludingBiogenicUptake",
        "pcfIncludingBiogenicUptake",
        "fossilGhgEmissions",
        "fossilCarbonContent",
        "ipccCharacterizationFactors",
        "crossSectoralStandards",
        "exemptedEmissionsPercent",
    ],
    "properties": {
        "declaredUnitOfMeasurement": {
            "enum": [
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
            ]
        },
        "declaredUnitAmount": {"type": "string", "pattern": r"^((\d*[1-9]\d*)(\.\d+)?|(0+\.\d*[1-9]\d*))$"},
        "productMassPerDeclaredUnit": _NOT_NEGATIVE,
        "referencePeriodStart": _INSTANT,
        "referencePeriodEnd": _INSTANT,
        "geographyRegionOrSubregion": {"enum": ["Africa", "Americas", "Asia", "Europe", "Oceania", "Southern Europe"]},
        "geographyCountry": {"type": "string", "pattern": "^[A-Z]{2}$"},
        "geographyCountrySubdivision": {"type": "string", "pattern": "^[A-Z]{2}-[A-Z0-9]{1,3}$"},
        "pcfExcludingBiogenicUptake": _DECIMAL,
        "pcfIncludingBiogenicUptake": _DECIMAL,
        "fossilGhgEmissions": _NOT_NEGATIVE,
        "fossilCarbonContent": _NOT_NEGATIVE,
        "ipccCharacterizationFactors": _some({"type": "string", "pattern": r"^AR\d+$"}, unique=True),
        "crossSectoralStandards": _some(
            {
                "enum": [
                    "ISO14067",
                    "ISO14083",
                    "ISO14040-44",
                    "GHGP-Product",
                    "PEF",
                    "PACT-1.0",
                    "PACT-2.0",
                    "PACT-3.0",
                    "PAS2050",
                ]
            },
            unique=True,
        ),
        "exemptedEmissionsPercent": _NOT_NEGATIVE,
        "secondaryEmissionFactorSources": _some({"type": "object", "required": ["name", "version"]}),
    },
    "oneOf": [
        *({"required": [name]} for name in _GEOGRAPHIES),
        {"not": {"anyOf": [{"required": [name]} for name in _GEOGRAPHIES]}},
    ],
}
_FOOTPRINT = {
    "type": "object",
    "required": [
        "id",
        "specVersion",
        "created",
        "status",
        "companyName",
        "companyIds",
        "productDescription",
        "productIds",
        "productNameCompany",
        "pcf",
    ],
    "properties": {
        "id": _UUID,
        "specVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+(-\d{8})?$"},
        "precedingPfIds": _some(_UUID, unique=True),
        "created": _INSTANT,
        "status": {"enum": ["Active", "Deprecated"]},
        "companyName": _TEXT,
        "companyIds": _some(_URN, unique=True),
        "productIds": _some(_URN, unique=True),
        "productNameCompany": _TEXT,
        "pcf": _PCF,
        "extensions": {
            "type": "array",
            "items": {"type": "object", "required": ["specVersion", "dataSchema", "data"]},
        },
    },
}


def project_is_valid(record: Mapping[str, Any]) -> bool:
    """Tell whether CAD Trust takes a project."""
    parts = [*record.get("issuances", ()), *record.get("labels", ())]
    return _is_valid(record, _PROJECT) and all(map(_days_rise, parts)) and _is_day(record["projectStatusDate"])


def unit_is_valid(record: Mapping[str, Any]) -> bool:
    """Tell whether CAD Trust takes a block of units, and whether its count is the inclusive one."""
    if not _is_valid(record, _UNIT):
        return False
    parts = [*([record["issuance"]] if "issuance" in record else []), *record.get("labels", ())]
    start, end = (re.search(r"\d+$", record[name]) for name in ("unitBlockStart", "unitBlockEnd"))
    held = int(end[0]) - int(start[0]) + 1 if start and end else None
    return held == record["unitCount"] > 0 and all(map(_days_rise, parts))


def footprint_is_valid(record: Mapping[str, Any]) -> bool:
    """Tell whether a PACT 3.0 host takes a product footprint."""
    if not _is_valid(record, _FOOTPRINT):
        return False
    pcf = record["pcf"]
    return pcf["referencePeriodStart"] < pcf["referencePeriodEnd"] and record["id"] not in record.get(
        "precedingPfIds", ()
    )


def has_float(document: bytes) -> bool:
    """Tell whether a JSON document has a number that is not whole."""
    seen: list[str] = []
    json.loads(document, parse_float=seen.append)
    return bool(seen)


def _is_valid(record: Mapping[str, Any], schema: Mapping[str, Any]) -> bool:
    return bool(Draft202012Validator(schema).is_valid(record))


def _days_rise(record: Mapping[str, Any]) -> bool:
    names = (
        ("startDate", "endDate"),
        ("creditingPeriodStartDate", "creditingPeriodEndDate"),
        ("validityPeriodStartDate", "validityPeriodEndDate"),
    )
    pairs = [(record[first], record[last]) for first, last in names if first in record]
    return all(_is_day(first) and _is_day(last) and first <= last for first, last in pairs)


def _is_day(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True
