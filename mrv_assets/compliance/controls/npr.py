"""When the non-permanence risk analysis fails: an answer that fails it, a sum above its limit, a rating not stated.

Non-Permanence Risk Tool v4.2, §2.5.3. What does not belong here: the points (crediting.non_permanence).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held
from mrv_assets.compliance.controls.taken import notes_of, number_of
from mrv_assets.crediting.non_permanence import EVIDENCE, EXTERNAL, INTERNAL, NATURAL
from mrv_assets.domain.rule_set import Rule


def no_failed_answer(case: ControlCase, _rule: Rule) -> Finding:
    """Find the answers that fail the whole analysis, by name."""
    failed = sum((number_of(case, f"{name}_failed") for name in (*INTERNAL, *EXTERNAL, *NATURAL)), Decimal(0))
    named = [note.partition("risk failed: ")[2] for note in notes_of(case).values() if "risk failed: " in note]
    return held(
        holds=failed == 0,
        observed="; ".join(named) or "none",
        limit="no answer that fails the analysis",
        evidence=EVIDENCE,
        remedy="settle what fails the analysis; until then the project is not eligible for crediting",
        failed=failed,
    )


def sum_bounded(case: ControlCase, rule: Rule) -> Finding:
    """Find whether the sum that the rule names is at most its limit."""
    found = number_of(case, rule.choices["number"])
    return held(
        holds=found <= rule.threshold("most"),
        observed=str(found),
        limit=f"at most {rule.threshold('most')}",
        evidence=EVIDENCE,
        remedy="mitigate the risk; until then the project is not eligible for crediting",
        points=found,
    )


def rating_as_stated(case: ControlCase, _rule: Rule) -> Finding:
    """Find whether the rating of the package, which the buffer is computed with, is what the answers give."""
    computed, stated = number_of(case, "npr_rating_percent"), case.account.monitoring.quantity("npr_rating_percent")
    return held(
        holds=computed == stated,
        observed=f"{stated} % stated",
        limit=f"{computed} % from the answers",
        evidence=("npr_rating_percent", *EVIDENCE),
        remedy="state the rating that the answers give, or correct the answers",
        computed_percent=computed,
        stated_percent=stated,
    )


CHECKS: Mapping[str, Check] = {
    "npr_no_failed_answer": no_failed_answer,
    "npr_sum_bounded": sum_bounded,
    "npr_rating_as_stated": rating_as_stated,
}
