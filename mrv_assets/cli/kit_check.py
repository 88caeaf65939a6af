"""Making the figure of an unpacked kit again, for the script that comes with it.

Unlike in place, it goes on with reference data that are not those that are pinned, to show what they would change.
What does not belong here: checking the files of the kit (kit_script), which comes first.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

import structlog

from mrv_assets.cli.reperform_text import CODES, print_reperformed, reperformed_json
from mrv_assets.cli.terminal import print_error, print_json
from mrv_assets.domain.errors import MrvError
from mrv_assets.pipeline.kit_world import OpenKit, open_kit
from mrv_assets.pipeline.prepared import prepare
from mrv_assets.pipeline.reperform import recompute
from mrv_assets.verify import verify_figure


def check_kit(files: Mapping[str, bytes], *, as_json: bool) -> int:
    """Print the comparison of everything that can be made again and return the exit code; refusals are printed."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        return _checked(open_kit(files), as_json=as_json)
    except MrvError as error:
        return print_error(error)


def _checked(kit: OpenKit, *, as_json: bool) -> int:
    prepared = prepare(kit.world, kit.record, shown=kit.shown)
    if kit.ledger is not None:
        verify_figure(kit.world.slots.load_table(kit.ledger), prepared.sealed.certificate)
    found = recompute(kit.world, prepared)
    if as_json:
        print_json(reperformed_json(found))
    else:
        print_reperformed(found)
    return CODES[found.verdict]
