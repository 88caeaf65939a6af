"""The picture of a figure under several rule sets: which waterfalls are drawn, and as what kind of file.

What does not belong here: drawing (waterfall_chart).
"""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.errors import ContractError
from mrv_assets.report.charts import png, svg
from mrv_assets.report.waterfall_chart import waterfall_chart

DRAWN = {".svg": svg, ".png": png}


def waterfall_plot(assessments: Sequence[Assessment], kind: str, *, title: str) -> bytes:
    """Draw the waterfalls of the assessments, one panel each, as `.svg` or `.png`.

    Raises ContractError when none of them changes tonnes.
    """
    shown = [one.waterfall for one in assessments if one.waterfall and one.waterfall.changes_tonnes]
    if not shown:
        raise ContractError(
            "nothing can be drawn",
            where=title,
            expected="a rule set whose lines change tonnes",
            found=", ".join(one.rule_set for one in assessments) or "no rule set",
            remedy="name a rule set with a waterfall: mrv standards list",
        )
    return DRAWN[kind](waterfall_chart(shown, title=title))
