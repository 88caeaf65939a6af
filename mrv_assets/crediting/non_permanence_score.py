"""What a table of the Non-Permanence Risk Tool comes to: points, never below 0, and answers that fail the project.

What does not belong here: the tables (non_permanence_internal, _external, _natural) and the overall rating.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeAlias

from mrv_assets.crediting.account import Account, Formula, Step
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

NO_POINTS = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Points of a sub-category, what they are made of, and the answers that fail the whole analysis, by name.

    `parts` may be negative (mitigations); `points` is their exact sum and no less than 0 (tool §2.1.2(4)).
    """

    parts: Mapping[str, Decimal]
    failures: Sequence[str] = ()

    @property
    def points(self) -> Decimal:
        """The points of the sub-category, 0 or more."""
        return max(NO_POINTS, exact_sum(self.parts.values()))


Scored: TypeAlias = Callable[[Monitoring, Rule], Score]
"""A table of the tool. Raises ContractError for answers that are missing or impossible; nothing is taken as no risk."""


def answered(monitoring: Monitoring, names: Iterable[str], points: Decimal) -> dict[str, Decimal]:
    """Return the points of each fact that is `yes`, by its name."""
    return {name: points for name in names if monitoring.is_so(name)}


def above(value: Decimal, rule: Rule, stem: str, levels: Sequence[str]) -> Decimal:
    """Return the points of the first level whose limit `value` exceeds, the highest first; 0 for none.

    Thresholds `<stem>_<level>_above` are the limits and `<stem>_<level>` the points.
    """
    for level in levels:
        if value > rule.threshold(f"{stem}_{level}_above"):
            return rule.threshold(f"{stem}_{level}")
    return NO_POINTS


def below(value: Decimal, rule: Rule, stem: str, levels: Sequence[str]) -> Decimal:
    """Return the points of the first level whose limit `value` stays below, the worst first; 0 for none."""
    for level in levels:
        if value < rule.threshold(f"{stem}_{level}_below"):
            return rule.threshold(f"{stem}_{level}")
    return NO_POINTS


def within(monitoring: Monitoring, name: str, least: Decimal, most: Decimal) -> Decimal:
    """Return a quantity that lies in a range. Raises ContractError when it is missing or does not."""
    value = monitoring.quantity(name)
    if not least <= value <= most:
        raise monitoring.unusable(f"quantity {name}", expected=f"{least} to {most}", found=str(value))
    return value


def one_of(monitoring: Monitoring, name: str, words: Sequence[str]) -> str:
    """Return a fact that is one of these words. Raises ContractError when it is missing or another."""
    word = monitoring.fact(name)
    if word not in words:
        raise monitoring.unusable(f"fact {name}", expected=" or ".join(words), found=word)
    return word


def formula_of(name: str, scored: Scored) -> Formula:
    """Return a table as a step that changes no tonnes and gives the numbers `<name>` and `<name>_failed`."""

    def step(account: Account, rule: Rule) -> Step:
        score = scored(account.monitoring, rule)
        parts = ", ".join(f"{part} {points}" for part, points in score.parts.items() if points) or "no risk"
        failed = f"; risk failed: {', '.join(score.failures)}" if score.failures else ""
        numbers = {name: score.points, f"{name}_failed": Decimal(len(score.failures))}
        return Step(change_tco2e=NO_POINTS, note=f"{score.points} points: {parts}{failed}", numbers=numbers)

    return step
