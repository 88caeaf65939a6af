"""A small replay in a folder: three counties of the committed reference data, carried through without Dagster.

The published totals are recomputed here from megawatt hours and rates, so that they do not rest on the code under test.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections.abc import Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

from mrv_assets.cli.demo import demonstrate
from mrv_assets.cli.demo_text import Demonstrated
from mrv_assets.cli.replay import Runner, Scenario
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.results import AssetResult, PartitionRun
from mrv_assets.pipeline.run import Kept, Run
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings
from mrv_assets_tests.world import REFERENCE_DATA, TWIN_CITIES

COUNTIES = {"metc-anoka": "27003", "metc-ramsey": "27123", "metc-pierce": "55093"}
MINNESOTA = ("metc-anoka", "metc-ramsey")
ALL = ("metc-anoka", "metc-ramsey", "metc-pierce")
# pounds of CO2, CH4 and N2O per MWh, and the GWPs of CH4 and N2O, as the releases quote them
EGRID_2021 = ("995.8", "0.107", "0.015")
EGRID_2019 = ("1098.4", "0.119", "0.017")
EGRID_2022 = ("936.5", "0.102", "0.015")
AR5, AR6 = ("28", "265"), ("27.9", "273")
STEPS: tuple[tuple[str, str, str, tuple[str, ...], dict[str, tuple[tuple[str, ...], tuple[str, ...]]]], ...] = (
    ("2024-02-01", "mrow-2024.02.01", "2024-02-01", MINNESOTA, {"2021": (EGRID_2021, AR5)}),
    ("2024-02-06", "mrow-2024.02.06", "2024-02-01", MINNESOTA, {"2021": (EGRID_2019, AR5)}),
    ("2024-02-26", "mrow-2024.02.26", "2024-02-01", MINNESOTA, {"2021": (EGRID_2021, AR5)}),
    ("2024-06-24", "mrow-2024.06.24", "2024-02-01", MINNESOTA, {"2021": (EGRID_2021, AR6)}),
    ("2025-05-20", "mrow-2024.06.24", "2025-05-20", ALL, {"2021": (EGRID_2021, AR6)}),
    ("2025-05-20", "mrow-2025.05.20", "2025-05-20", ALL, {"2021": (EGRID_2021, AR6), "2022": (EGRID_2022, AR6)}),
)
PARTITIONS = sum(len(projects) * len(periods) for _, _, _, projects, periods in STEPS)


def tonnes(landing: str, project: str, period: str, rates: Sequence[str], gwps: Sequence[str]) -> Decimal:
    """Recompute one figure: MWh x (CO2 + CH4 x GWP + N2O x GWP) pounds, in tonnes, rounded once to 1e-9 t."""
    with (TWIN_CITIES / "landing" / landing / "electricity.csv").open(encoding="utf-8") as file:
        mwh = [
            repr(float(row["mwh_delivered"]))
            for row in csv.DictReader(file)
            if (row["county_fips"], row["year"]) == (COUNTIES[project], period)
        ]
    co2, ch4, n2o = map(Decimal, rates)
    pounds = co2 + ch4 * Decimal(gwps[0]) + n2o * Decimal(gwps[1])
    exact = Decimal(mwh[0]) * pounds * Decimal("0.00045359237")
    return exact.quantize(Decimal("1e-9"), rounding=ROUND_HALF_EVEN)


def make_folder(folder: Path) -> Path:
    """Write the replay and reference data with an inventory of its own into `folder` and return it."""
    shutil.copytree(REFERENCE_DATA, folder / "reference")
    shutil.copytree(TWIN_CITIES / "landing", folder / "replay" / "landing")
    projects = ", ".join(f'"{project}"' for project in ALL)
    (folder / "reference" / "inventories" / "small.toml").write_text(
        f'id = "small"\ntitle = "Three <counties>"\nprojects = [{projects}]\nperiods = ["2021", "2022"]\n'
    )
    lines = ['inventory = "small"', 'unit = "tCO2e"']
    for number, (date, version, landing, of, periods) in enumerate(STEPS, start=1):
        lines += ["[[step]]", f"date = {date}", f'title = "State {number}"', f'factor_version = "{version}"']
        lines += [f'landing = "{landing}"', f"periods = {json.dumps(list(periods))}", f"projects = {json.dumps(of)}"]
        lines += ['cause = "as published"', 'source = "recomputed"', "[step.published_total_tco2e]"]
        for period, (rates, gwps) in periods.items():
            lines.append(f'{period} = "{sum(tonnes(landing, project, period, rates, gwps) for project in of):.3f}"')
    (folder / "replay" / "published.toml").write_text("\n".join(lines) + "\n")
    return folder


def environment(folder: Path) -> dict[str, str]:
    """Return the environment variables of a deployment in `folder`."""
    return {"MRV_HOME": str(folder / "home"), "MRV_REFERENCE": str(folder / "reference")}


def settings_of(folder: Path) -> Settings:
    """Return the settings of the deployment in `folder`."""
    return Settings.from_env(environment(folder))


def pipeline_runner(settings: Settings) -> Runner:
    """Return what runs partitions like Dagster does, in the same order of stages, but without it."""

    def run(keys: Sequence[PartitionKey]) -> Iterator[PartitionRun]:
        world = World.open(settings)
        for key in keys:
            yield _run(world, key)

    return run


def replayed(folder: Path) -> Demonstrated:
    """Replay the scenario of `folder` into its home."""
    settings = settings_of(folder)
    scenario = Scenario.read(folder / "replay")
    return demonstrate(settings, scenario, run=pipeline_runner(settings), notice=lambda _: None, told=None)


def _run(world: World, key: PartitionKey) -> PartitionRun:
    run = Run(world, run_id=f"run-{world.journal.size() + 1}")
    kept: list[Kept] = []
    error: MrvError | None = None
    try:
        kept.extend(run.advance(asset, key) for asset in Asset)
    except MrvError as refusal:
        error = refusal
    finally:
        run.close()
    return PartitionRun(
        key=key,
        run_id=run.run_id,
        assets=tuple(_result(asset, kept, is_refused=bool(error)) for asset in Asset),
        error=error,
    )


def _result(asset: Asset, kept: Sequence[Kept], *, is_refused: bool) -> AssetResult:
    for one in kept:
        if one.asset is asset:
            generation = one.record.generation if one.record else None
            return AssetResult(asset=asset, outcome=one.outcome, generation=generation, reason=one.reason, red=())
    is_first = is_refused and list(Asset).index(asset) == len(kept)
    return AssetResult(asset=asset, outcome=Outcome.REFUSED if is_first else None, generation=None, reason="", red=())
