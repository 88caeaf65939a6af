"""Everything upstream of a figure, a certificate, a credit or a retirement, each thing once and checked on the way.

Checked are: every record (canonical, sealed, in its place, its history unbroken, gates passed, the one that the journal
tells of), every stored content by the sha256 of its bytes, every certificate and figure against each other, approvals,
registry records and the chain of the journal. A table is not read row by row: the digest of its bytes stands for it.
Reads only. What does not belong here: where a trace starts (trace_start) and how it looks (cli, report).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from mrv_assets.domain.errors import BrokenChain, GateError
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_book import Book
from mrv_assets.domain.registry_record import RegistryRecord
from mrv_assets.pipeline.trace_facts import registry_facts
from mrv_assets.pipeline.trace_graph import ISSUANCE, RETIREMENT, RUN, Role, Trace
from mrv_assets.pipeline.trace_start import Start, find_start
from mrv_assets.pipeline.trace_told import Progress, Told, listen
from mrv_assets.pipeline.trace_walk import Walk
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import entry_key
from mrv_assets.storage.registry_records import registry_key


def trace(world: World, what: str, *, progress: Progress | None = None) -> Trace:
    """Return the graph above what `what` names, by `find_start`.

    What is not as it was sealed is a break of the trace and not an error: the rest is walked as far as it is sound.
    Raises as `find_start`, and StoreUnavailable when the store does not answer.
    """
    start = find_start(world, what)
    walk = Walk(world)
    begun = [_registry_record(walk, start, record) for record in start.records]
    begun += [walk.generation(slot, number) for slot, number in start.generations]
    _require_claims(walk, start.registry)
    told = listen(world.journal, records=walk.drafts.records, documents=walk.drafts.documents, progress=progress)
    _add_told(walk, told)
    return walk.drafts.graph(asked=start.asked, starts=_tops(walk, begun), read=told.read)


def _registry_record(walk: Walk, start: Start, record: RegistryRecord) -> str:
    """Walk from a registry record: a retirement to the issuances of its credits, an issuance to its certificate."""
    key, entry = registry_key(record.number), record.entry
    if key in walk.drafts.nodes:
        return key
    kind = ISSUANCE if isinstance(entry, Issuance) else RETIREMENT
    draft = walk.drafts.add(key, kind, str(entry.block), digest=record.sha256, facts=registry_facts(record))
    draft.checks.append("record is one of an unbroken chain")
    walk.drafts.documents[key] = record.sha256
    if isinstance(entry, Issuance):
        _issued_on(walk, key, entry)
    else:
        for other in start.registry:
            if isinstance(other.entry, Issuance) and other.entry.block.overlaps(entry.block):
                walk.drafts.link(key, _registry_record(walk, start, other), Role.RETIRES)
    return key


def _issued_on(walk: Walk, key: str, entry: Issuance) -> None:
    with walk.drafts.noting(key):
        record = walk.certificates(entry.project_id, entry.period).get(entry.certificate_sha256)
        if record is None:
            raise BrokenChain(
                "issuance rests on a certificate that is not there",
                where=key,
                expected=f"certificate {entry.certificate_sha256} of {entry.project_id} {entry.period}",
                found="none",
                remedy="do not rely on it; compare it with the registry and with the certificate that was handed out",
            )
        walk.drafts.link(key, walk.generation(record.slot, record.generation), Role.ISSUED_ON)


def _require_claims(walk: Walk, registry: Sequence[RegistryRecord]) -> None:
    """Note each record on the way that may not be said beside those before it."""
    book = Book()
    for record in registry:
        key = registry_key(record.number)
        try:
            book.add(record.entry)
        except GateError as error:
            if key in walk.drafts.nodes:
                walk.drafts.note(key, error)
        else:
            if key in walk.drafts.nodes:
                walk.drafts.nodes[key].checks.append("no credit of it is claimed twice")


def _add_told(walk: Walk, told: Told) -> None:
    """Add what the journal tells, the runs behind every generation, and what started them."""
    for key, draft in walk.drafts.nodes.items():
        draft.entries = dict(told.of_key.get(key, {}))
        is_told = bool(draft.entries) and key not in {other for other, _ in told.contradicted}
        draft.checks += ["it is the one that the journal tells of"] if is_told else []
    for key, error in told.contradicted:
        walk.drafts.note(key, error)
    for key, number in told.gone.items():
        # A generation that is there and not on the way is of no concern; asked now, as the journal comes after it.
        if key not in walk.drafts.nodes and walk.store.head(key) is None:
            walk.drafts.note("", _gone(key, number))
    if told.broken is not None:
        walk.drafts.note("", told.broken)
    for key, record in walk.drafts.records.items():
        walk.drafts.link(key, _run(walk, told, RUN, record.run_id), Role.WRITTEN_BY)


def _gone(key: str, number: int) -> BrokenChain:
    return BrokenChain(
        "generation that the journal tells of is gone",
        where=key,
        expected=f"a record, as {entry_key(number)} tells",
        found="no object",
        remedy="stop, keep the store as it is and restore the record from a replica",
    )


def _run(walk: Walk, told: Told, kind: str, id_: str) -> str:
    key = f"{kind} {id_}"
    if key not in walk.drafts.nodes:
        draft = walk.drafts.add(key, kind, id_)
        if kind == RUN:
            draft.entries = dict.fromkeys(told.of_run.get(id_, ()), "entry of the run")
            parent = told.parents.get(id_)
            if parent is not None:
                walk.drafts.link(key, _run(walk, told, parent.kind.value, parent.id), Role.STARTED_BY)
    return key


def _tops(walk: Walk, begun: Sequence[str]) -> tuple[str, ...]:
    """Return the starts that no other start reaches, each once."""
    below = {id_: walk.drafts.reached(id_) for id_ in begun}
    named = set(chain.from_iterable(reached - {id_} for id_, reached in below.items()))
    return tuple(dict.fromkeys(id_ for id_ in begun if id_ not in named)) or tuple(begun[:1])
