from __future__ import annotations

from collections.abc import Callable

import pytest
import shapely

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.compliance.breaks import Break, aside, both, check, column, crs, evidence, ids, rows

NO_AREA = r"not as declared \(area\): 'a-2021'"
GEOMETRY = "geometry_present geometry_finite geometry_repair_bounded area_plausible"
POINT = shapely.to_wkb(shapely.Point(1.0, 2.0))
OUTSIDE = shapely.to_wkb(shapely.box(20e6, 0.0, 20.001e6, 1e3))
INFINITE = shapely.to_wkb(shapely.Polygon([(0, 0), (1, 0), (float("inf"), 1), (0, 0)]))
TALL = shapely.to_wkb(shapely.Polygon([(0, 0, 1), (1000, 0, 1), (1000, 1000, 1), (0, 0, 1)]))
BOW_TIE = shapely.to_wkb(shapely.Polygon([(0, 0), (4000, 4000), (4000, 0), (0, 2000), (0, 0)]))


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the normalised table."""
    return Break(name=name, asset=Asset.NORMALIZED, do=do, red=red, says=says)


def waived(*, accuracy_m: str = "5", grid: str = "no") -> Callable[[Case], Case]:
    """Let the project waive an accuracy or a missing grid, with its reason."""
    return both(
        evidence("crs_waived_because", "agreed"),
        evidence("crs_waived_accuracy_m", accuracy_m),
        evidence("crs_waived_grid", grid),
    )


BREAKS = (
    broken(
        "lost row",
        rows(0, 1),
        "rows_conserved area_plausible",
        "2 rows and 0 set aside from 3; lost 'c-2021'",
    ),
    broken(
        "doubled row",
        rows(0, 0, 1, 2),
        "rows_conserved area_plausible expectations_met",
        "4 rows and 0 set aside from 3",
    ),
    broken("exchanged row", column("row_id", "z"), "rows_conserved", "lost 'a-2021'; added 'z'"),
    broken(
        "no rows",
        rows(),
        f"rows_conserved units_known {GEOMETRY} land_counted_once expectations_met",
        "0 rows and 0",
    ),
    broken(
        "set aside and kept",
        aside("a-2021", max_share="0.3"),
        "rows_conserved",
        "3 rows and 1 set aside",
    ),
    broken(
        "more set aside than may be",
        both(rows(0, 1), aside("c-2021", max_share="0.3"), evidence("quarantine_max_share", "0.33")),
        "rows_conserved area_plausible",
        "set aside so far 33.3333% of the source rows",
    ),
    broken(
        "more set aside in both stages than may be",
        both(aside(max_share="0.3"), evidence("rows_quarantined_before", "2"), evidence("rows_in", "3")),
        "rows_conserved",
        "set aside so far 40.0000% of the source rows",
    ),
    broken("null region", column("region", None), "expectations_met", "region: 1 of 3 .*None in row 'a-2021'"),
    broken("epoch that is no period", column("epoch", "2021-3"), "expectations_met", "epoch: 1 of 3"),
    broken("unit not canonical", column("unit", "MWh"), "units_known", "not canonical 'MWh'"),
    broken("ambiguous unit", column("unit", "ton"), "units_known", "not canonical 'ton'"),
    broken("null unit", column("unit", None), "units_known expectations_met", "not canonical None"),
    broken("other CRS", crs("EPSG:4326"), "crs_operation_accurate", "^EPSG:4326"),
    broken("no CRS", crs(None), "crs_operation_accurate", "no CRS"),
    broken(
        "inaccurate operation",
        evidence("crs_operation_accuracy_m", "20.0"),
        "crs_operation_accurate",
        "accuracy 20.0",
    ),
    broken(
        "unknown accuracy",
        evidence("crs_operation_accuracy_m", "-1.0"),
        "crs_operation_accurate",
        "accuracy -1.0 m",
    ),
    broken(
        "accuracy not measured",
        evidence("crs_operation_accuracy_m", None),
        "crs_operation_accurate",
        "None",
    ),
    broken("nameless operation", evidence("crs_operation", None), "crs_operation_accurate", "no operation"),
    broken(
        "nothing waived",
        evidence("crs_best_available", "no"),
        "crs_operation_accurate",
        "accuracy 4.0 m$",
    ),
    broken(
        "another accuracy waived",
        both(waived(accuracy_m="8"), evidence("crs_operation_accuracy_m", "8.1")),
        "crs_operation_accurate",
        "accuracy 8.1 m; waived because agreed$",
    ),
    broken(
        "accuracy waived and not the grid",
        both(waived(accuracy_m="8"), evidence("crs_best_available", "no")),
        "crs_operation_accurate",
        "waived because agreed$",
    ),
    broken(
        "grid waived and not the accuracy",
        both(waived(grid="yes"), evidence("crs_operation_accuracy_m", "8")),
        "crs_operation_accurate",
        "accuracy 8 m; waived because agreed$",
    ),
    broken("other target", evidence("crs_target", "EPSG:5070"), "crs_operation_accurate", "^EPSG:6933 by"),
    broken(
        "footprints of no declared kind",
        evidence("footprint", None),
        f"crs_operation_accurate {GEOMETRY} expectations_met",
        "foot",
    ),
    broken(
        "footprints where there are none",
        evidence("footprint", "none"),
        f"crs_operation_accurate {GEOMETRY} expectations_met",
        "EPSG:6933 without footprints",
    ),
    broken(
        "areas that are declared to be points",
        evidence("footprint", "point"),
        "geometry_present area_plausible",
        r"not as declared \(point\): 'a-2021', 'b-2021', 'c-2021'",
    ),
    broken("null footprint", column("geometry", None), f"{GEOMETRY} expectations_met", NO_AREA),
    broken("unreadable footprint", column("geometry", b"\x00"), GEOMETRY, NO_AREA),
    broken("point", column("geometry", POINT), "geometry_present area_plausible", NO_AREA),
    broken("Z kept", column("geometry", TALL), "geometry_present area_plausible", NO_AREA),
    broken(
        "outside the CRS",
        column("geometry", OUTSIDE),
        "geometry_finite area_plausible",
        "outside: 'a-2021'",
    ),
    broken(
        "infinite coordinate",
        column("geometry", INFINITE),
        "geometry_finite geometry_present geometry_repair_bounded area_plausible",
        "outside: 'a-2021'",
    ),
    broken(
        "invalid footprint",
        column("geometry", BOW_TIE),
        "geometry_repair_bounded area_plausible",
        "invalid: 'a-2021'",
    ),
    broken(
        "too much repaired",
        evidence("repair_max_relative_change", "0.0101"),
        "geometry_repair_bounded",
        "by repair 0.0101",
    ),
    broken(
        "repair not measured",
        evidence("repair_max_relative_change", "nan"),
        "geometry_repair_bounded",
        "'nan'",
    ),
    broken(
        "NaN area",
        column("area_ha", float("nan")),
        "area_plausible expectations_met",
        "is not the area",
    ),
    broken("null area", column("area_ha", None), "area_plausible expectations_met", "is not the area"),
    broken("negative area", column("area_ha", -1.0), "area_plausible expectations_met", "is not the area"),
    broken("area of something else", column("area_ha", 1.0), "area_plausible", "is not the area"),
    broken(
        "far from the ellipsoid's area",
        evidence("area_geodesic_ha", "3.0"),
        "area_plausible",
        "area_geodesic_ha 3",
    ),
    broken(
        "one footprint far off",
        evidence("area_max_relative_difference", "0.011"),
        "area_plausible",
        "max_relative_difference 0.011",
    ),
    broken(
        "areas not measured",
        both(evidence("area_geodesic_ha", None), evidence("area_max_relative_difference", None)),
        "area_plausible",
        "evidence area_geodesic_ha: None",
    ),
    broken(
        "land counted twice",
        evidence("geometry", "wkt"),
        "land_counted_once",
        "1 overlapping pairs: 'a-2021 and b-2021'; [0-9.]+ ha counted twice",
    ),
    broken(
        "nobody says whose land",
        evidence("geometry", None),
        "land_counted_once",
        "evidence geometry: ''",
    ),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_normalized_turns_its_gates_red(defect: Break) -> None:
    """A defect of the normalised table turns exactly its gates red, and the gate names it."""
    check(defect)


@pytest.mark.parametrize(
    "do",
    [
        pytest.param(both(waived(accuracy_m="8"), evidence("crs_operation_accuracy_m", "8")), id="accuracy"),
        pytest.param(both(waived(grid="yes"), evidence("crs_best_available", "no")), id="grid"),
    ],
)
def test_what_a_waiver_names_passes(do: Callable[[Case], Case]) -> None:
    """The gate says that it passed by a waiver, and why."""
    outcomes = {outcome.gate: outcome for outcome in judge_all(Asset.NORMALIZED, do(good_case(Asset.NORMALIZED)))}
    outcome = outcomes["crs_operation_accurate"]
    assert outcome.passed
    assert outcome.metrics["waived"] == 1
    assert "waived because agreed" in outcome.observed
