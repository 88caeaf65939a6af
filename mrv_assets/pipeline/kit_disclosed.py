"""Tables in a kit without their geometry, which are still proven to be the sealed ones.

What does not belong here: how that is proven (domain.disclosure) and what can be made again from them (reperform).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.disclosure import Disclosed, verify_disclosed, withhold
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.pipeline.world import World
from mrv_assets.storage.parquet import read_parquet, to_parquet

PLACED = (Asset.ACTIVITY, Asset.NORMALIZED)
"""The assets whose tables hold footprints."""

_WITHHELD = ("geometry",)


def disclosed_files(world: World, sealed: Sealed) -> dict[str, bytes]:
    """Return the tables with footprints without them, and beside each what proves that it is the sealed one."""
    files: dict[str, bytes] = {}
    for asset in PLACED:
        table = world.slots.load_table(sealed.chain[asset])
        disclosed = withhold(table, sealed.contract(asset), _WITHHELD)
        files[_table_path(asset)] = to_parquet(disclosed.shown_of(table))
        files[_proof_path(asset)] = canonical_json(disclosed.to_json())
    return files


def read_disclosed(files: Mapping[str, bytes], record: GenerationRecord) -> bytes | None:
    """Return the Parquet bytes of what a kit shows of a sealed table, None where it shows the whole table or none.

    Raises DigestMismatch naming the column that is not what was sealed, ContractError for files that cannot be read.
    """
    path, proof = _table_path(record.slot.asset), _proof_path(record.slot.asset)
    if path not in files or proof not in files:
        return None
    try:
        document = json.loads(files[proof])
    except ValueError as error:
        raise ContractError(
            "proof of a table cannot be read",
            where=proof,
            expected="a JSON document",
            found=str(error),
            remedy="unpack the kit anew",
        ) from error
    disclosed = Disclosed.from_json(document, where=proof)
    verify_disclosed(read_parquet(files[path]), disclosed, content_digest=record.content_digest, where=path)
    return files[path]


def _table_path(asset: Asset) -> str:
    return f"disclosed/{asset.value}.parquet"


def _proof_path(asset: Asset) -> str:
    return f"disclosed/{asset.value}.json"
