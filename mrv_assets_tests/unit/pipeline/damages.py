"""Every way to damage the small store, and the breaches that a check must find then: those and no others."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from mrv_assets.domain.approval import APPROVAL_ABOVE, Approval, Certified, Proposal
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.checkpoint import Checkpoint
from mrv_assets.domain.contract import LEDGER as LEDGER_CONTRACT
from mrv_assets.domain.digest import canonical_json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import StoreUnavailable
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import LineageEvent
from mrv_assets.domain.merkle import Frontier, leaf_hash
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.registry import Entry, Issuance
from mrv_assets.domain.registry_block import RegistryBlock
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.pipeline.withdrawing import withdraw
from mrv_assets.stages.submit import ledger_row
from mrv_assets.storage.approvals import approval_key
from mrv_assets.storage.blobs import PARQUET, blob_key, blob_ref
from mrv_assets.storage.breach import BreachKind as B
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.journal import CHECKPOINT, entry_key
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.published import publish, published_key
from mrv_assets.storage.registry_records import registry_key
from mrv_assets.storage.seals import seal_key
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.slots import Draft
from mrv_assets.storage.withdrawals import key_of
from mrv_assets_tests.registered import block, issuance, recorded, retirement
from mrv_assets_tests.signing import FIRST, signed_by
from mrv_assets_tests.unit.pipeline.small_store import (
    ANOKA,
    CARVER,
    LEDGER,
    PASSED,
    RESTATED,
    age,
    path_of,
    record,
    run_until,
    upstream_of,
    world_at,
    world_over,
)
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


@dataclass(frozen=True, slots=True, kw_only=True)
class Damage:
    """One damage by name, and the kinds it is found as, one for each breach."""

    name: str
    make: Callable[[Path], object]
    found: tuple[B, ...]


def flip(path: Path, *, at: bytes | None = None) -> None:
    """Change one bit: in the middle, or of the last byte of `at`."""
    data = bytearray(path.read_bytes())
    index = data.index(at) + len(at) - 1 if at else len(data) // 2
    data[index] ^= 1
    path.write_bytes(data)


def rewrite(path: Path, **changed: object) -> None:
    """Change fields of a document and seal it anew, as somebody who knows the format would."""
    document: dict[str, Any] = json.loads(path.read_bytes()) | changed
    is_sealed = document.pop("self_sha256", None) is not None
    path.write_bytes(self_sealed_json(document) if is_sealed else canonical_json(document))


def swap(one: Path, other: Path) -> None:
    """Exchange two files."""
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)


def copy(source: Path, target: Path) -> None:
    """Put a copy of a file elsewhere."""
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def blob(root: Path, asset: Asset, *, key: PartitionKey = ANOKA, generation: int = 1) -> Path:
    """Return the file of a content."""
    return root / blob_key(record(root, asset, key=key, generation=generation).blob)


def put(path: Path, data: bytes = b"foreign") -> Path:
    """Write a file of somebody else."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def other_content(root: Path) -> None:
    """Let the newest ledger record of anoka seal a blob that says something else, in valid form and unjournaled."""
    path = path_of(root, Asset.LEDGER, generation=2)
    table = read_parquet(blob(root, Asset.LEDGER).read_bytes())
    data = to_parquet(table)
    ref = blob_ref(data, PARQUET)
    put(root / blob_key(ref), data)
    rewrite(path, blob={"sha256": ref.sha256, "size": ref.size, "media_type": ref.media_type})


def forged_figure(root: Path) -> None:
    """Commit a ledger generation whose figure is sound in itself and is not the certified one."""
    current = record(root, Asset.LEDGER, generation=2)
    row = read_parquet(blob(root, Asset.LEDGER, generation=2).read_bytes()).to_pylist()[0]
    commit_ledger(root, [row | {"emissions_tco2e": 1, "net_tco2e": 1}], current)


