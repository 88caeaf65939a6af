"""What a gate answers.

What does not belong here: the questions (one module per asset) and what a gate may look at (case).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mrv_assets.domain.gate import Metric


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a gate answers: whether it passed, what it saw and demands, its numbers, and the remedy."""

    passed: bool
    observed: str
    limit: str
    remedy: str
    metrics: Mapping[str, Metric] = field(default_factory=dict)
