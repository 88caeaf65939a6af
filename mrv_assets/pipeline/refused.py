"""Which partitions were refused when they were last run, read from the end of the journal.

What does not belong here: what else a partition lacks (freshness).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from mrv_assets.domain.journal_entry import JournalEntry
from mrv_assets.domain.lineage import Outcome
from mrv_assets.storage.journal import Journal, entry_key

LOOKED_BACK = 1_000
"""Entries that are looked at, the newest first: a look has to end, however long the journal is."""


def last_refusals(journal: Journal, wanted: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    """Return the reason for each (project_id, period) of `wanted` whose newest entry tells a refusal.

    Those that no entry among the last thousand tells of are left out. Raises BrokenChain for an entry that is gone or
    not as it was written.
    """
    open_still, found = set(wanted), dict[tuple[str, str], str]()
    newest = journal.size() if open_still else 0
    for number in range(newest, max(newest - LOOKED_BACK, 0), -1):
        entry = JournalEntry.from_bytes(journal.raw(number), where=entry_key(number))
        for event in reversed(entry.events):
            one = (event.slot.project_id, event.slot.period)
            if one in open_still:  # a refusal ends a partition's run, so it is the last that the entry tells of it
                open_still.discard(one)
                if event.outcome is Outcome.REFUSED:
                    found[one] = event.reason
        if not open_still:
            break
    return found
