"""The planted forest of the demo, from its files to the certificate, against what the worked examples print.

What is printed where: `mrv_assets_tests/oracles` and `examples/planted-forest/README.md`.
"""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, isclose, sqrt
from statistics import variance

import pytest
from scipy import stats

from mrv_assets.crediting.gold_standard_501 import issued
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset, Period, Slot
from mrv_assets.pipeline.assessing import Declared, assessments, declared
from mrv_assets.pipeline.world import World
from mrv_assets.report.expected_assessments import Expected
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.oracles import vm0047_oracles as example_1
from mrv_assets_tests.world import run_partition

AREA, RISK, GOLD = forest.AREA, forest.RISK, forest.GOLD
CARBON = Fraction("1.1") * Fraction("1.2") * Fraction("0.47") * Fraction(44, 12)
DENSITY = {"MU1": Fraction("0.55"), "MU2": Fraction("0.3")}
HECTARES = {"MU1": 40, "MU2": 25}


@pytest.fixture(scope="module")
def world() -> World:
    """The demo, run once; only for reading."""
    opened = forest.opened()
    run_partition(opened, forest.KEY)
    return opened


@pytest.fixture(scope="module")
def certificate(world: World) -> Certificate:
    """The certificate of the demo."""
    return forest.certificate(world)


def rows(path: str) -> list[dict[str, str]]:
    """Return the rows of a landing file."""
    return list(csv.DictReader(io.StringIO(forest.landing()[path].decode())))


def monitored(name: str) -> Decimal:
    """Return a quantity of the monitoring package."""
    return Decimal(tomllib.loads(forest.landing()[forest.PACKAGE].decode())["quantities"][name])


def per_ha(tonnes: Decimal, unit: str) -> Decimal:
    """Return t CO2 per hectare of a modelling unit, to the five decimals that are printed."""
    return round(tonnes / HECTARES[unit], 5)


def test_every_line_and_control_is_as_the_file_of_the_demo_says(certificate: Certificate) -> None:
    """Both waterfalls line by line and all controls of three rule sets, exactly; nothing more and nothing less."""
    expected = Expected.parse((forest.FOLDER / "expected.toml").read_bytes(), where="expected.toml")
    assert expected.differences(str(forest.KEY), certificate.totals, certificate.assessments) == {}
    assert list(expected.rule_sets) == [AREA, RISK, GOLD]


def test_no_control_fails_and_one_does_not_apply(certificate: Certificate) -> None:
    """25 controls hold; Paris alignment is asked of vintages from 2026 on."""
    outcomes = [control for one in certificate.assessments for control in one.controls]
    assert [c.rule for c in outcomes if c.status is not Status.PASS] == ["gs403-paris-alignment"]
    assert len(outcomes) == 26


def test_the_rows_of_the_plots_are_the_stock_of_the_units(world: World, certificate: Certificate) -> None:
    """The volume of each plot stands for its share of the unit; all rows by the chain are the published stock."""
    record = world.slots.current(Slot.of(Asset.FACTORED, forest.KEY))
    assert record is not None
    table = world.slots.load_table(record)
    stock = dict.fromkeys(HECTARES, Decimal(0))
    for name, removals in zip(table["row_id"].to_pylist(), table["removals_tco2e"].to_pylist(), strict=True):
        if name[:3] in stock:
            stock[name[:3]] += removals
    assert per_ha(stock["MU1"], "MU1") == Decimal("130.11856")
    gold = forest.assessment(certificate, GOLD)
    uncertain = forest.line(gold, "gs403-uncertainty")
    assert per_ha(stock["MU2"] + uncertain.change_tco2e, "MU2") == Decimal("31.79010")
    assert sum(stock.values()) == certificate.totals.removals_tco2e == Decimal("6175.086775000")
    assert round(sum(stock.values()) + uncertain.change_tco2e, 3) == Decimal("5999.495")
    assert [round(uncertain.numbers[f"half_width_{unit}"] * 100, 3) for unit in HECTARES] == [
        Decimal("10.577"),
        Decimal("38.096"),
    ]


def test_gold_standard_comes_to_the_printed_credits(certificate: Certificate) -> None:
    """5 539.495 t after emissions and leakage; 500 issued and the buffer taken, 4 031 whole credits."""
    gold = forest.assessment(certificate, GOLD)
    assert round(forest.left_after(gold, "gs403-long-term-cap"), 3) == Decimal("5539.495")
    assert forest.left_after(gold, "gs403-whole-credits") == 4031


def test_the_printed_credits_are_those_of_one_calendar_year() -> None:
    """Over the five years since planting the same tonnes are 4 028: each vintage is rounded on its own."""
    five_years = Period.parse("2021-01-01_2025-12-31")
    assert issued(Decimal("5039.494875896"), five_years, buffer_share=Decimal("0.20")).credits == 4028


def test_the_benchmark_is_that_of_the_published_example(certificate: Certificate) -> None:
    """13.13 %: the controls grow by 0.0197 a year, the project by 0.15."""
    line = forest.line(forest.assessment(certificate, AREA), "VM47-PB-01")
    assert round(line.numbers["performance_benchmark"], 4) == Decimal("0.1313")
    assert line.numbers["performance_benchmark"] == example_1.benchmark_1()


