"""Bundles altered as somebody would who knows every format: one leaf, sealed anew, and as much re-hashed as is told.

What does not belong here: which alterations there are (tamperings).
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, Literal

import pyarrow.parquet as pq

from mrv_assets.domain.bundle import Bundle, ProvenEntry
from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.contract import LEDGER, saying
from mrv_assets.domain.digest import canonical_json, self_sealed_json, sha256_hex
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.merkle import leaf_hash, root_of
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.handed_out import Shown

Alter = Callable[[Shown], Shown]
Document = dict[str, Any]


def put(document: Any, path: str, value: object) -> None:
    """Set a leaf of a document, by a path such as `predicate.totals.net_tco2e` or `subject.3.name`."""
    *way, last = path.split(".")
    for name in way:
        document = document[int(name)] if isinstance(document, list) else document[name]
    document[int(last) if isinstance(document, list) else last] = value


def of_bundle(change: Callable[[Bundle], Bundle]) -> Alter:
    """Alter the bundle, and nothing of what the reader has."""
    return lambda shown: replace(shown, bundle=change(shown.bundle))


def statement(*changes: tuple[str, object]) -> Alter:
    """Alter leaves of the statement; the signatures stay as they are."""
    return of_bundle(lambda bundle: replace(bundle, envelope=_payload(bundle.envelope, dict(changes))))


def checkpoint(*changes: tuple[str, object]) -> Alter:
    """Alter leaves of the checkpoint; the signatures stay as they are."""

    def change(bundle: Bundle) -> Bundle:
        assert bundle.checkpoint is not None
        return replace(bundle, checkpoint=_payload(bundle.checkpoint, dict(changes)))

    return of_bundle(change)


def record(asset: Asset, path: str, value: object, *, is_sealed: bool = True) -> Alter:
    """Alter a leaf of a record, which gets its own seal anew unless it is told otherwise."""
    place = list(Asset).index(asset)

    def change(bundle: Bundle) -> Bundle:
        records = list(bundle.records)
        records[place] = _rewritten(records[place], {path: value}, is_sealed=is_sealed)
        return replace(bundle, records=tuple(records))

    return of_bundle(change)


def entry(path: str, value: object, *, is_sealed: bool = True) -> Alter:
    """Alter a leaf of the first journal entry of the bundle, sealed anew unless it is told otherwise."""

    def change(bundle: Bundle) -> Bundle:
        first, *rest = bundle.entries
        data = _rewritten(first.data, {path: value}, is_sealed=is_sealed)
        return replace(bundle, entries=(replace(first, data=data), *rest))

    return of_bundle(change)


def without_event(asset: Asset) -> Alter:
    """Take the event of an asset out of the first journal entry."""

    def change(bundle: Bundle) -> Bundle:
        first, *rest = bundle.entries
        events = [one for one in json.loads(first.data)["events"] if one["asset"] != asset.value]
        return replace(bundle, entries=(replace(first, data=_rewritten(first.data, {"events": events})), *rest))

    return of_bundle(change)


def proof(change: Callable[[list[bytes]], list[bytes]]) -> Alter:
    """Alter the proof of the first journal entry."""

    def changed(bundle: Bundle) -> Bundle:
        first, *rest = bundle.entries
        return replace(bundle, entries=(replace(first, proof=tuple(change(list(first.proof)))), *rest))

    return of_bundle(changed)


def signatures(of: Literal["envelope", "checkpoint"], change: Callable[[Envelope], Envelope]) -> Alter:
    """Alter the envelope of the certificate or of the checkpoint."""

    def changed(bundle: Bundle) -> Bundle:
        if of == "envelope":
            return replace(bundle, envelope=change(bundle.envelope))
        assert bundle.checkpoint is not None
        return replace(bundle, checkpoint=change(bundle.checkpoint))

    return of_bundle(changed)


def ledger_column(name: str, value: object, *, is_rehashed: bool) -> Alter:
    """Alter a column of the ledger's row; the record of the ledger gets the new digests, or keeps the old ones."""

    def change(bundle: Bundle) -> Bundle:
        data, content = _ledger(bundle, name, value)
        changes = {"blob.sha256": sha256_hex(data), "blob.size": len(data), "content_digest": content}
        records = list(bundle.records)
        if is_rehashed:
            records[-1] = _rewritten(records[-1], changes)
        return replace(bundle, ledger=data, records=tuple(records))

    return of_bundle(change)


