"""`mrv show`: one generation of one slot, its record and its content, checked before anything is printed.

What does not belong here: how it looks (show_text), writing it to a file (export), the checks (verify).
"""

from __future__ import annotations

import json
from pathlib import Path

from mrv_assets.cli.checked import Shown, load_shown
from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.export import export, rows_json
from mrv_assets.cli.show_text import FIRST_ROWS, print_content, print_quarantine, print_record
from mrv_assets.cli.shown_version import shown_version
from mrv_assets.cli.terminal import print_json, stdout
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World


def show_generation(
    stage: str,
    project: str,
    period: str,
    factor_version: str | None,
    *,
    generation: int | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Print one generation and, when asked, write its content to `out`.

    Raises ContractError for an empty slot or an unknown generation, Tampering when the content is not what the
    record seals.
    """
    world = open_for_reading(enter())
    slot = _slot(world, Asset(stage), project, period, factor_version)
    shown = load_shown(world, slot, generation)
    if out is not None:
        export(out, shown.content, shown.data)
    if as_json:
        print_json(_json(shown, out))
        return
    print_record(shown)
    print_quarantine(shown)
    print_content(shown)
    if out is not None:
        stdout().print(f"Written: {out}", soft_wrap=True)


def _slot(world: World, asset: Asset, project: str, period: str, factor_version: str | None) -> Slot:
    """Name the slot; a factor version that is left out is the reported one, else the one that `mrv run` would take."""
    if factor_version is None and asset.depends_on_factors:
        factor_version = shown_version(world, project, period)
    # Built through the key, so that every part is checked; where factors do not matter any canonical one will do.
    return Slot.of(asset, PartitionKey(project_id=project, period=period, factor_version=factor_version or "any"))


def _json(shown: Shown, out: Path | None) -> dict[str, object]:
    document: dict[str, object] = {
        "record": json.loads(shown.record.to_bytes()),
        "record_sha256": shown.record.sha256,
        "generations": shown.generations,
        "checks": shown.checks,
    }
    if isinstance(shown.content, Certificate):
        document["certificate"] = json.loads(shown.data)
        document["certificate_sha256"] = shown.content.sha256
        document["signed_by"] = list(shown.signed_by)
    else:
        document["first_rows"] = rows_json(shown.content.slice(0, FIRST_ROWS))
        document["quarantine"] = [] if shown.quarantined is None else rows_json(shown.quarantined)
    return document | ({"out": out} if out else {})
