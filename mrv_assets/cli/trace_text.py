"""How a trace looks on a terminal: a tree that fits 100 columns, the runs behind it, and what was checked.

A node that stands in the tree already is named and not walked again. What does not belong here: the graph (pipeline).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from rich.text import Text
from rich.tree import Tree

from mrv_assets.cli.terminal import stdout
from mrv_assets.pipeline.present import Presence
from mrv_assets.pipeline.trace_graph import (
    APPROVAL,
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

DIGITS = 12
_ENTRIES_SHOWN = 3
_DOWNWARDS = {Role.REPORTS: "reported by", Role.SUPERSEDES: "superseded by"}


def print_trace(trace: Trace) -> None:
    """Print the whole trace. What is broken is red where it stands; what is not here any more is yellow."""
    console = stdout()
    console.print(_Drawn(trace).tree())
    for line in _runs(trace):
        console.print(line)
    console.print()
    for line in _checked(trace):
        console.print(line)


class _Drawn:
    """A trace as a tree; remembers which nodes stand in it."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._nodes = {node.id: node for node in trace.nodes}
        self._broken = {one.node for one in trace.breaks}
        self._shown: set[str] = set()

    def tree(self) -> Tree:
        """Return the tree, each start a branch."""
        root = Tree(Text(self._trace.asked, style="bold"), guide_style="dim")
        for start in self._trace.starts:
            self._grow(root, start, "", parent="")
        return root

    def _grow(self, branch: Tree, id_: str, role: str, *, parent: str) -> None:
        node = self._nodes[id_]
        if id_ in self._shown:
            branch.add(_titled(node, role).append("  see above", style="dim"))
            return
        self._shown.add(id_)
        label = _titled(node, role, is_broken=id_ in self._broken)
        for line in _lines(node):
            label.append("\n").append_text(line)
        grown = branch.add(label)
        for other, how in self._children(id_):
            if other != parent:
                self._grow(grown, other, how, parent=id_)

    def _children(self, id_: str) -> Iterator[tuple[str, str]]:
        """Yield what hangs below a node: what reports or supersedes it first, as that ends soon."""
        for edge in self._trace.edges:
            if edge.target == id_ and edge.role in _DOWNWARDS and edge.source not in self._shown:
                yield edge.source, _DOWNWARDS[edge.role]
        for edge in self._trace.edges:
            is_told_apart = edge.role in (Role.WRITTEN_BY, Role.STARTED_BY)
            if edge.source == id_ and not is_told_apart and not edge.is_implied:
                yield edge.target, edge.role.value


def _titled(node: Node, role: str, *, is_broken: bool = False) -> Text:
    text = Text(f"{role} " if role else "", style="dim")
    text.append(_title(node), style="bold red" if is_broken else "bold")
    if is_broken:
        text.append("  BROKEN", style="bold red")
    if node.presence is not None and node.presence != Presence.HERE.value:
        text.append(f"  {node.presence}", style="yellow")
    return text


def _title(node: Node) -> str:
    if node.kind in GENERATIONS:
        generation = node.facts.get("generation")
        return f"{node.name}, generation {generation}" if generation else node.name
    if node.kind in (RETIREMENT, ISSUANCE):
        return f"{node.facts.get('ending', node.kind)}: {int(node.facts['quantity']):,} credits"
    if node.kind == APPROVAL:
        return f"approval by {node.facts.get('approved_by', 'nobody who can be read')}"
    if node.kind in WORDS:
        return f"{node.kind} by {node.facts.get('said_by', 'nobody who can be read')}"
    return f"{node.kind.replace('_', ' ')} {node.name}"


def _lines(node: Node) -> Iterator[Text]:
    for line in (*_own_lines(node), *_entry_lines(node)):
        yield Text(line, style="yellow" if line.startswith("no journal entry") else "dim")


