"""The journal to a lineage catalogue: each entry as its events, sent one by one.

What does not belong here: what an event says (events), and how far a target is (pipeline/outbox).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.partition import Slot
from mrv_assets.openlineage.events import events_of
from mrv_assets.openlineage.sending import mend, send, settle
from mrv_assets.openlineage.targets import Target
from mrv_assets.pipeline.world import World

_RECORDS = 4096  # records in memory: neighbouring entries name the same ones


class Catalogue:
    """A lineage catalogue as what takes journal entries. Repeated events have the same ids."""

    def __init__(self, world: World, target: Target) -> None:
        self._target = target
        self._namespace = world.store.uri
        self._records: Callable[[Slot, int], GenerationRecord] = lru_cache(_RECORDS)(world.slots.record)

    @property
    def name(self) -> str:
        """Where it is."""
        return self._target.name

    def begin(self) -> None:
        """Cut off what a death left unfinished. Raises what `mend` raises."""
        mend(self._target)

    def take(self, entry: JournalEntry) -> int:
        """Send every event of an entry; return their number. Raises what `send` and `SlotStore.record` raise."""
        sent = 0
        for event in events_of(entry, self._records, namespace=self._namespace):
            send(self._target, event)
            sent += 1
        settle(self._target)
        return sent
