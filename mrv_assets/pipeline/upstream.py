"""The generations that a stage reads: each loaded from the store once, for the stage and for its gates.

What does not belong here: which ones they are (recipes).
"""

from __future__ import annotations

import pyarrow as pa

from mrv_assets.compliance.case import Content
from mrv_assets.domain.contract import contract_of
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.slots import SlotStore

_GEOMETRY = "geometry"


class Upstream:
    """One generation of another slot. Its footprints, which are most of it, are handed out once and not kept."""

    def __init__(self, slots: SlotStore, record: GenerationRecord) -> None:
        self.record = record
        self._slots = slots
        self._kept: Content | None = None

    def table(self) -> pa.Table:
        """Return the whole table. Raises what `SlotStore.load_table` raises."""
        whole = self._slots.load_table(self.record)
        self._kept = whole.drop_columns([_GEOMETRY]) if _GEOMETRY in whole.column_names else whole
        return whole

    def looked_at(self) -> Content:
        """Return what the next asset's gates look at: a document, or a table without the footprints.

        Raises what `SlotStore.load_table` and `load_bytes` raise.
        """
        if self._kept is None:
            asset = self.record.slot.asset
            if asset is Asset.CERTIFICATE:
                self._kept = self._slots.load_bytes(self.record)
            else:
                contract = contract_of(asset, self.record.pins.get("contract"))
                wanted = [column.name for column in contract.columns if column.name != _GEOMETRY]
                self._kept = self._slots.load_table(self.record, columns=wanted)
        return self._kept

    def table_without_footprints(self) -> pa.Table:
        """Return a table without its geometry. Raises TypeError for a document."""
        content = self.looked_at()
        if isinstance(content, bytes):
            raise TypeError(f"{self.record.slot} is a document, not a table")
        return content
