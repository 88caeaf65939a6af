"""`make oracles`: every number that somebody else printed, beside ours."""

from __future__ import annotations

import sys

from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets_tests.oracles.register import all_oracles


def main() -> int:
    """Print the table; return 1 when a number is not the expected one, and when there is none."""
    oracles = all_oracles()
    table = plain_table(title="Oracles: expected numbers of others, and ours")
    for name in ("oracle", "what"):
        table.add_column(name, overflow="fold")
    for name in ("expected", "got"):
        table.add_column(name, justify="right", overflow="fold")
    for name in ("origin", "source", ""):
        table.add_column(name, overflow="fold")
    missed = 0
    for oracle in oracles:
        missed += not oracle.is_met
        mark = "equal" if oracle.is_met else "DIFFERS"
        got = f"{oracle.got():.9f}".rstrip("0").rstrip(".")
        table.add_row(oracle.id, oracle.what, f"{oracle.expected:f}", got, oracle.origin, oracle.source, mark)
    stdout().print(table)
    stdout().print(f"{len(oracles)} oracles, {missed} differ")
    return int(missed > 0 or not oracles)


if __name__ == "__main__":
    sys.exit(main())
