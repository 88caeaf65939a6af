"""Assessing one canonical result under rule sets: the same account for each, its steps and then its controls.

What does not belong here: reading the evidence (stages) and what follows from a failure (compliance.assessed).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from mrv_assets.compliance.controls.evaluate import evaluate
from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.crediting.account import Account
from mrv_assets.crediting.assess import waterfall
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.domain.tonnes import Tonnes


def account_of(
    period: Period,
    totals: Totals,
    shown: Monitoring,
    *,
    own_facts: Mapping[str, str],
    uncertainty: FigureUncertainty | None,
) -> Account:
    """Return the account that every rule set is assessed on.

    `own_facts` are what the platform knows by itself. Raises ContractError when the evidence claims one of them,
    whatever it says.
    """
    return Account(
        period=period,
        canonical=Tonnes(emissions=totals.emissions_tco2e, removals=totals.removals_tco2e),
        monitoring=_with_own_facts(shown, own_facts),
        numbers=_half_widths(uncertainty),
    )


def assess(rule_sets: Sequence[RuleSet], account: Account, *, where: str) -> tuple[Assessment, ...]:
    """Return one assessment for each rule set, in their order.

    Raises ContractError naming `where` for a rule set that is not in force, and for a step whose evidence is missing.
    """
    return tuple(_assessment(rule_set, account, where) for rule_set in rule_sets)


def _assessment(rule_set: RuleSet, account: Account, where: str) -> Assessment:
    rule_set.require_effective(account.period, where=f"{where}, {rule_set.name}")
    _require_gwp_set(rule_set, account.monitoring, where)
    after, steps = waterfall(rule_set, account)
    return Assessment(
        rule_set=rule_set.name,
        rule_set_sha256=rule_set.digest,
        waterfall=steps,
        controls=evaluate(rule_set, ControlCase(account=after, waterfall=steps)),
    )


def _require_gwp_set(rule_set: RuleSet, monitoring: Monitoring, where: str) -> None:
    """Raise ContractError for a result in potentials that the rule set does not accept: it cannot be converted."""
    found = monitoring.fact("gwp_set")
    if rule_set.gwp_sets and found not in rule_set.gwp_sets:
        raise ContractError(
            "result is in other warming potentials than the rule set accepts",
            where=f"{where}, {rule_set.name}",
            expected=f"factors with the GWP set {' or '.join(rule_set.gwp_sets)}",
            found=found,
            remedy="run the partition with a factor release of that GWP set, or declare another rule set",
        )


def _half_widths(uncertainty: FigureUncertainty | None) -> dict[str, Decimal]:
    """Return how sure the figure is by name, as far as it is known."""
    if uncertainty is None:
        return {}
    spreads = {"emissions": uncertainty.emissions, "removals": uncertainty.removals, "net": uncertainty.net}
    known = {name: spread.half_width_95 for name, spread in spreads.items()}
    return {f"{name}_half_width_95": share for name, share in known.items() if share is not None}


def _with_own_facts(shown: Monitoring, own: Mapping[str, str]) -> Monitoring:
    claimed = sorted(own.keys() & shown.facts.keys())
    if claimed:
        raise ContractError(
            "evidence claims what the platform knows by itself",
            where=f"{shown.where}, facts {', '.join(claimed)}",
            expected="facts of the project only",
            found=", ".join(f"{name} = {shown.facts[name]}" for name in claimed),
            remedy="remove them from the package: they are taken from the pinned inputs",
        )
    return replace(shown, facts={**shown.facts, **own})
