"""Promises of the VCS rules: deductions never raise, doubt never pays, vintages sum exactly, serials are inclusive."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

from hypothesis import assume, given
from hypothesis import strategies as st

from mrv_assets.crediting.vcs import FORMULAS, buffer_deposit
from mrv_assets.crediting.vcs_uncertainty import vcs_excess_uncertainty, vcs_uncertainty
from mrv_assets.crediting.vintages import Span, apportioned, by_days, issued
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock, require_apart
from mrv_assets.domain.rule_set import Rule, Tag
from mrv_assets.domain.verra_serial import VerraSerial
from mrv_assets_tests.monitored import VCS, account, rule, rule_set, walked

UNC = rule("vcs-5.0", "VCS-UNC-01")
EXCESS = Rule(
    id="VM0007-UNC",
    title="Allowed half-width",
    clause="VM0007 v1.8 §8.4.5",
    evidence=Tag.SRC,
    formula="vcs_excess_uncertainty",
    thresholds={"allowed": Decimal("0.15")},
    choices={"confidence": "0.90"},
)
amounts = st.integers(-(10**16), 10**16).map(lambda n: Decimal(n).scaleb(-9))
stocks = st.integers(0, 10**16).map(lambda n: Decimal(n).scaleb(-9))
# Close to the steps at 10 % and 100 % as often as anywhere.
half_widths = st.integers(0, 3 * 10**12).map(lambda n: Decimal(n).scaleb(-12)) | st.sampled_from(
    [Decimal(text) for text in ("0", "0.1", "0.100000000001", "0.15", "1", "1.000000000001")]
)
periods = st.tuples(st.dates(date(1990, 1, 1), date(2090, 1, 1)), st.integers(0, 4000)).map(
    lambda drawn: (drawn[0], drawn[0] + timedelta(days=drawn[1]))
)


def exact(values: list[Decimal]) -> Fraction:
    """Return the exact sum, in numbers that share no code with the platform."""
    return sum((Fraction(value) for value in values), Fraction(0))


def spans_of(first: date, last: date) -> tuple[Span, ...]:
    """Return the years of some days, cut without the platform's own function."""
    years = range(first.year, last.year + 1)
    return tuple(Span(first=max(first, date(y, 1, 1)), last=min(last, date(y, 12, 31))) for y in years)


@given(running=amounts, share=half_widths)
def test_no_deduction_raises_a_result_or_takes_more_than_it(running: Decimal, share: Decimal) -> None:
    """What is left lies between 0 and the result; a loss stays as it is."""
    package = VCS.with_(result_half_width=str(share), slow_removals="no")
    for formula, asked in ((vcs_uncertainty, UNC), (vcs_excess_uncertainty, EXCESS)):
        left = running + formula(account(package, running=str(running)), asked).change_tco2e
        assert min(Decimal(0), running) <= left <= running
        assert running > 0 or left == running


@given(running=stocks, shares=st.tuples(half_widths, half_widths), over_ten_years=half_widths)
def test_more_uncertainty_never_yields_more(
    running: Decimal, shares: tuple[Decimal, Decimal], over_ten_years: Decimal
) -> None:
    """Across the step at 10 % and above 100 %, whether removals are slow or not."""
    for slow in ("yes", "no"):
        taken = []
        for share in sorted(shares):
            package = VCS.with_(
                result_half_width=str(share),
                slow_removals=slow,
                result_ten_year_half_width=str(over_ten_years),
            )
            taken.append(vcs_uncertainty(account(package, running=str(running)), UNC).change_tco2e)
        assert taken[1] <= taken[0] <= 0


