"""What one listing of `commits/` shows, so that a run over many slots need not list each of them.

A hint and nothing more: it is as old as the listing. Whoever commits decides on the slot itself, and there
create-if-absent has the last word. What does not belong here: reading records (slots).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from threading import Lock

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.slot_paths import parse_record_key

# Enough for 1,200 partitions with all their stages, which a backfill looks at to plan and again to do; about 100 MB.
_RECORDS_KEPT = 8192


class Overview:
    """The newest generation of every slot of a listing, and the records that were read since.

    Keeping a record is safe, because it never changes; only so many are kept that memory stays bounded. A listing of
    one asset, or of one project, says nothing about the others, and so does this. Threads may share it.
    """

    def __init__(
        self,
        keys: Iterable[str],
        *,
        asset: Asset | None = None,
        project_id: str | None = None,
        before: Overview | None = None,
    ) -> None:
        """Take a listing; the records that were read for the one `before` are known."""
        self._asset = asset
        self._project_id = project_id
        self._keeping = Lock()
        self._newest: dict[Slot, int | None] = {}
        self._records: dict[tuple[Slot, int], GenerationRecord] = dict(before._records) if before else {}
        found = (parsed for key in keys if (parsed := parse_record_key(key)))
        for slot, generations in groupby(found, key=itemgetter(0)):
            numbers = [number for _, number in generations]
            self._newest[slot] = max(numbers) if len(numbers) == max(numbers) else None

    def newest(self, slot: Slot) -> int | None:
        """Return the newest generation number that was listed, 0 for an empty slot.

        None when the slot itself must be asked: a number was missing below the newest, it was forgotten, or it is not
        of what was listed.
        """
        is_listed = self._asset in (None, slot.asset) and self._project_id in (None, slot.project_id)
        return self._newest.get(slot, 0 if is_listed else None)

    def slots(self, asset: Asset) -> Iterator[Slot]:
        """Yield the slots of an asset that were listed, in the order of their keys."""
        return (slot for slot in self._newest if slot.asset is asset)

    def forget(self, slot: Slot) -> None:
        """Leave every further question about this slot to the store."""
        self._newest[slot] = None

    def kept(self, slot: Slot, generation: int) -> GenerationRecord | None:
        """Return a record that was read before, None when it has to be read."""
        return self._records.get((slot, generation))

    def keep(self, record: GenerationRecord) -> None:
        """Remember a record that was read, in the place of the oldest when there are many."""
        with self._keeping:
            if len(self._records) >= _RECORDS_KEPT:
                self._records.pop(next(iter(self._records)))
            self._records[record.slot, record.generation] = record
