"""The uncertainty that evidence states for a figure: a half-width with its level, taken at 90 % and not at 95 %.

What does not belong here: uncertainty that follows from plots (stratified), and deductions.
"""

from __future__ import annotations

from mrv_assets.domain.confidence import HalfWidth90, stated_half_width
from mrv_assets.domain.monitoring import Monitoring


def half_width_90(monitoring: Monitoring, of: str) -> HalfWidth90:
    """Return quantity `<of>_half_width`, whose level fact `<of>_confidence` has to state as 0.90.

    Raises ContractError by name when one is missing, the half-width is none, or the level is another one.
    """
    text = str(monitoring.quantity(f"{of}_half_width"))
    level = monitoring.facts.get(f"{of}_confidence", "").strip()
    stated = stated_half_width(text, level, where=f"{monitoring.where}, fact {of}_confidence")
    if not isinstance(stated, HalfWidth90):
        raise monitoring.unusable(f"fact {of}_confidence", expected="a half-width at 0.90", found=level)
    return stated
