"""`mrv checkpoint`: what the journal comes to, published outside and compared again.

What does not belong here: the comparison (pipeline) and places that keep checkpoints (storage).
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading, open_for_writing
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.dsse import Envelope
from mrv_assets.pipeline.witnessing import Witnessed, hold_against, prove_consistency, publish_checkpoint, signed_when
from mrv_assets.storage.key_folder import KeyFolder
from mrv_assets.storage.witness import open_witness

_SHORT = 16


def show_checkpoint(*, as_json: bool) -> None:
    """Show the present checkpoint, of an empty journal as well."""
    world = open_for_reading(enter())
    envelope = world.journal.checkpoint().envelope
    if as_json:
        print_json(None if envelope is None else _json(envelope))
    elif envelope is None:
        stdout().print("The journal is empty.")
    else:
        _print("Checkpoint of the journal", envelope)


def run_publish(place: str, *, as_json: bool) -> None:
    """Publish the present checkpoint. Raises as `publish_checkpoint`."""
    settings = enter()
    envelope, is_new = publish_checkpoint(open_for_writing(settings), open_witness(place))
    if as_json:
        print_json({**_json(envelope), "is_new": is_new})
    else:
        _print("Published" if is_new else "Published before, and nothing was changed", envelope)


def run_verify(place: str, *, as_json: bool) -> None:
    """Compare the journal with all that is kept at a place. Raises as `hold_against` and `signed_when`."""
    settings = enter()
    world, witness, trust = open_for_reading(settings), open_witness(place), KeyFolder(settings.keys).trust()
    said = tuple(witness.checkpoints())
    found = hold_against(world, said)
    owners = signed_when(world, said, trust)
    if as_json:
        print_json([{**_head(one.head), "where": one.where, "signed_by": owners[one.where]} for one in found])
    else:
        _print_found(found, owners, witness.place)


def run_prove(first: int, second: int | None, *, out: Path | None) -> None:
    """Write the proof. Raises ContractError for sizes that the journal has not had."""
    data = prove_consistency(open_for_reading(enter()), first, second).to_bytes()
    if out is None:
        sys.stdout.write(data.decode() + "\n")
    else:
        out.write_bytes(data)


def _print(title: str, envelope: Envelope) -> None:
    head, console = TreeHead.from_bytes(envelope.payload, where="checkpoint"), stdout()
    console.print(f"{title}: {_entries(head.size)}", style="bold")
    console.print(f"  root    {head.root}\n  last    {head.last}\n  journal {head.origin}", soft_wrap=True)
    for one in envelope.signatures:
        console.print(f"  signed  by key {one.key_id[:_SHORT]}", style="green")
    if not envelope.signatures:
        console.print("  UNSIGNED: anybody could have written this. `mrv keys init` makes a key.", style="bold red")


def _print_found(found: Sequence[Witnessed], owners: dict[str, list[str]], place: str) -> None:
    console = stdout()
    if not found:
        console.print(
            f"No checkpoint is kept at {place}. `mrv checkpoint publish` keeps one.", style="yellow", soft_wrap=True
        )
        return
    table = plain_table()
    for name in ("entries", "root", "signed by", "kept as"):
        table.add_column(name, overflow="fold")
    for one in found:
        table.add_row(f"{one.head.size:,}", one.head.root[:_SHORT], ", ".join(owners[one.where]) or "NOBODY", one.where)
    console.print(table)
    console.print(f"The journal comes to all that is kept there: {len(found)} of {len(found)}.", style="green")
    if not all(owners.values()):
        console.print("UNSIGNED checkpoints show what was published, not by whom.", style="bold red")


def _entries(size: int) -> str:
    return "1 entry" if size == 1 else f"{size:,} entries"


def _head(head: TreeHead) -> dict[str, object]:
    return {"origin": head.origin, "size": head.size, "root": head.root, "last": head.last}


def _json(envelope: Envelope) -> dict[str, object]:
    head = TreeHead.from_bytes(envelope.payload, where="checkpoint")
    return {**_head(head), "signed_by": [one.key_id for one in envelope.signatures]}
