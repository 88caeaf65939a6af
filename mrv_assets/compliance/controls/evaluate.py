"""Asking every control of a rule set. What cannot be evaluated has failed: there is no silence.

What does not belong here: the controls (one module a document) and what follows from a failure (certificate).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.compliance.controls.finding import Check, ControlCase
from mrv_assets.compliance.controls.register import CHECKS
from mrv_assets.domain.assessment import ControlOutcome, Status
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.rule_set import Rule, RuleSet


def evaluate(
    rule_set: RuleSet, case: ControlCase, *, checks: Mapping[str, Check] = CHECKS
) -> tuple[ControlOutcome, ...]:
    """Return the outcome of every control of the rule set, in its order."""
    return tuple(_outcome(rule, case, checks.get(rule.formula)) for rule in rule_set.controls)


def _outcome(rule: Rule, case: ControlCase, check: Check | None) -> ControlOutcome:
    monitoring = case.account.monitoring
    if check is None:
        return _not_evaluated(rule, f"no control is known by the name {rule.formula}", monitoring.digest_of())
    try:
        finding = check(case, rule)
    except Refusal as refusal:
        return _not_evaluated(
            rule, f"{refusal.what}: {refusal.where}: {refusal.found}", monitoring.digest_of(), refusal.remedy
        )
    return ControlOutcome.of(
        rule,
        status=finding.status,
        observed=finding.observed,
        limit=finding.limit,
        evidence_sha256=monitoring.digest_of(*finding.evidence),
        remedy=finding.remedy,
        metrics=finding.metrics,
    )


def _not_evaluated(rule: Rule, why: str, evidence_sha256: str, remedy: str = "") -> ControlOutcome:
    return ControlOutcome.of(
        rule,
        status=Status.FAIL,
        observed=f"not evaluated: {why}",
        limit=f"evidence that shows whether {rule.clause} holds",
        evidence_sha256=evidence_sha256,
        remedy=remedy or "run a release of the platform that knows the control, or correct the rule set",
    )
