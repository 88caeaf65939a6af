"""Small worlds in memory: a store, reference data and a landing folder, opened as the platform opens its own.

What does not belong here: content as a stage would make it (builders) and random values (strategies).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from obstore.store import MemoryStore

from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.run import Kept, Run
from mrv_assets.pipeline.world import World
from mrv_assets.storage.clock import Clock
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.obstore_store import ObstoreStore

ROOT = Path(__file__).resolve().parents[1]
REFERENCE_DATA = ROOT / "reference_data"
GOLDEN = Path(__file__).parent / "golden"
TWIN_CITIES = ROOT / "examples" / "twin-cities"
PUBLIC_DATA = ROOT.parent / "shared" / "data"
BOUNDARIES = "boundaries/twin-cities-counties.geojson"


class TickingClock:
    """A clock that starts at a fixed instant and moves on by one second each time it is read."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)

    def __call__(self) -> datetime:
        """Return the next instant."""
        self._now += timedelta(seconds=1)
        return self._now


def memory_store(files: Mapping[str, bytes] | None = None) -> ObjectStore:
    """Return a memory store of its own that holds `files`."""
    store = ObstoreStore(MemoryStore(), uri="memory://test")
    for key, data in (files or {}).items():
        store.replace(key, data)
    return store


def memory_world(*, references: Mapping[str, bytes], landing: ObjectStore) -> World:
    """Open a world over an empty memory store."""
    return World.over(store=memory_store(), references=memory_store(references), landing=landing, clock=TickingClock())


def world_over(store: ObjectStore, clock: Clock | None = None) -> World:
    """Open a world over a store, with no reference data and nothing that has landed."""
    return World.over(store=store, references=memory_store(), landing=memory_store(), clock=clock or TickingClock())


def committed_references(*, extra_factors: Path | None = None) -> dict[str, bytes]:
    """Return the project's own reference data by key, with the factor releases of another folder beside them."""
    files = {str(p.relative_to(REFERENCE_DATA)): p.read_bytes() for p in REFERENCE_DATA.rglob("*") if p.is_file()}
    if extra_factors:
        files |= {
            f"factors/{p.relative_to(extra_factors)}": p.read_bytes() for p in extra_factors.rglob("*") if p.is_file()
        }
    return files


def project_toml(
    project_id: str,
    *,
    county_fips: str = "27003",
    line: str = "mrow",
    path: str = "source.csv",
    where: Mapping[str, str] | None = None,
    columns: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
    pins: Mapping[str, str] | None = None,
    publication: str = "latest",
    materiality: str | None = None,
    declared_crs: str | None = "EPSG:4269",
) -> bytes:
    """Return a project file for one county of the committed boundaries."""
    crs = f'declared_crs = "{declared_crs}"\ndeclared_because = "as the reference data says"\n' if declared_crs else ""
    materiality = f'materiality = "{materiality}"' if materiality else ""
    return f"""
id = "{project_id}"
name = "{project_id}"
standard = "test"
factor_line = "{line}"
publication = "{publication}"
{materiality}
{_table("pins", pins or {})}
[boundary]
path = "{BOUNDARIES}"
id_property = "geoid"
id = "{county_fips}"
{crs}
[source]
path = "{path}"
format = "csv"
geometry = "boundary"
{_table("source.where", where or {})}
{_table("source.columns", columns or {name: name for name in ("row_id", "epoch", "activity_qty")})}
{_table("source.constants", constants or ELECTRICITY)}
""".encode()


ELECTRICITY = {"activity_id": "electricity.delivered", "unit": "MWh", "region": "US/MROW"}


def _table(name: str, values: Mapping[str, str]) -> str:
    return f"[{name}]\n" + "\n".join(f'"{key}" = "{value}"' for key, value in values.items())


def csv_bytes(header: str, rows: Iterable[str]) -> bytes:
    """Return a CSV file of one header line and ready-made row lines."""
    return "\n".join([header, *rows, ""]).encode()


def run_partition(world: World, key: PartitionKey, *, run_id: str = "run", force: bool = False) -> list[Kept]:
    """Walk one partition through all six assets in one run, and close its journal entry whatever happens."""
    run = Run(world, run_id=run_id)
    try:
        return [run.advance(asset, key, force=force) for asset in Asset]
    finally:
        run.close()


def outcomes(kept: Iterable[Kept]) -> list[Outcome]:
    """Return what was done with each slot, in order."""
    return [k.outcome for k in kept]
