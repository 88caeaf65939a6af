"""`mrv doctor`: a diagnosis in prose, family by family, with what can be rebuilt by which command and what cannot.

What does not belong here: finding anything out (pipeline.doctor).
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.padding import Padding
from rich.text import Text

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.fsck import reading
from mrv_assets.cli.terminal import DONE, REFUSED, TAMPERED, print_json, stdout
from mrv_assets.pipeline.doctor import diagnose
from mrv_assets.pipeline.doctor_finding import OUT_OF_REACH, Diagnosis, Family, Finding, Weight

SHOWN = 10
_COLOURS = {Weight.REMARK: "yellow", Weight.TO_DO: "bold yellow", Weight.TAMPERED: "bold red"}
_WORDS = {Weight.REMARK: "remark", Weight.TO_DO: "to do", Weight.TAMPERED: "stop"}


def run_doctor(*, as_json: bool) -> int:
    """Print the diagnosis and return the exit code: 0 healthy, 1 something is to be done, 70 tampered with."""
    world = open_for_reading(enter())
    with reading() as tell:
        found = diagnose(world, progress=tell)
    if as_json:
        print_json(_json(found))
    else:
        stdout().print(f"{world.store.uri}", style="bold", soft_wrap=True)
        _print(found)
    return TAMPERED if found.is_tampered else DONE if found.is_healthy else REFUSED


def _json(found: Diagnosis) -> dict[str, object]:
    return {
        "is_healthy": found.is_healthy,
        "is_tampered": found.is_tampered,
        "looked_at": {"generations": found.generations, "journal_entries": found.entries},
        "families": {family.value: [one.to_json() for one in found.of(family)] for family in Family},
        "out_of_reach": OUT_OF_REACH,
    }


def _print(found: Diagnosis) -> None:
    console = stdout()
    console.print(f"{found.generations:,} generations and {found.entries:,} journal entries were looked at.\n")
    for family in Family:
        findings = found.of(family)
        console.print(family.heading, style="bold")
        if not findings:
            console.print("  nothing found", style="green")
        for finding in findings:
            _print_finding(finding)
    console.print()
    console.print(OUT_OF_REACH, style="dim")
    console.print(_verdict(found))


def _print_finding(finding: Finding) -> None:
    told = Text.assemble((f"{_WORDS[finding.weight]}  ", _COLOURS[finding.weight]), finding.diagnosis)
    told.append(f" ({finding.name})", style="dim")
    _indented(told, 2)
    for line in _evidence(finding.evidence):
        _indented(Text(line, style="dim"), 6)
    _indented(Text.assemble(("remedy: ", "bold"), finding.remedy), 4)
    if finding.cannot:
        _indented(Text.assemble(("cannot be rebuilt: ", "bold"), finding.cannot), 4)


def _indented(text: Text, by: int) -> None:
    stdout().print(Padding(text, (0, 0, 0, by)))


def _evidence(lines: Sequence[str]) -> list[str]:
    more = [f"and {len(lines) - SHOWN} more, which --json shows"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]


def _verdict(found: Diagnosis) -> Text:
    if found.is_tampered:
        return Text("Stop: what is stored contradicts its own record. Keep everything as it is.", style="bold red")
    if not found.is_healthy:
        return Text("Something is to be done, see above; nothing was tampered with.", style="bold yellow")
    remarks = f" {len(found.findings)} remark(s) stand above." if found.findings else ""
    return Text(f"Healthy: nothing is to be done.{remarks}", style="green")
