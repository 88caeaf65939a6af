from __future__ import annotations

import hashlib
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pytest
import scipy
from numpy.random import Philox
from scipy import special

from mrv_assets.domain.errors import ContractError
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
from mrv_assets.uncertainty.simulated import simulate, summary
from mrv_assets.uncertainty.streams import BLOCK, uniforms

D = Decimal


def one(shape: Shape, *, source: str = "s", value: int = 1) -> Product:
    """Return a certain number times one variable."""
    return Product(value=D(value), variables=[Variable(source=source, shape=shape)])


def simulation(*products: Product, seed: str = "1f2e3d4c5b6a7988") -> Simulation:
    """Return the sum of these products, seeded as a partition is."""
    return Simulation.of(products, seed=seed, where="test")


def test_generator_is_philox_4x64_10() -> None:
    """The known answer of Random123 for key 0 and counter 0; numpy counts up before it answers."""
    answer = [0x16554D9ECA36314C, 0xDB20FE9D672D0FDC, 0xD7E772CEE186176B, 0x7E68B68AEC7BA23B]
    assert Philox(key=0, counter=2**256 - 1).random_raw(4).tolist() == answer


def test_block_begins_where_the_one_before_it_ends() -> None:
    """The numbers of a source are one stream, cut into blocks."""
    philox = Philox(key=_key_of("seed", "source"))
    words = philox.random_raw(3 * BLOCK) >> np.uint64(12)
    expected = (words.astype(float) + 0.5) / 2**52
    assert np.array_equal(np.concatenate([uniforms("seed", "source", n) for n in range(3)]), expected)


def _key_of(seed: str, source: str) -> int:
    """Return the key as the documentation says it, without our code."""
    text = f'["mrv-draws-1","{seed}","{source}"]'
    return int(hashlib.sha256(text.encode()).hexdigest()[:32], 16)


def test_seed_and_source_make_streams_of_their_own() -> None:
    """Neither can be taken for the other."""
    streams = [uniforms(*names, 0) for names in (("a", "b"), ("b", "a"), ("ab", ""), ("a", "c"))]
    assert len({stream.tobytes() for stream in streams}) == 4


@pytest.mark.parametrize(
    ("shape", "mean", "sd"),
    [
        pytest.param(Normal(mean=D(10), sd=D(2)), 10, 2, id="normal"),
        pytest.param(Lognormal(mean=D(10), sd=D(5)), 10, 5, id="lognormal"),
        pytest.param(Triangular(low=D(1), mode=D(2), high=D(6)), 3, 1.08012345, id="triangular"),
        pytest.param(Uniform(low=D(2), high=D(8)), 5, 1.73205081, id="uniform"),
        pytest.param(
            TruncatedNormal(mean=D(0), sd=D(1), low=D(0), high=D(8)), 0.79788456, 0.60281028, id="half-normal"
        ),
        pytest.param(
            TruncatedNormal(mean=D(0), sd=D(1), low=D(-8), high=D(0)), -0.79788456, 0.60281028, id="other half"
        ),
        pytest.param(TruncatedNormal(mean=D(0), sd=D(1), low=D(6), high=D(9)), 6.1584826, 0.155, id="far tail"),
        pytest.param(Exponential(origin=D(1), sd=D(2)), 3, 2, id="exponential"),
    ],
)
def test_draws_have_mean_and_spread_of_their_distribution(shape: Shape, mean: float, sd: float) -> None:
    """40,000 draws, five standard errors of the mean; 5 % of the spread."""
    found = simulate(simulation(one(shape)), draws=40_000)
    assert abs(float(found.mean) - mean) < 5 * sd / 200
    assert float(found.sd) == pytest.approx(sd, rel=0.05)


def test_truncated_draws_stay_inside() -> None:
    """Both ends hold, also far from the mean."""
    draws = simulation(one(TruncatedNormal(mean=D(0), sd=D(1), low=D("7.5"), high=D("7.6")))).draws(0, 2000)
    assert (draws.min() >= 7.5, draws.max() <= 7.6) == (True, True)


def test_terms_of_one_source_move_together() -> None:
    """Two fields with one factor spread as one field of their size, and a removal cancels an emission."""
    shape = Normal(mean=D(1), sd=D("0.1"))
    together = simulation(one(shape, value=60), one(shape, value=40)).draws(0, 5000)
    assert np.array_equal(together, simulation(one(shape, value=100)).draws(0, 5000))
    assert not simulation(one(shape, value=60), one(shape, value=-60)).draws(0, 5000).any()


