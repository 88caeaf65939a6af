"""What an importer hands over: the rows of a release that is not published yet, and what it left out and why.

What does not belong here: judging a draft (checked) and writing its two files (written).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum

from mrv_assets.domain.factors import Flux


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """One row of `factors.csv` before it is released.

    `ef_value` is decimal text, taken as it is. The units are names that `domain.units` knows. `label` is what the
    publisher calls the activity; one label makes one `activity_id`. `place` is where the row stands in the published
    file, for messages; neither is released.
    """

    activity_id: str
    region: str
    gas: str
    flux: Flux = Flux.EMISSION
    ef_value: str
    numerator_unit: str
    denominator_unit: str
    basis: str
    valid_from: date
    valid_to: date
    rel_uncertainty: str = ""
    confidence_level: str = ""
    distribution: str = ""
    source: str
    source_ref: str
    label: str
    place: str = field(compare=False)

    @property
    def told(self) -> str:
        """Name the row for a message: where it stands and what it says."""
        return f"{self.place} ({self.label}: {self.gas} {self.ef_value} {self.numerator_unit}/{self.denominator_unit})"


class Effect(StrEnum):
    """What a note means for the draft."""

    LEFT_OUT = "left out"
    TAKEN = "taken"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Published rows or values that a person should know about: left out for a reason, or taken in spite of something.

    `labels` names every one of them, in order; there are `count` of them.
    """

    effect: Effect
    reason: str
    labels: Sequence[str]

    @property
    def count(self) -> int:
        """How many rows or values the note is about."""
        return len(self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRelease:
    """Rows to be released under one GWP set, with what the file says of itself.

    `published` is the day that the file names as its own, None where it names none. `published_keys` are the keys under
    which the publisher lists a factor, also those without a usable value; two editions are compared by them.
    """

    title: str
    published: date | None
    gwp_set: str
    rows: Sequence[DraftRow]
    notes: Sequence[Note]
    published_keys: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """The days for which the factors of an edition hold, both inclusive."""

    first: date
    last: date

    @classmethod
    def of_year(cls, year: int) -> Validity:
        """Return the calendar year."""
        return cls(first=date(year, 1, 1), last=date(year, 12, 31))


def noted(found: Mapping[tuple[Effect, str], Sequence[str]]) -> tuple[Note, ...]:
    """Return one note for each reason, in order, whatever order the file has."""
    return tuple(
        Note(effect=effect, reason=reason, labels=tuple(sorted(labels)))
        for (effect, reason), labels in sorted(found.items())
    )
