"""The home that is fought over: six projects with ten years each, a few rows a partition, so that a run takes a second.

What does not belong here: Dagster's processes (services), and what has to be true of the store in the end (truth).
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.settings import Settings
from mrv_assets_tests.builders import factors_csv, release_toml
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.landings import projects, rows
from mrv_assets_tests.world import BOUNDARIES, REFERENCE_DATA, ROOT

FIRST, SECOND = "unit-1", "unit-2"
_FACTORS = {FIRST: "1", SECOND: "1.1"}
_PROJECTS = tuple(f"p{number:02d}" for number in range(6))
_YEARS = tuple(str(year) for year in range(2012, 2022))
_HOUR_S = 3600

# What nobody hears of is to be found out in minutes, not in the hours of a real deployment.
_QUICKLY = {"poll_interval_seconds": 2, "max_runtime_seconds": 240}


def keys(count: int, version: str = FIRST) -> list[PartitionKey]:
    """Return the first `count` partitions, the projects in turn."""
    every = product(_YEARS, _PROJECTS)
    return [
        PartitionKey(project_id=project, period=year, factor_version=version)
        for _, (year, project) in zip(range(count), every, strict=False)
    ]


def lay_out(folder: Path, wanted: Sequence[PartitionKey]) -> Home:
    """Lay out a home whose source holds the wanted partitions; the second factor release has not come yet."""
    files = {name: (REFERENCE_DATA / name).read_bytes() for name in (BOUNDARIES, "gwp/ar6.csv")}
    files |= projects(*sorted({key.project_id for key in wanted}))
    files |= _release(FIRST)
    source = rows(*(f"{key.project_id} {key.period} {1000 + n}.5" for n, key in enumerate(wanted)))
    home = Home.create(folder, references=files, landing={"source.csv": source})
    long_ago = time.time() - _HOUR_S  # a file that was just written is left to rest
    os.utime(Path(home.environment["MRV_LANDING"]) / "source.csv", (long_ago, long_ago))
    environment = {**home.environment, "MRV_DAGSTER_YAML": str(_configuration(folder))}
    return Home(settings=Settings.from_env(environment), environment=environment)


def release_second(home: Home) -> None:
    """Release factors that supersede the first, their description last: without it there is no release."""
    for name, data in sorted(_release(SECOND).items()):
        home.refer(name, data)


def _release(version: str) -> dict[str, bytes]:
    row = {"ef_value": _FACTORS[version], "numerator_unit": "t", "valid_from": "2010-01-01", "valid_to": "2029-12-31"}
    factors = factors_csv([row])
    toml = release_toml(factors, version=version)
    if version == SECOND:
        toml = toml.replace(b'supersedes = ""', f'supersedes = "{FIRST}"'.encode())
    return {f"factors/{version}/factors.csv": factors, f"factors/{version}/release.toml": toml}


def _configuration(folder: Path) -> Path:
    """Write the committed configuration with shorter times, and nothing else of it changed."""
    chosen = yaml.safe_load((ROOT / "dagster.yaml").read_text())
    chosen["run_monitoring"] |= _QUICKLY
    path = folder / "dagster.yaml"
    path.write_text(yaml.safe_dump(chosen))
    return path