def commit_ledger(root: Path, rows: list[dict[str, Any]], like: GenerationRecord, *, is_new: bool = False) -> None:
    """Commit, publish and remember a ledger table past all gates."""
    world = world_at(root)
    table = pa.Table.from_pylist(rows, schema=LEDGER_CONTRACT.schema)
    draft = Draft(
        slot=like.slot,
        content=to_parquet(table),
        media_type=PARQUET,
        content_digest=LEDGER_CONTRACT.digest(table),
        rows=1,
        inputs_digest=like.inputs_digest,
        inputs=like.inputs,
        upstream=like.upstream,
        pins=like.pins,
        evidence=like.evidence,
        gates=(PASSED,),
        reason="past the gates",
        run_id="forger",
        expected=None if is_new else world.slots.current(like.slot),
    )
    kept = world.slots.commit(draft).record
    publish(world.store, kept.slot, draft.content)
    world.journal.append("forger", [LineageEvent.of_commit(kept, factor_version=like.pins["factor_version"])])


def unapproved(root: Path) -> None:
    """Report the first figure of anoka again, of a project that lets nothing so large through, without an approval."""
    first = record(root, Asset.LEDGER)
    rows = read_parquet(blob(root, Asset.LEDGER).read_bytes()).to_pylist()
    commit_ledger(root, rows, replace(first, pins={**first.pins, APPROVAL_ABOVE: "0.05"}))


def silenced(root: Path) -> Path:
    """Take the figure of anoka back, and return the file of the word."""
    done = withdraw(world_at(root), "anoka", "2021", by="R. Reviewer", reason="a doubt")
    return root / key_of(done.withdrawal)


def half_silenced(root: Path) -> None:
    """Let the command that takes the figure of anoka back die between the word and the ledger."""
    store = FaultyStore(PosixStore(root))
    store.refuse("put_if_absent", prefix="commits/ledger/", times=99)
    with suppress(StoreUnavailable):
        withdraw(world_over(store), "anoka", "2021", by="R. Reviewer", reason="a doubt")


def returned(root: Path) -> None:
    """Report a figure that was withdrawn again past the gates, by nobody's word."""
    silenced(root)
    rows = read_parquet(blob(root, Asset.LEDGER, generation=2).read_bytes()).to_pylist()
    commit_ledger(root, rows, record(root, Asset.LEDGER, generation=2))


def overlapping(root: Path) -> None:
    """Report the first quarter beside the year that holds it."""
    key = PartitionKey(project_id="anoka", period="2021-Q1", factor_version=ANOKA.factor_version)
    sealing = run_until(world_at(root), key, Asset.CERTIFICATE)
    data = world_at(root).slots.load_bytes(sealing)
    [row] = ledger_row(Certificate.from_bytes(data, where="quarter")).table.to_pylist()
    like = replace(record(root, Asset.LEDGER), slot=Slot.of(Asset.LEDGER, key), upstream=upstream_of(sealing))
    commit_ledger(root, [row], like, is_new=True)


def red_gate(root: Path) -> None:
    """Turn a gate of the only aggregated generation red, in canonical form."""
    path = path_of(root, Asset.AGGREGATED)
    gates = json.loads(path.read_bytes())["gates"]
    rewrite(path, gates=[{**gates[0], "passed": False}, *gates[1:]])


def unjournaled(root: Path) -> None:
    """Let the last run have died before its journal entry."""
    (root / entry_key(3)).unlink()
    (root / CHECKPOINT).unlink()
    world_at(root).journal.catch_up()


def ahead(root: Path) -> None:
    """Let the checkpoint count nine entries."""
    known = Checkpoint.from_bytes((root / CHECKPOINT).read_bytes(), where=CHECKPOINT)
    frontier = known.frontier
    while frontier.size < 9:
        frontier = frontier.grown(leaf_hash(b"not there"))
    (root / CHECKPOINT).write_bytes(replace(known, frontier=frontier).to_bytes())


def other_tree(root: Path) -> None:
    """Let the checkpoint name the last entry and the tree of other ones."""
    known = Checkpoint.from_bytes((root / CHECKPOINT).read_bytes(), where=CHECKPOINT)
    nodes = tuple(bytes(reversed(node)) for node in known.frontier.nodes)
    other = replace(known, frontier=Frontier(size=known.size, nodes=nodes))
    (root / CHECKPOINT).write_bytes(other.to_bytes())


