"""`mrv registry list`: every record of what registries issued and retired, oldest first."""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.registry_text import kind, record_json, told
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.pipeline.certificates import reported_now
from mrv_assets.pipeline.world import World
from mrv_assets.storage.registry_records import read_registry


def show_records(project: str | None, *, as_json: bool) -> None:
    """Print the records, those of one project where it is given. Raises BrokenChain when they are not a whole chain."""
    world = open_for_reading(enter())
    shown = _of_project(read_registry(world.store), project)
    live = _live(world, shown)
    if as_json:
        print_json({"records": [{**record_json(one), "is_reported_now": live.get(one.number)} for one in shown]})
    elif shown:
        _print(shown, live)
    else:
        stdout().print("No registry record.")


def _of_project(records: Sequence[RegistryRecord], project: str | None) -> list[RegistryRecord]:
    if project is None:
        return list(records)
    issued = [r.entry for r in records if isinstance(r.entry, Issuance) and r.entry.project_id == project]
    return [r for r in records if any(r.entry.block.overlaps(one.block) for one in issued)]


def _live(world: World, shown: Sequence[RegistryRecord]) -> dict[int, bool]:
    """Tell of each issuance whether the ledger reports its certificate now."""
    issued = {one.number: one.entry for one in shown if isinstance(one.entry, Issuance)}
    places = {(entry.project_id, entry.period) for entry in issued.values()}
    now = {place: reported_now(world.slots, *place) for place in places}
    return {number: entry.certificate_sha256 == now[entry.project_id, entry.period] for number, entry in issued.items()}


def _print(shown: Sequence[RegistryRecord], live: dict[int, bool]) -> None:
    table = plain_table(title="Registry records")
    table.add_column("#", justify="right", no_wrap=True)
    for name in ("what", "serial, and what is said of it"):
        table.add_column(name, overflow="fold")
    table.add_column("credits", justify="right", no_wrap=True)
    for one in shown:
        lines = [str(one.entry.block), told(one.entry)]
        lines += ["the ledger does not report this certificate now"] if live.get(one.number) is False else []
        table.add_row(str(one.number), kind(one.entry), "\n".join(lines), f"{one.entry.block.count:,}")
    stdout().print(table)
