"""The home of `make bench`: projects with a file and a land of their own, a few rows for each of five years.

What does not belong here: running anything (window, window_own) and printing it (window_table).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks import bump, impact
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.settings import Settings

YEARS = range(2019, 2024)
WINDOW = f"{YEARS[0]}..{YEARS[-1]}"
RELEASE = "mrow-2025.05.20"
_SHIFT_DEG = 0.001


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """A home with so many projects, each with `rows` rows for each year."""

    folder: Path
    projects: int
    rows: int

    @property
    def partitions(self) -> int:
        """Partitions of the whole window."""
        return self.projects * len(YEARS)

    @property
    def settings(self) -> Settings:
        """Where its parts are."""
        return Settings.from_env(self._places)

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a process that works on it."""
        return {**os.environ, **self._places, "DAGSTER_DISABLE_TELEMETRY": "yes", "PYTHONWARNINGS": "ignore"}

    @property
    def _places(self) -> dict[str, str]:
        reference, landing = str(self.folder / "reference"), str(self.folder / "landing")
        return {"MRV_HOME": str(self.folder), "MRV_REFERENCE": reference, "MRV_LANDING": landing}

    @property
    def keys(self) -> list[PartitionKey]:
        """Every partition, one project after the other."""
        return [
            PartitionKey(project_id=impact.name(number), period=str(year), factor_version=RELEASE)
            for number in range(self.projects)
            for year in YEARS
        ]


def make_home(folder: Path, *, partitions: int, rows: int) -> Home:
    """Write reference data and sources of a home with about so many partitions."""
    projects = max(1, partitions // len(YEARS))
    kind = bump.Kind(
        title="", rows=rows, project=_project, source=lambda landing, number: _write_rows(landing, number, rows)
    )
    bump.prepare(folder, kind, projects)
    shared = json.loads((folder / "reference" / impact.BOUNDARY).read_text())
    for number in range(projects):
        land = folder / "reference" / _land(number)
        land.write_text(json.dumps({**shared, "features": [_moved(shared["features"][0], number)]}))
    return Home(folder=folder, projects=projects, rows=rows)


def _project(number: int) -> str:
    text = impact.project(impact.name(number)).decode()
    return text.replace(impact.BOUNDARY, _land(number)).replace("source.csv", f"{number}.csv")


def _land(number: int) -> str:
    return f"boundaries/{impact.name(number)}.geojson"


def _moved(feature: dict[str, object], number: int) -> dict[str, object]:
    """Return a feature moved to the east, so that no two projects share their land."""

    def moved(value: object) -> object:
        if isinstance(value, list) and value and isinstance(value[0], float):
            return [value[0] + number * _SHIFT_DEG, *value[1:]]
        return [moved(one) for one in value] if isinstance(value, list) else value

    geometry = feature["geometry"]
    if not isinstance(geometry, dict):
        raise TypeError("the shared boundary has no geometry")
    return {**feature, "geometry": {**geometry, "coordinates": moved(geometry["coordinates"])}}


def _write_rows(landing: Path, number: int, rows: int) -> None:
    lines = [f"r{year}-{row:04d},{year},{row + number + 0.25}\n" for year in YEARS for row in range(rows)]
    (landing / f"{number}.csv").write_text("row_id,epoch,activity_qty\n" + "".join(lines))
