"""Drafts for tests: a row says only in what it differs from pounds of CO2 per MWh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

from mrv_assets.importers.draft import DraftRelease, DraftRow

USUAL = DraftRow(
    activity_id="electricity.delivered",
    region="US/MROW",
    gas="CO2",
    ef_value="995.8",
    numerator_unit="lb",
    denominator_unit="MWh",
    basis="CO2",
    valid_from=date(2021, 1, 1),
    valid_to=date(2021, 12, 31),
    source="eGRID",
    source_ref='table "1", first part',
    label="Total output",
    place="row 7",
)


def row(**differs: object) -> DraftRow:
    """Return a row."""
    changes: Mapping[str, object] = differs
    return replace(USUAL, **changes)  # type: ignore[arg-type]


def draft(*rows: DraftRow, gwp_set: str = "ar5") -> DraftRelease:
    """Return a draft of these rows."""
    return DraftRelease(
        title="draft under test", published=None, gwp_set=gwp_set, rows=rows, notes=(), published_keys=frozenset()
    )
