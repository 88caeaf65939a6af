"""The rows that were set aside on the way to a figure, asset by asset, with their reasons.

What does not belong here: deciding which rows these are (stages) and showing them (page).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.figures import Figure, upstream_record
from mrv_assets.storage.slots import SlotStore

FIRST = 20
"""Most rows that a page shows of one table; all of them are in the store."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsAside:
    """What one asset behind a figure set aside: `count` of `rows_in` rows, why it may, and the `FIRST` of them."""

    figure: Figure
    asset: Asset
    count: int
    rows_in: int
    because: str
    rows: Sequence[Mapping[str, Any]]

    @property
    def percent(self) -> Decimal:
        """How many of the rows these are, percent to two decimals."""
        return round(Decimal(100 * self.count) / self.rows_in, 2)


def rows_aside(slots: SlotStore, figure: Figure) -> tuple[RowsAside, ...]:
    """Return what was set aside on the way to a figure, in the order of the assets; nothing when all rows were taken.

    Raises BrokenChain when the store has not as many rows as the certificate seals, and as the slot store does.
    """
    return tuple(
        _of_asset(slots, figure, subject.asset, subject.quarantined)
        for subject in figure.certificate.subjects
        if subject.quarantined
    )


def _of_asset(slots: SlotStore, figure: Figure, asset: Asset, certified: int) -> RowsAside:
    record = upstream_record(slots, figure.record, asset)
    table = slots.load_quarantine(record)
    found = 0 if table is None else table.num_rows
    if table is None or found != certified:
        raise BrokenChain(
            "rows set aside are not as many as the certificate seals",
            where=f"{record.slot}, generation {record.generation}",
            expected=f"{certified} rows",
            found=f"{found} rows",
            remedy="stop, keep the store as it is and compare it with a replica",
        )
    return RowsAside(
        figure=figure,
        asset=asset,
        count=certified,
        rows_in=int(record.evidence["rows_in"]),
        because=record.evidence["quarantine_because"],
        rows=table.slice(0, FIRST).to_pylist(),
    )
