"""The family of dropped parent runs: entries that name a parent nobody knows, and runs told with and without one.

Pure over what entries say. What does not belong here: reading the journal (doctor).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.domain.journal_entry import JournalEntry, Parent, ParentKind
from mrv_assets.pipeline.doctor_finding import Family, Finding, Weight


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Of an entry only what this family looks at, so that a long journal fits into memory."""

    number: int
    run_id: str
    parent: Parent | None

    @classmethod
    def of(cls, entry: JournalEntry) -> Told:
        """Return what is looked at."""
        return cls(number=entry.number, run_id=entry.run_id, parent=entry.parent)


def dropped_parents(told: Iterable[Told]) -> Iterator[Finding]:
    """Yield what is lost of the parents of runs."""
    runs: dict[str, list[Told]] = defaultdict(list)
    for one in told:
        runs[one.run_id].append(one)
    unknown = [one for entries in runs.values() for one in entries if _is_unknown(one.parent, runs)]
    if unknown:
        yield _unknown(unknown)
    at_odds = [entries for entries in runs.values() if len({one.parent for one in entries}) > 1]
    if at_odds:
        yield _at_odds(at_odds)


def _is_unknown(parent: Parent | None, runs: dict[str, list[Told]]) -> bool:
    return parent is not None and parent.kind is ParentKind.RUN and parent.id not in runs


def _unknown(entries: Sequence[Told]) -> Finding:
    return Finding(
        family=Family.DROPPED_PARENT,
        name="original_run_unknown",
        weight=Weight.TO_DO,
        diagnosis="A run says that it was executed again from another one, and no journal entry tells of that one. "
        "Either it failed before its first asset, or its entry never came to be.",
        evidence=[
            f"entry {one.number}: run {one.run_id}, executed again from run {one.parent.id}"
            for one in entries
            if one.parent
        ],
        remedy="look the original up in Dagster's run history (dagster dev, Runs, by its id) and note what became of "
        "it; if it committed anything, `mrv fsck --repair` tells the journal",
        cannot="an entry of the original run itself: only that run knew what it skipped and refused",
    )


def _at_odds(runs: Sequence[Sequence[Told]]) -> Finding:
    return Finding(
        family=Family.DROPPED_PARENT,
        name="parent_told_differently",
        weight=Weight.TO_DO,
        diagnosis="One run is told in several entries that do not name the same parent: one of them lost it.",
        evidence=[
            f"run {entries[0].run_id}: "
            + "; ".join(f"entry {one.number} {_parent_text(one.parent)}" for one in entries)
            for entries in runs
        ],
        remedy="take the parent that an entry names for the parent of the whole run, and compare it with the run's "
        "tags in Dagster",
        cannot="the entry without the parent: the journal is never rewritten",
    )


def _parent_text(parent: Parent | None) -> str:
    return "names no parent" if parent is None else f"names {parent.kind} {parent.id}"
