"""What the gates of a stage are given to judge, and what is said when they are red: the same in a run and a preview.

What does not belong here: which stage reads what (recipes).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mrv_assets.compliance.case import Case, Content
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.staged import Staged


def case_of(
    key: PartitionKey,
    staged: Staged,
    *,
    current: GenerationRecord | None,
    upstream: Mapping[Asset, Content],
    upstream_gates: Mapping[Asset, Sequence[GateOutcome]],
) -> Case:
    """Gather what the gates look at: the staged content, what it was made from, and the generation that is current.

    What only the gates of the ledger look at is left empty.
    """
    return Case(
        key=key,
        period=Period.parse(key.period),
        staged=staged,
        upstream=upstream,
        upstream_gates=upstream_gates,
        expected_gates=GATE_NAMES,
        previous=current,
        live={},
        rival=None,
    )


def refusal_by(red: Sequence[GateOutcome], slot: Slot) -> GateError:
    """Return the error that names all red gates, at least one, and tells what the first of them found."""
    first = red[0]
    return GateError(
        f"{slot.asset} is refused by {', '.join(gate.gate for gate in red)}",
        gate=first.gate,
        where=str(slot),
        expected=first.limit,
        found=first.observed,
        remedy=first.remedy,
    )
