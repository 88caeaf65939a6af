"""Two releases, or two published files, side by side: what differs, complete, as JSON.

What does not belong here: finding the differences (domain.factor_diff, importers.comparison) and how they look
(factors_comparison_text).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from mrv_assets.cli.factors_text import gas_json, head_json, key_json, span_json
from mrv_assets.domain.factor_diff import FactorDiff, GasChange, KeptFactor, Step, percent
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.importers.comparison import KeyChange


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A release by the name that the caller knows it by: a version, or a file."""

    name: str
    release: FactorRelease


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two sides and how they differ. `published` are the publisher's own keys, which only files have."""

    before: Side
    after: Side
    diff: FactorDiff
    published: KeyChange | None

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
        "published_keys": None
        if published is None
        else {"vanished": list(published.vanished), "new": list(published.new)},
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
    }


def _percent(change: Fraction | None) -> object:
    return None if change is None else percent(change)
