"""`mrv factors show`: one release, its head and its factors.

What does not belong here: how two releases differ (factors_diff).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.factors_text import (
    certain_lines,
    co2e_text,
    days_text,
    first_of,
    head_json,
    key_json,
    key_text,
    more,
    span_json,
)
from mrv_assets.cli.show_text import named_lines
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.factor_spans import FactorKey, FactorSpan, spans_of
from mrv_assets.domain.factors import FactorRelease

FIRST_ROWS = 20

Found: TypeAlias = Mapping[FactorKey, Sequence[FactorSpan]]


def show_release(version: str, *, activity: str | None, region: str | None, is_all: bool, as_json: bool) -> None:
    """Print a release and its factors, limited to an activity and a region where they are given.

    Raises FactorError for an unknown or malformed release, Tampering for one whose files are not the released ones.
    """
    release = open_references(enter()).factor_release(version)
    found = {
        key: spans
        for key, spans in spans_of(release).items()
        if (activity or "").casefold() in key.activity_id.casefold() and region in (None, key.region)
    }
    if as_json:
        factors = [{**key_json(key), "spans": [span_json(span) for span in spans]} for key, spans in found.items()]
        print_json({**head_json(release), "factors": factors})
        return
    console = stdout()
    console.print(f"{release.version}, {release.title}", style="bold")
    console.print(named_lines(list(_head(release)), width=12))
    if found:
        _print_factors(found, is_all=is_all)
    else:
        asked = " and ".join(name for name in (activity and f"activity {activity!r}", region) if name)
        console.print(f"\nNo factor of {release.version} is for {asked}.")


def _head(release: FactorRelease) -> Iterator[tuple[str, str]]:
    yield "line", release.line
    yield "supersedes", release.supersedes or "none: the first of its line"
    yield "published", release.published.isoformat()
    yield "GWP set", release.gwp.name
    yield "rows", f"{len(release.rows):,}, for {len(release.by_key):,} kind(s) of activity row"
    yield "digest", release.digest
    yield "reason", " ".join(release.reason.split())


def _print_factors(found: Found, *, is_all: bool) -> None:
    rows = [(key, span) for key, spans in found.items() for span in spans]
    shown = first_of(len(rows), is_all, FIRST_ROWS)
    sources = {span.source for _, span in rows}
    table = plain_table(title="\nFactors")
    table.add_column("factor", overflow="fold", ratio=1)
    table.add_column("holds for", overflow="fold")
    table.add_column("t CO2e per unit", justify="right", no_wrap=True)
    table.add_column("gases", overflow="fold")
    for key, span in rows[:shown]:
        source = f"\n{span.source}" if len(sources) > 1 else ""
        table.add_row(
            key_text(key) + source, days_text(span.first, span.last), co2e_text(span.net), certain_lines(span.gases)
        )
    stdout().print(table)
    for note in more(len(rows), shown, "--all shows them, --activity and --region choose among them"):
        stdout().print(note, style="dim")
    if len(sources) == 1:
        stdout().print(f"Source of all: {next(iter(sources))}")
