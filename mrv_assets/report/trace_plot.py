"""The picture of a trace: which of its nodes are boxes, in which layer, and which of its edges are arrows.

Runs are left out, and edges that others imply: they would hide the way. What does not belong here: drawing
(trace_chart).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.present import Presence
from mrv_assets.pipeline.trace_graph import (
    BACKFILL,
    GENERATIONS,
    ISSUANCE,
    RETIREMENT,
    RUN,
    WORDS,
    Node,
    Role,
    Trace,
)
from mrv_assets.report.charts import png, svg
from mrv_assets.report.trace_chart import Arrow, Box, Look, trace_chart

DRAWN = {".svg": svg, ".png": png}
_DIGITS = 12
_LONGEST = 24
_LAYER: Mapping[str, int] = {
    **{asset.value: place for place, asset in enumerate(Asset, start=1)},
    ISSUANCE: len(Asset),
    RETIREMENT: len(Asset) + 1,
}
_GIVEN = (Role.PINS, Role.APPROVED_BY, Role.SILENCED_BY, Role.REINSTATED_BY)
_UPWARDS = {Asset.CERTIFICATE.value, Asset.LEDGER.value}
"""Of these there may be several, which stand above the spine; everything else stands below it."""


def trace_plot(trace: Trace, kind: str) -> bytes:
    """Draw a trace as `.svg` or `.png`; the same trace gives the same bytes."""
    shown = [node for node in trace.nodes if node.kind not in (RUN, BACKFILL)]
    broken = {one.node for one in trace.breaks}
    places = _places(trace, shown)
    boxes = [_box(node, places[node.id], is_broken=node.id in broken) for node in shown]
    number = {node.id: place for place, node in enumerate(shown)}
    return DRAWN[kind](trace_chart(boxes, tuple(_arrows(trace, number)), title=f"Trace of {trace.asked}"))


def _places(trace: Trace, shown: Sequence[Node]) -> dict[str, tuple[int, int]]:
    """Give each node a layer, left of what it was given to, and the next free row in it."""
    consumers = {edge.target: edge.source for edge in trace.edges if not edge.is_implied and edge.role in _GIVEN}
    kinds = {node.id: node.kind for node in trace.nodes}
    spine: dict[int, int] = {}
    below: dict[int, int] = {}
    places: dict[str, tuple[int, int]] = {}
    for node in sorted(shown, key=lambda one: one.kind not in GENERATIONS):
        column = _LAYER.get(node.kind)
        if column is None:
            column = _LAYER[kinds[consumers[node.id]]] - 1 if node.id in consumers else 0
        is_upwards = node.kind in GENERATIONS and (column not in spine or node.kind in _UPWARDS)
        if is_upwards or not column:
            spine[column] = spine.get(column, -1) + 1
            places[node.id] = (column, spine[column] if column else -spine[column])
        else:
            below[column] = below.get(column, 0) - 1
            places[node.id] = (column, below[column])
    return places


def _arrows(trace: Trace, number: Mapping[str, int]) -> Iterator[Arrow]:
    for edge in trace.edges:
        if edge.is_implied or edge.source not in number or edge.target not in number:
            continue
        label = "superseded by" if edge.role is Role.SUPERSEDES else ""
        yield Arrow(source=number[edge.target], target=number[edge.source], label=label)


def _box(node: Node, place: tuple[int, int], *, is_broken: bool) -> Box:
    column, row = place
    return Box(
        column=column,
        row=row,
        title=node.kind.replace("_", " "),
        lines=tuple(_shortened(line) for line in _lines(node)),
        look=_look(node, is_broken=is_broken),
    )


def _look(node: Node, *, is_broken: bool) -> Look:
    if is_broken:
        return Look.BROKEN
    if node.presence not in (None, Presence.HERE.value):
        return Look.GONE
    if node.kind in (ISSUANCE, RETIREMENT):
        return Look.REGISTRY
    if node.kind == Asset.CERTIFICATE.value:
        return Look.CERTIFICATE
    return Look.MADE if node.kind in GENERATIONS else Look.GIVEN


def _lines(node: Node) -> Iterator[str]:
    facts, digest = node.facts, (node.digest or "cannot be read")[:_DIGITS]
    if node.kind in GENERATIONS:
        yield " ".join(node.name.split()[2:3]) + f", generation {facts.get('generation', '?')}"
        if "net_tco2e" in facts:
            yield f"net {float(facts['net_tco2e']):,.1f} t CO2e"
        else:
            yield f"{facts.get('gates_passed', 'no')} gates passed"
        yield digest
    elif node.kind in (ISSUANCE, RETIREMENT):
        yield f"{int(facts['quantity']):,} credits {facts.get('ending', 'issued')}"
        yield facts.get("issued_on") or facts.get("retired_on", "")
        yield digest
    elif node.kind in WORDS:
        yield f"by {facts.get('approved_by') or facts.get('said_by', '?')}"
        yield digest
    else:
        yield node.name.rpartition("/")[2]
        yield digest if node.presence in (None, Presence.HERE.value) else f"{digest}, {node.presence}"


def _shortened(line: str) -> str:
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
