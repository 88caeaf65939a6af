"""What every command does with the terminal: consoles, JSON on stdout, and refusals that can be read at a glance.

What does not belong here: what one command shows.
"""

from __future__ import annotations

import json
import os
import sys
from datetime import date
from decimal import Decimal
from pathlib import Path

from rich import box
from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from mrv_assets.domain.errors import Defect, MrvError, Refusal, Tampering, Transient

DONE, REFUSED, USAGE, DEFECT, TAMPERED, TRY_AGAIN = 0, 1, 2, 3, 70, 75
_WIDTH_OF_FILES = 100
_KINDS: tuple[tuple[type[MrvError], int, str], ...] = (
    (Transient, TRY_AGAIN, "Not now: the same command may work later"),
    (Tampering, TAMPERED, "Stop: what is stored contradicts its own record"),
    (Refusal, REFUSED, "Refused"),
    (Defect, DEFECT, "The platform is at fault"),
)


def stdout() -> Console:
    """Return the console of standard output; without a terminal it is 100 columns wide and has no control codes."""
    return _console(is_error=False)


def stderr() -> Console:
    """Return the console of standard error."""
    return _console(is_error=True)


def _console(*, is_error: bool) -> Console:
    # Texts of ours and of sources hold brackets, which must not be read as markup.
    stream = sys.stderr if is_error else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else _WIDTH_OF_FILES
    return Console(stderr=is_error, markup=False, highlight=False, emoji=False, width=width)


def print_json(document: object) -> None:
    """Print one JSON document on stdout, decimals as text and without exponent."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, default=_plain) + "\n")


def plain_table(*, title: str | None = None) -> Table:
    """Return an empty table in the one style of all commands."""
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def print_error(error: MrvError) -> int:
    """Print what is wrong, where, what was expected, what was found and what to do on stderr; return the exit code."""
    code, title = next((code, title) for kind, code, title in _KINDS if isinstance(error, kind))
    print_panel(title, parts(error))
    return code


def parts(error: MrvError) -> dict[str, str]:
    """Return what is wrong, where, what was expected, what was found and what to do, by these names."""
    return {name: getattr(error, name) for name in ("what", "where", "expected", "found", "remedy")}


def print_panel(title: str, lines: dict[str, str]) -> None:
    """Print named lines in a frame on stderr."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="bold", no_wrap=True)
    grid.add_column(overflow="fold")
    for name, text in lines.items():
        grid.add_row(name, Text(text))
    stderr().print(Panel(grid, title=Text(title, style="bold red"), title_align="left", border_style="red"))


def _plain(value: object) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form here")
