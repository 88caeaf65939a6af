"""A monitoring period's result by calendar year: the split, losses set off, and whole credits once a vintage.

VCS Registration and Issuance Process v4.4 §4.1.2; Gold Standard is cut at the same days. No document read has a rule
for rounding; rounding credits down and buffer credits up, and carrying no remainder, is our own conservative choice.
What does not belong here: how the result comes about (one module a document) and what a waterfall says of it
(whole_credits).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT, exact_sum
from mrv_assets.domain.partition import Period

_NONE = Decimal(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The days of one vintage, both inclusive, inside one calendar year."""

    first: date
    last: date

    @property
    def year(self) -> int:
        """The calendar year."""
        return self.first.year

    @property
    def days(self) -> int:
        """How many days."""
        return (self.last - self.first).days + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Vintage:
    """What one calendar year of a monitoring period comes to.

    `result_tco2e` is the net result before the buffer, negative for a loss; `creditable_tco2e` what is left of it after
    losses of other years, never negative. `credits` and `buffer_credits` are whole.
    """

    span: Span
    result_tco2e: Decimal
    creditable_tco2e: Decimal
    buffer_credits: int
    credits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Issuance:
    """The vintages of a monitoring period, and the state that the next one starts with.

    `deficit_tco2e` is the loss that no year has made up yet, 0 or more. `reversal_tco2e` is the size of a net loss over
    the whole period, 0 when there is none.
    """

    vintages: Sequence[Vintage]
    deficit_tco2e: Decimal
    reversal_tco2e: Decimal

    @property
    def credits(self) -> int:
        """Whole credits of all vintages."""
        return sum(vintage.credits for vintage in self.vintages)

    @property
    def buffer_credits(self) -> int:
        """Whole buffer credits of all vintages."""
        return sum(vintage.buffer_credits for vintage in self.vintages)


def calendar_spans(period: Period) -> tuple[Span, ...]:
    """Return the period cut at each turn of a year, in order: no gap, no overlap."""
    return tuple(
        Span(first=max(period.first, date(year, 1, 1)), last=min(period.last, date(year, 12, 31)))
        for year in range(period.first.year, period.last.year + 1)
    )


def apportioned(units: int, weights: Sequence[int]) -> list[int]:
    """Return whole units in proportion to weights of 0 or more, by the method of Jefferson; the sum is `units`.

    More units never give a part fewer, and with no more units than the weights sum to no part exceeds its weight: so
    a result that falls a little cannot gain a credit by how it is split. Raises ContractError for units over nothing.
    """
    total = sum(weights)
    if not total:
        if not units:
            return [0 for _ in weights]
        raise ContractError(
            "amount cannot be split",
            where="vintages",
            expected="at least one part that something falls on",
            found=f"{units} units over parts that are all 0",
            remedy="a period without creditable years has nothing to split",
        )
    parts = [units * weight // total for weight in weights]
    for _ in range(units - sum(parts)):
        index = max(range(len(parts)), key=lambda i: (Fraction(weights[i], parts[i] + 1), -i))
        parts[index] += 1
    return parts


def by_days(amount: Decimal, spans: Sequence[Span]) -> tuple[Decimal, ...]:
    """Return an amount pro rata by days, in steps of 1e-9, the last with what is smaller: the sum is exact.

    No part has the other sign, and a larger amount gives no year less.
    """
    size = EXACT.abs(amount)
    steps = int(EXACT.scaleb(size, 9))
    parts = [EXACT.scaleb(Decimal(part), -9) for part in apportioned(steps, [span.days for span in spans])]
    parts[-1] = EXACT.add(parts[-1], EXACT.subtract(size, EXACT.scaleb(Decimal(steps), -9)))
    return tuple(parts) if amount >= 0 else tuple(EXACT.minus(part) for part in parts)


def by_year(amount: Decimal, given: Mapping[int, Decimal], spans: Sequence[Span], *, where: str) -> tuple[Decimal, ...]:
    """Return the result of each year from the amounts that the monitoring report gives for each calendar year.

    What deductions took of their sum is spread by days, so no year is raised above what is given for it and a loss
    stays one. Raises ContractError when the years are not those of the period or sum to less than the result.
    """
    years = [span.year for span in spans]
    total = exact_sum(given.values())
    if sorted(given) != years or total < amount:
        raise ContractError(
            "amounts by calendar year do not fit the result",
            where=where,
            expected=f"the years {', '.join(map(str, years))}, in sum at least {amount} t CO2e",
            found=f"{', '.join(map(str, sorted(given))) or 'no year'}, in sum {total} t CO2e",
            remedy="give each calendar year of the monitoring period once, before deductions",
        )
    taken = by_days(EXACT.subtract(total, amount), spans)
    return tuple(EXACT.subtract(given[year], part) for year, part in zip(years, taken, strict=True))


def issued(
    spans: Sequence[Span], results: Sequence[Decimal], *, buffer_tco2e: Decimal, deficit_tco2e: Decimal
) -> Issuance:
    """Return what is issued for results by year, t CO2e before the buffer, a deposit, and the deficit carried in.

    A negative year gets no credits and is set off against later ones (§4.1.2, note); what is still missing at the end
    of the period is taken from its earlier years, the latest first, and then carried (our own conservative choice: a
    period never yields more than its net result). Each year is rounded down, the deposit up, once, and taken from the
    years in proportion to their whole credits. Raises ContractError for a negative deficit or deposit.
    """
    if deficit_tco2e < 0 or buffer_tco2e < 0:
        raise ContractError(
            "carried amount is negative",
            where="vintages",
            expected="a deficit and a buffer deposit of 0 or more, t CO2e",
            found=f"deficit {deficit_tco2e}, buffer {buffer_tco2e}",
            remedy="state a loss that is still to be made up as a positive number",
        )
    creditable, deficit = _set_off(results, deficit_tco2e)
    whole = [whole_below(left) for left in creditable]
    deposit = min(sum(whole), int(buffer_tco2e.to_integral_value(ROUND_CEILING)))
    columns = zip(spans, results, creditable, whole, apportioned(deposit, whole), strict=True)
    return Issuance(
        vintages=tuple(
            Vintage(span=span, result_tco2e=result, creditable_tco2e=left, buffer_credits=kept, credits=all_ - kept)
            for span, result, left, all_, kept in columns
        ),
        deficit_tco2e=deficit,
        reversal_tco2e=max(_NONE, EXACT.minus(exact_sum(results))),
    )


def whole_below(amount: Decimal) -> int:
    """Return an amount rounded down to whole credits; none of a loss."""
    return max(0, int(amount.to_integral_value(ROUND_FLOOR)))


def _set_off(results: Sequence[Decimal], deficit: Decimal) -> tuple[list[Decimal], Decimal]:
    left = []
    for result in results:
        balance = EXACT.subtract(result, deficit)
        left.append(max(_NONE, balance))
        deficit = max(_NONE, EXACT.minus(balance))
    for index in reversed(range(len(left))):
        used = min(left[index], deficit)
        left[index], deficit = EXACT.subtract(left[index], used), EXACT.subtract(deficit, used)
    return left, deficit