def untold_approval(root: Path, *, reason: str = "the utility corrected its meter") -> Path:
    """Keep an approval and do not tell the journal."""
    figure = Certified(
        factor_version=ANOKA.factor_version,
        certificate_sha256="0" * 64,
        tonnes=Tonnes(emissions=Decimal(1), removals=Decimal(0)),
    )
    proposal = Proposal(
        project_id="anoka",
        period="2021",
        generation=2,
        old=figure,
        agreed=figure,
        new=replace(figure, certificate_sha256="1" * 64),
        materiality=Decimal("0.05"),
    )
    approval = Approval.of(
        proposal, causes=(), reason=reason, by="R. Reviewer", approved_utc="2026-01-01T00:00:00Z", write_id=reason
    )
    return put(root / approval_key(proposal), approval.to_bytes())


def told_approval(root: Path) -> Path:
    """Keep an approval and tell the journal."""
    path = untold_approval(root)
    told = kept_document(path.relative_to(root).as_posix(), path.read_bytes())
    world_at(root).journal.append("approval", [], documents=[told])
    return path


def foreign_seal(root: Path) -> None:
    """Sign a statement that no generation keeps."""
    envelope = signed_by(FIRST)
    key = seal_key(sha256_hex(envelope.payload), envelope.signatures[0].key_id)
    put(root / key, envelope.to_bytes())
    world_at(root).journal.append("forger", [], documents=[kept_document(key, envelope.to_bytes())])


def approval_gone(root: Path) -> None:
    """Remove an approval that the journal tells of."""
    told_approval(root).unlink()


def approval_anew(root: Path) -> None:
    """Put a sound approval in the place of the one that the journal tells of."""
    told_approval(root).unlink()
    untold_approval(root, reason="a nicer one")


def register(root: Path, *entries: Entry, number: int = 1) -> None:
    """Write registry records past the checks, numbered, chained and told to the journal."""
    prev, documents = None, []
    for place, entry in enumerate(entries, start=number):
        record_ = recorded(entry, number=place, prev=prev)
        put(root / registry_key(place), record_.to_bytes())
        documents.append(kept_document(registry_key(place), record_.to_bytes()))
        prev = record_.sha256
    world_at(root).journal.append("register", [], documents=documents)


def on_anoka(root: Path, of: RegistryBlock) -> Issuance:
    """Return an issuance on the reported certificate of anoka, which no rule set has assessed."""
    certificate = record(root, Asset.CERTIFICATE, key=RESTATED).content_digest
    vintage = (date(2021, 1, 1), date(2021, 12, 31))
    return issuance(of, certificate=certificate, project_id="anoka", period="2021", vintage=vintage)


def old_temporary(root: Path) -> None:
    """Leave the temporary file of a writer that died eight days ago."""
    age(put(root / "blobs" / "ab" / ".tmp-0123456789abcdef"), days=8)


COMMITS_OF_A_BUMP = 4
"""factored, aggregated, certificate and ledger."""

