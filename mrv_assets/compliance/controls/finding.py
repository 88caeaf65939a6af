"""What a control may look at and what it finds: it holds, it does not, or it does not apply. Silence is not an answer.

What does not belong here: the controls (one module a document) and showing them as gates.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from mrv_assets.crediting.account import Account
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.rule_set import Rule
from mrv_assets.domain.waterfall import Waterfall


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlCase:
    """The account of one project and period, and its waterfall under the rule set, None where it has no lines."""

    account: Account
    waterfall: Waterfall | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a control found: what it saw against its limit, its numbers, and the names of the evidence it looked at.

    For not applicable, `observed` says why. `remedy` is for a failure.
    """

    status: Status
    observed: str
    limit: str
    evidence: tuple[str, ...]
    metrics: Mapping[str, Decimal] = field(default_factory=dict)
    remedy: str = ""


Check: TypeAlias = Callable[[ControlCase, Rule], Finding]
"""A pure control. A ContractError that it raises, for evidence that is missing, counts as a failure."""


def held(
    *, holds: bool, observed: str, limit: str, evidence: tuple[str, ...], remedy: str, **metrics: Decimal
) -> Finding:
    """Return a pass or a failure."""
    return Finding(
        status=Status.PASS if holds else Status.FAIL,
        observed=observed,
        limit=limit,
        evidence=evidence,
        metrics=metrics,
        remedy="" if holds else remedy,
    )


def not_applicable(why: str, *, limit: str, evidence: tuple[str, ...]) -> Finding:
    """Return that the control does not apply, and why; `evidence` is what showed it."""
    return Finding(status=Status.NOT_APPLICABLE, observed=why, limit=limit, evidence=evidence)
