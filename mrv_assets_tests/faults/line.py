"""One line of the table: what was done how often, and what was found afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """What a reader sees: the whole old figure, the whole new one, or anything else."""

    OLD = "old"
    NEW = "new"
    TORN = "torn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Injury:
    """One fault: what readers saw before anybody healed it, and what was true after the next run.

    `completed` counts what fsck completed after that run: journal entries of commits whose run had died.
    """

    seen: State
    breaches: int
    changed: int
    is_healed: bool
    completed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A scenario and its counts.

    `changed` counts sealed objects that are not what they were, `breaches` what fsck found after the healing runs;
    `completed` how often fsck had the journal to complete. `corrupt` is how many injuries left anything torn, broken,
    changed or unhealed. A control is right when it was caught at least once, everything else when it never was.
    `shown` says in words what else was counted.
    """

    scenario: str
    injected: int
    old: int
    new: int
    torn: int
    breaches: int
    changed: int
    healed: int
    completed: int
    corrupt: int
    shown: str = ""
    is_control: bool = False

    @property
    def is_right(self) -> bool:
        """Whether the line is as it must be."""
        if self.is_control:
            return self.injected > 0 and self.corrupt > 0
        bad = self.torn + self.breaches + self.changed + self.corrupt
        return self.injected > 0 and bad == 0 and self.healed == self.injected


def summed(scenario: str, injuries: Iterable[Injury], *, shown: str = "", is_control: bool = False) -> Line:
    """Count the injuries of a scenario."""
    done = list(injuries)
    seen = Counter(injury.seen for injury in done)
    return Line(
        scenario=scenario,
        injected=len(done),
        old=seen[State.OLD],
        new=seen[State.NEW],
        torn=seen[State.TORN],
        breaches=sum(injury.breaches for injury in done),
        changed=sum(injury.changed for injury in done),
        healed=sum(injury.is_healed for injury in done),
        completed=sum(injury.completed > 0 for injury in done),
        corrupt=sum(_is_corrupt(injury) for injury in done),
        shown=shown,
        is_control=is_control,
    )


def failed(scenario: str, found: str) -> Line:
    """Return the line of a scenario that came to no end of its own; it is off, control or not."""
    return Line(
        scenario=scenario,
        injected=0,
        old=0,
        new=0,
        torn=0,
        breaches=0,
        changed=0,
        healed=0,
        completed=0,
        corrupt=1,
        shown=found,
    )


def _is_corrupt(injury: Injury) -> bool:
    return injury.seen is State.TORN or injury.breaches + injury.changed > 0 or not injury.is_healed
