"""What a trace is: nodes, each thing once, and edges from what was made to what it was made from, with every break.

What does not belong here: walking a store (trace) and showing the graph (cli, report).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.partition import Asset

RETIREMENT, ISSUANCE, APPROVAL, RUN, BACKFILL = "retirement", "issuance", "approval", "run", "backfill"
WITHDRAWAL, REINSTATEMENT = "withdrawal", "reinstatement"
WORDS = frozenset({APPROVAL, WITHDRAWAL, REINSTATEMENT})
"""The kinds of nodes that are words of people, kept in the store."""
ASSETS = tuple(asset.value for asset in Asset)
GENERATIONS = frozenset(ASSETS)


class Role(StrEnum):
    """How one node stands to the other that it names, in words that go between the two."""

    RETIRES = "retires"
    ISSUED_ON = "issued on"
    REPORTS = "reports"
    MADE_FROM = "made from"
    PINS = "pins"
    APPROVED_BY = "approved by"
    SILENCED_BY = "silenced by"
    REINSTATED_BY = "reinstated by"
    WITHDRAWS = "withdraws"
    SUPERSEDES = "supersedes"
    WRITTEN_BY = "written by"
    STARTED_BY = "started by"


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """One thing on the way that is not what it was sealed as: at which node, and the five parts of the error."""

    node: str
    what: str
    where: str
    expected: str
    found: str
    remedy: str

    @classmethod
    def of(cls, node: str, error: MrvError) -> Break:
        """Return the break that an error tells of."""
        return cls(
            node=node,
            what=error.what,
            where=error.where,
            expected=error.expected,
            found=error.found,
            remedy=error.remedy,
        )

    def to_json(self) -> dict[str, Json]:
        """Return the break as canonical-JSON-ready values."""
        return {name: getattr(self, name) for name in ("node", "what", "where", "expected", "found", "remedy")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One thing that a figure rests on, or that tells of it.

    `id` is the key of its record or document in the store, or else kind, name and digest. `digest` is the content
    digest of a generation, the sha256 of a document, the pinned digest of an input, and None of a run and of what
    cannot be read. `facts` are texts by name. `entries` are the numbers of the journal entries that tell of it, with
    what each says became of it. `checks` say what was verified. `presence` is of inputs from outside alone.
    """

    id: str
    kind: str
    name: str
    digest: str | None = None
    facts: Mapping[str, str]
    entries: Mapping[int, str]
    checks: Sequence[str]
    presence: str | None = None

    def to_json(self) -> dict[str, Json]:
        """Return the node as canonical-JSON-ready values, digests whole."""
        return {
            "id": self.id,
            "kind": self.kind,
            "name": self.name,
            "digest": self.digest,
            "facts": dict(self.facts),
            "journal_entries": [{"number": number, "says": says} for number, says in sorted(self.entries.items())],
            "checks": list(self.checks),
            "presence": self.presence,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """`source` names `target`. It is implied when `target` is also reached over something else that `source` names."""

    source: str
    target: str
    role: Role
    is_implied: bool = False

    def to_json(self) -> dict[str, Json]:
        """Return the edge as canonical-JSON-ready values."""
        return {"from": self.source, "to": self.target, "role": self.role.value, "is_implied": self.is_implied}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """The graph above one or several starts.

    Nodes stand in the order of the walk, which goes depth first from each start and takes what a node names in the
    order of assets, last first, then of inputs as its record lists them; runs come last. Edges stand in the order of
    the nodes that they leave. So the same store gives the same trace, byte for byte.
    """

    asked: str
    starts: Sequence[str]
    nodes: Sequence[Node]
    edges: Sequence[Edge]
    breaks: Sequence[Break]
    journal_entries: int

    def node(self, id_: str) -> Node:
        """Return a node by id. Raises KeyError when there is none."""
        for node in self.nodes:
            if node.id == id_:
                return node
        raise KeyError(id_)

    def above(self, start: str) -> frozenset[str]:
        """Return everything that is reached from a node, by what is named and on."""
        names: dict[str, list[str]] = {}
        for edge in self.edges:
            names.setdefault(edge.source, []).append(edge.target)
        return frozenset(reached_from(names, start))

    def to_json(self) -> dict[str, Json]:
        """Return the whole trace as canonical-JSON-ready values."""
        return {
            "asked": self.asked,
            "is_sound": not self.breaks,
            "starts": list(self.starts),
            "nodes": [node.to_json() for node in self.nodes],
            "edges": [edge.to_json() for edge in self.edges],
            "breaks": [one.to_json() for one in self.breaks],
            "journal_entries_read": self.journal_entries,
        }


def reached_from(names: Mapping[str, Sequence[str]], start: str) -> set[str]:
    """Return everything that is named from `start`, by what it names and on."""
    reached: set[str] = set()
    pending = [start]
    while pending:
        for target in names.get(pending.pop(), ()):
            if target not in reached:
                reached.add(target)
                pending.append(target)
    return reached
