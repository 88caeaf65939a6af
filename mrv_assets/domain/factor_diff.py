"""How two releases differ: which factors came, went, changed and by how much, and which may only have a new name.

What does not belong here: where regions are (region_diff), what a change does to reported figures, and how it is
shown (cli).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from difflib import SequenceMatcher
from fractions import Fraction

from mrv_assets.domain.factor_chains import Coefficient, Measure
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan, GasFactor, cuts, spans_of
from mrv_assets.domain.factors import FactorRelease

LIKE = 0.6
"""Names that are less alike than this are not offered as a renaming; difflib calls 0.6 a close match."""

_PERCENT_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientChange:
    """A coefficient of a chain before and after, by its name; None where the chain has none of the name."""

    name: str
    before: Coefficient | None
    after: Coefficient | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GasChange:
    """The factor of one gas before and after; None where a release has none. `change` is as in `Step`, by mass."""

    gas: str
    before: GasFactor | None
    after: GasFactor | None

    @property
    def change(self) -> Fraction | None:
        """The change of the mass per unit as a part of the mass before."""
        return relative(self.before.tonnes, self.after.tonnes) if self.before and self.after else None

    @property
    def coefficients(self) -> Sequence[CoefficientChange]:
        """The coefficients with another value or unit, of the older chain first; none unless both sides are chains."""
        old, new = ({one.name: one for one in side.chain} if side else {} for side in (self.before, self.after))
        if not (old and new):
            return ()
        changes = (
            CoefficientChange(name=name, before=old.get(name), after=new.get(name))
            for name in dict.fromkeys((*old, *new))
        )
        return [change for change in changes if _measured(change.before) != _measured(change.after)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What became of a factor over the days from `first` to `last`; `before` or `after` is None where none covers them.

    When each release has one span for the key, the two are compared whatever their days, as editions of two years are;
    the days are those of the newer.
    """

    first: date
    last: date
    before: FactorSpan | None
    after: FactorSpan | None

    @property
    def is_same(self) -> bool:
        """Tell whether both releases say the same."""
        return self.before is not None and self.after is not None and self.before.said == self.after.said

    @property
    def change(self) -> Fraction | None:
        """The change of the combined factor as a part of the factor before, exact, a removal counted as negative.

        None where it has no size: no factor before or after, or a factor of 0 before that is none any more.
        """
        return relative(self.before.net, self.after.net) if self.before and self.after else None

    @property
    def gases(self) -> Sequence[GasChange]:
        """Every gas of either side, sorted by name."""
        before = {gas.gas: gas for gas in self.before.gases} if self.before else {}
        after = {gas.gas: gas for gas in self.after.gases} if self.after else {}
        return [
            GasChange(gas=gas, before=before.get(gas), after=after.get(gas)) for gas in sorted(before.keys() | after)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptFactor:
    """A key that both releases have, with its steps in the order of their days."""

    key: FactorKey
    steps: Sequence[Step]

    @property
    def is_same(self) -> bool:
        """Tell whether no step changes anything."""
        return all(step.is_same for step in self.steps)

    @property
    def has_other_days(self) -> bool:
        """Tell whether a factor holds for other days than before."""
        return any(_days(step.before) != _days(step.after) for step in self.steps)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renaming:
    """A factor that went and one that came with the same values and close names: a candidate, for a person to judge.

    `likeness` is between 0 and 1.
    """

    removed: FactorKey
    added: FactorKey
    likeness: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FactorDiff:
    """How two releases differ. Every key of either is in exactly one of `removed`, `added`, `changed`, `unchanged`.

    `changed` begins with the largest change; the others are sorted by key. `renamings` only relate keys of `removed`
    to keys of `added`, each at most once.
    """

    removed: Mapping[FactorKey, Sequence[FactorSpan]]
    added: Mapping[FactorKey, Sequence[FactorSpan]]
    changed: Sequence[KeptFactor]
    unchanged: Sequence[KeptFactor]
    renamings: Sequence[Renaming]


def differences(before: FactorRelease, after: FactorRelease) -> FactorDiff:
    """Return how `after` differs from `before`. Values are compared as exact masses, not as they are written."""
    old, new = spans_of(before), spans_of(after)
    kept = [KeptFactor(key=key, steps=_steps(old[key], new[key])) for key in old if key in new]
    removed = {key: spans for key, spans in old.items() if key not in new}
    added = {key: spans for key, spans in new.items() if key not in old}
    return FactorDiff(
        removed=removed,
        added=added,
        changed=sorted((factor for factor in kept if not factor.is_same), key=_largest_first),
        unchanged=[factor for factor in kept if factor.is_same],
        renamings=_renamings(removed, added),
    )


def relative(before: Decimal, after: Decimal) -> Fraction | None:
    """Return the change from `before` to `after` as a part of `before`, exact; None for a change from 0."""
    if before == after:
        return Fraction(0)
    return Fraction(after) / Fraction(before) - 1 if before else None


def percent(change: Fraction) -> Decimal:
    """Return a change in per cent, rounded half-even to 9 decimals."""
    return Decimal(round(change * 100 * 10**_PERCENT_DIGITS)).scaleb(-_PERCENT_DIGITS)


def _measured(coefficient: Coefficient | None) -> tuple[Fraction, Measure, Measure] | None:
    return (coefficient.value, coefficient.numerator, coefficient.denominator) if coefficient else None


def _steps(old: Sequence[FactorSpan], new: Sequence[FactorSpan]) -> Sequence[Step]:
    if len(old) == len(new) == 1:
        return (Step(first=new[0].first, last=new[0].last, before=old[0], after=new[0]),)
    steps = (
        Step(first=first, last=last, before=_on(old, first), after=_on(new, first))
        for first, last in cuts((span.first, span.last) for span in (*old, *new))
    )
    return tuple(step for step in steps if step.before or step.after)


def _on(spans: Sequence[FactorSpan], day: date) -> FactorSpan | None:
    return next((span for span in spans if span.first <= day <= span.last), None)


def _days(span: FactorSpan | None) -> tuple[date, date] | None:
    return (span.first, span.last) if span else None


def _largest_first(factor: KeptFactor) -> tuple[int, Fraction, Fraction, FactorKey]:
    """Sort changes from 0 before those with a size, those before days that come or go, then by combined factor, gas."""
    compared = [step for step in factor.steps if step.before and step.after and not step.is_same]
    rank = 0 if any(step.change is None for step in compared) else 1 if compared else 2
    gases = [abs(gas.change) for step in compared for gas in step.gases if gas.change is not None]
    combined = [abs(step.change) for step in compared if step.change is not None]
    return (rank, -max(combined, default=Fraction(0)), -max(gases, default=Fraction(0)), factor.key)


def _renamings(
    removed: Mapping[FactorKey, Sequence[FactorSpan]], added: Mapping[FactorKey, Sequence[FactorSpan]]
) -> Sequence[Renaming]:
    """Pair the closest names first; the order of two pairs that are equally close does not depend on the direction."""
    pairs = sorted(_pairs(removed, added), key=lambda pair: (-pair.likeness, *sorted((pair.removed, pair.added))))
    taken: set[FactorKey] = set()
    renamings = []
    for pair in pairs:
        if pair.removed not in taken and pair.added not in taken:
            taken |= {pair.removed, pair.added}
            renamings.append(pair)
    return renamings


def _pairs(
    removed: Mapping[FactorKey, Sequence[FactorSpan]], added: Mapping[FactorKey, Sequence[FactorSpan]]
) -> Iterator[Renaming]:
    groups: dict[object, list[FactorKey]] = {}
    for key, spans in added.items():
        groups.setdefault(_values(key, spans), []).append(key)
    for key, spans in removed.items():
        for other in groups.get(_values(key, spans), ()):
            if (likeness := _likeness(key.activity_id, other.activity_id)) >= LIKE:
                yield Renaming(removed=key, added=other, likeness=likeness)


def _values(key: FactorKey, spans: Sequence[FactorSpan]) -> object:
    return (key.region, key.unit, tuple(span.said for span in spans))


def _likeness(one: str, other: str) -> float:
    """Return how alike two names are, the same from both sides, which difflib alone does not promise."""
    matcher = SequenceMatcher(a=min(one, other), b=max(one, other), autojunk=False)
    if matcher.real_quick_ratio() < LIKE or matcher.quick_ratio() < LIKE:
        return 0.0
    return round(matcher.ratio(), 3)
