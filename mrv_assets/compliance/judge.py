"""Asking every gate of an asset about one staged content.

What does not belong here: what follows from the answers (pipeline).
"""

from __future__ import annotations

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset


def judge_all(asset: Asset, case: Case) -> tuple[GateOutcome, ...]:
    """Return the outcome of every gate of `asset`, in register order; a red one does not stop the next.

    An exception that is no Refusal is a defect of a gate and passes through, so nothing is kept.
    """
    return tuple(gate.outcome(case) for gate in GATES[asset])
