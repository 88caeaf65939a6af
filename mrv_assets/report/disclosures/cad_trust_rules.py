"""The validation rules that the Climate Action Data Trust publishes with its node, restated, and one of our own.

Ours: the unit count is last block number - first block number + 1. The published rules ask only for a whole number, and
the published example counts one too few. What does not belong here: filling the records.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain

from mrv_assets.report.disclosures.record_rules import Field, Kind, Record, faults, faults_of_each

_NUMBER = re.compile(r"[0-9]+$")
_OPTIONAL = Field(is_required=False)
_DAY = Field(kind=Kind.DAY)
_CHILDREN = Field(kind=Kind.RECORDS, is_required=False)

PROJECT: Mapping[str, Field] = {
    **dict.fromkeys(
        (
            "projectId", "originProjectId", "registryOfOrigin", "projectName", "projectLink", "projectDeveloper",
            "sector", "projectType", "methodology",
        ),
        Field(),
    ),
    "coveredByNDC": Field(words=("Inside NDC", "Outside NDC", "Unknown")),
    "projectStatus": Field(
        words=("Listed", "Registered", "Completed", "Transitioned", "Withdrawn", "De-registered")
    ),
    "projectStatusDate": _DAY,
    "unitMetric": Field(words=("tCO2e",)),
    **dict.fromkeys(
        (
            "currentRegistry", "program", "methodology2", "validationBody", "description", "ndcInformation",
            "projectTags",
        ),
        _OPTIONAL,
    ),
    "validationDate": Field(kind=Kind.DAY, is_required=False),
    **dict.fromkeys(("labels", "issuances", "projectLocations"), _CHILDREN),
}  # fmt: skip
ISSUANCE: Mapping[str, Field] = {
    "startDate": _DAY,
    "endDate": _DAY,
    "verificationApproach": Field(),
    "verificationReportDate": _DAY,
    "verificationBody": _OPTIONAL,
}
LOCATION: Mapping[str, Field] = {
    "country": Field(),
    "inCountryRegion": _OPTIONAL,
    "geographicIdentifier": Field(),
    "fileId": _OPTIONAL,
}
LABEL: Mapping[str, Field] = {
    "label": Field(),
    "labelType": Field(
        words=(
            "Endorsement", "Certification", "Letter of Approval", "Letter of Authorization", "Letter of Qualification",
        )
    ),
    "creditingPeriodStartDate": _DAY,
    "creditingPeriodEndDate": _DAY,
    "validityPeriodStartDate": _DAY,
    "validityPeriodEndDate": _DAY,
    "unitQuantity": Field(kind=Kind.INTEGER),
    "labelLink": Field(),
}  # fmt: skip
UNIT: Mapping[str, Field] = {
    "countryJurisdictionOfOwner": Field(),
    "inCountryJurisdictionOfOwner": _OPTIONAL,
    "unitOwner": _OPTIONAL,
    "unitBlockStart": Field(),
    "unitBlockEnd": Field(),
    "unitCount": Field(kind=Kind.INTEGER),
    "vintageYear": Field(kind=Kind.INTEGER),
    "unitType": Field(
        words=("Reduction - nature", "Reduction - technical", "Removal - nature", "Removal - technical")
    ),
    "unitStatus": Field(
        words=("Held", "Retired", "Cancelled", "Expired", "Buffer", "Exported", "Pending Export")
    ),
    "unitStatusReason": _OPTIONAL,
    "unitRegistryLink": Field(),
    "unitTags": _OPTIONAL,
    "correspondingAdjustmentDeclaration": Field(words=("Committed", "Not Required", "Unknown")),
    "correspondingAdjustmentStatus": Field(words=("Not Started", "Pending", "Completed")),
    "issuance": Field(kind=Kind.RECORD, is_required=False),
    "labels": _CHILDREN,
}  # fmt: skip


def project_faults(record: Record) -> list[str]:
    """Return what is wrong with a project and its issuances, labels and locations."""
    return [
        *faults(record, PROJECT),
        *faults_of_each(record, "issuances", issuance_faults),
        *faults_of_each(record, "labels", label_faults),
        *faults_of_each(record, "projectLocations", lambda location: faults(location, LOCATION)),
    ]


def issuance_faults(record: Record) -> list[str]:
    """Return what is wrong with an issuance; its end is not before its start."""
    return [*faults(record, ISSUANCE), *_order(record, "startDate", "endDate")]


def label_faults(record: Record) -> list[str]:
    """Return what is wrong with a label; neither of its periods runs backwards."""
    return [
        *faults(record, LABEL),
        *_order(record, "creditingPeriodStartDate", "creditingPeriodEndDate"),
        *_order(record, "validityPeriodStartDate", "validityPeriodEndDate"),
    ]


def unit_faults(record: Record) -> list[str]:
    """Return what is wrong with a block of units, its issuance and its labels."""
    found = faults(record, UNIT)
    year = record.get("vintageYear")
    if type(year) is int and not 1900 <= year <= 3000:
        found.append(f"vintageYear: {year} is not from 1900 to 3000")
    if record.get("unitStatus") in ("Cancelled", "Retired") and "unitStatusReason" not in record:
        found.append("unitStatusReason: missing for a unit that is cancelled or retired")
    issuance = record.get("issuance")
    nested = issuance_faults(issuance) if isinstance(issuance, Mapping) else []
    return [
        *found,
        *_miscounted(record),
        *(f"issuance.{fault}" for fault in nested),
        *faults_of_each(record, "labels", label_faults),
    ]


def split_faults(records: Sequence[Record]) -> list[str]:
    """Return what is wrong with the parts that a block of units is split into: there are at least two."""
    too_few = [] if len(records) >= 2 else ["records: a split has at least two"]
    return [*too_few, *chain.from_iterable(_miscounted(record) for record in records)]


def _miscounted(record: Record) -> list[str]:
    start, end, count = (record.get(name) for name in ("unitBlockStart", "unitBlockEnd", "unitCount"))
    if not isinstance(start, str) or not isinstance(end, str) or type(count) is not int:
        return []
    first, last = _NUMBER.search(start), _NUMBER.search(end)
    held = int(last[0]) - int(first[0]) + 1 if first and last else 0
    return [] if held == count and held > 0 else [f"unitCount: {count}, the block from {start} to {end} holds {held}"]


def _order(record: Record, start: str, end: str) -> list[str]:
    first, last = record.get(start), record.get(end)
    is_backward = isinstance(first, str) and isinstance(last, str) and last < first
    return [f"{end}: {last} is before {start} {first}"] if is_backward else []
