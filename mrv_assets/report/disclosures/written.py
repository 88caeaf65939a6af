"""How disclosures write what they share: decimals as text, the certificate they rest on, intervals, facts left out.

What does not belong here: the form of one disclosure.
"""

from __future__ import annotations

from decimal import Decimal

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.confidence import HalfWidth, HalfWidth90
from mrv_assets.domain.digest import Json
from mrv_assets.domain.monitoring import Monitoring


def plain(value: Decimal) -> str:
    """Return decimal text without an exponent, as exact as the number is."""
    return format(value, "f")


def stamp(certificate: Certificate) -> str:
    """Return the words by which a record names its certificate, for formats that have no field for it."""
    return f"certificate sha256:{certificate.sha256}"


def about(certificate: Certificate) -> dict[str, Json]:
    """Return the certificate for a document: digest, whose figure, and the tonnes, emissions and removals apart."""
    return {
        "sha256": certificate.sha256,
        "project_id": certificate.key.project_id,
        "period": certificate.key.period,
        "factor_version": certificate.key.factor_version,
        "standard": certificate.standard,
        "emissions_tco2e": plain(certificate.totals.emissions_tco2e),
        "removals_tco2e": plain(certificate.totals.removals_tco2e),
    }


def interval(half_width: HalfWidth) -> dict[str, Json]:
    """Return a half-width as a share of the estimate with the level of its interval beside it."""
    confidence = "0.90" if isinstance(half_width, HalfWidth90) else "0.95"
    return {"half_width_share": plain(half_width.relative), "confidence": confidence}


def if_shown(monitoring: Monitoring, name: str) -> str | None:
    """Return a fact that may be left out, None when it is missing or blank."""
    return monitoring.facts.get(name, "").strip() or None