@given(
    share=half_widths,
    leakage=amounts,
    rating=st.integers(12, 100),
    change=amounts,
    baseline=amounts,
    carried=stocks,
    period=st.sampled_from(["2024", "2020-01-01_2021-06-30", "2019-06-15_2024-02-29"]),
)
def test_the_programme_ends_in_whole_credits(
    share: Decimal, leakage: Decimal, rating: int, change: Decimal, baseline: Decimal, carried: Decimal, period: str
) -> None:
    """Lines sum exactly to whole credits of 0 or more, and each but the baseline and a recorded loss takes away."""
    package = VCS.with_(
        result_half_width=str(share),
        slow_removals="no",
        leakage_tco2e=str(leakage),
        npr_rating_percent=str(rating),
        net_stock_change_tco2e=str(change),
        baseline_net_removals_tco2e=str(baseline),
        deficit_carried_in_tco2e=str(carried),
    )
    waterfall = walked(account(package, period=period), rule_set("vcs-5.0"), FORMULAS).waterfall
    assert waterfall is not None
    last = waterfall.lines[-1].numbers
    assert exact([line.change_tco2e for line in waterfall.lines]) == Fraction(last["credits"])
    assert last["credits"] >= 0
    assert last["credits"] == last["credits"].to_integral_value()
    assert all(line.change_tco2e <= 0 for line in waterfall.lines[2:-1])
    before = waterfall.running()[-2]
    assert last["credits"] <= max(Decimal(0), before)


@given(
    pairs=st.tuples(
        st.tuples(half_widths, half_widths),
        st.tuples(amounts, amounts),
        st.tuples(st.integers(12, 100), st.integers(12, 100)),
        st.tuples(stocks, stocks),
    ),
    change=st.integers(0, 12_000).map(Decimal),
    years=st.none() | st.tuples(st.integers(-5000, 15_000), st.integers(-5000, 15_000)),
)
def test_more_of_what_takes_away_never_yields_more_whole_credits(
    pairs: tuple[tuple[Decimal | int, Decimal | int], ...], change: Decimal, years: tuple[int, int] | None
) -> None:
    """Of uncertainty, leakage, rating and carried losses, down to the last credit of all vintages."""
    names = (
        "result_half_width",
        "leakage_tco2e",
        "npr_rating_percent",
        "deficit_carried_in_tco2e",
    )
    package = VCS.with_(slow_removals="no", net_stock_change_tco2e=str(change))
    if years is not None:
        first, second = years
        assume(first + second >= 9500)
        table = [{"year": "2020", "amount_tco2e": str(first)}, {"year": "2021", "amount_tco2e": str(second)}]
        package = package.with_(calendar_years=table, baseline_net_removals_tco2e="0")
    found = []
    for side in (0, 1):
        given_ = {name: str(sorted(pair)[side]) for name, pair in zip(names, pairs, strict=True)}
        start = account(package.with_(**given_), period="2020-01-01_2021-06-30")
        waterfall = walked(start, rule_set("vcs-5.0"), FORMULAS).waterfall
        assert waterfall is not None
        found.append(waterfall.lines[-1].numbers["credits"])
    assert found[1] <= found[0]


@given(
    stock=st.integers(0, 10**12).map(lambda n: Decimal(n).scaleb(-9)),
    other=st.integers(0, 10**11).map(lambda n: Decimal(n).scaleb(-9)),
    deducted=st.integers(0, 10**12).map(lambda n: Decimal(n).scaleb(-9)),
    rating=st.integers(12, 100).map(Decimal),
)
def test_a_deduction_of_the_base_of_the_buffer_gains_one_credit_at_most(
    stock: Decimal, other: Decimal, deducted: Decimal, rating: Decimal
) -> None:
    """Under VM0047 and VM0042 the deduction lowers the deposit too, which may then round up to a whole credit less.

    In tonnes what is left after the buffer never rises.
    """
    spans = spans_of(date(2024, 1, 1), date(2024, 12, 31))
    left, credits_ = [], []
    for kept in (stock, max(Decimal(0), stock - deducted)):
        net, deposit = kept - other, buffer_deposit(rating, kept)
        left.append(max(Decimal(0), net - deposit))
        credits_.append(
            issued(spans, [net], buffer_tco2e=min(deposit, max(Decimal(0), net)), deficit_tco2e=Decimal(0)).credits
        )
    assert left[1] <= left[0] + Decimal("1e-9")
    assert credits_[1] <= credits_[0] + 1


def test_a_deduction_can_gain_that_one_credit() -> None:
    """18.5 t with a deposit of 3.001 t are 14 credits, 18.49 t with one of 2.9998 t are 15."""
    spans = spans_of(date(2024, 1, 1), date(2024, 12, 31))
    pairs = (("18.50", "3.001"), ("18.49", "2.9998"))
    found = [
        issued(spans, [Decimal(net)], buffer_tco2e=Decimal(deposit), deficit_tco2e=Decimal(0)).credits
        for net, deposit in pairs
    ]
    assert found == [14, 15]


