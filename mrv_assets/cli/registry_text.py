"""How registry records look, as JSON and in words.

What does not belong here: which records are shown.
"""

from __future__ import annotations

from mrv_assets.domain.registry import Entry, Issuance
from mrv_assets.domain.registry_record import RegistryRecord, entry_json
from mrv_assets.storage.registry_records import registry_key

SHOWN_DIGITS = 12


def record_json(record: RegistryRecord) -> dict[str, object]:
    """Return a record in JSON-ready values, with its key and its digest."""
    return {
        "number": record.number,
        "key": registry_key(record.number),
        "sha256": record.sha256,
        "kind": kind(record.entry),
        **entry_json(record.entry),
        "recorded_by": record.recorded_by,
        "recorded_utc": record.recorded_utc,
    }


def kind(entry: Entry) -> str:
    """Say in one word what an entry is."""
    return "issued" if isinstance(entry, Issuance) else entry.ending.value


def told(entry: Entry) -> str:
    """Say on what it rests, or for whom and why, with the day."""
    if isinstance(entry, Issuance):
        rests = f"on certificate {entry.certificate_sha256[:SHOWN_DIGITS]} of {entry.project_id} {entry.period}"
        told = f"{entry.issued_on} {rests}, {entry.rule_set}, vintage {entry.vintage}"
        return told + (f"; superseded by {entry.superseded_by[:SHOWN_DIGITS]}" if entry.superseded_by else "")
    behalf = f" for {entry.beneficiary}" if entry.beneficiary else ""
    return f"{entry.retired_on}{behalf}: {entry.reason}"
