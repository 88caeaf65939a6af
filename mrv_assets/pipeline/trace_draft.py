"""A trace while it is being walked: nodes as they are found out about, edges, and what is wrong at which node.

What does not belong here: finding anything out (trace_check, trace_walk) and the finished graph (trace_graph).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import DigestMismatch, MrvError, Refusal, Tampering
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.pipeline.trace_graph import Break, Edge, Node, Role, Trace, reached_from


@dataclass(slots=True, kw_only=True)
class Draft:
    """A node while it is being found out about."""

    kind: str
    name: str
    digest: str | None = None
    facts: dict[str, str] = field(default_factory=dict)
    entries: dict[int, str] = field(default_factory=dict)
    checks: list[str] = field(default_factory=list)
    presence: str | None = None
    certificate: Certificate | None = None
    is_walked: bool = False


class Drafts:
    """Nodes and edges as they are found. `records` are the sound ones by key, `documents` digests by key."""

    def __init__(self) -> None:
        self._edges: dict[tuple[str, str, Role], None] = {}
        self._breaks: list[Break] = []
        self.nodes: dict[str, Draft] = {}
        self.records: dict[str, GenerationRecord] = {}
        self.documents: dict[str, str] = {}

    def add(
        self, id_: str, kind: str, name: str, *, digest: str | None = None, facts: dict[str, str] | None = None
    ) -> Draft:
        """Take a node that is not there yet."""
        self.nodes[id_] = draft = Draft(kind=kind, name=name, digest=digest, facts=facts or {})
        return draft

    def link(self, source: str, target: str, role: Role) -> None:
        """Take an edge, each once."""
        self._edges.setdefault((source, target, role), None)

    def note(self, id_: str, error: MrvError) -> None:
        """Take what is wrong at a node, each thing once; `id_` is empty where it is at none."""
        found = Break.of(id_, error)
        if found not in self._breaks:
            self._breaks.append(found)

    @contextmanager
    def noting(self, id_: str) -> Iterator[None]:
        """Note what is refused or tampered with, and go on behind it."""
        try:
            yield
        except (Tampering, Refusal) as error:
            self.note(id_, error)

    def reached(self, id_: str) -> set[str]:
        """Return everything that edges lead to from a node."""
        names: dict[str, list[str]] = {}
        for source, target, _ in self._edges:
            names.setdefault(source, []).append(target)
        return reached_from(names, id_)

    def graph(self, *, asked: str, starts: Sequence[str], read: int) -> Trace:
        """Return what was found."""
        place = {id_: number for number, id_ in enumerate(self.nodes)}
        return Trace(
            asked=asked,
            starts=starts,
            nodes=tuple(_node(id_, draft) for id_, draft in self.nodes.items()),
            edges=sorted(self._told_edges(), key=lambda edge: place[edge.source]),
            breaks=tuple(self._breaks),
            journal_entries=read,
        )

    def _told_edges(self) -> Iterator[Edge]:
        names: dict[str, list[str]] = {}
        for source, target, _ in self._edges:
            names.setdefault(source, []).append(target)
        above = {id_: reached_from(names, id_) for id_ in self.nodes}
        for source, target, role in self._edges:
            others = (other for other in names[source] if other != target)
            is_own = role in (Role.MADE_FROM, Role.PINS)
            is_implied = is_own and any(target in above[other] for other in others)
            yield Edge(source=source, target=target, role=role, is_implied=is_implied)


def _node(id_: str, draft: Draft) -> Node:
    return Node(
        id=id_,
        kind=draft.kind,
        name=draft.name,
        digest=draft.digest,
        facts=draft.facts,
        entries=draft.entries,
        checks=tuple(draft.checks),
        presence=draft.presence,
    )


def require_equal(where: str, what: str, expected: str, found: str) -> None:
    """Refuse what is not as it was sealed. Raises DigestMismatch naming the place."""
    if expected != found:
        raise DigestMismatch(
            f"{what} is not what was sealed",
            where=where,
            expected=expected,
            found=found,
            remedy="stop, keep the store as it is and compare the record with a replica",
        )
