from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.factor_uncertainty import Distribution, Uncertainty
from mrv_assets_tests.builders import release

STATED = {"rel_uncertainty": "0.05", "confidence_level": "0.95", "distribution": "normal"}


@pytest.mark.parametrize("distribution", list(Distribution))
def test_what_the_source_states_is_kept(distribution: Distribution) -> None:
    """Half-width and level are the decimals of the file, and the distribution is one of four."""
    (row,) = release([{**STATED, "distribution": distribution}]).rows
    assert row.uncertainty == Uncertainty(
        rel_uncertainty=Decimal("0.05"), confidence_level=Decimal("0.95"), distribution=distribution
    )


def test_a_source_may_state_nothing() -> None:
    """Three empty cells are no uncertainty, which is not an uncertainty of 0."""
    silent, certain = release([{}, {"gas": "CH4", **STATED, "rel_uncertainty": "0"}]).rows
    assert silent.uncertainty is None
    assert certain.uncertainty is not None
    assert certain.uncertainty.rel_uncertainty == 0


def test_a_half_width_may_be_larger_than_the_value() -> None:
    """N2O of soils is stated as plus and minus several times the value."""
    (row,) = release([{**STATED, "rel_uncertainty": "2.5", "distribution": "lognormal"}]).rows
    assert row.uncertainty is not None
    assert row.uncertainty.rel_uncertainty == Decimal("2.5")


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        pytest.param({"distribution": ""}, "all of .*or none; found only rel_uncertainty and confidence", id="two"),
        pytest.param(
            {"rel_uncertainty": "", "confidence_level": ""}, "found only distribution", id="a distribution alone"
        ),
        pytest.param({"rel_uncertainty": " "}, "rel_uncertainty is no plain decimal", id="blank"),
        pytest.param({"rel_uncertainty": "-0.05"}, "a plain decimal of 0 or more; found '-0.05'", id="negative"),
        pytest.param({"rel_uncertainty": "NaN"}, "rel_uncertainty is no plain decimal", id="NaN"),
        pytest.param({"rel_uncertainty": "1e-2"}, "rel_uncertainty is no plain decimal", id="exponent"),
        pytest.param({"rel_uncertainty": "5%"}, "rel_uncertainty is no plain decimal", id="per cent"),
        pytest.param({"confidence_level": "0"}, "confidence_level is no probability", id="never"),
        pytest.param({"confidence_level": "1.00"}, "between 0 and 1.*found 1.00", id="always"),
        pytest.param({"confidence_level": "95"}, "confidence_level is no probability", id="level in per cent"),
        pytest.param({"confidence_level": "inf"}, "confidence_level is no plain decimal", id="infinite"),
        pytest.param({"distribution": "gauss"}, "normal, lognormal, triangular, uniform; found 'gauss'", id="gauss"),
        pytest.param({"distribution": "Normal"}, "distribution is unknown", id="capital"),
    ],
)
def test_a_malformed_uncertainty_is_refused_with_its_line(cells: Mapping[str, str], says: str) -> None:
    """What is stated is whole, and each part is what it says it is."""
    with pytest.raises(FactorError, match=says) as caught:
        release([{}, {"gas": "CH4", **STATED, **cells}])
    assert "line 3" in caught.value.where
