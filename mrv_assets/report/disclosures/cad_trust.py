"""The records of the Climate Action Data Trust for one submission: the project with its issuances, and blocks of units.

The published rules refuse fields they do not know, so the records name the certificate in their tags. Nothing is
written that the rules refuse. What does not belong here: the rules.
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.issuance import IssuedVintage
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.report.disclosures.cad_trust_rules import project_faults, unit_faults
from mrv_assets.report.disclosures.record_rules import require_sound
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets.report.disclosures.written import about, if_shown, stamp

_PROJECT: Mapping[str, str] = {
    "projectId": "registry_project_id",
    "originProjectId": "origin_project_id",
    "registryOfOrigin": "registry_of_origin",
    "projectName": "project_name",
    "projectLink": "project_link",
    "projectDeveloper": "project_developer",
    "sector": "project_sector",
    "projectType": "project_type",
    "coveredByNDC": "covered_by_ndc",
    "projectStatus": "project_status",
    "projectStatusDate": "project_status_date",
    "methodology": "methodology",
}
_PROJECT_OPTIONAL: Mapping[str, str] = {
    "currentRegistry": "current_registry",
    "program": "program",
    "methodology2": "second_methodology",
    "validationBody": "validation_body",
    "validationDate": "validation_date",
    "description": "project_description",
    "ndcInformation": "ndc_information",
}
_UNIT: Mapping[str, str] = {
    "countryJurisdictionOfOwner": "owner_country",
    "unitType": "unit_type",
    "unitStatus": "unit_status",
    "unitRegistryLink": "unit_registry_link",
    "correspondingAdjustmentDeclaration": "corresponding_adjustment_declaration",
    "correspondingAdjustmentStatus": "corresponding_adjustment_status",
}
_UNIT_OPTIONAL: Mapping[str, str] = {"unitOwner": "unit_owner", "unitStatusReason": "unit_status_reason"}
_LABEL: Mapping[str, str] = {
    "label": "label",
    "labelType": "label_type",
    "creditingPeriodStartDate": "crediting_first_day",
    "creditingPeriodEndDate": "crediting_last_day",
    "validityPeriodStartDate": "validity_first_day",
    "validityPeriodEndDate": "validity_last_day",
    "labelLink": "link",
}


def cad_trust(submission: Submission) -> bytes:
    """Return the records as canonical JSON: the project, and one block of units for each vintage with credits.

    Raises ContractError for a missing fact, and for a record that the published rules refuse, with every fault.
    """
    where = f"{submission.certificate.key.project_id} {submission.certificate.key.period}"
    project, units = _project(submission), [_unit(submission, vintage) for vintage in submission.issued]
    require_sound(project_faults(project), what="CAD Trust project", where=where)
    for unit in units:
        require_sound(unit_faults(unit), what="CAD Trust unit", where=f"{where}, block from {unit['unitBlockStart']}")
    return canonical_json(
        {
            "schema": "mrv-cad-trust-1",
            "certificate": about(submission.certificate),
            "rule_set": submission.waterfall.rule_set,
            "project": project,
            "units": units,
        }
    )


def _project(submission: Submission) -> dict[str, Json]:
    shown = submission.monitoring
    children: dict[str, list[Json]] = {
        "issuances": [_issuance(shown, vintage) for vintage in submission.issued],
        "labels": _labels(shown),
        "projectLocations": [_location(shown)],
    }
    return {
        **{field: shown.fact(name) for field, name in _PROJECT.items()},
        **_shown(shown, _PROJECT_OPTIONAL),
        "unitMetric": "tCO2e",
        "projectTags": stamp(submission.certificate),
        **{name: records for name, records in children.items() if records},
    }


def _unit(submission: Submission, vintage: IssuedVintage) -> dict[str, Json]:
    shown, labels = submission.monitoring, _labels(submission.monitoring)
    block = vintage.serials
    return {
        **{field: shown.fact(name) for field, name in _UNIT.items()},
        **_shown(shown, _UNIT_OPTIONAL),
        "unitBlockStart": str(block.start) if block else "",
        "unitBlockEnd": str(block.end) if block else "",
        "unitCount": vintage.credits,
        "vintageYear": vintage.first.year,
        "unitTags": stamp(submission.certificate),
        "issuance": _issuance(shown, vintage),
        **({"labels": labels} if labels else {}),
    }


def _issuance(shown: Monitoring, vintage: IssuedVintage) -> dict[str, Json]:
    return {
        "startDate": vintage.first.isoformat(),
        "endDate": vintage.last.isoformat(),
        "verificationApproach": shown.fact("verification_approach"),
        "verificationReportDate": shown.day("verification_report_date").isoformat(),
        **_shown(shown, {"verificationBody": "verification_body"}),
    }


def _location(shown: Monitoring) -> dict[str, Json]:
    return {
        "country": shown.fact("country"),
        "geographicIdentifier": shown.fact("geographic_identifier"),
        **_shown(shown, {"inCountryRegion": "country_region"}),
    }


def _labels(shown: Monitoring) -> list[Json]:
    """Return the labels, none when the evidence has no table of them."""
    if "labels" not in shown.tables:
        return []
    rows = shown.table("labels", *_LABEL.values(), "quantity")
    return [
        {**{field: row[column] for field, column in _LABEL.items()}, "unitQuantity": _count(shown, row)} for row in rows
    ]


def _count(shown: Monitoring, row: Mapping[str, str]) -> int:
    value = shown.cell("labels", row, "quantity")
    if value != int(value):
        what = f"table labels, row {row['label']}, column quantity"
        raise shown.unusable(what, expected="a whole number", found=str(value))
    return int(value)


def _shown(shown: Monitoring, names: Mapping[str, str]) -> dict[str, Json]:
    return {field: text for field, name in names.items() if (text := if_shown(shown, name))}
