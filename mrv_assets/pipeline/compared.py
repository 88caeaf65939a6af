"""One asset of a certificate beside the same asset made again: content, bytes, record, and the stored bytes themselves.

What does not belong here: making it again (remake) and what it all comes to (reperform).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import pyarrow as pa

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.json_difference import LeafDifference, json_differences
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.table_difference import TableDifference, table_difference
from mrv_assets.pipeline.remake import Remade
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.storage.blobs import blob_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet


class State(StrEnum):
    """How an asset that was made again stands to the sealed one."""

    EQUAL = "equal"
    DIFFERS = "differs"
    NOT_RECOMPUTED = "not recomputed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One asset. `rows` and `sealed` (a content digest) are of the certificate, `recomputed` of what was made again.

    `note` says why nothing was made again. `pins` are the pins that are other ones here, `leaves` what else the record
    or the certificate states otherwise, and `stored` what is wrong with the stored bytes, empty for nothing. Where pins
    are others, leaves alone make no difference: other code may word a gate in another way. `difference` is between the
    stored table and the one that was made again, None where both say the same or one is not there.
    """

    asset: Asset
    state: State
    rows: int
    sealed: str
    recomputed: str | None
    note: str = ""
    stored: str = ""
    pins: Sequence[LeafDifference] = ()
    leaves: Sequence[LeafDifference] = ()
    difference: TableDifference | None = None


def compare(store: ObjectStore, sealed: Sealed, remade: Remade, asset: Asset, *, is_shown: bool) -> Compared:
    """Compare one of the tables that a certificate rests on.

    `is_shown` says that the table was shown without some columns, so that its stored bytes are not there.
    """
    theirs, ours = sealed.chain[asset], remade.records.get(asset)
    held, stored = (None, "") if is_shown else _stored(store, theirs)
    if ours is None:
        refusal = remade.refused.get(asset)
        return Compared(
            asset=asset,
            state=State.NOT_RECOMPUTED if refusal is None else State.DIFFERS,
            rows=theirs.rows,
            sealed=theirs.content_digest,
            recomputed=None,
            note=remade.not_made.get(asset, "") if refusal is None else f"refused: {refusal}",
            stored=stored,
        )
    table = remade.world.slots.load_table(ours)
    digest = _digest_as_sealed(sealed, theirs, ours, table)
    pins, leaves = _leaves(theirs, ours)
    is_same = digest == theirs.content_digest
    is_equal = is_same and not stored and (bool(pins) or not leaves)
    return Compared(
        asset=asset,
        state=State.EQUAL if is_equal else State.DIFFERS,
        rows=theirs.rows,
        sealed=theirs.content_digest,
        recomputed=digest,
        stored=stored,
        pins=pins,
        leaves=leaves,
        difference=None if held is None or (is_same and not stored) else _difference(held, table, sealed, asset),
    )


def _leaves(
    theirs: GenerationRecord, ours: GenerationRecord
) -> tuple[tuple[LeafDifference, ...], tuple[LeafDifference, ...]]:
    """Return the pins that are other ones, and what else is stated otherwise, but for what follows from such pins."""
    leaves = tuple(json_differences(json.loads(theirs.stated_bytes), json.loads(ours.stated_bytes)))
    pins = tuple(leaf for leaf in leaves if leaf.path.startswith("pins."))
    follows = ("pins.", "inputs_digest", "blob.") if pins else ("pins.",)
    return pins, tuple(leaf for leaf in leaves if not leaf.path.startswith(follows))


def _digest_as_sealed(sealed: Sealed, theirs: GenerationRecord, ours: GenerationRecord, table: pa.Table) -> str:
    """Return the content digest of a table by the contract that the sealed one keeps, which may be an earlier one."""
    if theirs.pins.get("contract") == ours.pins.get("contract"):
        return ours.content_digest
    return sealed.contract(theirs.slot.asset).digest(table)


def _stored(store: ObjectStore, record: GenerationRecord) -> tuple[bytes | None, str]:
    """Return the stored bytes as they are, and what is wrong with them."""
    faults: list[str] = []
    for ref in record.blobs:
        data = store.get(blob_key(ref))
        if data is None:
            faults.append(f"{blob_key(ref)} is gone")
        elif sha256_hex(data) != ref.sha256:
            faults.append(f"{blob_key(ref)} holds other bytes, sha256 {sha256_hex(data)}")
    return store.get(blob_key(record.blob)), "; ".join(faults)


def _difference(held: bytes, table: pa.Table, sealed: Sealed, asset: Asset) -> TableDifference | None:
    try:
        stored = read_parquet(held)
    except ContractError:  # no table any more: that the bytes are others is told already
        return None
    return table_difference(stored, table, key=sealed.contract(asset).key)
