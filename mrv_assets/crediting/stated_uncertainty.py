"""The uncertainty that evidence states for a figure: a half-width with its level, never taken at another level.

What does not belong here: uncertainty that follows from plots (stratified), and deductions.
"""

from __future__ import annotations

from typing import TypeVar

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95, stated_half_width
from mrv_assets.domain.monitoring import Monitoring

RESULT = "result"
"""The figure that a rule set deducts for: what is left before its uncertainty line."""

_LEVELS = {HalfWidth90: "0.90", HalfWidth95: "0.95"}
_Kind = TypeVar("_Kind", HalfWidth90, HalfWidth95)


def stated(monitoring: Monitoring, of: str, kind: type[_Kind]) -> _Kind:
    """Return quantity `<of>_half_width`, a share, whose level fact `<of>_confidence` has to state as that of `kind`.

    Raises ContractError by name when one is missing, the half-width is none, or the level is another one.
    """
    text = str(monitoring.quantity(f"{of}_half_width"))
    level = monitoring.facts.get(f"{of}_confidence", "").strip()
    found = stated_half_width(text, level, where=f"{monitoring.where}, fact {of}_confidence")
    if not isinstance(found, kind):
        raise monitoring.unusable(f"fact {of}_confidence", expected=f"a half-width at {_LEVELS[kind]}", found=level)
    return found


def half_width_90(monitoring: Monitoring, of: str) -> HalfWidth90:
    """Return what is stated at 90 %. Raises ContractError as `stated` does."""
    return stated(monitoring, of, HalfWidth90)
