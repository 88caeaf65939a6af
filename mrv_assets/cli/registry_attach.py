"""`mrv registry attach`: read the file, check all of it, record what is new, and tell what became of each entry."""

from __future__ import annotations

import getpass
from collections.abc import Sequence
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading, open_for_writing
from mrv_assets.cli.registry_text import kind, told
from mrv_assets.cli.terminal import DONE, plain_table, print_json, stdout
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_file import parse_registry_file
from mrv_assets.domain.registry_record import entry_json
from mrv_assets.pipeline.certificates import taken_back
from mrv_assets.pipeline.registry import Attached, attach
from mrv_assets.pipeline.world import World
from mrv_assets.storage.registry_records import registry_key


def run_attach(file: Path, *, is_dry_run: bool, as_json: bool) -> int:
    """Attach what the file says and print it; return the exit code. Raises as `parse_registry_file` and `attach`."""
    stated = parse_registry_file(_read(file), where=file.name)
    settings = enter()
    world = open_for_reading(settings) if is_dry_run else open_for_writing(settings)
    found = attach(world, stated, recorded_by=getpass.getuser(), is_dry_run=is_dry_run)
    if as_json:
        entries = [{**_json(one), "figure_withdrawn": _taken_back(world, one)} for one in found]
        print_json({"is_dry_run": is_dry_run, "entries": entries})
    else:
        _print(found, is_dry_run=is_dry_run)
        for one in found:
            why = _taken_back(world, one)
            if why is not None:
                stdout().print(f"{one.entry.block} rests on a figure that was {why}", style="bold yellow")
    return DONE


def _taken_back(world: World, one: Attached) -> str | None:
    """Say by whom and why the figure was withdrawn that credits were issued on, None while it was not."""
    entry = one.entry
    if not isinstance(entry, Issuance):
        return None
    return taken_back(world.slots, entry.project_id, entry.period, entry.certificate_sha256)


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ContractError(
            "registry file cannot be read",
            where=str(file),
            expected="a TOML or JSON file",
            found=error.strerror or str(error),
            remedy="correct the path",
        ) from error


def _outcome(one: Attached) -> str:
    if one.is_skipped:
        return "skipped"
    return "planned" if one.record is None else "committed"


def _json(one: Attached) -> dict[str, object]:
    number = one.record.number if one.record else None
    return {
        "outcome": _outcome(one),
        "kind": kind(one.entry),
        "number": number,
        "key": registry_key(number) if number else None,
        "sha256": one.record.sha256 if one.record else None,
        "differs": list(one.differs),
        **entry_json(one.entry),
    }


def _print(found: Sequence[Attached], *, is_dry_run: bool) -> None:
    table = plain_table()
    for name in ("", "what", "serial, and what is said of it"):
        table.add_column(name, overflow="fold")
    table.add_column("credits", justify="right", no_wrap=True)
    for one in found:
        lines = [str(one.entry.block), told(one.entry), *(f"stands as it was: {text}" for text in one.differs)]
        table.add_row(_outcome(one), kind(one.entry), "\n".join(lines), f"{one.entry.block.count:,}")
    stdout().print(table)
    if is_dry_run:
        stdout().print("Nothing was recorded; without --dry-run it is.", style="bold")
