"""How often Python looks for garbage.

Loading Dagster and the platform makes a million objects that stay, and Python would walk over all of them again and
again: a fifth of the time until a command or a run begins.
"""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Let this process look for garbage after a hundred thousand new objects instead of seven hundred."""
    gc.set_threshold(100_000, 50, 100)
