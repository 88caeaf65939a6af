"""The picture of a trace shows each thing in its layer, and what is broken or gone as such."""

from __future__ import annotations

import pytest

from mrv_assets.pipeline.trace_graph import Break, Edge, Node, Role, Trace
from mrv_assets.report.trace_plot import trace_plot


def node(kind: str, *, presence: str | None = None, **facts: str) -> Node:
    """Return a node that is named for its kind."""
    return Node(
        id=kind, kind=kind, name=f"{kind} p 2025", digest="ab" * 32, facts=facts, entries={}, checks=(),
        presence=presence,
    )  # fmt: skip


def graph(*, presence: str = "here", is_broken: bool = False) -> Trace:
    """Return a trace from an activity to its source, with a run that is not drawn."""
    found = Break(node="activity", what="w", where="x", expected="e", found="f", remedy="r")
    return Trace(
        asked="p 2025",
        starts=("activity",),
        nodes=(node("activity", generation="1", gates_passed="1 of 1"), node("source", presence=presence), node("run")),
        edges=(
            Edge(source="activity", target="source", role=Role.PINS),
            Edge(source="activity", target="run", role=Role.WRITTEN_BY),
        ),
        breaks=(found,) if is_broken else (),
        journal_entries=1,
    )


def test_the_same_trace_gives_the_same_picture() -> None:
    """Byte for byte; a run changes nothing, as it is not drawn."""
    assert trace_plot(graph(), ".svg") == trace_plot(graph(), ".svg")


@pytest.mark.parametrize(
    ("other", "colour"),
    [
        pytest.param(graph(presence="not here"), b"fff3c4", id="gone is yellow"),
        pytest.param(graph(is_broken=True), b"f9ddd8", id="broken is red"),
    ],
)
def test_what_is_not_right_has_its_colour(other: Trace, colour: bytes) -> None:
    """And a sound trace has neither colour."""
    assert colour in trace_plot(other, ".svg")
    assert colour not in trace_plot(graph(), ".svg")
