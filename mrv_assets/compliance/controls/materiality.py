"""Materiality: what a verifier found misstated, as a share of what was reported.

VCS Standard v5.0 §4.1.9(4); ISO 14064-3 takes the programme's numbers. The base is the reported figure, not the
corrected one: no text says which, and this is our choice. What does not belong here: who may verify, and how surely.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal

from mrv_assets.compliance.controls.finding import ControlCase, Finding, held
from mrv_assets.crediting.rounding import share
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.rule_set import Rule

_WIDE = Context(prec=50)


def misstated_share(reported: Decimal, misstatements: Iterable[Decimal], *, where: str) -> Decimal:
    """Return the size of the sum of misstatements, with their signs, as a share of what was reported, to 1e-12.

    Raises ContractError naming `where` when nothing is reported.
    """
    if reported == 0:
        raise ContractError(
            "nothing is reported, so no share of it is misstated",
            where=where,
            expected="reported reductions and removals other than 0, t CO2e",
            found="0",
            remedy="materiality is judged on the reported result",
        )
    return share(_WIDE.divide(EXACT.abs(exact_sum(misstatements)), EXACT.abs(reported)))


def materiality(case: ControlCase, rule: Rule) -> Finding:
    """Find whether misstatements are at most a share of the result, a smaller one of large projects."""
    monitoring = case.account.monitoring
    is_large = monitoring.quantity("estimated_annual_tco2e") > rule.threshold("large_above_tco2e")
    most = rule.threshold("most_large" if is_large else "most")
    rows = monitoring.table("misstatements", "finding", "tco2e")
    amounts = [monitoring.cell("misstatements", row, "tco2e") for row in rows]
    reported = monitoring.quantity("reported_tco2e")
    found = misstated_share(reported, amounts, where=f"{monitoring.where}, quantity reported_tco2e")
    # Compared by multiplication, which is exact; the quotient is for people.
    return held(
        holds=EXACT.abs(exact_sum(amounts)) <= EXACT.multiply(most, EXACT.abs(reported)),
        observed=f"{found} of the reported result; {'large' if is_large else 'not a large'} project",
        limit=f"at most {most}",
        evidence=("estimated_annual_tco2e", "misstatements", "reported_tco2e"),
        remedy="correct the report; the verifier's findings are to be settled before it is certified",
        share=found,
    )