DAMAGES = (
    Damage(name="bit in a blob", make=lambda r: flip(blob(r, Asset.NORMALIZED)), found=(B.BLOB_ALTERED,)),
    Damage(name="bit in a certificate", make=lambda r: flip(blob(r, Asset.CERTIFICATE)), found=(B.BLOB_ALTERED,)),
    Damage(
        name="bit in a record, no JSON any more",
        make=lambda r: flip(path_of(r, Asset.ACTIVITY), at=b'"blob":'),
        found=(B.RECORD_UNREADABLE,),
    ),
    Damage(
        name="bit in the reason of the newest record",
        make=lambda r: flip(path_of(r, Asset.LEDGER, generation=2), at=b'"reason":"c'),
        found=(B.RECORD_UNREADABLE,),
    ),
    Damage(
        name="newest record written anew",
        make=lambda r: rewrite(path_of(r, Asset.LEDGER, generation=2), reason="a nicer one"),
        found=(B.RECORD_ALTERED,),
    ),
    Damage(
        name="record that another follows written anew",
        make=lambda r: rewrite(path_of(r, Asset.LEDGER), reason="a nicer one"),
        found=(B.CHAIN_BROKEN, B.RECORD_ALTERED),
    ),
    Damage(
        name="space in a record",
        make=lambda r: put(path_of(r, Asset.ACTIVITY), path_of(r, Asset.ACTIVITY).read_bytes() + b" "),
        found=(B.RECORD_UNREADABLE,),
    ),
    Damage(name="bit in an entry", make=lambda r: flip(r / entry_key(2)), found=(B.ENTRY_UNREADABLE,)),
    Damage(
        name="entry in the middle written anew",
        make=lambda r: rewrite(r / entry_key(2), run_id="nobody"),
        found=(B.JOURNAL_BROKEN,),
    ),
    Damage(
        name="last entry written anew",
        make=lambda r: rewrite(r / entry_key(3), run_id="nobody"),
        found=(B.CHECKPOINT_CONTRADICTS,),
    ),
    Damage(
        name="bit in the checkpoint, no JSON",
        make=lambda r: flip(r / CHECKPOINT, at=b'"size":'),
        found=(B.CHECKPOINT_UNREADABLE,),
    ),
    Damage(name="red gate", make=red_gate, found=(B.RECORD_ALTERED, B.RECORD_UNJUDGED)),
    Damage(
        name="no gates",
        make=lambda r: rewrite(path_of(r, Asset.AGGREGATED), gates=[]),
        found=(B.RECORD_ALTERED, B.RECORD_UNJUDGED),
    ),
    Damage(name="blob gone", make=lambda r: blob(r, Asset.ACTIVITY).unlink(), found=(B.BLOB_MISSING,)),
    Damage(name="blob cut short", make=lambda r: blob(r, Asset.FACTORED).write_bytes(b"PAR1"), found=(B.BLOB_ALTERED,)),
    Damage(
        name="first record of two gone",
        make=lambda r: path_of(r, Asset.LEDGER).unlink(),
        found=(B.EVENT_WITHOUT_RECORD, B.GENERATION_MISSING),
    ),
    Damage(
        name="newest record gone",
        make=lambda r: path_of(r, Asset.LEDGER, generation=2).unlink(),
        found=(B.EVENT_WITHOUT_RECORD, B.VIEW_STALE),
    ),
    Damage(
        name="only record gone",
        make=lambda r: path_of(r, Asset.ACTIVITY, key=CARVER).unlink(),
        found=(B.EVENT_WITHOUT_RECORD, B.UPSTREAM_MISSING, B.UPSTREAM_MISSING),
    ),
    Damage(
        name="records of two generations swapped",
        make=lambda r: swap(path_of(r, Asset.LEDGER), path_of(r, Asset.LEDGER, generation=2)),
        found=(B.RECORD_MISPLACED, B.RECORD_MISPLACED),
    ),
    Damage(
        name="records of two projects swapped",
        make=lambda r: swap(path_of(r, Asset.NORMALIZED), path_of(r, Asset.NORMALIZED, key=CARVER)),
        found=(B.RECORD_MISPLACED, B.RECORD_MISPLACED),
    ),
    Damage(
        name="record copied to another slot",
        make=lambda r: copy(
            path_of(r, Asset.ACTIVITY), r / record_key(Slot.of(Asset.ACTIVITY, replace(ANOKA, period="2020")), 1)
        ),
        found=(B.RECORD_MISPLACED,),
    ),
    Damage(
        name="record copied far ahead",
        make=lambda r: copy(
            path_of(r, Asset.ACTIVITY), r / record_key(Slot.of(Asset.ACTIVITY, ANOKA), 999_999_999_999)
        ),
        found=(B.GENERATION_MISSING, B.RECORD_MISPLACED),
    ),
    Damage(
        name="figure copied far ahead",
        make=lambda r: copy(path_of(r, Asset.LEDGER), r / record_key(LEDGER, 999_999_999_999)),
        found=(B.GENERATION_MISSING, B.RECORD_MISPLACED),
    ),
    Damage(
        name="record that seals another content",
        make=other_content,
        found=(B.CONTENT_MISMATCH, B.RECORD_ALTERED, B.VIEW_STALE),
    ),
    Damage(
        name="more rows claimed",
        make=lambda r: rewrite(path_of(r, Asset.FACTORED), rows=3),
        found=(B.CONTENT_MISMATCH, B.RECORD_ALTERED),
    ),
    Damage(name="figure that is not certified", make=forged_figure, found=(B.FIGURE_UNCERTIFIED,)),
    Damage(name="figure that nobody approved", make=unapproved, found=(B.FIGURE_UNAPPROVED,)),
    Damage(
        name="approval that is none",
        make=lambda r: put(r / f"approvals/project_id=anoka/period=2021/000000000001-{'0' * 64}.json"),
        found=(B.APPROVAL_BROKEN,),
    ),
    Damage(name="withdrawn figure that returned by itself", make=returned, found=(B.WITHDRAWAL_UNSTATED,)),
    Damage(
        name="withdrawal that the ledger does not follow",
        make=half_silenced,
        found=(B.WITHDRAWAL_INCOMPLETE,),
    ),
    Damage(
        name="withdrawal that is none",
        make=lambda r: put(r / "withdrawals/project_id=anoka/period=2021/000000000001.json"),
        found=(B.WITHDRAWAL_BROKEN,),
    ),
    Damage(
        name="withdrawal that a silent ledger rests on gone",
        make=lambda r: silenced(r).unlink(),
        found=(B.DOCUMENT_MISSING, B.WITHDRAWAL_UNSTATED),
    ),
    Damage(
        name="manifest of a backfill that is none",
        make=lambda r: put(r / "manifests/run-1.json"),
        found=(B.MANIFEST_BROKEN,),
    ),
    Damage(
        name="notes among the approvals",
        make=lambda r: put(r / "approvals/project_id=anoka/notes.txt"),
        found=(B.STRAY_OBJECT,),
    ),
    Damage(name="overlapping periods", make=overlapping, found=(B.PERIODS_OVERLAP,)),
    Damage(
        name="entry in the middle gone",
        make=lambda r: (r / entry_key(2)).unlink(),
        found=(B.ENTRY_MISSING,),
    ),
    Damage(
        name="journal rolled back",
        make=lambda r: (r / entry_key(3)).unlink(),
        found=(B.CHECKPOINT_AHEAD,),
    ),
    Damage(
        name="entries swapped",
        make=lambda r: swap(r / entry_key(1), r / entry_key(2)),
        found=(B.JOURNAL_BROKEN, B.JOURNAL_BROKEN),
    ),
    Damage(name="checkpoint ahead", make=ahead, found=(B.CHECKPOINT_AHEAD,)),
    Damage(name="other tree in the checkpoint", make=other_tree, found=(B.CHECKPOINT_CONTRADICTS,)),
    Damage(name="approval that the journal tells of gone", make=approval_gone, found=(B.DOCUMENT_MISSING,)),
    Damage(
        name="seal that is none",
        make=lambda r: put(r / seal_key("0" * 64, "1" * 64)),
        found=(B.SEAL_BROKEN,),
    ),
    Damage(name="seal of a certificate of nobody", make=foreign_seal, found=(B.SEAL_BROKEN,)),
    Damage(name="approval given anew", make=approval_anew, found=(B.DOCUMENT_ALTERED,)),
    Damage(name="approval not in the journal", make=untold_approval, found=(B.DOCUMENT_NOT_IN_JOURNAL,)),
    Damage(name="other bytes published", make=lambda r: put(r / published_key(LEDGER)), found=(B.VIEW_STALE,)),
    Damage(
        name="older figure published",
        make=lambda r: copy(blob(r, Asset.LEDGER), r / published_key(LEDGER)),
        found=(B.VIEW_STALE,),
    ),
    Damage(name="figure not published", make=lambda r: (r / published_key(LEDGER)).unlink(), found=(B.VIEW_MISSING,)),
    Damage(
        name="figure of nobody published",
        make=lambda r: put(r / "published/ledger/project_id=x/period=2021/ledger.parquet"),
        found=(B.VIEW_EXTRA,),
    ),
    Damage(
        name="second file beside a published figure",
        make=lambda r: copy(r / published_key(LEDGER), (r / published_key(LEDGER)).with_name("part-0.parquet")),
        found=(B.VIEW_EXTRA,),
    ),
    Damage(
        name="commits not in the journal",
        make=unjournaled,
        found=(B.RECORD_NOT_IN_JOURNAL,) * COMMITS_OF_A_BUMP,
    ),
    Damage(name="checkpoint gone", make=lambda r: (r / CHECKPOINT).unlink(), found=(B.CHECKPOINT_BEHIND,)),
    Damage(
        name="manifest that is none",
        make=lambda r: put(r / "adoptions/000000000001.json"),
        found=(B.ADOPTION_BROKEN,),
    ),
    Damage(
        name="registry record that is none",
        make=lambda r: put(r / registry_key(1)),
        found=(B.REGISTRY_BROKEN,),
    ),
    Damage(
        name="registry record far ahead",
        make=lambda r: register(r, issuance(block(1, 9)), number=999_999_999_999),
        found=(B.REGISTRY_BROKEN,),
    ),
    Damage(
        name="issuance on a certificate of nobody",
        make=lambda r: register(r, issuance(block(1, 9))),
        found=(B.ISSUANCE_UNCERTIFIED,),
    ),
    Damage(
        name="issuance on a certificate without a rule set",
        make=lambda r: register(r, on_anoka(r, block(1, 9, series="GS1", registry="gold-standard"))),
        found=(B.ISSUANCE_UNCERTIFIED,),
    ),
    Damage(
        name="credits issued twice",
        make=lambda r: register(r, issuance(block(1, 9)), issuance(block(9, 10))),
        found=(B.CREDIT_CLAIMED_TWICE, B.ISSUANCE_UNCERTIFIED, B.ISSUANCE_UNCERTIFIED),
    ),
    Damage(
        name="credits retired that were not issued",
        make=lambda r: register(r, retirement(block(1, 9))),
        found=(B.RETIREMENT_UNISSUED,),
    ),
    Damage(
        name="notes among the registry records",
        make=lambda r: put(r / "registry/records/notes.json"),
        found=(B.STRAY_OBJECT,),
    ),
    Damage(name="old temporary file", make=old_temporary, found=(B.LEFT_OVER,)),
    Damage(name="file at the top", make=lambda r: put(r / "notes.txt"), found=(B.STRAY_OBJECT,)),
    Damage(
        name="parquet among the records",
        make=lambda r: put(path_of(r, Asset.LEDGER).with_name("part-0.parquet")),
        found=(B.STRAY_OBJECT,),
    ),
    Damage(
        name="record of a period that is none",
        make=lambda r: copy(
            path_of(r, Asset.LEDGER), r / "commits/ledger/project_id=anoka/period=202103/000000000001.json"
        ),
        found=(B.STRAY_OBJECT,),
    ),
    Damage(name="notes in the journal", make=lambda r: put(r / "journal/entries/notes.json"), found=(B.STRAY_OBJECT,)),
    Damage(name="blob without a digest", make=lambda r: put(r / "blobs/ab/part-0.parquet"), found=(B.STRAY_OBJECT,)),
    Damage(
        name="blob in the wrong folder",
        make=lambda r: copy(blob(r, Asset.ACTIVITY), r / "blobs/zz" / blob(r, Asset.ACTIVITY).name),
        found=(B.BLOB_MISNAMED,),
    ),
    Damage(
        name="orphan with another digest",
        make=lambda r: put(r / f"blobs/00/{'00' * 32}.parquet"),
        found=(B.BLOB_ALTERED,),
    ),
)
