"""`mrv reperform`: a certified figure made again in place, beside what its certificate seals. Nothing is written.

What does not belong here: making and comparing (pipeline) and how it looks (reperform_text).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.reperform_text import CODES, print_reperformed, reperformed_json
from mrv_assets.cli.terminal import print_json
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.reperform import reperform
from mrv_assets.settings import Settings


def run_reperform(certificate: Sequence[str], *, reference: str | None, as_json: bool) -> int:
    """Print the comparison and return the exit code. Raises what `find_certificate` and `reperform` raise."""
    settings = enter()
    if reference is not None:
        other = Settings.from_env({**os.environ, "MRV_REFERENCE": reference})
        settings = replace(settings, reference=other.reference)
    world = open_for_reading(settings)
    found = reperform(world, find_certificate(world.slots, " ".join(certificate)))
    if as_json:
        print_json(reperformed_json(found))
    else:
        print_reperformed(found)
    return CODES[found.verdict]
