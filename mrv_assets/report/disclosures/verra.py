"""Issuance rows as the Verra registry shows them: the serial number, its inclusive count, and the columns as CSV.

The form was read from published rows, not from a specification. What does not belong here: which credits are issued.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from datetime import date, datetime

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets.report.disclosures.written import if_shown, stamp

COLUMNS = (
    "Issuance Date", "Sustainable Development Goals", "Vintage Start", "Vintage End", "Reporting Period", "ID", "Name",
    "Country/Area", "Project Type", "Methodology", "Total Vintage Quantity", "Quantity Issued", "Serial Number",
    "Additional Certifications", "Retirement/Cancellation Date", "Beneficiary", "Reason", "Details",
)  # fmt: skip
_SERIAL = re.compile(
    r"(?P<account>\d+)-(?P<start>\d+)-(?P<end>\d+)-VCS-VCU-(?P<batch>\d+)-VER-(?P<country>[A-Z]{2})-(?P<project_type>\d+)"
    r"-(?P<project>\d+)-(?P<first>\d{8})-(?P<last>\d{8})-(?P<flag>\d+)"
)
_COMPACT, _SHOWN = "%d%m%Y", "%d/%m/%Y"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerraSerial:
    """A serial number of the Verra registry: a block, inclusive, of one vintage of one project."""

    account: str
    block: SerialBlock
    batch: str
    country: str
    project_type: str
    project: str
    first: date
    last: date
    flag: str

    @property
    def text(self) -> str:
        """The serial number as the registry writes it."""
        first, last = (day.strftime(_COMPACT) for day in (self.first, self.last))
        return (
            f"{self.account}-{self.block.start}-{self.block.end}-VCS-VCU-{self.batch}-VER-{self.country}-"
            f"{self.project_type}-{self.project}-{first}-{last}-{self.flag}"
        )

    @classmethod
    def parse(cls, text: str) -> VerraSerial:
        """Read a serial number. Raises ContractError for any other form, a backward block, a vintage over two years."""
        match = _SERIAL.fullmatch(text)
        if match is None:
            raise _malformed(
                text, "{account}-{start}-{end}-VCS-VCU-{batch}-VER-{country}-{type}-{project}-{days}-{flag}"
            )
        try:
            first, last = (datetime.strptime(match[name], _COMPACT).date() for name in ("first", "last"))  # noqa: DTZ007 - a day has no zone
        except ValueError as error:
            raise _malformed(text, "two days that exist, as ddmmyyyy") from error
        if last < first or first.year != last.year:
            raise _malformed(text, "a vintage within one calendar year")
        return cls(
            block=SerialBlock(start=int(match["start"]), end=int(match["end"])),
            first=first,
            last=last,
            **{name: match[name] for name in ("account", "batch", "country", "project_type", "project", "flag")},
        )


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
        raise _malformed(vintage.text, "a vintage with serial numbers")
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
        raise _malformed(made.text, "facts that fit into their places of the serial number")
    return made


def _malformed(text: str, expected: str) -> ContractError:
    return ContractError(
        "serial number is malformed",
        where=f"serial {text}",
        expected=expected,
        found=text,
        remedy="correct the registry_* facts of the submission, or the row that the serial was read from",
    )
