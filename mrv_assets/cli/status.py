"""`mrv status`: where everything is, how much there is, which inventories are complete, and what is behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.ledger import EMPTY, inventories_table, inventory_totals
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.approving import Waiting, waiting
from mrv_assets.pipeline.figures import Figure, live_figures
from mrv_assets.pipeline.versions import Versions
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Behind:
    """A figure whose factor version is not the one that should be reported; `wanted` is None when nothing should.

    `refusal` says why nobody can tell what should be reported, where that is so.
    """

    project_id: str
    period: str
    live: str
    wanted: str | None
    refusal: str | None = None


def figures_behind(world: World, live: Sequence[Figure]) -> Iterator[Behind]:
    """Yield the live figures that a newer release of their line, or a pin, asks to move, and those where it is unclear.

    What is refused, such as a pin on a withdrawn release, is told of its figure and hides no other.
    """
    versions = Versions(world.references)
    for figure in live:
        wanted, refusal = None, None
        try:
            wanted = versions.to_report(world.references.project(figure.project_id), figure.period)
        except Refusal as error:
            refusal = str(error)
        if refusal is not None or wanted != figure.factor_version:
            yield Behind(
                project_id=figure.project_id,
                period=figure.period,
                live=figure.factor_version,
                wanted=wanted,
                refusal=refusal,
            )


def show_status(*, as_json: bool) -> None:
    """Print the state of the deployment."""
    settings = enter()
    world = open_for_reading(settings)
    live = live_figures(world.slots, project_id=None, period=None)
    counts = _counts(world)
    behind = list(figures_behind(world, live))
    held = {(one.key.project_id, one.key.period) for one in waiting(world) if isinstance(one, Waiting)}
    entries = world.journal.size()
    totals = list(inventory_totals(world, live, project=None, period=None))
    if as_json:
        print_json(
            {
                "places": places(settings),
                "assets": {asset.value: {"slots": s, "generations": g} for asset, (s, g) in counts.items()},
                "journal_entries": entries,
                "figures": len(live),
                "inventories": [
                    {"inventory": t.inventory.id, "period": t.period, "is_complete": t.completeness.passed}
                    for t in totals
                ],
                "behind": [
                    {
                        "project_id": b.project_id,
                        "period": b.period,
                        "live": b.live,
                        "wanted": b.wanted,
                        "refusal": b.refusal,
                    }
                    for b in behind
                ],
                "held": [{"project_id": project_id, "period": period} for project_id, period in sorted(held)],
            }
        )
        return
    console = stdout()
    for name, place in places(settings).items():
        console.print(f"{name:<11}{place}", soft_wrap=True)
    console.print("", _assets_table(counts), "", sep="\n")
    console.print(f"{entries} journal entries, {len(live)} figures reported")
    if not live:
        console.print(EMPTY)
    console.print("", inventories_table(totals), "", sep="\n")
    if held:
        console.print(f"Held until they are approved: {len(held)}; see `mrv ledger pending`", style="yellow")
    console.print(_behind_table(behind, held) if behind else "No figure is behind its factor line or pin.")


def places(settings: Settings) -> dict[str, str]:
    """Return where everything is, by name."""
    return {
        "home": str(settings.home),
        "store": settings.store,
        "landing": settings.landing,
        "reference": settings.reference,
        "logs": str(settings.logs),
    }


def _counts(world: World) -> dict[Asset, tuple[int, int]]:
    """Return the number of slots and of generations by asset, from one listing."""
    slots: Counter[Asset] = Counter()
    generations: Counter[Asset] = Counter()
    for slot, newest in world.slots.list_slots():
        slots[slot.asset] += 1
        generations[slot.asset] += newest
    return {asset: (slots[asset], generations[asset]) for asset in Asset}


def _assets_table(counts: dict[Asset, tuple[int, int]]) -> object:
    table = plain_table()
    table.add_column("asset", no_wrap=True)
    table.add_column("slots", justify="right")
    table.add_column("generations", justify="right")
    for asset, (slots, generations) in counts.items():
        table.add_row(asset.value, f"{slots:,}", f"{generations:,}")
    return table


def _behind_table(behind: Sequence[Behind], held: Collection[tuple[str, str]]) -> object:
    table = plain_table(title="Behind: another factor version should be reported")
    for name in ("project", "period", "reported", "should be", "remedy"):
        table.add_column(name, overflow="fold")
    for row in behind:
        if row.refusal is not None:
            table.add_row(row.project_id, row.period, row.live, "unclear", row.refusal)
            continue
        remedy = f"mrv run {row.project_id} {row.period} {row.wanted}" if row.wanted else "pin one in the project file"
        if (row.project_id, row.period) in held:
            remedy = "mrv ledger pending"
        table.add_row(row.project_id, row.period, row.live, row.wanted or "none is pinned", remedy)
    return table
