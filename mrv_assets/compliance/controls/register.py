"""The register of controls: the names that rule sets use, and the document whose gate tells what they came to.

What does not belong here: the controls (one module a document).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.compliance.controls import (
    ar_tool14,
    esrs,
    figure,
    ghg_protocol,
    gold_standard,
    gold_standard_issuance,
    iso14064,
    ledger_agreement,
    npr,
    vcs,
    vm0042,
    vm0047,
)
from mrv_assets.compliance.controls.finding import Check

CHECKS_BY_DOCUMENT: Mapping[str, Mapping[str, Check]] = {
    "figure": {**figure.CHECKS, **ledger_agreement.CHECKS},
    "ar_tool14": ar_tool14.CHECKS,
    "esrs": esrs.CHECKS,
    "ghg_protocol": ghg_protocol.CHECKS,
    "gold_standard": {**gold_standard.CHECKS, **gold_standard_issuance.CHECKS},
    "iso14064": iso14064.CHECKS,
    "non_permanence": npr.CHECKS,
    "vcs": vcs.CHECKS,
    "vm0042": vm0042.CHECKS,
    "vm0047": vm0047.CHECKS,
}
"""The controls by the document that they restate; each document is one gate of `certificate`."""


def _joined() -> Mapping[str, Check]:
    found: dict[str, Check] = {}
    for checks in CHECKS_BY_DOCUMENT.values():
        twice = sorted(found.keys() & checks.keys())
        if twice:
            raise ValueError(f"controls of one name in two documents: {', '.join(twice)}")
        found |= checks
    return found


CHECKS: Mapping[str, Check] = _joined()


def document_of(formula: str) -> str | None:
    """Return the document of a control, None for one that is not known."""
    return next((document for document, checks in CHECKS_BY_DOCUMENT.items() if formula in checks), None)
