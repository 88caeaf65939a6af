from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.fallback import Fallback, Level, regions_tried
from mrv_assets_tests.builders import PROJECT_TOML, project

FACTORS_TOML = """
[factors]
fallback = ["state", "country", "global"]
max_share = "0.2"
because = "the state publishes every other year"
"""
ALL = (Level.STATE, Level.COUNTRY, Level.GLOBAL)


def declared(toml: str = FACTORS_TOML) -> Fallback:
    """Return what the project declares."""
    fallback = project(PROJECT_TOML + toml).fallback
    assert fallback is not None
    return fallback


def test_project_says_how_far_its_rows_may_fall_back() -> None:
    """Levels, share and reason are read; a project that says nothing has no fallback."""
    assert declared() == Fallback(levels=ALL, max_share=Decimal("0.2"), because="the state publishes every other year")
    assert project().fallback is None


@pytest.mark.parametrize(
    ("before", "after"),
    [('"0.2"', '"0.3"'), ('"state", ', ""), ("publishes", "measures"), ('["state", "country"', '["state"')],
    ids=["share", "level", "reason", "another level"],
)
def test_digest_is_of_all_that_is_declared(before: str, after: str) -> None:
    """Whatever is changed is another input of the stage."""
    assert declared(FACTORS_TOML.replace(before, after)).digest != declared().digest
    assert declared(FACTORS_TOML + "# reviewed\n").digest == declared().digest


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        pytest.param('["state", "country", "global"]', '"state"', "is not a list of state, country, global", id="text"),
        pytest.param('["state", "country", "global"]', "[]", "is not a list", id="empty"),
        pytest.param('"state"', '"county"', "'county' is not a valid Level", id="unknown level"),
        pytest.param('"state"', '"own"', "in this order", id="own"),
        pytest.param('"state", "country"', '"country", "state"', "in this order", id="order"),
        pytest.param('"state", "country"', '"state", "state"', "each at most once", id="twice"),
        pytest.param('"0.2"', "0.2", "no decimal text", id="float"),
        pytest.param('"0.2"', '"0"', "not above 0 and at most 1", id="0"),
        pytest.param('"0.2"', '"20"', "not above 0 and at most 1", id="per cent"),
        pytest.param('"0.2"', '"NaN"', "not above 0 and at most 1", id="NaN"),
        pytest.param('"0.2"', '"a fifth"', "no decimal text", id="words"),
        pytest.param('because = "the state publishes every other year"', 'because = " "', "says something", id="blank"),
        pytest.param('because = "the state publishes every other year"', "", "'because'", id="no reason"),
        pytest.param('max_share = "0.2"', "", "'max_share'", id="no share"),
        pytest.param('max_share = "0.2"', 'max_share = "0.2"\nline = "x"', "does not know line", id="a key more"),
    ],
)
def test_malformed_fallback_is_refused(before: str, after: str, says: str) -> None:
    """A declaration that leaves something open is refused with the project file."""
    assert before in FACTORS_TOML
    with pytest.raises(ContractError, match=says):
        declared(FACTORS_TOML.replace(before, after))


@pytest.mark.parametrize(
    ("region", "levels", "tried"),
    [
        pytest.param("US/MN/plant-7", (), ["own US/MN/plant-7"], id="not declared"),
        pytest.param(
            "US/MN/plant-7", ALL, ["own US/MN/plant-7", "state US/MN", "country US", "global GLOBAL"], id="site"
        ),
        pytest.param("US/MN/plant-7/unit-1", ALL[:1], ["own US/MN/plant-7/unit-1", "state US/MN"], id="part of a site"),
        pytest.param("US/MN", ALL, ["own US/MN", "country US", "global GLOBAL"], id="state"),
        pytest.param("US", ALL, ["own US", "global GLOBAL"], id="country"),
        pytest.param("US", ALL[:2], ["own US"], id="country that has nothing around it"),
        pytest.param("US/MN/plant-7", ALL[1:2], ["own US/MN/plant-7", "country US"], id="state not declared"),
        pytest.param("GLOBAL", ALL, ["own GLOBAL"], id="global itself"),
        pytest.param("US//plant-7", ALL, ["own US//plant-7"], id="blank part"),
        pytest.param("US/", ALL, ["own US/"], id="blank end"),
        pytest.param("", ALL, ["own "], id="nothing"),
        pytest.param(" ", ALL, ["own  "], id="blank"),
        pytest.param("us/mn", ALL[1:2], ["own us/mn", "country us"], id="letter by letter"),
    ],
)
def test_regions_are_tried_along_the_path(region: str, levels: Sequence[Level], tried: Sequence[str]) -> None:
    """Its own first, then those around it as far as they are declared, and no other."""
    assert [f"{level} {name}" for level, name in regions_tried(region, levels)] == tried
