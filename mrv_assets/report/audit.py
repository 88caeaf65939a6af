"""Re-checking all that some projects ever certified and reported, every generation of it, as an outsider would.

What does not belong here: the checks themselves (verify), and repairing anything.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.figures import figure_history
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify import verify_certificate, verify_history


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """How much was checked and found in order: certificates and ledger figures, all generations of both."""

    certificates: int
    figures: int


def audit(slots: SlotStore, projects: Iterable[str]) -> Audit:
    """Check every generation of every certificate and ledger slot of `projects`; return how many there were.

    Raises Tampering or GateError, as `verify` does, for the first that is not in order.
    """
    certificates = figures = 0
    for project in projects:
        for slot, _ in slots.list_slots(asset=Asset.CERTIFICATE, project_id=project):
            records = slots.history(slot)
            verify_history(records)
            for record in records:
                verify_certificate(slots.load_bytes(record), record)
            certificates += len(records)
        for slot, _ in slots.list_slots(asset=Asset.LEDGER, project_id=project):
            figures += len(figure_history(slots, slot))
    return Audit(certificates=certificates, figures=figures)
