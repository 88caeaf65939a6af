"""What can be wrong with a store: every kind of breach in one sentence, its remedy, and the report of a check.

What does not belong here: finding breaches (fsck) and healing what can be healed (repair).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mrv_assets.domain.partition import Slot


class BreachKind(StrEnum):
    """One way in which a store is not what the platform left behind; `meaning` and `remedy` say it in a sentence."""

    GENERATION_MISSING = "generation_missing"
    CHAIN_BROKEN = "chain_broken"
    RECORD_UNREADABLE = "record_unreadable"
    RECORD_MISPLACED = "record_misplaced"
    RECORD_ALTERED = "record_altered"
    RECORD_UNJUDGED = "record_unjudged"
    RECORD_NOT_IN_JOURNAL = "record_not_in_journal"
    UPSTREAM_MISSING = "upstream_missing"
    BLOB_MISSING = "blob_missing"
    BLOB_ALTERED = "blob_altered"
    BLOB_MISNAMED = "blob_misnamed"
    CONTENT_MISMATCH = "content_mismatch"
    FIGURE_UNCERTIFIED = "figure_uncertified"
    FIGURE_UNAPPROVED = "figure_unapproved"
    WITHDRAWAL_UNSTATED = "withdrawal_unstated"
    WITHDRAWAL_INCOMPLETE = "withdrawal_incomplete"
    PERIODS_OVERLAP = "periods_overlap"
    VIEW_MISSING = "view_missing"
    VIEW_STALE = "view_stale"
    VIEW_EXTRA = "view_extra"
    ENTRY_MISSING = "entry_missing"
    ENTRY_UNREADABLE = "entry_unreadable"
    JOURNAL_BROKEN = "journal_broken"
    EVENT_WITHOUT_RECORD = "event_without_record"
    CHECKPOINT_UNREADABLE = "checkpoint_unreadable"
    CHECKPOINT_AHEAD = "checkpoint_ahead"
    CHECKPOINT_BEHIND = "checkpoint_behind"
    CHECKPOINT_CONTRADICTS = "checkpoint_contradicts"
    DOCUMENT_MISSING = "document_missing"
    DOCUMENT_ALTERED = "document_altered"
    DOCUMENT_NOT_IN_JOURNAL = "document_not_in_journal"
    ADOPTION_BROKEN = "adoption_broken"
    APPROVAL_BROKEN = "approval_broken"
    WITHDRAWAL_BROKEN = "withdrawal_broken"
    SEAL_BROKEN = "seal_broken"
    MANIFEST_BROKEN = "manifest_broken"
    REGISTRY_BROKEN = "registry_broken"
    CREDIT_CLAIMED_TWICE = "credit_claimed_twice"
    RETIREMENT_UNISSUED = "retirement_unissued"
    ISSUANCE_UNCERTIFIED = "issuance_uncertified"
    LEFT_OVER = "left_over"
    STRAY_OBJECT = "stray_object"

    @property
    def meaning(self) -> str:
        """Say in one sentence what is wrong."""
        return _KNOWN[self][0]

    @property
    def remedy(self) -> str:
        """Say what a person does about it."""
        return _KNOWN[self][1]


_STOP = "stop, keep the store as it is and restore the object from a replica"
_RUN_AGAIN = "restore the blob from a replica; without one, run the partition again, which makes the same bytes"
_REPAIR = "run `mrv fsck --repair`"
_KNOWN: Mapping[BreachKind, tuple[str, str]] = {
    BreachKind.GENERATION_MISSING: ("A number below the newest generation of a slot has no record.", _STOP),
    BreachKind.CHAIN_BROKEN: ("A record does not name the sha256 of the record before it.", _STOP),
    BreachKind.RECORD_UNREADABLE: ("A record is not the exact bytes of a generation that the platform writes.", _STOP),
    BreachKind.RECORD_MISPLACED: ("A record lies under a slot or number that is not its own.", _STOP),
    BreachKind.RECORD_ALTERED: ("A record is not the one that the journal tells of.", _STOP),
    BreachKind.RECORD_UNJUDGED: (
        "A generation carries a red gate, or not the gates that are asked of it.",
        "do not rely on it; run the partition again, which is judged anew",
    ),
    BreachKind.RECORD_NOT_IN_JOURNAL: (
        "No journal entry tells of a commit.",
        f"wait when its run is still at work, else {_REPAIR}",
    ),
    BreachKind.UPSTREAM_MISSING: ("A generation rests on one that is not there, or that has other content.", _STOP),
    BreachKind.BLOB_MISSING: ("The content of a generation is gone.", _RUN_AGAIN),
    BreachKind.BLOB_ALTERED: ("Stored bytes do not have the digest in their name.", _STOP),
    BreachKind.BLOB_MISNAMED: ("A blob does not lie where its digest belongs.", "move it out of the store"),
    BreachKind.CONTENT_MISMATCH: ("A content does not say what its record seals.", _STOP),
    BreachKind.FIGURE_UNCERTIFIED: (
        "A figure of the ledger is not the one that its certificate seals.",
        "do not rely on it; compare with the certificate that was handed out",
    ),
    BreachKind.FIGURE_UNAPPROVED: (
        "A figure moved further than its project lets it, without the approval that lets it through.",
        "do not rely on it; ask the operator who approved it, and restore the approval from a replica if it is gone",
    ),
    BreachKind.WITHDRAWAL_UNSTATED: (
        "A figure was taken back, or reported again after that, without the word of a person that was for this.",
        "do not rely on it; ask the operator who took it back, and restore the withdrawal from a replica if it is gone",
    ),
    BreachKind.WITHDRAWAL_INCOMPLETE: (
        "A person took back a figure that the ledger still reports: the command died before the ledger moved.",
        "run `mrv ledger withdraw` for it once more, which completes what the first one began",
    ),
    BreachKind.PERIODS_OVERLAP: (
        "One project reports a day twice, in two periods.",
        "do not add the two up; decide which one stands, and report the period in one form only",
    ),
    BreachKind.VIEW_MISSING: ("A live figure is not in the published view.", _REPAIR),
    BreachKind.VIEW_STALE: ("The published view shows something else than the live figure.", _REPAIR),
    BreachKind.VIEW_EXTRA: (
        "The published view shows something that no slot of the ledger reports.",
        "move it out of published/: whoever adds up the folder counts it",
    ),
    BreachKind.ENTRY_MISSING: ("A number below the newest journal entry has no entry.", _STOP),
    BreachKind.ENTRY_UNREADABLE: ("A journal entry is not the exact bytes that the platform writes.", _STOP),
    BreachKind.JOURNAL_BROKEN: ("A journal entry is not the one that the next entry names.", _STOP),
    BreachKind.EVENT_WITHOUT_RECORD: ("The journal tells of a generation that is not there.", _STOP),
    BreachKind.CHECKPOINT_UNREADABLE: ("The journal's checkpoint is not what the platform writes.", _STOP),
    BreachKind.CHECKPOINT_AHEAD: ("The journal is shorter than its checkpoint says: its end was cut off.", _STOP),
    BreachKind.CHECKPOINT_BEHIND: ("The journal's checkpoint lags behind its last entry.", _REPAIR),
    BreachKind.CHECKPOINT_CONTRADICTS: ("The journal's entries and its checkpoint contradict each other.", _STOP),
    BreachKind.DOCUMENT_MISSING: ("The journal tells of an approval, seal or other document that is not there.", _STOP),
    BreachKind.DOCUMENT_ALTERED: (
        "An approval, seal or other document is not as the journal tells.",
        _STOP,
    ),
    BreachKind.DOCUMENT_NOT_IN_JOURNAL: (
        "No journal entry tells of an approval, seal or other document.",
        f"wait when who keeps it is still at work, else {_REPAIR}",
    ),
    BreachKind.ADOPTION_BROKEN: ("The manifests of adopted trees are not a whole chain.", _STOP),
    BreachKind.APPROVAL_BROKEN: ("An approval is not what the platform wrote when it was given.", _STOP),
    BreachKind.WITHDRAWAL_BROKEN: ("A withdrawal or reinstatement is not what the platform wrote.", _STOP),
    BreachKind.SEAL_BROKEN: ("A seal is not a signed envelope of a certificate of this store.", _STOP),
    BreachKind.MANIFEST_BROKEN: ("The manifest of a backfill is not what the platform wrote when it ended.", _STOP),
    BreachKind.REGISTRY_BROKEN: ("The records of what registries issued and retired are not a whole chain.", _STOP),
    BreachKind.CREDIT_CLAIMED_TWICE: (
        "A registry record claims credits, or the tonnes behind them, that an earlier one claims.",
        "do not rely on the later record; compare both with the registry, and ask who wrote it past the checks",
    ),
    BreachKind.RETIREMENT_UNISSUED: (
        "A registry record retires credits that no earlier one says were issued by that day.",
        "do not rely on it; compare it with the registry, and ask who wrote it past the checks",
    ),
    BreachKind.ISSUANCE_UNCERTIFIED: (
        "An issuance rests on a certificate that is not there, was never reported or does not allow so many credits.",
        "do not rely on it; compare it with the registry and with the certificate that was handed out",
    ),
    BreachKind.LEFT_OVER: ("A temporary file of a writer that died long ago.", "run `mrv gc`"),
    BreachKind.STRAY_OBJECT: (
        "An object that the platform did not put there.",
        "move it out of the store; nobody reads it, but it may be somebody's mistake",
    ),
}
_REPAIRABLE = frozenset(
    {
        BreachKind.RECORD_NOT_IN_JOURNAL, BreachKind.DOCUMENT_NOT_IN_JOURNAL, BreachKind.VIEW_MISSING,
        BreachKind.VIEW_STALE, BreachKind.CHECKPOINT_BEHIND,
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One thing that is wrong, at the key where it shows.

    Repairable is what a crash leaves and what can be completed from sound records alone.
    """

    kind: BreachKind
    key: str
    expected: str
    found: str
    remedy: str
    is_repairable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What a check read, and every breach it found, in the order of keys.

    `unreferenced` counts blobs that no record names: what a crash between blob and record leaves, which is
    garbage and no breach.
    """

    generations: int
    entries: int
    blobs: int
    views: int
    unreferenced: int
    breaches: tuple[Breach, ...]

    @property
    def repairable(self) -> tuple[Breach, ...]:
        """The breaches that `repair` completes."""
        return tuple(breach for breach in self.breaches if breach.is_repairable)

    def with_more(self, breaches: tuple[Breach, ...]) -> Report:
        """Return the report with the findings of another check added."""
        return replace(self, breaches=tuple(sorted({*self.breaches, *breaches}, key=_by_key)))


class Findings:
    """Breaches as they are found, each once for its kind and key."""

    def __init__(self) -> None:
        self._found: dict[tuple[BreachKind, str], tuple[Breach, Slot | None]] = {}

    def add(self, kind: BreachKind, key: str, *, expected: str, found: str, slot: Slot | None = None) -> None:
        """Note a breach at `key`; `slot` is the one whose history it touches."""
        breach = Breach(
            kind=kind, key=key, expected=expected, found=found, remedy=kind.remedy, is_repairable=kind in _REPAIRABLE
        )
        self._found.setdefault((kind, key), (breach, slot))

    def has(self, kind: BreachKind, key: str) -> bool:
        """Tell whether this was found before."""
        return (kind, key) in self._found

    def concern(self, key: str) -> bool:
        """Tell whether anything was found at this key."""
        return any(noted == key for _, noted in self._found)

    def is_journal_damaged(self) -> bool:
        """Tell whether the journal is such that nothing may be appended to it."""
        return any(kind in _JOURNAL_DAMAGE for kind, _ in self._found)

    def breaches(self) -> tuple[Breach, ...]:
        """Return all of them by key.

        Nothing is repairable on top of what is damaged: not a slot with another breach, not a broken journal.
        """
        return tuple(sorted(self._settled(), key=_by_key))

    def _settled(self) -> Iterator[Breach]:
        slots = {slot for breach, slot in self._found.values() if slot is not None and not breach.is_repairable}
        on_journal = {
            BreachKind.RECORD_NOT_IN_JOURNAL,
            BreachKind.DOCUMENT_NOT_IN_JOURNAL,
            BreachKind.CHECKPOINT_BEHIND,
        }
        blocked = on_journal if self.is_journal_damaged() else set()
        for breach, slot in self._found.values():
            if breach.is_repairable and (slot in slots or breach.kind in blocked):
                yield replace(breach, is_repairable=False, remedy="remedy the other breach of the same history first")
            else:
                yield breach


_JOURNAL_DAMAGE = frozenset(
    {
        BreachKind.ENTRY_MISSING, BreachKind.ENTRY_UNREADABLE, BreachKind.JOURNAL_BROKEN,
        BreachKind.CHECKPOINT_UNREADABLE, BreachKind.CHECKPOINT_AHEAD, BreachKind.CHECKPOINT_CONTRADICTS,
    }
)  # fmt: skip


def _by_key(breach: Breach) -> tuple[str, str]:
    return breach.key, breach.kind
