"""The words and tables of `mrv factors import`, and the changelog entry that a new release asks for.

What does not belong here: making the release (factors_import).
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from mrv_assets.cli.factors_comparison import Comparison
from mrv_assets.cli.factors_comparison_text import print_comparison
from mrv_assets.cli.factors_files import Made
from mrv_assets.cli.factors_text import days_text
from mrv_assets.cli.show_text import named_lines
from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.importers.draft import Effect, Note

FILL_IN = "FILL IN"
"""What an entry says until a person has written which figures move; the tests refuse it."""

_WIDTH = 120


def print_import(
    file: Path, made: Made, comparison: Comparison | None, written: Sequence[Path], *, changelog: str
) -> None:
    """Print what the release is, holds, leaves out and changes, what was written, and what is left for a person."""
    console, release = stdout(), made.release
    console.print(f"{release.version}, {release.title}", style="bold")
    console.print(named_lines(list(_lines(file, made)), width=12))
    for effect, title in ((Effect.LEFT_OUT, "Left out"), (Effect.TAKEN, "Taken, though")):
        _print_notes(title, [note for note in made.draft.notes if note.effect is effect])
    console.print()
    if comparison is None:
        console.print(f"The first release of line {release.line}: there is nothing to compare it with.")
    else:
        names = f"{comparison.before.name} {comparison.after.name}"
        how = f"`mrv factors diff {names} --all`" if written else "--json has them"
        print_comparison(comparison, is_all=False, how=how)
    console.print()
    for path in written:
        console.print(f"Written: {path}", soft_wrap=True, style="green")
    if not written:
        console.print("Nothing was written: this is a dry run.", style="dim")
    console.print(
        f"\nTo add to {changelog}, above the other releases, and to complete:\n", style="bold", soft_wrap=True
    )
    console.print(changelog_entry(release, comparison), soft_wrap=True)


def changelog_entry(release: FactorRelease, comparison: Comparison | None) -> str:
    """Return the section of the changelog for a release, but for the reported figures that it moves."""
    what = f"supersedes {release.supersedes}" if release.supersedes else f"the first release of line {release.line}"
    paragraphs = [f"{release.title}; GWP set {release.gwp.name}. {release.reason}"]
    if comparison is not None:
        counts = {name.replace("_", " "): count for name, count in comparison.counts.items()}
        told = ", ".join(f"{counts[name]:,} {name}" for name in ("changed", "added", "removed", "unchanged"))
        paragraphs.append(f"Factors: {told}.")
    table = [
        "| reporting year | projects | before | after | why |",
        "|---|---:|---:|---:|---|",
        f"| {FILL_IN} from `mrv factors impact {release.version}`, or write: No reported figure moves. | | | | |",
    ]
    body = "\n\n".join(textwrap.fill(paragraph, _WIDTH) for paragraph in paragraphs)
    return "\n".join([f"## {release.version}, {what}", "", body, "", *table, ""])


def _lines(file: Path, made: Made) -> Iterator[tuple[str, str]]:
    release = made.release
    yield "file", file.name
    yield "line", release.line
    yield "supersedes", release.supersedes or "none: the first of its line"
    yield "published", release.published.isoformat()
    yield "GWP set", release.gwp.name
    first, last = min(row.valid_from for row in release.rows), max(row.valid_to for row in release.rows)
    yield "holds for", days_text(first, last)
    yield "taken", f"{len(release.rows):,} rows, for {len(release.by_key):,} kind(s) of activity row"
    for effect in Effect:
        if count := sum(note.count for note in made.draft.notes if note.effect is effect):
            yield {Effect.LEFT_OUT: "left out", Effect.TAKEN: "to look at"}[effect], f"{count:,}"


def _print_notes(title: str, notes: Sequence[Note]) -> None:
    if not notes:
        return
    table = plain_table(title=f"\n{title}")
    table.add_column("count", justify="right", no_wrap=True)
    table.add_column("reason", overflow="fold", ratio=1)
    for note in sorted(notes, key=lambda note: -note.count):
        table.add_row(f"{note.count:,}", note.reason)
    stdout().print(table)
