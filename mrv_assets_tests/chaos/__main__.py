"""`make chaos`: run every scenario and print the table; names of scenarios as arguments run only those.

Exits with 1 when any line is not as it must be.
"""

from __future__ import annotations

import os
import signal
import sys

from mrv_assets_tests.chaos.table import run_and_show

if __name__ == "__main__":
    os.environ.setdefault("COLUMNS", "200")  # in a pipe the table would be cut to 80
    # Told to end, it still ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    sys.exit(run_and_show(sys.argv[1:]))