def test_other_sources_are_independent() -> None:
    """Two of the same size spread by the root of two."""
    shape = Normal(mean=D(1), sd=D("0.1"))
    found = simulate(simulation(one(shape, source="a"), one(shape, source="b")), draws=40_000)
    assert float(found.sd) == pytest.approx(0.1 * 2**0.5, rel=0.02)


def test_product_multiplies_draws() -> None:
    """Variance of a product of independent variables: (1 + a²)(1 + b²) - 1."""
    variables = [Variable(source=n, shape=Normal(mean=D(1), sd=D("0.3"))) for n in ("quantity", "factor")]
    found = simulate(simulation(Product(value=D(100), variables=variables)), draws=40_000)
    assert float(found.sd) == pytest.approx(100 * (1.09**2 - 1) ** 0.5, rel=0.03)


def test_an_outsider_finds_the_same_numbers() -> None:
    """From seed and source, with numpy and scipy alone; and the result names the two."""
    found = simulate(simulation(one(Normal(mean=D(100), sd=D(10)))), draws=10_000)
    words = Philox(key=_key_of("1f2e3d4c5b6a7988", "s")).random_raw(10_000) >> np.uint64(12)
    draws = 100 + 10 * special.ndtri((words + 0.5) / 2**52)
    low, high = np.quantile(draws, [0.025, 0.975])
    assert float(found.mean) == pytest.approx(draws.mean(), rel=1e-11)
    assert float(found.half_width_95.relative) == pytest.approx((high - low) / 2 / draws.mean(), rel=1e-10)
    assert (found.seed, found.draws) == ("1f2e3d4c5b6a7988", 10_000)
    assert found.made_with == f"numpy {np.__version__}, scipy {scipy.__version__}"


@pytest.mark.parametrize(
    ("made", "says"),
    [
        pytest.param(lambda: Normal(mean=D(1), sd=D(-1)), "standard deviation of 0 or more; found 1, -1", id="sd"),
        pytest.param(lambda: Normal(mean=D("NaN"), sd=D(1)), "Normal.*finite numbers", id="NaN"),
        pytest.param(lambda: Lognormal(mean=D(0), sd=D(1)), "mean above 0", id="lognormal of 0"),
        pytest.param(lambda: Triangular(low=D(1), mode=D(0), high=D(2)), "low, mode and high in", id="mode"),
        pytest.param(lambda: Uniform(low=D(2), high=D(1)), "low and high in this order", id="uniform"),
        pytest.param(
            lambda: TruncatedNormal(mean=D(0), sd=D(1), low=D(1), high=D(1)), "low below high", id="no interval"
        ),
        pytest.param(
            lambda: TruncatedNormal(mean=D(0), sd=D(1), low=D(9), high=D(10)), "within 8 sd of the mean", id="far off"
        ),
        pytest.param(lambda: Exponential(origin=D(0), sd=D(-1)), "standard deviation of 0", id="exponential"),
    ],
)
def test_impossible_parameters_are_refused(made: Callable[[], Shape], says: str) -> None:
    """With the distribution and its parameters."""
    with pytest.raises(ContractError, match=says):
        made()


def test_a_source_twice_in_a_product_is_refused() -> None:
    """A square is no product of independent numbers."""
    variable = Variable(source="ef", shape=Normal(mean=D(1), sd=D(1)))
    with pytest.raises(ContractError, match=r"product has a source twice.*ef, ef"):
        simulation(Product(value=D(1), variables=[variable, variable]))


def test_what_cannot_be_simulated_is_refused() -> None:
    """No product, too few draws, a range that is none, and sums beyond binary64."""
    with pytest.raises(ContractError, match=r"nothing to simulate"):
        simulation()
    sound = simulation(one(Normal(mean=D(1), sd=D(1))))
    with pytest.raises(ContractError, match=r"at least 1000 draws.*found 999 draws"):
        simulate(sound, draws=999)
    with pytest.raises(ContractError, match=r"draws are not a range"):
        sound.draws(5, 5)
    with pytest.raises(ContractError, match=r"1000 of them not finite"):
        summary(np.full(1000, np.inf), seed="x")


def test_a_mean_of_zero_has_no_half_width() -> None:
    """The percentiles stay, the share does not exist."""
    found = summary(np.repeat([-1.0, 1.0], 1000), seed="x")
    with pytest.raises(ContractError, match=r"mean of the simulation is 0"):
        _ = found.half_width_90