@given(units=st.tuples(st.integers(0, 300), st.integers(0, 300)), weights=st.lists(st.integers(0, 99), min_size=1))
def test_more_units_give_no_part_fewer(units: tuple[int, int], weights: list[int]) -> None:
    """Parts sum to the units, and none exceeds its weight while there are no more units than weights."""
    assume(any(weights))
    low, high = (apportioned(count, weights) for count in sorted(units))
    assert [sum(low), sum(high)] == sorted(units)
    assert all(less <= more for less, more in zip(low, high, strict=True))
    assert max(units) > sum(weights) or all(part <= weight for part, weight in zip(high, weights, strict=True))


@given(amount=amounts, days=periods)
def test_years_sum_exactly(amount: Decimal, days: tuple[date, date]) -> None:
    """Whatever the period, no billionth is lost and no year has the other sign."""
    parts = by_days(amount, spans_of(*days))
    assert exact(list(parts)) == Fraction(amount)
    assert all(part * amount >= 0 for part in parts)


@given(results=st.lists(amounts, min_size=1, max_size=12), buffer=stocks, carried=stocks)
def test_losses_are_set_off_and_nothing_is_invented(results: list[Decimal], buffer: Decimal, carried: Decimal) -> None:
    """What is creditable minus what is still missing is the result minus what was missing, and rounding is down."""
    spans = spans_of(date(2020, 1, 1), date(2019 + len(results), 12, 31))
    found = issued(spans, results, buffer_tco2e=buffer, deficit_tco2e=carried)
    creditable = exact([vintage.creditable_tco2e for vintage in found.vintages])
    assert creditable - Fraction(found.deficit_tco2e) == exact(results) - Fraction(carried)
    assert creditable == 0 or found.deficit_tco2e == 0
    assert 0 <= found.credits + found.buffer_credits <= creditable
    assert found.credits <= max(Fraction(0), creditable - Fraction(buffer))
    assert all(vintage.credits >= 0 and vintage.buffer_credits >= 0 for vintage in found.vintages)
    assert all(vintage.credits == 0 for vintage in found.vintages if vintage.result_tco2e < 0)


@given(ratings=st.tuples(st.integers(0, 100), st.integers(0, 100)), change=amounts)
def test_a_higher_rating_never_sets_less_aside(ratings: tuple[int, int], change: Decimal) -> None:
    """And a fall in stocks sets nothing aside."""
    low, high = (buffer_deposit(Decimal(rating), change) for rating in sorted(ratings))
    assert 0 <= low <= high
    assert change > 0 or high == 0


@given(blocks=st.lists(st.tuples(st.integers(1, 60), st.integers(1, 9)), max_size=12))
def test_shared_serials_are_found_exactly_when_numbers_repeat(blocks: list[tuple[int, int]]) -> None:
    """As a list of every number would show."""
    vintages = [
        IssuedVintage(
            first=date(year, 1, 1),
            last=date(year, 12, 31),
            credits=count,
            buffer_credits=0,
            serials=SerialBlock(start=start, end=start + count - 1),
        )
        for year, (start, count) in enumerate(blocks, start=2000)
    ]
    numbers = [number for start, count in blocks for number in range(start, start + count)]
    try:
        require_apart(vintages, where="here")
    except ContractError:
        assert len(set(numbers)) < len(numbers)
    else:
        assert len(set(numbers)) == len(numbers)


@given(first=st.integers(1, 10**12), count=st.integers(1, 10**9), year=st.integers(1990, 2090))
def test_a_written_serial_is_read_back(first: int, count: int, year: int) -> None:
    """Block and vintage are those that were written."""
    text = f"1-{first}-{first + count - 1}-VCS-VCU-576-VER-PY-14-2498-0101{year}-3006{year}-0"
    serial = VerraSerial.parse(text)
    assert (serial.text, serial.block.count, serial.first, serial.last.month) == (text, count, date(year, 1, 1), 6)
