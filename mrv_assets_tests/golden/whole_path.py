"""One source file through the whole of its way: read, judged as activity, normalised, judged as normalised.

Pure functions in the order in which a run calls them, without a store. What does not belong here: source files and what
is expected of them (they stand in each test).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from textwrap import wrap
from typing import Any

import pyarrow as pa

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.project import Project
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.ingest import ingest
from mrv_assets.stages.land import land_box
from mrv_assets.stages.normalize import normalize

KEY = PartitionKey(project_id="plots", period="2021", factor_version="mrow-2025.05.20")
CONSTANTS = {
    "row_id": "one",
    "activity_id": "land_cover.tree",
    "region": "US/METC",
    "epoch": "2021",
    "activity_qty": "2.5",
    "unit": "km2",
}
"""What a row is, where its file does not say it."""


def world_but_its_poles() -> dict[str, Any]:
    """Return the land of a project that may be anywhere, as GeoJSON."""
    ring = [[-180.0, -86.0], [180.0, -86.0], [180.0, 86.0], [-180.0, 86.0], [-180.0, -86.0]]
    return {"type": "Polygon", "coordinates": [ring]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """What both stages made of a source file, all gates of both assets green."""

    activity: Staged
    normalized: Staged

    @property
    def area_ha(self) -> dict[str, float | None]:
        """The area of each row, ha, by its id."""
        table = self.normalized.table
        return dict(zip(table.column("row_id").to_pylist(), table.column("area_ha").to_pylist(), strict=True))

    @property
    def shapes(self) -> dict[str, bytes | None]:
        """The normalised footprint of each row by its id."""
        table = self.normalized.table
        return dict(zip(table.column("row_id").to_pylist(), table.column("geometry").to_pylist(), strict=True))

    def measured(self, name: str) -> float:
        """Return a number from the evidence of normalising."""
        return float(self.normalized.evidence[name])


def project_of(
    path: str,
    format_: str,
    *,
    columns: Mapping[str, str] | None = None,
    source: str = 'geometry = "record"',
    tables: str = "",
) -> Project:
    """Return a project over the file at `path`: `columns` are mapped, all else about a row is constant.

    `source` are further lines of `[source]`, `tables` further tables of the project file, both TOML.
    """
    columns = columns or {}
    constants = {name: text for name, text in CONSTANTS.items() if name not in columns}
    return Project.parse(
        f"""
id = "{KEY.project_id}"
name = "Plots"
standard = "test"
factor_line = "mrow"
publication = "latest"
[boundary]
path = "land.geojson"
id_property = "id"
id = "1"
declared_crs = "EPSG:4326"
declared_because = "the land is drawn in it"
[source]
path = "{path}"
format = "{format_}"
{source}
{_table("source.columns", columns)}
{_table("source.constants", constants)}
{tables}
""".encode(),
        where="project under test",
    )


def declared(crs: str) -> str:
    """Return the lines of `[source]` that declare the CRS of a file that does not say it."""
    return f'declared_crs = "{crs}"\ndeclared_because = "the sender says so"\n'


def walk(data: bytes, project: Project, *, land: Mapping[str, Any] | None = None) -> Accepted:
    """Take a source file through both assets; `land` is the project's boundary, degrees, else the world.

    Raises GateError as a run does: the stage's own, or one that names the red gates of an asset.
    """
    boundary = land or world_but_its_poles()
    period = Period.parse(KEY.period)
    activity = ingest(data, project=project, period=period, boundary=boundary, boundary_crs=None)
    _judge(Asset.ACTIVITY, activity, upstream={})
    normalized = normalize(
        activity.table,
        source=project.source,
        policy=project.crs,
        land=land_box(project, boundary, boundary_crs=None, where=str(KEY)),
        where=str(Slot.of(Asset.NORMALIZED, KEY)),
    )
    _judge(Asset.NORMALIZED, normalized, upstream={Asset.ACTIVITY: activity.table})
    return Accepted(activity=activity, normalized=normalized)


def _judge(asset: Asset, staged: Staged, *, upstream: Mapping[Asset, pa.Table | bytes]) -> None:
    """Ask every gate of the asset; raise what a run raises when one is red."""
    case = Case(
        key=KEY,
        period=Period.parse(KEY.period),
        staged=staged,
        upstream=upstream,
        upstream_gates={},
        expected_gates=GATE_NAMES,
        previous=None,
        live={},
        rival=None,
    )
    red = [outcome for outcome in judge_all(asset, case) if not outcome.passed]
    if red:
        raise GateError(
            f"{asset} is refused by {', '.join(outcome.gate for outcome in red)}",
            gate=red[0].gate,
            where=str(Slot.of(asset, KEY)),
            expected=red[0].limit,
            found=red[0].observed,
            remedy=red[0].remedy,
        )


def _table(name: str, texts: Mapping[str, str]) -> str:
    return f"[{name}]\n" + "\n".join(f'"{key}" = "{text}"' for key, text in texts.items())


def screen(error: GateError) -> list[str]:
    """Return a refusal as a terminal of 100 columns shows it, line by line."""
    return [row for line in str(error).splitlines() for row in wrap(line, 100, break_on_hyphens=False)]


def assert_one_screen(error: GateError, *, file: str, row: str = "") -> None:
    """Check that a refusal fits on a screen of 24 lines and says where, what was expected, what was found, what to do.

    It names the file, or else the partition, and `row`: the row, feature or member at fault.
    """
    text = str(error)
    assert len(screen(error)) <= 24, text
    assert text.isprintable(), text
    assert file in error.where or f"{KEY.project_id} {KEY.period}" in error.where, text
    assert row in f"{error.where}: {error.found}", text
    assert len({error.what, error.where, error.expected, error.found, error.remedy}) == 5, text
    for said in (error.what, error.where, error.expected, error.found, error.remedy):
        assert said.strip(), text
        assert said in text
