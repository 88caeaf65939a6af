"""Two releases, or two published files, side by side: what differs, complete, as JSON.

What does not belong here: finding the differences (domain.factor_diff, domain.region_diff, importers.comparison) and
how they look (factors_comparison_text).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mrv_assets.cli.factors_text import coefficient_json, gas_json, head_json, key_json, span_json
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.factor_diff import FactorDiff, GasChange, KeptFactor, Step, differences, percent
from mrv_assets.domain.factor_head import REGIONS
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.region_diff import RegionDiff, region_differences
from mrv_assets.importers.comparison import KeyChange
from mrv_assets.stages.region_file import outlines


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A release by the name that the caller knows it by: a version, or a file."""

    name: str
    release: FactorRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides and how they differ. `published` are the publisher's own keys, which only files have.

    `regions` is why they cannot be compared when the file of one side cannot be read.
    """

    before: Side
    after: Side
    diff: FactorDiff
    regions: RegionDiff | GateError
    published: KeyChange | None

    @classmethod
    def of(cls, before: Side, after: Side, *, published: KeyChange | None = None) -> Comparison:
        """Compare two sides."""
        return cls(
            before=before,
            after=after,
            diff=differences(before.release, after.release),
            regions=_regions_of(before, after),
            published=published,
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """How many keys each class has, and how many renamings are offered."""
        diff = self.diff
        return {
            "unchanged": len(diff.unchanged),
            "changed": len(diff.changed),
            "removed": len(diff.removed),
            "added": len(diff.added),
            "renaming_candidates": len(diff.renamings),
        }


def _regions_of(before: Side, after: Side) -> RegionDiff | GateError:
    """Keep a refusal: the factors differ whatever a file of regions is, and a release that corrects it is compared."""
    try:
        old, new = (outlines(side.release.regions, where=f"{side.name}, {REGIONS}") for side in (before, after))
    except GateError as refusal:
        return refusal
    return region_differences(old, new)


def comparison_json(comparison: Comparison) -> dict[str, object]:
    """Return a comparison in JSON-ready values, complete; per cent to 9 decimals, everything else exact."""
    diff, published = comparison.diff, comparison.published
    return {
        "before": _side_json(comparison.before),
        "after": _side_json(comparison.after),
        "counts": dict(comparison.counts),
        "changed": [_kept_json(factor) for factor in diff.changed],
        "removed": _spans_json(diff.removed),
        "added": _spans_json(diff.added),
        "renaming_candidates": [
            {"removed": key_json(pair.removed), "added": key_json(pair.added), "likeness": pair.likeness}
            for pair in diff.renamings
        ],
        "unchanged": [{**key_json(factor.key), "has_other_days": factor.has_other_days} for factor in diff.unchanged],
        "regions": _regions_json(comparison.regions),
        "published_keys": None
        if published is None
        else {"vanished": list(published.vanished), "new": list(published.new)},
    }


def _regions_json(regions: RegionDiff | GateError) -> dict[str, object] | None:
    if isinstance(regions, GateError):
        return {"refusal": str(regions)}
    if regions.is_empty:
        return None
    return {
        "unchanged": len(regions.unchanged),
        "changed": [
            {"region": one.region, "outline_before": one.before, "outline_after": one.after} for one in regions.changed
        ],
        "removed": list(regions.removed),
        "added": list(regions.added),
    }


def _side_json(side: Side) -> dict[str, object]:
    return {"name": side.name, **head_json(side.release)}


def _spans_json(found: Mapping[FactorKey, Sequence[FactorSpan]]) -> list[dict[str, object]]:
    return [{**key_json(key), "spans": [span_json(span) for span in spans]} for key, spans in found.items()]


def _kept_json(factor: KeptFactor) -> dict[str, object]:
    return {**key_json(factor.key), "steps": [_step_json(step) for step in factor.steps]}


def _step_json(step: Step) -> dict[str, object]:
    return {
        "first": step.first,
        "last": step.last,
        "is_same": step.is_same,
        "percent": _percent(step.change),
        "before": None if step.before is None else span_json(step.before),
        "after": None if step.after is None else span_json(step.after),
        "gases": [_gas_json(gas) for gas in step.gases],
    }


def _gas_json(change: GasChange) -> dict[str, object]:
    return {
        "gas": change.gas,
        "percent": _percent(change.change),
        "before": None if change.before is None else gas_json(change.before),
        "after": None if change.after is None else gas_json(change.after),
        "coefficients": [
            {
                "name": one.name,
                "before": None if one.before is None else coefficient_json(one.before),
                "after": None if one.after is None else coefficient_json(one.after),
            }
            for one in change.coefficients
        ],
    }


def _percent(change: Fraction | None) -> object:
    return None if change is None else percent(change)