def test_equation_32_is_recomputed_by_other_code(certificate: Certificate) -> None:
    """Binary floats and a formula on one line: the same removals to a millionth of a tonne, the same whole credits."""
    change = 6175.086775 - 300
    t = float(stats.t.ppf(0.95, 9 - 2))
    unc = t * sqrt(float(monitored("stock_se_start_tco2e")) ** 2 + _standard_error() ** 2) / change - 0.10
    benchmark = 0.0197 / 0.15
    removals = change * (1 - benchmark) * (1 - unc) - 40 - 150
    area = forest.assessment(certificate, AREA)
    assert isclose(removals, float(forest.left_after(area, "VM47-PB-01")), abs_tol=1e-5)
    credited = floor(removals) - ceil(0.28 * (removals + 40 + 150))
    assert forest.left_after(area, "whole-credits") == credited == 3473


def _standard_error() -> float:
    """Return the standard error of the stock that the nine plots give, t CO2."""
    total = 0.0
    for unit, hectares in HECTARES.items():
        volumes = [float(row["stem_volume_m3"]) / 0.04 for row in rows("plots.csv") if row["modelling_unit"] == unit]
        total += (hectares * float(DENSITY[unit] * CARBON)) ** 2 * variance(volumes) / len(volumes)
    return sqrt(total)


def test_the_standard_error_of_the_package_is_that_of_the_plots() -> None:
    """Recomputed from the source, area-weighted by unit."""
    assert isclose(_standard_error(), float(monitored("stock_se_end_tco2e")), abs_tol=1e-9)


def test_the_buffer_is_of_the_stock_change_that_the_methodology_computes(certificate: Certificate) -> None:
    """28 % of the number that the line of the benchmark leaves, which the package does not state."""
    area = forest.assessment(certificate, AREA)
    change = forest.line(area, "VM47-PB-01").numbers["net_stock_change_tco2e"]
    assert forest.line(area, "buffer").change_tco2e == -round(change * Decimal("0.28"), 9)


def test_the_plots_of_the_package_are_those_of_the_source() -> None:
    """Volume and area of each plot, and a row's quantity is volume over area by the hectares that it stands for."""
    source = [row for row in rows("plots.csv") if row["modelling_unit"]]
    same = [(row["row_id"], row["modelling_unit"], row["stem_volume_m3"], row["plot_area_ha"]) for row in source]
    assert same == [tuple(row.values()) for row in rows("monitoring/inventory_plots.csv")]
    for row in source:
        stands = Fraction(HECTARES[row["modelling_unit"]], 5 if row["modelling_unit"] == "MU1" else 4)
        assert Fraction(row["stands_for_ha"]) == stands
        assert Fraction(row["activity_qty"]) == Fraction(row["stem_volume_m3"]) / Fraction(row["plot_area_ha"]) * stands


def test_every_matched_set_is_that_of_the_published_example() -> None:
    """Weights, first and last index as printed, on a straight line between; thirty times."""
    series: dict[str, dict[int, Decimal]] = {}
    for row in rows("monitoring/stocking_index.csv"):
        series.setdefault(row["plot"], {})[int(row["year"])] = Decimal(row["si"])
    controls: dict[str, list[tuple[str, Decimal]]] = {}
    for row in rows("monitoring/control_plots.csv"):
        controls.setdefault(row["project_plot"], []).append((row["plot"], Decimal(row["weight"])))
    assert len(controls) == 30
    for project, members in controls.items():
        assert [weight for _, weight in members] == example_1.WEIGHTS
        assert [series[plot][0] for plot, _ in members] == example_1.BEFORE
        assert [series[plot][5] for plot, _ in members] == example_1.AFTER
        assert (series[project][0], series[project][5]) == (Decimal("0.05"), Decimal("0.80"))
    for values in series.values():
        steps = {values[year + 1] - values[year] for year in range(5)}
        assert (sorted(values), len(steps)) == (list(range(6)), 1)


def test_no_name_of_the_package_can_be_taken_away(world: World, certificate: Certificate) -> None:
    """Without any one quantity, fact or table a rule set cannot be evaluated or a control fails: none is ornament."""
    found = declared(world, forest.KEY)
    assert found.package is not None
    document = tomllib.loads(found.package.decode())
    names = [(section, name) for section, values in document.items() for name in values]
    assert [each for each in names if not _is_missed(found, document, *each, certificate, world)] == []


def _is_missed(
    found: Declared, document: Mapping[str, Mapping[str, str]], section: str, name: str, of: Certificate, world: World
) -> bool:
    """Tell whether the package without this name is refused by it, or fails a control."""
    left = {other: value for other, value in document[section].items() if other != name}
    tables = [table for table in found.tables if section != "tables" or table[0] != name]
    changed = replace(found, package=_toml({**document, section: left}), tables=tables)
    try:
        outcome = assessments(changed, forest.KEY, of.totals, world.references, uncertainty=None)
    except GateError as refusal:
        return name in str(refusal)
    return any(one.failed for one in outcome)


def _toml(document: Mapping[str, Mapping[str, str]]) -> bytes:
    sections = (
        f"[{name}]\n" + "".join(f'{k} = "{v}"\n' for k, v in values.items()) for name, values in document.items()
    )
    return "\n".join(sections).encode()