def rehashed(total: str) -> Alter:
    """Write another total, and everything after it anew: records, ledger, entry, tree; without any key."""

    def change(bundle: Bundle) -> Bundle:
        names = ("emissions_tco2e", "net_tco2e")
        changes = {f"predicate.totals.{name}": total for name in names}
        envelope = _payload(bundle.envelope, changes)
        sha256 = sha256_hex(envelope.payload)
        said = {f"evidence.{name}": total for name in names}
        sealing = _rewritten(
            bundle.records[4],
            {
                **said,
                "evidence.certificate_sha256": sha256,
                "content_digest": sha256,
                "blob.sha256": sha256,
                "blob.size": len(envelope.payload),
            },
        )
        data = bundle.ledger or b""
        content = ""
        for name, value in (*((name, total) for name in names), ("certificate_sha256", sha256)):
            data, content = _ledger(replace(bundle, ledger=data), name, value)
        reporting = _rewritten(
            bundle.records[5],
            {
                **said,
                "blob.sha256": sha256_hex(data),
                "blob.size": len(data),
                "content_digest": content,
                "upstream.0.content_digest": sha256,
            },
        )
        altered = replace(bundle, envelope=envelope, records=(*bundle.records[:4], sealing, reporting), ledger=data)
        return with_tree(altered, [_retold(one, altered) for one in bundle.entries])

    return of_bundle(change)


def with_tree(bundle: Bundle, entries: list[ProvenEntry]) -> Bundle:
    """Return the bundle with a journal of these entries alone, whose checkpoint keeps the old signatures."""
    assert bundle.checkpoint is not None
    [one] = entries
    leaf = leaf_hash(one.data)
    changes = {"size": 1, "root": root_of([leaf]).hex(), "last": sha256_hex(one.data)}
    alone = _rewritten(one.data, {"number": 1, "prev": None})
    leaf = leaf_hash(alone)
    changes |= {"root": root_of([leaf]).hex(), "last": sha256_hex(alone)}
    head = _payload(bundle.checkpoint, {**changes, "origin": f"mrv-journal/{sha256_hex(alone)}"})
    return replace(bundle, entries=(ProvenEntry(number=1, data=alone, proof=()),), checkpoint=head)


def _retold(one: ProvenEntry, bundle: Bundle) -> ProvenEntry:
    """Return the entry as it would tell of the records of the bundle."""
    records = [GenerationRecord.from_bytes(data, where="altered") for data in bundle.records]
    by_asset = {record.slot.asset.value: record for record in records}
    document = json.loads(one.data)
    for event in document["events"]:
        known = by_asset[event["asset"]]
        event["record_sha256"], event["content_digest"] = known.sha256, known.content_digest
        for name in event["inputs"]:
            if name.startswith("certificate "):
                event["inputs"][name] = by_asset["certificate"].content_digest
    return replace(one, data=_rewritten(one.data, {"events": document["events"]}))


def _ledger(bundle: Bundle, name: str, value: object) -> tuple[bytes, str]:
    table = pq.read_table(io.BytesIO(bundle.ledger or b""))
    [row] = table.to_pylist()
    kind = table.schema.field(name).type
    number = value if isinstance(value, int | str) and not hasattr(kind, "scale") else Decimal(str(value))
    altered = type(table).from_pylist([{**row, name: number}], schema=table.schema)
    sink = io.BytesIO()
    pq.write_table(altered, sink, store_schema=False)
    return sink.getvalue(), LEDGER.digest(saying(altered, {}))


def _payload(envelope: Envelope, changes: Mapping[str, object]) -> Envelope:
    document = json.loads(envelope.payload)
    for path, value in changes.items():
        put(document, path, value)
    return replace(envelope, payload=canonical_json(document))


def _rewritten(data: bytes, changes: Mapping[str, object], *, is_sealed: bool = True) -> bytes:
    document = json.loads(data)
    for path, value in changes.items():
        put(document, path, value)
    if not is_sealed:
        return canonical_json(document)
    del document["self_sha256"]
    return self_sealed_json(document)


def head_of(shown: Shown) -> TreeHead:
    """Return the tree head of a bundle."""
    assert shown.bundle.checkpoint is not None
    return TreeHead.from_bytes(shown.bundle.checkpoint.payload, where="altered")
