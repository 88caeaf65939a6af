"""Which of several files stands for a partition, by the operator's rule and by nothing else.

A rule that does not decide says why; nothing falls back on another rule. What does not belong here: reading the
files and keeping the decision (adopt).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TypeAlias

from mrv_assets.domain.adoption import AdoptedFile, ForeignKey, Keep

Rank: TypeAlias = datetime | int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidates:
    """The tables of one partition, with what speaks against them.

    `faults` are by path: the file contradicts its path, or its rows cannot be read. `blocked` says why no rule may rank
    the tables, only a list may name one.
    """

    key: ForeignKey
    files: tuple[AdoptedFile, ...]
    faults: Mapping[str, str]
    blocked: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The file that stands, and why; why each of the others does not, by path."""

    chosen: AdoptedFile
    why: str
    why_not: Callable[[AdoptedFile], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """Why no rule that the operator gave decides."""

    why: str


Decision: TypeAlias = Choice | Undecided


def choose(candidates: Candidates, *, keep: Keep, named: Sequence[str]) -> Decision:
    """Choose by `keep`; `named` are the paths of this partition that the operator's list names."""
    if keep is Keep.LIST and named:
        return _checked(candidates, _by_list(candidates, named))
    if candidates.blocked is not None:
        return Undecided(why=candidates.blocked)
    if candidates.faults:
        return Undecided(why="; ".join(f"{path}: {fault}" for path, fault in candidates.faults.items()))
    if len(candidates.files) == 1:
        return Choice(chosen=candidates.files[0], why="the only table", why_not=lambda _: "")
    if keep is Keep.LIST:
        return Undecided(why=f"the list names none of {', '.join(file.path for file in candidates.files)}")
    return _newest(candidates.files) if keep is Keep.NEWEST else _largest(candidates.files)


def _checked(candidates: Candidates, decision: Decision) -> Decision:
    """Refuse a named file that cannot stand for the partition."""
    if isinstance(decision, Choice) and decision.chosen.path in candidates.faults:
        path = decision.chosen.path
        return Undecided(why=f"the list names {path}, but {candidates.faults[path]}")
    return decision


def _by_list(candidates: Candidates, named: Sequence[str]) -> Decision:
    if len(named) > 1:
        return Undecided(why=f"the list names {' and '.join(named)}")
    chosen = next(file for file in candidates.files if file.path == named[0])
    return Choice(
        chosen=chosen,
        why="named by the list",
        why_not=lambda file: candidates.faults.get(file.path, "not named by the list"),
    )


def _newest(files: Sequence[AdoptedFile]) -> Decision:
    """Rank by the time that every writer recorded, else by the time that the store knows of every file."""
    for name, of in (("generated_utc", _generated), ("time of last change", _modified)):
        times = {file.path: time for file in files if (time := of(file)) is not None}
        if len(times) == len(files):
            return _highest(files, dict[str, Rank](times), name)
    return Undecided(
        why="not every file records generated_utc as an instant with its offset, and the store does not tell when each "
        "was last changed"
    )


def _largest(files: Sequence[AdoptedFile]) -> Decision:
    return _highest(files, {file.path: file.rows or 0 for file in files}, "rows")


def _highest(files: Sequence[AdoptedFile], ranks: Mapping[str, Rank], what: str) -> Decision:
    top = max(ranks.values(), key=_order)
    first, *rest = (file for file in files if ranks[file.path] == top)
    if any(file.content_digest != first.content_digest for file in rest):
        paths = ", ".join(file.path for file in (first, *rest))
        return Undecided(why=f"a tie of different contents at {what} {_shown(top)}: {paths}")
    why = f"highest {what}, {_shown(top)}" + ("; first of several that say the same" if rest else "")

    def why_not(file: AdoptedFile) -> str:
        own = f"{what} {_shown(ranks[file.path])}, chosen has {_shown(top)}"
        return f"{own}; says the same as the chosen one" if file.content_digest == first.content_digest else own

    return Choice(chosen=first, why=why, why_not=why_not)


def _generated(file: AdoptedFile) -> datetime | None:
    return _instant(file.generated_utc)


def _modified(file: AdoptedFile) -> datetime | None:
    return _instant(file.modified_utc)


def _instant(text: str | None) -> datetime | None:
    """Read an instant; without an offset it is none, because nobody said whose clock it was."""
    try:
        instant = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return instant.astimezone(UTC) if instant.tzinfo is not None else None


def _order(rank: Rank) -> float:
    return rank if isinstance(rank, int) else rank.timestamp()


def _shown(rank: Rank) -> str:
    return f"{rank:,}" if isinstance(rank, int) else rank.isoformat()
