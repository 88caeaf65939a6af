"""`make faults`: run every scenario in full and print the table.

Exits with 1 when any line is not as it must be.
"""

from __future__ import annotations

import argparse
import os
import sys

from mrv_assets_tests.faults.scenarios import SCENARIOS
from mrv_assets_tests.faults.table import run_and_show


def _chosen() -> list[str]:
    parser = argparse.ArgumentParser(prog="make faults ARGS=…", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", help="run only these; without any, all of them")
    parser.add_argument("--without", default=(), metavar="PREFIX", help="leave out those whose names begin so")
    asked = parser.parse_args()
    if unknown := set(asked.scenarios) - set(SCENARIOS):
        parser.error(f"no scenario {', '.join(sorted(unknown))}; there are {', '.join(SCENARIOS)}")
    return [name for name in asked.scenarios or SCENARIOS if not name.startswith(asked.without)]


if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "200")  # in a pipe the table would be cut to 80
    sys.exit(run_and_show(_chosen()))
