"""Reading every history of a store again: numbers, chain, places, gates, contents, upstream, view and periods.

Walks slot by slot and keeps one record at a time, and of those it has read a token and a seal of 48 bytes, with
which the journal and later assets are compared. What does not belong here: the journal itself (chronicle) and healing
(repair).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.generation import GenerationRecord, UpstreamRef
from mrv_assets.domain.partition import Asset, Period, Slot
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.contents import Contents
from mrv_assets.storage.numbered import counted_up, gap_text
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.published import published_key
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key, record_key

_DIGEST = re.compile(r"[0-9a-f]{64}")
_HALF = 32


def token(slot: Slot, generation: int) -> bytes:
    """Name a generation in 16 bytes."""
    parts = [slot.asset.value, slot.project_id, slot.period, slot.factor_version, generation]
    return bytes.fromhex(sha256_hex(canonical_json(parts))[:_HALF])


def seal(record_sha256: str, content_digest: str) -> bytes:
    """Return 32 bytes that tell a record and its content from any other: half of each digest."""
    return bytes.fromhex(record_sha256[:_HALF] + content_digest[:_HALF])


class Histories:
    """One walk over all records. `seals` are those of the sound ones by token; `views` the view keys not accounted for.

    Without `contents` no blob is read: that is how garbage collection looks. `gates` are what the newest generation of
    each slot must have passed; None accepts the gates that it was judged by, because older records know fewer.
    """

    def __init__(
        self,
        store: ObjectStore,
        findings: Findings,
        *,
        gates: Mapping[Asset, Sequence[str]] | None,
        contents: Contents | None,
        views: set[str],
        on_read: Callable[[str, bytes], None],
    ) -> None:
        self._store = store
        self._findings = findings
        self._gates = gates or {}
        self._contents = contents
        self._on_read = on_read
        self._live: list[tuple[Slot, Period]] = []
        self.views = views
        self.seals: dict[bytes, bytes] = {}

    def walk(self) -> None:
        """Read every record, upstream assets first."""
        for asset in Asset:
            keys = self._store.list(f"{COMMITS}{asset.value}/")
            found = (parsed for key in keys if (parsed := parse_record_key(key)))
            for slot, listed in groupby(found, key=itemgetter(0)):
                self._slot(slot, [number for _, number in listed])

    def _slot(self, slot: Slot, listed: Sequence[int]) -> None:
        newest: GenerationRecord | None = None
        before: str | None = ""
        """The sha256 of the record before; empty before the first one, None when it cannot be told."""
        for number in counted_up(listed, lambda n: self._store.head(record_key(slot, n)) is not None):
            newest, data = None, b""
            if isinstance(number, int):
                data = self._store.get(record_key(slot, number)) or b""
                self._on_read(record_key(slot, number), data)
            if not data or isinstance(number, range):
                self._missing(slot, number)
                before = None
                continue
            newest = self._readable(slot, number, data)
            if newest is None:
                before = None
                continue
            self._follow(newest, before)
            before = sha256_hex(data)
            self._judge(newest, before)
        self._newest(slot, listed[-1], newest)

    def _missing(self, slot: Slot, gap: int | range) -> None:
        numbers = range(gap, gap + 1) if isinstance(gap, int) else gap
        key = record_key(slot, numbers.start)
        self._findings.add(
            BreachKind.GENERATION_MISSING, key, expected=f"generation {gap_text(numbers)}", found="no record", slot=slot
        )

    def _readable(self, slot: Slot, number: int, data: bytes) -> GenerationRecord | None:
        """Return the record if it is whole and in its own place."""
        key = record_key(slot, number)
        try:
            record = GenerationRecord.from_bytes(data, where=key)
            places = [blob_key(record.blob), *(_upstream_key(ref) for ref in record.upstream)]
        except (BrokenChain, MrvError, TypeError, ValueError) as error:
            expected, found = (error.expected, error.found) if isinstance(error, MrvError) else ("a record", str(error))
            self._findings.add(BreachKind.RECORD_UNREADABLE, key, expected=expected, found=found, slot=slot)
            return None
        digests = (record.blob.sha256, record.content_digest)
        if not all(_DIGEST.fullmatch(digest) for digest in digests):
            found = f"{digests[0]!r} and {digests[1]!r} in {places[0]}"
            self._findings.add(BreachKind.RECORD_UNREADABLE, key, expected="digests", found=found, slot=slot)
            return None
        if (record.slot, record.generation) != (slot, number):
            found = f"the record of {record.slot}, generation {record.generation}"
            expected = f"the record of {slot}, generation {number}"
            self._findings.add(BreachKind.RECORD_MISPLACED, key, expected=expected, found=found, slot=slot)
            return None
        return record

    def _follow(self, record: GenerationRecord, before: str | None) -> None:
        if before is not None and record.prev != (before or None):
            self._findings.add(
                BreachKind.CHAIN_BROKEN,
                record_key(record.slot, record.generation),
                expected=f"prev {before or None}",
                found=f"prev {record.prev}",
                slot=record.slot,
            )

    def _judge(self, record: GenerationRecord, sha256: str) -> None:
        self.seals[token(record.slot, record.generation)] = seal(sha256, record.content_digest)
        red = [gate.gate for gate in record.gates if not gate.passed]
        if red or not record.gates:
            self._unjudged(
                record, expected="at least one gate, all passed", found=f"red: {', '.join(red) or 'no gate'}"
            )
        if self._contents is not None:
            self._contents.check(record)
        for ref in record.upstream:
            self._upstream(record, ref)

    def _unjudged(self, record: GenerationRecord, *, expected: str, found: str) -> None:
        key = record_key(record.slot, record.generation)
        self._findings.add(BreachKind.RECORD_UNJUDGED, key, expected=expected, found=found, slot=record.slot)

    def _upstream(self, record: GenerationRecord, ref: UpstreamRef) -> None:
        known = self.seals.get(token(ref.slot, ref.generation))
        if known is not None and known[_HALF // 2 :] == bytes.fromhex(ref.content_digest[:_HALF]):
            return
        if known is None and self._store.head(_upstream_key(ref)) is not None:
            return  # it is there and not sound, which is noted, or it is younger than this walk
        self._findings.add(
            BreachKind.UPSTREAM_MISSING,
            record_key(record.slot, record.generation),
            expected=f"{ref.slot}, generation {ref.generation} with content {ref.content_digest}",
            found="no record" if known is None else "other content",
            slot=record.slot,
        )

    def _newest(self, slot: Slot, number: int, newest: GenerationRecord | None) -> None:
        if newest is not None:
            names = {gate.gate for gate in newest.gates}
            lacking = [name for name in self._gates.get(slot.asset, ()) if name not in names]
            if lacking and names:
                self._unjudged(newest, expected=f"gates {', '.join(lacking)}", found=f"only {', '.join(sorted(names))}")
        if slot.asset is Asset.LEDGER:
            if newest is None or newest.withdrawal is None:
                self._overlap(slot, number)
            self.views.discard(published_key(slot))
            if newest is not None and self._contents is not None:
                self._view(newest)

    def _overlap(self, slot: Slot, number: int) -> None:
        """Compare with the other live periods of the project, which come one after the other."""
        period = Period.parse(slot.period)
        self._live = [(s, p) for s, p in self._live if s.project_id == slot.project_id]
        others = [str(other) for _, other in self._live if other.overlaps(period)]
        if others:
            self._findings.add(
                BreachKind.PERIODS_OVERLAP,
                record_key(slot, number),
                expected=f"no other figure of {slot.project_id} for a day of {period}",
                found=f"figures for {', '.join(others)}",
                slot=slot,
            )
        self._live.append((slot, period))

    def _view(self, record: GenerationRecord) -> None:
        key = published_key(record.slot)
        shown = self._store.get(key)
        if shown is not None and sha256_hex(shown) == record.blob.sha256:
            return
        if self._store.head(record_key(record.slot, record.generation + 1)) is not None:
            return  # the slot has moved on since it was listed
        self._findings.add(
            BreachKind.VIEW_MISSING if shown is None else BreachKind.VIEW_STALE,
            key,
            expected=f"generation {record.generation}, sha256 {record.blob.sha256}",
            found="no file" if shown is None else f"sha256 {sha256_hex(shown)}",
            slot=record.slot,
        )


def _upstream_key(ref: UpstreamRef) -> str:
    if not _DIGEST.fullmatch(ref.content_digest):
        raise ValueError(f"content digest {ref.content_digest!r}")
    return record_key(ref.slot, ref.generation)


def unaccounted(store: ObjectStore, tokens: set[bytes]) -> Iterator[tuple[str, Slot]]:
    """Yield key and slot of the records that `tokens` name, by another listing: a token cannot be read back."""
    for key in store.list(COMMITS):
        parsed = parse_record_key(key)
        if parsed and token(*parsed) in tokens:
            yield key, parsed[0]
