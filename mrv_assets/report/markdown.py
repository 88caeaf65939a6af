"""Tables in Markdown for pages that show a part and say where the rest is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, shown: int, rest: str) -> str:
    """Return a table of the first `shown` rows, with a line that says how many more there are and that `rest` has them.

    A bar or a line break in a cell would begin another one, so neither gets through.
    """
    return "\n".join(_lines(head, rows, shown=shown, rest=rest))


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]], *, shown: int, rest: str) -> Iterator[str]:
    yield _line(head)
    yield _line(["---"] * len(head))
    for row in rows[:shown]:
        yield _line(cell.replace("|", "\\|").replace("\n", " ") for cell in row)
    if len(rows) > shown:
        yield f"\n… and {len(rows) - shown:,} more: {rest}"


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
