"""Other engines read the published ledger by a plain glob: while runs commit, and with left-overs beside the files.

What does not belong here: the platform's own reading, which never globs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from typing import IO

import duckdb
import polars as pl
import pyarrow.dataset as ds

from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.storage.published import published_key
from mrv_assets_tests.faults.children import FORKSERVER, quiet
from mrv_assets_tests.faults.figures import OLD, OLD_T, world_at
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.ratchets import PlatformRatchet
from mrv_assets_tests.world import run_partition

Figures = Mapping[str, Decimal]
_PERIODS = ("2020", "2021")


def by_duckdb(root: Path) -> Figures:
    """Read the figures by period with DuckDB."""
    query = f"SELECT period, net_tco2e FROM '{root}/published/ledger/**/*.parquet'"
    with duckdb.connect() as connection:
        return {str(period): tonnes for period, tonnes in connection.sql(query).fetchall()}


def by_polars(root: Path) -> Figures:
    """Read the figures by period with Polars, from files that are open: then each is whole, old or new.

    Given paths, Polars 2.1 notes a file's size first and opens it later, and now and then fails in between (never with
    a wrong figure).
    """
    with ExitStack() as stack:
        files: list[IO[bytes]] = [
            stack.enter_context(path.open("rb")) for path in root.glob("published/ledger/**/*.parquet")
        ]
        frame = pl.scan_parquet(files).select("period", "net_tco2e").collect()
    return {str(period): tonnes for period, tonnes in frame.iter_rows()}


def by_arrow(root: Path) -> Figures:
    """Read the sum of the folder as an Arrow dataset, which takes every file that no `.` or `_` hides."""
    table = ds.dataset(root / "published/ledger", format="parquet").to_table(columns=["net_tco2e"])
    return {"all": sum(table.column("net_tco2e").to_pylist(), Decimal(0))}


ENGINES: Mapping[str, Callable[[Path], Figures]] = {"DuckDB": by_duckdb, "Polars": by_polars}


def while_committing(engine: str, scratch: Path, *, runs: int) -> Line:
    """Read again and again while another process reports two periods in turn, each time one tonne more."""
    root = scratch / "store"
    ratchets = [PlatformRatchet(period) for period in _PERIODS]
    for ratchet in ratchets:
        ratchet.raise_once(root)
    writer = FORKSERVER.Process(target=quiet, args=(_raise_in_turn, ratchets, root, runs))
    writer.start()
    seen: Counter[State] = Counter()
    last: Figures = dict.fromkeys(_PERIODS, OLD_T)
    is_over = False
    while not is_over:
        is_over = not writer.is_alive()  # asked first, so that the last look is at what is there for good
        state, last = _read(ENGINES[engine], root, last)
        seen[state] += 1
    writer.join()
    is_last = all(last[r.key.period] == r.figure(root) == OLD_T + runs for r in ratchets)
    return Line(
        scenario=f"{engine} globs published/ while runs commit",
        injected=2 * runs,
        old=seen[State.OLD],
        new=seen[State.NEW],
        torn=seen[State.TORN],
        breaches=0,
        changed=0,
        healed=2 * runs if is_last else 0,
        completed=0,
        corrupt=seen[State.TORN] + int(not is_last),
        shown=f"{2 * runs} runs, {seen.total()} looks",
    )


def _raise_in_turn(ratchets: list[PlatformRatchet], root: Path, runs: int) -> None:
    for _ in range(runs):
        for ratchet in ratchets:
            ratchet.raise_once(root)


def _read(engine: Callable[[Path], Figures], root: Path, last: Figures) -> tuple[State, Figures]:
    """Read once: every period must be there with a whole figure that is not older than the one before."""
    try:
        found = engine(root)
    except (duckdb.Error, pl.exceptions.PolarsError, OSError):
        return State.TORN, last
    if found.keys() != last.keys() or any(found[p] < last[p] or found[p] % 1 for p in last):
        return State.TORN, last
    return (State.OLD if found == last else State.NEW), found


# What a killed writer of ours leaves, what other tools leave, and what people put beside things.
LEFT_OVERS = (".tmp-0123456789abcdef", "ledger.parquet.tmp-key", "ledger.parquet.crc", "_SUCCESS", ".DS_Store", "~lock")
_OURS = LEFT_OVERS[:1]
_HARMLESS_TO_ARROW = (*_OURS, "_SUCCESS", ".DS_Store")


def published_with_left_overs(scratch: Path) -> Line:
    """Put whole copies of the figure beside it under every such name; a glob for Parquet files still finds one."""
    root = _published_once(scratch / "store", LEFT_OVERS)
    sums = [sum(engine(root).values(), Decimal(0)) for engine in ENGINES.values()]
    # Arrow takes a folder whatever its files are called; what our own writers leave is hidden from it too.
    sums.append(by_arrow(_published_once(scratch / "hidden", _HARMLESS_TO_ARROW))["all"])
    return summed("left-overs beside a published figure", map(_told, sums), shown="DuckDB, Polars, Arrow: 12,400 t")


def named_like_data(scratch: Path) -> Line:
    """The control: a writer whose temporary file is called `ledger.parquet.tmp-key` and left there (B69): 24,800 t."""
    tonnes = by_arrow(_published_once(scratch / "named", LEFT_OVERS[1:2]))["all"]
    shown = f"Arrow: {tonnes:,.0f} t"
    return summed("control: a left-over ledger.parquet.tmp-key", [_told(tonnes)], shown=shown, is_control=True)


def _published_once(root: Path, left_overs: tuple[str, ...]) -> Path:
    run_partition(world_at(root), OLD)
    figure = root / published_key(Slot.of(Asset.LEDGER, OLD))
    for name in left_overs:
        (figure.parent / name).write_bytes(figure.read_bytes())
    return root


def _told(tonnes: Decimal) -> Injury:
    is_right = tonnes == OLD_T
    return Injury(seen=State.OLD if is_right else State.TORN, breaches=0, changed=0, is_healed=is_right)
