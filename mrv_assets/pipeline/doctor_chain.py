"""The families of gaps and missing events: the breaches of a check, grouped, with what can be rebuilt and how.

Pure over a report and what is asked of a blob. What does not belong here: finding breaches (fsck).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.pipeline.doctor_finding import Family, Finding, Weight
from mrv_assets.storage.breach import Breach, BreachKind

_EVENTS = frozenset({BreachKind.RECORD_NOT_IN_JOURNAL, BreachKind.DOCUMENT_NOT_IN_JOURNAL})
_REBUILT = frozenset({*_EVENTS, BreachKind.VIEW_MISSING, BreachKind.VIEW_STALE, BreachKind.CHECKPOINT_BEHIND})
_UNTIDY = frozenset({BreachKind.VIEW_EXTRA, BreachKind.BLOB_MISNAMED, BreachKind.LEFT_OVER, BreachKind.STRAY_OBJECT})
_BLOBS = frozenset({BreachKind.BLOB_MISSING, BreachKind.BLOB_ALTERED})
_REPLICA = "only a replica has it: it was written once, and nothing else says the same"
_NOTHING_LOST = frozenset({*_REBUILT, *_UNTIDY, *_BLOBS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Remade:
    """Whether a lost content can be made again: the command, or why not."""

    who: str
    command: str
    why_not: str = ""

    def __str__(self) -> str:
        if self.why_not:
            return f"content of {self.who}; cannot be made again from here: {self.why_not}"
        return f"content of {self.who}; can be made again: {self.command}"


def chain_findings(breaches: Iterable[Breach], remade: Callable[[str], Sequence[Remade]]) -> Iterator[Finding]:
    """Yield one finding for each kind of breach. `remade` tells by a blob's key who needs it and how it is made."""
    by_kind: dict[BreachKind, list[Breach]] = defaultdict(list)
    for breach in breaches:
        by_kind[breach.kind].append(breach)
    for kind, found in sorted(by_kind.items()):
        yield Finding(
            family=Family.MISSING_EVENT if kind in _EVENTS else Family.CHAIN_GAP,
            name=kind.value,
            weight=Weight.TO_DO if kind in _REBUILT | _UNTIDY else Weight.TAMPERED,
            diagnosis=kind.meaning,
            evidence=[text for breach in found for text in _evidence(breach, remade)],
            remedy=_remedy(kind, found),
            cannot="" if kind in _NOTHING_LOST else _REPLICA if kind.remedy.startswith("stop") else _JUDGED,
        )


_JUDGED = "whether it was right: that is for a person to decide, who compares it with what was handed out"


def _evidence(breach: Breach, remade: Callable[[str], Sequence[Remade]]) -> Iterator[str]:
    yield f"{breach.key}: expected {breach.expected}; found {breach.found}"
    if breach.kind in _BLOBS:
        yield from (f"{breach.key}: {one}" for one in remade(breach.key))


def _remedy(kind: BreachKind, found: Sequence[Breach]) -> str:
    told = "; ".join(dict.fromkeys(breach.remedy for breach in found))
    if kind is BreachKind.BLOB_ALTERED:
        return f"{told}; where it can be made again, the same command over another store (MRV_STORE) makes the bytes"
    if kind in _REBUILT and all(breach.is_repairable for breach in found):
        return f"{told}, which rebuilds it from the records and touches no sealed object"
    return told
