from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.crediting.stratified import density
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.sampling import Sample


def plots(*values: str) -> Sample:
    """Return a sample of these plots."""
    return Sample.of([Decimal(value) for value in values], name="north")


def test_strata_are_weighted_by_area() -> None:
    """Equal plots have no spread, so the half-width is 0."""
    areas = {"a": Decimal(60), "b": Decimal(40)}
    found = density(areas, {"a": plots("80", "80"), "b": plots("40", "40")}, where="test")
    assert (found.mean, found.area_ha, found.half_width.relative) == (Decimal(64), Decimal(100), Decimal(0))


def test_the_half_width_is_rounded_once_to_what_accounting_keeps() -> None:
    """Five plots of the published inventory of Gold Standard 403: 10.577 %."""
    found = density({"a": Decimal(1)}, {"a": plots("110", "97.5", "120", "102.5", "90")}, where="test")
    assert found.half_width.relative == Decimal("0.105771206447")


@pytest.mark.parametrize(
    ("areas", "samples", "says"),
    [
        pytest.param({"a": "1"}, {"a": plots("0", "0")}, r"estimate is 0 \[here\]", id="nothing there"),
        pytest.param({}, {}, r"no stratum is given \[here\]", id="no stratum"),
        pytest.param({"a": "0"}, {"a": plots("1", "2")}, r"strata have no area \[here\]", id="no area"),
        pytest.param({"a": "1", "b": "1"}, {"a": plots("1", "2")}, r"stratum is missing \[here\]", id="no plots"),
    ],
)
def test_what_has_no_mean_per_hectare_is_refused(areas: dict[str, str], samples: dict[str, Sample], says: str) -> None:
    """And is not taken for 0."""
    with pytest.raises(ContractError, match=says):
        density({name: Decimal(area) for name, area in areas.items()}, samples, where="here")
