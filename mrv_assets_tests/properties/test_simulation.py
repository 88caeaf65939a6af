"""What holds of every simulation: the same bits however it is split, and the first order where errors are small."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.confidence import HalfWidth95
from mrv_assets.uncertainty.approach_1 import Term, total
from mrv_assets.uncertainty.approach_2 import Product, Simulation, Variable
from mrv_assets.uncertainty.distributions import (
    Exponential,
    Lognormal,
    Normal,
    Shape,
    Triangular,
    TruncatedNormal,
    Uniform,
)
from mrv_assets.uncertainty.half_widths import NINETY_FIVE
from mrv_assets.uncertainty.quantiles import normal_interval
from mrv_assets.uncertainty.simulated import simulate, summary
from mrv_assets.uncertainty.streams import BLOCK

D = Decimal
DRAWS = 20_000

_sds = st.decimals("0.01", "0.9", places=2)


def _shapes() -> st.SearchStrategy[Shape]:
    one = D(1)
    return st.one_of(
        _sds.map(lambda sd: Normal(mean=one, sd=sd)),
        _sds.map(lambda sd: Lognormal(mean=one, sd=sd)),
        _sds.map(lambda a: Triangular(low=one - a, mode=one, high=one + a)),
        _sds.map(lambda a: Uniform(low=one - a, high=one + a)),
        _sds.map(lambda sd: TruncatedNormal(mean=one, sd=sd, low=D(0), high=D(3))),
        _sds.map(lambda sd: Exponential(origin=one - sd, sd=sd)),
    )


_variables = st.dictionaries(st.sampled_from("pqrs"), _shapes(), max_size=3).map(
    lambda shapes: [Variable(source=source, shape=shape) for source, shape in shapes.items()]
)
products = st.lists(
    st.builds(Product, value=st.decimals(-(10**6), 10**6, places=3), variables=_variables), min_size=1, max_size=6
)


def of(parts: list[Product]) -> Simulation:
    """Return the sum of the products under one seed."""
    return Simulation.of(parts, seed="3f1c0b5a9e77d210", where="x")


@given(parts=products, cuts=st.sets(st.integers(1, DRAWS - 1), max_size=8))
def test_any_chunking_gives_the_same_bits(parts: list[Product], cuts: set[int]) -> None:
    """Draws made in pieces of any size are the draws made at once."""
    simulation = of(parts)
    pieces = [simulation.draws(first, last) for first, last in pairwise([0, *sorted(cuts), DRAWS])]
    assert np.concatenate(pieces).tobytes() == simulation.draws(0, DRAWS).tobytes()


@given(parts=products, seed=st.integers(0, 99))
def test_any_order_of_terms_and_variables_gives_the_same_bits(parts: list[Product], seed: int) -> None:
    """Shuffled rows are the same figure; so are rows of one factor summed before."""
    random = Random(seed)
    shuffled = [Product(value=p.value, variables=random.sample(p.variables, len(p.variables))) for p in parts]
    random.shuffle(shuffled)
    split = [Product(value=p.value / 2, variables=p.variables) for p in shuffled for _ in range(2)]
    expected = of(parts).draws(0, BLOCK).tobytes()
    assert of(shuffled).draws(0, BLOCK).tobytes() == of(split).draws(0, BLOCK).tobytes() == expected


@given(parts=products, seed=st.integers(0, 99))
def test_one_thread_and_two_give_the_same_bits(parts: list[Product], seed: int) -> None:
    """Blocks handed out in any order, to as many threads; the summary has the same digits too."""
    simulation = of(parts)
    numbers = list(range(5))
    Random(seed).shuffle(numbers)
    with ThreadPoolExecutor(max_workers=2) as pool:
        made = dict(zip(numbers, pool.map(simulation.block, numbers), strict=True))
    threaded = np.concatenate([made[number] for number in sorted(made)])[:DRAWS]
    alone = simulation.draws(0, DRAWS)
    assert threaded.tobytes() == alone.tobytes()
    assert summary(np.random.default_rng(seed).permutation(threaded), seed="x") == summary(alone, seed="x")


small = st.lists(
    st.tuples(
        st.decimals(1, 1000, places=1),
        st.dictionaries(st.sampled_from("pqrs"), st.decimals("0.001", "0.05", places=3), min_size=1, max_size=2),
    ),
    min_size=1,
    max_size=5,
)


@given(parts=small)
def test_approach_2_becomes_approach_1_for_small_normal_errors(
    parts: list[tuple[Decimal, dict[str, Decimal]]],
) -> None:
    """With shared sources and products, up to 5 % each.

    The half-width of 20,000 normal draws has a relative standard error of 0.7 %; four of them and the second order
    (0.05² at most) make 3 %.
    """
    terms = [
        Term(value=value, half_widths={source: HalfWidth95(relative=u) for source, u in sources.items()})
        for value, sources in parts
    ]
    z = normal_interval(NINETY_FIVE)
    drawn = [
        Product(
            value=value,
            variables=[Variable(source=n, shape=Normal(mean=D(1), sd=u / z)) for n, u in sources.items()],
        )
        for value, sources in parts
    ]
    first, found = total(terms, where="x"), simulate(of(drawn), draws=DRAWS)
    assert float(found.half_width_95.relative) == pytest.approx(float(first.half_width.relative), rel=0.03)
    assert float(found.mean) == pytest.approx(float(first.value), rel=0.002)


@given(shape=_shapes(), scale=st.decimals("0.001", 1000, places=3))
def test_a_share_knows_no_unit(shape: Shape, scale: Decimal) -> None:
    """A thousand times the tonnes are a thousand times the spread, to nine digits; percentiles keep twelve."""
    one, scaled = (
        simulate(of([Product(value=v, variables=[Variable(source="p", shape=shape)])]), draws=1000)
        for v in (D(1), scale)
    )
    assert float(scaled.half_width_95.relative) == pytest.approx(float(one.half_width_95.relative), rel=1e-9, abs=1e-10)
    assert float(scaled.sd) == pytest.approx(float(scale) * float(one.sd), rel=1e-10)


@given(share=_sds, more=_sds)
def test_more_spread_never_looks_surer(share: Decimal, more: Decimal) -> None:
    """The same draws, further apart."""
    narrow, wide = (
        simulate(
            of([Product(value=D(9), variables=[Variable(source="p", shape=Normal(mean=D(1), sd=sd))])]), draws=1000
        )
        for sd in (share, share + more)
    )
    assert narrow.sd < wide.sd
    assert narrow.p975 - narrow.p025 < wide.p975 - wide.p025
