"""The gate `fallbacks_bounded`: how many rows, and how many of their tonnes, have the factor of another region?

What does not belong here: whether a row has a factor at all (factored).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import pyarrow as pa
import pyarrow.compute as pc

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.errors import listed
from mrv_assets.domain.fallback import Level, regions_tried

_KEY = ("activity_id", "region", "unit", "epoch")
_PLACE = ("factor_region", "factor_level")
_TONNES = ("emissions_tco2e", "removals_tco2e")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kind:
    """The rows that share a key and the region of their factor: how many they are, and their gross tonnes."""

    key: Sequence[str | None]
    factor_region: str | None
    level: str | None
    rows: int
    tonnes: Fraction

    @property
    def told(self) -> str:
        return f"{' '.join(map(str, self.key))} has the factor of {self.factor_region} ({self.level})"

    def is_on_the_path(self, levels: Sequence[Level]) -> bool:
        region = self.key[_KEY.index("region")]
        return region is not None and (self.level, self.factor_region) in regions_tried(region, levels)


def _judge(case: Case) -> Verdict:
    levels, limit, because = _declared(case)
    kinds = _kinds(case)
    lent = [kind for kind in kinds if kind.level != Level.OWN]
    astray = [kind.told for kind in kinds if not kind.is_on_the_path(levels)]
    rows, fell_back = sum(kind.rows for kind in kinds), sum(kind.rows for kind in lent)
    of_rows = _share(fell_back, rows)
    of_tonnes = _share(sum((kind.tonnes for kind in lent), Fraction(0)), sum((k.tonnes for k in kinds), Fraction(0)))
    is_bounded = max(of_rows, of_tonnes) <= Fraction(limit) and (not lent or bool(because))
    shares = f"{_shown(of_rows):.4%} of the rows and {_shown(of_tonnes):.4%} of the tonnes"
    seen = f"{fell_back} of {rows} rows fell back, {shares}: {listed([kind.told for kind in lent])}"
    return Verdict(
        passed=rows > 0 and not astray and is_bounded,
        observed=(seen if lent else f"none of {rows} rows fell back")
        + (f"; not along the path of the region: {listed(astray)}" if astray else ""),
        limit=f"at least one row; at most {limit:%} of the rows and of the tonnes have the factor of another region"
        + (f" ({', '.join(levels)}), because {because}" if levels else ""),
        metrics={
            "rows": rows,
            "fell_back": fell_back,
            "share_of_rows": _shown(of_rows),
            "share_of_tonnes": _shown(of_tonnes),
        },
        remedy="release factors of the named regions, correct the regions of the rows, or allow a larger share under "
        "[factors] of the project and say why",
    )


def _declared(case: Case) -> tuple[Sequence[Level], Decimal, str]:
    """Return the levels that the project declares, the largest share and the reason; nothing when it does not."""
    evidence = case.staged.evidence
    if "fallback" not in evidence:
        return (), Decimal(0), ""
    try:
        levels = tuple(Level(name) for name in evidence["fallback"].split())
    except ValueError:
        raise case.unmeasured("fallback", expected=" ".join(Level), found=repr(evidence["fallback"])) from None
    return levels, case.measured("fallback_max_share"), evidence.get("fallback_because", "")


def _kinds(case: Case) -> Sequence[_Kind]:
    """Return every kind of row, sorted. Tonnes that are null count as none: another gate is red about them."""
    names = [*_KEY, *_PLACE]
    table = pa.table({name: case.column(name) for name in (*names, *_TONNES)})
    everything = pc.CountOptions(mode="all")
    sums = table.group_by(names).aggregate([*((name, "sum") for name in _TONNES), ("region", "count", everything)])
    kinds = [
        _Kind(
            key=tuple(kind[name] for name in _KEY),
            factor_region=kind["factor_region"],
            level=kind["factor_level"],
            rows=kind["region_count"],
            tonnes=sum((Fraction(kind[f"{name}_sum"] or 0) for name in _TONNES), Fraction(0)),
        )
        for kind in sums.to_pylist()
    ]
    return sorted(kinds, key=lambda kind: kind.told)


def _share(part: int | Fraction, whole: int | Fraction) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(0)


def _shown(share: Fraction) -> Decimal:
    return Decimal(round(share * 10**9)).scaleb(-9)


FALLBACKS_BOUNDED = Gate(
    name="fallbacks_bounded",
    question="Have no more rows and tonnes than allowed the factor of another region than their own?",
    judge=_judge,
)
