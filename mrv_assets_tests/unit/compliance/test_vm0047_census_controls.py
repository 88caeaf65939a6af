from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mrv_assets.domain.assessment import Status
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets_tests.verra import account, finding, rule_set, waterfall
from mrv_assets_tests.verra_evidence import CENSUS, sampled, shown, unit

PASS, FAIL, NOT = Status.PASS, Status.FAIL, Status.NOT_APPLICABLE
RULES = "vm0047-census-1.1"
HALF_A_HECTARE = [{"instance": "i1", "area_ha": "0.5"}]


def in_census(*units: Mapping[str, str], **changes: Any) -> Monitoring:
    """Return census evidence with these units."""
    return shown(CENSUS, census=list(units), **changes)


@pytest.mark.parametrize(
    ("control", "evidence", "status", "observed"),
    [
        pytest.param("complete_census", shown(CENSUS, census_units="3"), PASS, "3 units", id="census"),
        pytest.param("complete_census", CENSUS, FAIL, "3 rows", id="census: 400 were planted"),
        pytest.param(
            "complete_census",
            in_census(unit("u1", 0), unit("u1", 9, species=""), census_units="2"),
            FAIL,
            "u1: species",
            id="census: blank and twice",
        ),
        pytest.param("unit_density", CENSUS, PASS, "3 live", id="density"),
        pytest.param(
            "unit_density",
            in_census(*(unit(f"u{n}", n) for n in range(25)), instances=HALF_A_HECTARE),
            PASS,
            "25 live",
            id="density: 25 on half a hectare",
        ),
        pytest.param(
            "unit_density",
            in_census(*(unit(f"u{n}", n) for n in range(26)), instances=HALF_A_HECTARE),
            FAIL,
            "'i1'",
            id="density: 26",
        ),
        pytest.param(
            "unit_density",
            in_census(
                *(unit(f"u{n}", n, status="dead" if n else "alive") for n in range(26)),
                instances=HALF_A_HECTARE,
            ),
            PASS,
            "1 live",
            id="density: dead ones may be replaced",
        ),
        pytest.param("circles", CENSUS, PASS, "0 touch", id="circles"),
        pytest.param("circles", in_census(unit("u1", 0), unit("u2", 1)), PASS, "0 touch", id="circles: one instance"),
        pytest.param(
            "circles",
            in_census(unit("u1", 0), unit("u2", 20, instance="i2")),
            FAIL,
            "u1 and u2",
            id="circles: touch",
        ),
        pytest.param(
            "circles", in_census(unit("u1", 0), unit("u2", 20.01, instance="i2")), PASS, "0", id="circles: clear"
        ),
        pytest.param(
            "circles",
            shown(CENSUS, neighbour_areas=[{"instance": "a1", "wkt": "POLYGON ((70 -9, 90 -9, 90 9, 70 9, 70 -9))"}]),
            FAIL,
            "u3 and a1",
            id="circles: touch an area",
        ),
        pytest.param(
            "circles",
            shown(CENSUS, neighbour_areas=[{"instance": "a1", "wkt": "POLYGON ((71 -9, 90 -9, 90 9, 71 9, 71 -9))"}]),
            PASS,
            "0 touch",
            id="circles: clear of an area",
        ),
        pytest.param("unit_spacing", CENSUS, PASS, "30.00 m", id="spacing"),
        pytest.param("unit_spacing", in_census(unit("u1", 0), unit("u2", 4.99)), FAIL, "4.99 m", id="spacing: less"),
        pytest.param("unit_spacing", in_census(unit("u1", 0), unit("u2", 0)), FAIL, "0.00 m", id="spacing: one point"),
        pytest.param(
            "unit_spacing",
            in_census(unit("u1", 0, tag="7"), unit("u2", 1, tag="8")),
            PASS,
            "tag",
            id="spacing: tags",
        ),
        pytest.param(
            "unit_spacing",
            in_census(unit("u1", 0, tag="7"), unit("u2", 1, tag="7")),
            FAIL,
            "1.00",
            id="spacing: one tag",
        ),
        pytest.param("unit_spacing", in_census(unit("u1", 0)), NOT, "one unit", id="spacing: one unit"),
        pytest.param("zero_baseline", CENSUS, PASS, "0.04", id="baseline"),
        pytest.param("zero_baseline", shown(CENSUS, woody_cover_before="0.10"), FAIL, "0.10", id="baseline: trees"),
        pytest.param(
            "zero_baseline",
            shown(CENSUS, land_use_before="grassland"),
            FAIL,
            "grassland",
            id="baseline: and, not or",
        ),
    ],
)
def test_a_control_of_a_census_finds(control: str, evidence: Monitoring, status: Status, observed: str) -> None:
    """What holds at the limit and what does not beyond it, and what was seen."""
    found = finding(RULES, f"vm0047_{control}", evidence)
    assert (found.status, observed in found.observed) == (status, True), found
    assert bool(found.remedy) is (status is FAIL)


@pytest.mark.parametrize(
    ("control", "evidence", "match"),
    [
        pytest.param("unit_density", shown(CENSUS, instances=[]), "area of 'i1'", id="instance"),
        pytest.param("unit_density", shown(CENSUS, census=[]), "table census", id="no unit"),
        pytest.param("unit_density", in_census(unit("u1", 0, status="lost")), "alive or dead", id="status"),
        pytest.param("circles", shown(CENSUS, neighbour_areas=None), "neighbour_areas", id="neighbours"),
        pytest.param(
            "circles",
            shown(CENSUS, neighbour_areas=[{"instance": "a1", "wkt": "POINT (1 2)"}]),
            "row a1",
            id="neighbour without area",
        ),
        pytest.param("unit_spacing", shown(CENSUS, gps_accuracy_m=None), "gps_accuracy_m", id="accuracy"),
        pytest.param("census_stock", CENSUS, "stock change of the waterfall", id="no waterfall"),
    ],
)
def test_evidence_of_a_census_that_is_missing_is_named(control: str, evidence: Monitoring, match: str) -> None:
    """It counts as a failure."""
    with pytest.raises(ContractError, match=match):
        finding(RULES, f"vm0047_{control}", evidence)


@pytest.mark.parametrize(
    ("removals", "status"),
    [pytest.param("24.568270833", PASS, id="the same"), pytest.param("24.57", FAIL, id="rounded")],
)
def test_the_stock_of_the_lines_is_that_of_the_sample(removals: str, status: Status) -> None:
    """Eq 22 to 25 on the sampled units, against activity and factors."""
    lines = waterfall(rule_set(RULES), account(CENSUS, removals=removals, emissions="0.604607"))
    assert finding(RULES, "vm0047_census_stock", CENSUS, lines).status is status
    other = shown(CENSUS, census_sample=sampled((1, 2), dead=0))
    assert finding(RULES, "vm0047_census_stock", other, lines).status is FAIL
