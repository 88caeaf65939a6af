"""The words and tables of `mrv show`.

What does not belong here: loading and checking what is shown (show).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from rich.table import Table

from mrv_assets.cli.aside_text import aside_table
from mrv_assets.cli.assessment_text import assessments_text
from mrv_assets.cli.checked import Shown
from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.report.wording import tonnes

FIRST_ROWS = 3
FIRST_ASIDE = 20


def print_record(shown: Shown) -> None:
    """Print the generation record: what was kept, from what, with which pins, judged by which gates."""
    record, console = shown.record, stdout()
    newest = record.generation == shown.generations
    place = "the newest" if newest else f"the newest is {shown.generations}"
    console.print(f"{record.slot}, generation {record.generation} ({place})", style="bold")
    sections = {
        "Record": _record_lines(record),
        "Inputs from outside": [(ref.kind, f"{ref.name}\n{ref.digest}") for ref in record.inputs],
        "Made from": [
            (up.slot.asset.value, f"{up.slot}, generation {up.generation}\n{up.content_digest}")
            for up in record.upstream
        ],
        "Pins": [(name, value.replace(",", "\n")) for name, value in sorted(record.pins.items())],
        "Evidence": sorted(record.evidence.items()),
    }
    for title, lines in sections.items():
        if lines:
            console.print(f"\n{title}", style="bold")
            console.print(named_lines(lines))
    console.print(_gates_table(record.gates))
    for check in shown.checks:
        console.print(f"checked: {check}", style="green")
    console.print()


def named_lines(lines: Sequence[tuple[str, str]], *, width: int = 30) -> Table:
    """Lay out names and values; at 100 columns a sha256 stays on one line and can be copied."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True, min_width=width, style="dim")
    grid.add_column(overflow="fold")
    for name, value in lines:
        grid.add_row(f"  {name}", value)
    return grid


def _gates_table(gates: Sequence[GateOutcome]) -> Table:
    table = plain_table(title="\nGates")
    table.add_column("gate", no_wrap=True)
    table.add_column("", no_wrap=True)
    table.add_column("observed", overflow="fold", ratio=1)
    table.add_column("limit", overflow="fold", ratio=1)
    for gate in gates:
        table.add_row(gate.gate, "passed" if gate.passed else "RED", gate.observed, gate.limit)
    return table


def _record_lines(record: GenerationRecord) -> list[tuple[str, str]]:
    return [
        ("written", record.written_utc),
        ("run", record.run_id),
        ("reason", record.reason),
        ("content digest", record.content_digest),
        ("inputs digest", record.inputs_digest),
        ("stored", f"{record.blob.size:,} bytes of {record.blob.media_type}\n{record.blob.sha256}"),
        ("rows", f"{record.rows:,}"),
        ("this record", record.sha256),
        ("record before", record.prev or "none"),
    ]


def print_quarantine(shown: Shown) -> None:
    """Print how many rows were set aside, why the project allows it, and the first of them; nothing without any."""
    if shown.quarantined is None:
        return
    evidence = shown.record.evidence
    stdout().print(aside_table(shown.quarantined, rows_in=int(evidence["rows_in"]), first=FIRST_ASIDE))
    stdout().print(f"The project allows it, because {evidence['quarantine_because']}\n")


def print_content(shown: Shown) -> None:
    """Print the certificate, or the first rows of the table."""
    if isinstance(shown.content, Certificate):
        _print_certificate(shown.content, shown.signed_by)
        return
    rows = shown.content.slice(0, FIRST_ROWS).to_pylist()
    table = plain_table(title=f"First {len(rows)} of {shown.content.num_rows:,} rows, columns downwards")
    table.add_column("column", no_wrap=True)
    for number in range(1, len(rows) + 1):
        table.add_column(f"row {number}", overflow="fold")
    for name in shown.content.column_names:
        table.add_row(name, *(_cell(row[name]) for row in rows))
    stdout().print(table)


def _print_certificate(certificate: Certificate, signed_by: Sequence[str]) -> None:
    console, totals = stdout(), certificate.totals
    console.print(f"Certificate {certificate.sha256}", style="bold", soft_wrap=True)
    console.print(f"  {certificate.key}, {certificate.standard}", soft_wrap=True)
    _print_seal(signed_by)
    if certificate.supersedes is not None:
        console.print(f"  supersedes certificate {certificate.supersedes}", soft_wrap=True)
    console.print(f"  emissions {tonnes(totals.emissions_tco2e):>20} t CO2e")
    console.print(f"  removals  {tonnes(totals.removals_tco2e):>20} t CO2e")
    console.print(f"  net       {tonnes(totals.net_tco2e):>20} t CO2e, from {totals.activity_rows:,} activity row(s)")
    if certificate.uncertainty is not None:
        _print_uncertainty(certificate.uncertainty)
    table = plain_table(title="Rests on")
    table.add_column("asset", no_wrap=True)
    table.add_column("rows", justify="right")
    table.add_column("set aside", justify="right")
    table.add_column("gates", justify="right")
    table.add_column("content digest", overflow="fold")
    for subject in certificate.subjects:
        passed = sum(gate.passed for gate in subject.gates)
        table.add_row(
            subject.asset.value,
            f"{subject.rows:,}",
            f"{subject.quarantined:,}",
            f"{passed}/{len(subject.gates)}",
            subject.content_digest,
        )
    console.print(table)
    if certificate.assessments:
        console.print(assessments_text(certificate.assessments))


def _print_seal(signed_by: Sequence[str]) -> None:
    for key_id in signed_by:
        stdout().print(f"  signed by key {key_id}; whether it holds says `mrv verify`", soft_wrap=True)
    if not signed_by:
        stdout().print("  UNSIGNED: it says nothing of who made it. `mrv keys init`, then run again.", style="bold red")


def _print_uncertainty(found: FigureUncertainty) -> None:
    """Print the 95 % half-widths, of what is not 0, and the interval that was simulated, if it was."""
    spreads = {"emissions": found.emissions, "removals": found.removals, "net": found.net}
    known = {name: spread.half_width_95 for name, spread in spreads.items() if spread.half_width_95 is not None}
    shown = ", ".join(f"{name} ± {share * 100:.3f} %" for name, share in known.items())
    stdout().print(f"  how sure  {shown or 'nothing to be sure of'} (95 %, IPCC approach 1)", soft_wrap=True)
    if found.simulated:
        low, high = (tonnes(Decimal(found.simulated[f"net_{name}_tco2e"])) for name in ("p025", "p975"))
        stdout().print(f"            net from {low} to {high} t in 95 % of {found.simulated['draws']} draws")


def _cell(value: Any) -> str:
    if isinstance(value, bytes):
        return f"WKB, {len(value):,} bytes"
    if isinstance(value, Decimal):
        return format(value, "f")
    return "" if value is None else str(value)
