"""How many credits may be issued on a certificate: the whole credits of its assessment, by calendar year and in all.

Net removals are no limit: no programme issues them without deductions, buffer and rounding. What does not belong here:
finding certificates (pipeline).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal

from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry import Issuance

CERTIFIED = "issuance_certified"
"""The gate of issuances that their certificate does not bear out."""


def require_allowed(issuance: Issuance, certificate: Certificate, *, before: Iterable[Issuance]) -> None:
    """Refuse an issuance that its certificate does not bear out.

    `before` are the issuances of the project that stand already: those of the same period count against the limit
    whatever certificate they rest on, because a restated figure credits the same tonnes and no new ones. Raises
    GateError for a certificate of something else, one without a passed assessment that comes to whole credits under
    the rule set, and more credits than it allows for the vintage's year or in all.
    """
    key = certificate.key
    if (key.project_id, key.period) != (issuance.project_id, issuance.period):
        told = f"{issuance.project_id} {issuance.period}"
        raise _refused(issuance, f"a certificate of {told}", f"one of {key.project_id} {key.period}")
    allowed = _numbers(issuance, _assessment(issuance, certificate))
    standing = [one for one in before if one.period == issuance.period]
    year = issuance.vintage_first.year
    of_year = sum(one.quantity for one in standing if one.vintage_first.year == year)
    in_all = sum(one.quantity for one in standing)
    for name, issued, said in (
        (f"vintage_{year}_credits", of_year, f"for {year}"),
        ("credits", in_all, "in all"),
    ):
        limit = allowed.get(name, Decimal(0))
        if issued + issuance.quantity > limit:
            expected = f"at most {limit:f} credits {said}, as {issuance.rule_set} comes to"
            raise _refused(issuance, expected, f"{issued} issued already and {issuance.quantity} in this block")


def _assessment(issuance: Issuance, certificate: Certificate) -> Assessment:
    found = [one for one in certificate.assessments if one.rule_set == issuance.rule_set]
    if len(found) != 1:
        named = ", ".join(one.rule_set for one in certificate.assessments) or "none"
        raise _refused(issuance, f"an assessment under {issuance.rule_set}", named)
    failed = [control.rule for control in found[0].failed]
    if failed:
        raise _refused(issuance, f"every control of {issuance.rule_set} to hold", f"failed: {', '.join(failed)}")
    return found[0]


def _numbers(issuance: Issuance, assessment: Assessment) -> Mapping[str, Decimal]:
    lines = assessment.waterfall.lines if assessment.waterfall else ()
    if not lines or "credits" not in lines[-1].numbers:
        raise _refused(issuance, "a rule set that comes to whole credits", f"{assessment.rule_set}, which does not")
    return lines[-1].numbers


def _refused(issuance: Issuance, expected: str, found: str) -> GateError:
    return GateError(
        "certificate does not bear the issuance out",
        gate=CERTIFIED,
        where=f"{issuance.block}, certificate {issuance.certificate_sha256[:12]}",
        expected=expected,
        found=found,
        remedy="compare certificate, rule set and block with what was submitted to the registry; "
        "see `mrv standards assess`",
    )
