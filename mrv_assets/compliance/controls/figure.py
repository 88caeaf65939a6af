"""Controls on the figure itself that any rule set may ask for.

What does not belong here: controls of one document (one module a document).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.rule_set import Rule


def max_relative_uncertainty(case: ControlCase, rule: Rule) -> Finding:
    """Hold the 95 % half-widths of gross emissions and of gross removals against the threshold `limit`.

    Not applicable to a figure of 0 t, of which nothing is a share.
    """
    limit, canonical = rule.threshold("limit"), case.account.canonical
    if not canonical.emissions and not canonical.removals:
        return not_applicable("the figure is 0 t", limit=f"at most {limit} each", evidence=())
    names = ("emissions_half_width_95", "removals_half_width_95")
    known = {name: case.account.numbers[name] for name in names if name in case.account.numbers}
    if not known:
        raise ContractError(
            "evidence is missing",
            where="[uncertainty] of the project",
            expected="how sure the quantities and factors of the project are",
            found="nothing",
            remedy="add [uncertainty] to the project file (docs/projects.md); unknown is not 0",
        )
    return held(
        holds=all(share <= limit for share in known.values()),
        observed=", ".join(f"{name} {share:f}" for name, share in known.items()),
        limit=f"at most {limit} each",
        evidence=(),
        remedy="take better quantities or factors; the rule set accepts no more",
        **known,
    )


CHECKS: Mapping[str, Check] = {"max_relative_uncertainty": max_relative_uncertainty}