def _own_lines(node: Node) -> Iterator[str]:
    facts = node.facts
    if node.kind in GENERATIONS:
        yield from _generation_lines(node)
    elif node.kind in (RETIREMENT, ISSUANCE):
        yield node.name
        yield f"record {_short(node.digest)} (#{facts['number']}), {facts['written_utc']}"
        if node.kind == ISSUANCE:
            yield f"issued {facts['issued_on']}, {facts['rule_set']}, vintage {facts['vintage']}"
        else:
            behalf = f" for {facts['beneficiary']}" if "beneficiary" in facts else ""
            yield f"{facts['retired_on']}{behalf}: {facts['reason']}"
    elif node.kind in WORDS:
        yield f"sha256 {_short(node.digest)}, {facts.get('written_utc', '')}: {facts.get('reason', '')}"
    else:
        yield f"sha256 {_short(node.digest)}"
        yield from _input_lines(facts)


def _generation_lines(node: Node) -> Iterator[str]:
    facts = node.facts
    if node.digest is None:
        return
    if "net_tco2e" in facts:
        yield f"net {facts['net_tco2e']} t CO2e"
    yield f"content {_short(node.digest)}  record {_short(facts['record_sha256'])}"
    yield f"code {_short(facts.get('code'))}  {facts['gates_passed']} gates passed, {facts['rows']} rows"
    yield f"run {facts['run_id']}, {facts['written_utc']}"


def _input_lines(facts: Mapping[str, str]) -> Iterator[str]:
    for prefix in ("source_", "source_stac_"):
        if f"{prefix}uri" in facts:
            yield f"{facts[f'{prefix}uri']}"
    if "source_version" in facts:
        yield f"version {facts['source_version']}, {facts.get('source_size', '?')} bytes"
    if "source_stac_id" in facts:
        yield f"item {facts['source_stac_id']}"
    if "digest_here" in facts:
        yield f"here is {_short(facts['digest_here'])} now"
    if "why" in facts:
        yield facts["why"]


def _entry_lines(node: Node) -> Iterator[str]:
    if node.kind not in GENERATIONS and node.kind not in (RETIREMENT, ISSUANCE, *WORDS):
        return
    told = [f"{number} ({says})" for number, says in sorted(node.entries.items())]
    more = f" and {len(told) - _ENTRIES_SHOWN} more" if len(told) > _ENTRIES_SHOWN else ""
    if told:
        yield f"journal {', '.join(told[:_ENTRIES_SHOWN])}{more}"
    elif node.digest is not None:
        yield "no journal entry tells of it"


def _runs(trace: Trace) -> Iterator[Text]:
    started = {edge.source: edge.target for edge in trace.edges if edge.role is Role.STARTED_BY}
    written = Counter(edge.target for edge in trace.edges if edge.role is Role.WRITTEN_BY)
    for node in trace.nodes:
        if node.kind not in (RUN, BACKFILL):
            continue
        entries = ", ".join(str(number) for number in sorted(node.entries))
        line = Text(f"{node.kind} {node.name}", style="bold")
        line.append(f": wrote {written[node.id]}" if written[node.id] else ": wrote nothing of these")
        if node.kind == RUN:
            line.append(f", journal {entries}" if entries else ", no entry of its own")
        line.append(f", started by {started[node.id]}" if node.id in started else "")
        yield line


def _checked(trace: Trace) -> Iterator[Text]:
    counted = Counter(check for node in trace.nodes for check in node.checks)
    yield Text("Checked", style="bold")
    for check, count in counted.items():
        yield Text(f"  {check} ({count}×)", style="green")
    yield Text(f"  {trace.journal_entries:,} journal entries, each naming the one before it", style="green")
    yield Text("  a table stands here by the sha256 of its stored bytes; its rows were not read", style="dim")
    absent = [node for node in trace.nodes if node.presence not in (None, Presence.HERE.value)]
    if absent:
        yield Text(f"{len(absent)} pinned input(s) are not here any more with their digest", style="yellow")
    if trace.breaks:
        yield Text(f"{len(trace.breaks)} break(s): see below, and `mrv doctor`", style="bold red")


def _short(digest: str | None) -> str:
    return (digest or "?")[:DIGITS]
