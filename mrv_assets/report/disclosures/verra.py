"""Issuance rows as the Verra registry shows them: the columns as CSV, with the inclusive count of each serial number.

The form was read from published rows, not from a specification. What does not belong here: which credits are issued,
and the form of a serial number (domain).
"""

from __future__ import annotations

import csv
import io

from mrv_assets.domain.issuance import IssuedVintage
from mrv_assets.domain.verra_serial import VerraSerial, malformed_serial
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets.report.disclosures.written import if_shown, stamp

COLUMNS = (
    "Issuance Date", "Sustainable Development Goals", "Vintage Start", "Vintage End", "Reporting Period", "ID", "Name",
    "Country/Area", "Project Type", "Methodology", "Total Vintage Quantity", "Quantity Issued", "Serial Number",
    "Additional Certifications", "Retirement/Cancellation Date", "Beneficiary", "Reason", "Details",
)  # fmt: skip
_SHOWN = "%d/%m/%Y"


def verra_issuance(submission: Submission) -> bytes:
    """Return one row for each vintage of which credits are issued, as CSV, UTF-8, with a header.

    `Quantity Issued` is last serial - first serial + 1. `Total Vintage Quantity` adds the buffer to it, which is our
    reading. `Details` names the certificate. Raises ContractError for a missing fact and for facts that make no serial.
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for vintage in submission.issued:
        writer.writerow(_row(submission, vintage))
    return text.getvalue().encode()


def _row(submission: Submission, vintage: IssuedVintage) -> dict[str, str]:
    shown = submission.monitoring
    serial = _serial(submission, vintage)
    return dict.fromkeys(COLUMNS, "") | {
        "Issuance Date": shown.day("issuance_date").strftime(_SHOWN),
        "Sustainable Development Goals": if_shown(shown, "sustainable_development_goals") or "",
        "Vintage Start": vintage.first.strftime(_SHOWN),
        "Vintage End": vintage.last.strftime(_SHOWN),
        "Reporting Period": submission.certificate.key.period,
        "ID": serial.project,
        "Name": shown.fact("project_name"),
        "Country/Area": shown.fact("country"),
        "Project Type": shown.fact("project_type"),
        "Methodology": shown.fact("methodology"),
        "Total Vintage Quantity": str(vintage.credits + vintage.buffer_credits),
        "Quantity Issued": str(serial.block.count),
        "Serial Number": serial.text,
        "Additional Certifications": if_shown(shown, "additional_certifications") or "",
        "Details": stamp(submission.certificate),
    }


def _serial(submission: Submission, vintage: IssuedVintage) -> VerraSerial:
    """Return the serial of a vintage, read back from its text, so that no fact can write one that is not a serial."""
    if vintage.serials is None:
        raise malformed_serial(vintage.text, "a vintage with serial numbers")
    shown = submission.monitoring
    made = VerraSerial(
        account=shown.fact("registry_account"),
        block=vintage.serials,
        batch=shown.fact("registry_batch"),
        country=shown.fact("country_code"),
        project_type=shown.fact("registry_project_type"),
        project=shown.fact("registry_project_id"),
        first=vintage.first,
        last=vintage.last,
        flag=shown.fact("registry_flag"),
    )
    if VerraSerial.parse(made.text) != made:
        raise malformed_serial(made.text, "facts that fit into their places of the serial number")
    return made
