"""The register of all gates by asset: these names are the checks, and what a certificate must carry.

What does not belong here: the questions themselves (one module per asset) and asking them (judge).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.compliance import activity, aggregated, assessed, certificate, factored, ledger, normalized
from mrv_assets.compliance.case import Gate
from mrv_assets.domain.partition import Asset

GATES: Mapping[Asset, tuple[Gate, ...]] = {
    Asset.ACTIVITY: activity.GATES,
    Asset.NORMALIZED: normalized.GATES,
    Asset.FACTORED: factored.GATES,
    Asset.AGGREGATED: aggregated.GATES,
    Asset.CERTIFICATE: (*certificate.GATES, *assessed.GATES),
    Asset.LEDGER: ledger.GATES,
}

GATE_NAMES: Mapping[Asset, tuple[str, ...]] = {
    asset: tuple(gate.name for gate in gates) for asset, gates in GATES.items()
}
