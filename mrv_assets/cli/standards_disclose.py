"""`mrv standards disclose`: what a registry or a report asks for, rendered from one sealed certificate.

What does not belong here: the forms (report.disclosures).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.shown_version import shown_version
from mrv_assets.cli.standards_assess import current_certificate
from mrv_assets.cli.terminal import stdout
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import PartitionKey, Period
from mrv_assets.pipeline.assessing import evidence_of
from mrv_assets.pipeline.world import World
from mrv_assets.report.disclosures.cad_trust import cad_trust
from mrv_assets.report.disclosures.datapoints import DatapointList
from mrv_assets.report.disclosures.esrs import esrs_e1
from mrv_assets.report.disclosures.gold_standard import gold_standard_block
from mrv_assets.report.disclosures.pact import pact_record
from mrv_assets.report.disclosures.submission import Submission
from mrv_assets.report.disclosures.verra import verra_issuance
from mrv_assets.report.disclosures.vintages import issued_vintages

_DATAPOINTS = "esrs-e1-2023"
_OF_CREDITS = {"cad-trust": cad_trust, "verra": verra_issuance, "gold-standard": gold_standard_block}


def write_disclosure(
    form: str,
    project: str,
    period: str,
    factor_version: str | None,
    *,
    rule_set: str | None,
    supersedes: Sequence[str],
    out: Path | None,
) -> None:
    """Write the disclosure to a new file, or to standard output.

    Raises ContractError for a partition without a certificate, evidence that has changed since, a rule set that issues
    no credits or is one of several, an option that the form does not take, what the form refuses, and a file that is
    there.
    """
    _refuse_unused(form, rule_set, supersedes)
    world = open_for_reading(enter())
    if factor_version is None:
        factor_version = shown_version(world, project, period)
    key = PartitionKey(project_id=project, period=period, factor_version=factor_version)
    certificate = current_certificate(world, key)
    data = _rendered(world, form, certificate, evidence_of(world, certificate), rule_set, supersedes)
    if out is None:
        sys.stdout.write(data.decode())
        return
    _write(out, data)
    stdout().print(f"Written: {out}", soft_wrap=True)


def _refuse_unused(form: str, rule_set: str | None, supersedes: Sequence[str]) -> None:
    unused = ["--rule-set"] if rule_set is not None and form not in _OF_CREDITS else []
    unused += ["--supersedes"] if supersedes and form != "pact" else []
    if unused:
        raise ContractError(
            "form does not take this option",
            where=f"mrv standards disclose {form}",
            expected="--rule-set for forms of credits, --supersedes for pact",
            found=", ".join(unused),
            remedy="leave it out: it would change nothing",
        )


def _rendered(
    world: World,
    form: str,
    certificate: Certificate,
    shown: Monitoring,
    rule_set: str | None,
    supersedes: Sequence[str],
) -> bytes:
    if form == "esrs-e1":
        listed = world.references.disclosure_file(_DATAPOINTS)
        return esrs_e1(certificate, shown, DatapointList.parse(listed, where=_DATAPOINTS))
    if form == "pact":
        return pact_record(certificate, shown, supersedes=supersedes)
    assessed = _with_credits(certificate, rule_set)
    if assessed.waterfall is None:
        raise ValueError("what has credits has a waterfall")
    vintages = issued_vintages(assessed, Period.parse(certificate.key.period), shown)
    return _OF_CREDITS[form](
        Submission(certificate=certificate, waterfall=assessed.waterfall, monitoring=shown, vintages=vintages)
    )


def _with_credits(certificate: Certificate, rule_set: str | None) -> Assessment:
    found = [one for one in certificate.assessments if one.waterfall is not None and rule_set in (None, one.rule_set)]
    if len(found) == 1:
        return found[0]
    raise ContractError(
        "it is not clear which credits are meant" if found else "certificate has no credits of this rule set",
        where=str(certificate.key),
        expected="one assessment with a waterfall",
        found=", ".join(one.rule_set for one in found) or "none",
        remedy="name it with --rule-set; `mrv standards assess` shows what there is",
    )


def _write(out: Path, data: bytes) -> None:
    try:
        with out.open("xb") as file:
            file.write(data)
    except OSError as error:
        raise ContractError(
            "disclosure cannot be written",
            where=str(out),
            expected="the name of a new file in a folder that is there",
            found=error.strerror or str(error),
            remedy="name another file; what was submitted is never written over",
        ) from error
