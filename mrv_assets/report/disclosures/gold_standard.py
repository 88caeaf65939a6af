"""The project and credit blocks of the Gold Standard registry, with the fields that its public API shows.

The fields were read from programs that use the API, not from its documentation. What does not belong here: which
credits are issued.
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets.report.disclosures.written import about, if_shown, plain

_REQUIRED: Mapping[str, str] = {
    "id": "registry_project_id",
    "name": "project_name",
    "status": "project_status",
    "methodology": "methodology",
    "type": "project_type",
    "project_developer": "project_developer",
    "country": "country",
    "country_code": "country_code",
    "gsf_standards_version": "gsf_standards_version",
}
_OPTIONAL: Mapping[str, str] = {
    "size": "project_size",
    "sustaincert_id": "sustaincert_id",
    "carbon_stream": "carbon_stream",
    "programme_of_activities": "programme_of_activities",
    "sustainable_development_goals": "sustainable_development_goals",
    "labels": "registry_labels",
}
_DAYS: Mapping[str, str] = {
    "crediting_period_start_date": "crediting_period_first_day",
    "crediting_period_end_date": "crediting_period_last_day",
}
_NUMBERS: Mapping[str, str] = {
    "estimated_annual_credits": "estimated_annual_credits",
    "latitude": "latitude_degrees",
    "longitude": "longitude_degrees",
}


def gold_standard_block(submission: Submission) -> bytes:
    """Return project and credit blocks as canonical JSON, one block for each vintage of which credits are issued.

    What may be left out is null. Raises ContractError for a missing fact.
    """
    shown = submission.monitoring
    return canonical_json(
        {
            "schema": "mrv-gold-standard-1",
            "certificate": about(submission.certificate),
            "rule_set": submission.waterfall.rule_set,
            "project": _project(shown),
            "credit_blocks": _blocks(submission),
        }
    )


def _project(shown: Monitoring) -> dict[str, Json]:
    fields: dict[str, Json] = {field: shown.fact(name) for field, name in _REQUIRED.items()}
    fields |= {field: if_shown(shown, name) for field, name in _OPTIONAL.items()}
    fields |= {field: shown.day(name).isoformat() for field, name in _DAYS.items()}
    fields |= {
        field: plain(shown.quantity(name)) if name in shown.quantities else None for field, name in _NUMBERS.items()
    }
    return fields


def _blocks(submission: Submission) -> list[Json]:
    shown = submission.monitoring
    return [
        {
            "number_of_credits": vintage.serials.count,
            "starting_credit_number": vintage.serials.start,
            "ending_credit_number": vintage.serials.end,
            "serial_number": f"{shown.fact('registry_serial_prefix')}-{vintage.serials.start}-{vintage.serials.end}",
            "batch_number": shown.fact("registry_batch"),
            "created_at": shown.day("issuance_date").isoformat(),
            "vintage": {"first_day": vintage.first.isoformat(), "last_day": vintage.last.isoformat()},
        }
        for vintage in submission.issued
        if vintage.serials
    ]
