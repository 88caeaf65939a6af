"""What has to hold under CDM AR-TOOL14 v04.2: the precision target of 10 %, or the discount in its place.

What does not belong here: the estimates (crediting).
"""

from __future__ import annotations

from mrv_assets.compliance.controls.finding import ControlCase, Finding, held
from mrv_assets.compliance.controls.waterfall_lines import line_for
from mrv_assets.crediting.ar_tool14 import PLOTS, STRATA
from mrv_assets.crediting.ar_tool14_lines import change_of
from mrv_assets.crediting.step_discount import Direction, bands_of, conservative, discount
from mrv_assets.domain.exact import EXACT
from mrv_assets.domain.rule_set import Rule


def precision(case: ControlCase, rule: Rule) -> Finding:
    """Check that the change is within the target at 90 %, or discounted by Appendix 2 (paragraphs 18, 22, 37)."""
    found = change_of(case.account.monitoring, rule)
    share = discount(
        found.half_width, bands_of(rule), where=f"{case.account.monitoring.where}, change of tree carbon stock"
    )
    due = EXACT.subtract(conservative(found.tco2e, share, Direction.DOWN), found.tco2e)
    taken = line_for(case, rule).change_tco2e
    return held(
        holds=taken == due,
        observed=f"{found.half_width.relative} of the change; {taken} t deducted",
        limit=f"{rule.threshold('target')} at 90 %, or {due} t deducted",
        evidence=(STRATA, PLOTS, "change_method", "earlier_stock_tco2e", "earlier_stock_half_width"),
        remedy="measure more plots, or apply the discount",
        half_width=found.half_width.relative,
    )


CHECKS = {"ar_tool14_precision": precision}
