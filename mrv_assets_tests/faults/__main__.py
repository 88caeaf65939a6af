"""`make faults`: run every scenario in full and print the table; names of scenarios as arguments run only those.

Exits with 1 when any line is not as it must be.
"""

from __future__ import annotations

import os
import sys

from mrv_assets_tests.faults.table import run_and_show

if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "200")  # in a pipe the table would be cut to 80
    sys.exit(run_and_show(sys.argv[1:]))
