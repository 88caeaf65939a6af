"""How a re-performance looks: a line for each asset, the figure, what is other here, and rows that differ.

What does not belong here: making and comparing (pipeline).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from rich.table import Table
from rich.text import Text

from mrv_assets.cli.terminal import DONE, REFUSED, TAMPERED, plain_table, stdout
from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.table_difference import TableDifference
from mrv_assets.pipeline.compared import Compared, State
from mrv_assets.pipeline.reperform import Reperformed, Verdict

CODES: Mapping[Verdict, int] = {Verdict.SAME: DONE, Verdict.DIFFERS: TAMPERED, Verdict.ELSEWHERE: REFUSED}
"""The exit code of each verdict."""

_SAID: Mapping[Verdict, str] = {
    Verdict.SAME: "The same figure: everything that was made again is equal.",
    Verdict.DIFFERS: "Stop: what was made again is not what the certificate seals.",
    Verdict.ELSEWHERE: "Not comparable here: it differs, and so does something that the certificate pins.",
}
_STYLES = {State.EQUAL: "green", State.DIFFERS: "bold red", State.NOT_RECOMPUTED: "yellow"}
_FIRST = 10
_DIGITS = 12


def reperformed_json(found: Reperformed) -> dict[str, object]:
    """Return the whole re-performance as JSON-ready values."""
    sealed = found.prepared.sealed.certificate
    return {
        "verdict": found.verdict.value,
        "certificate": sealed.sha256,
        "partition": str(sealed.key),
        "totals": {"sealed": _totals(sealed.totals), "recomputed": _totals(found.totals)},
        "inputs": [{**asdict(pin.ref), "here": pin.found, "because": pin.because} for pin in found.prepared.pins],
        "assets": [asdict(one) for one in found.assets],
    }


def print_reperformed(found: Reperformed) -> None:
    """Print it on standard output."""
    sealed, out = found.prepared.sealed.certificate, stdout()
    out.print(Text(f"Certificate {sealed.sha256} of {sealed.key}", style="bold"), soft_wrap=True)
    out.print(_table(found.assets))
    out.print(_figure(sealed.totals, found.totals))
    for one in found.assets:
        _print_asset(one)
    _print_pins(found)
    out.print(Text(_SAID[found.verdict], style="bold green" if found.verdict is Verdict.SAME else "bold red"))


def _table(assets: Iterable[Compared]) -> Table:
    table = plain_table()
    for name in ("asset", "rows", "sealed", "recomputed", ""):
        table.add_column(name, justify="right" if name == "rows" else "left", no_wrap=True)
    for one in assets:
        recomputed = one.recomputed[:_DIGITS] if one.recomputed else "—"
        state = Text(one.state.value, style=_STYLES[one.state])
        table.add_row(one.asset.value, f"{one.rows:,}", one.sealed[:_DIGITS], recomputed, state)
    return table


def _figure(sealed: Totals, recomputed: Totals | None) -> Table:
    table = plain_table()
    for name in ("t CO2e", "sealed", "recomputed"):
        table.add_column(name, justify="left" if name == "t CO2e" else "right", no_wrap=True)
    made = _totals(recomputed) or {}
    for name, text in (_totals(sealed) or {}).items():
        table.add_row(name.removesuffix("_tco2e"), str(text), str(made.get(name, "—")))
    return table


def _print_asset(one: Compared) -> None:
    out, name = stdout(), one.asset.value
    for text in (one.note, f"stored bytes: {one.stored}" if one.stored else ""):
        if text:
            out.print(f"{name}: {text}", soft_wrap=True)
    _print_some(f"{name} states otherwise", [str(leaf) for leaf in one.leaves])
    if one.difference is not None:
        _print_difference(name, one.difference)


def _print_difference(name: str, found: TableDifference) -> None:
    counts = f"{found.changed_rows:,} rows differ, {found.missing_rows:,} missing, {found.added_rows:,} added"
    tonnes = "" if found.tonnes is None else f"; net {found.tonnes:+f} t CO2e"
    stdout().print(Text(f"{name}: {counts}{tonnes}", style="bold"))
    rows = [str(cell) for cell in found.cells]
    rows += [f"{' / '.join(key)}: sealed, and not recomputed" for key in found.missing]
    rows += [f"{' / '.join(key)}: recomputed, and not sealed" for key in found.added]
    rows += [f"{what} {leaf}" for what, leaves in (("column", found.columns), ("table", found.said)) for leaf in leaves]
    for row in rows:
        stdout().print(f"  {row}", soft_wrap=True)


def _print_pins(found: Reperformed) -> None:
    lacking = [str(pin) for pin in found.prepared.pins if not pin.is_here]
    _print_some("not here as it was pinned", lacking)
    pins = [f"{one.asset} {leaf}" for one in found.assets for leaf in one.pins]
    _print_some("made with other code or libraries", pins)


def _print_some(title: str, lines: Sequence[str]) -> None:
    if lines:
        stdout().print(f"{title}:", soft_wrap=True)
    for line in lines[:_FIRST]:
        stdout().print(f"  {line}", soft_wrap=True)
    if len(lines) > _FIRST:
        stdout().print(f"  and {len(lines) - _FIRST} more")


def _totals(totals: Totals | None) -> dict[str, object] | None:
    return None if totals is None else {**totals.tonnes, "activity_rows": totals.activity_rows}
