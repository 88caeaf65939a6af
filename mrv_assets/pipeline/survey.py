"""A foreign tree with every object read whole: digests, rows and tonnes, and what there is for each period.

What does not belong here: what the objects are (storage) and which of them stands (choice, adopt).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace

from mrv_assets.domain.adoption import AdoptedFile
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.pipeline.foreign_tables import decimal_text, foreign_digest, tonnes
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.hive import DatedStore
from mrv_assets.storage.hive_tree import HiveFile, HiveTree, Stray, StrayKind
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A tree with every object read whole, and what there is for each project and period: versions and strays."""

    found: HiveTree
    files: Mapping[str, AdoptedFile]
    versions: Mapping[tuple[str | None, str | None], set[str | None]]
    strays: Mapping[tuple[str | None, str | None], list[Stray]]

    @classmethod
    def read(cls, tree: ObjectStore, found: HiveTree) -> Survey:
        """Read one object after the other; only one is in memory at a time."""
        versions: defaultdict[tuple[str | None, str | None], set[str | None]] = defaultdict(set)
        strays: defaultdict[tuple[str | None, str | None], list[Stray]] = defaultdict(list)
        for file in found.files:
            versions[file.key.project_id, file.key.period].add(file.key.factor_version)
        for stray in found.strays:
            strays[stray.project_id, stray.period].append(stray)
        files = {one.path: _adopted(tree, one) for one in found.objects if _can_be_recorded(one)}
        return cls(found=found, files=files, versions=versions, strays=strays)


def _adopted(tree: ObjectStore, one: HiveFile | Stray) -> AdoptedFile:
    """Read one object whole: its bytes for their digest and, when it is a table, what it says."""
    data = tree.get(one.path) or b""
    modified = tree.modified(one.path) if isinstance(tree, DatedStore) else None
    bare = AdoptedFile(
        path=one.path,
        sha256=sha256_hex(data),
        size=len(data),
        rows=None,
        distinct_rows=None,
        content_digest=None,
        digest_key=None,
        recorded_hash=one.recorded_hash if isinstance(one, HiveFile) else None,
        generated_utc=one.generated_utc if isinstance(one, HiveFile) else None,
        modified_utc=utc_text(modified) if modified else None,
        tco2e=None,
        why="",
    )
    return bare if one.rows is None else _with_content(bare, data)


def _with_content(bare: AdoptedFile, data: bytes) -> AdoptedFile:
    try:
        table = read_parquet(data)
        said = foreign_digest(table)
    except (ContractError, OSError) as error:
        return replace(bare, why=f"its rows cannot be read: {str(error).splitlines()[0]}")
    return replace(
        bare,
        rows=table.num_rows,
        distinct_rows=said.distinct_rows,
        content_digest=said.digest,
        digest_key=said.key,
        tco2e=decimal_text(tonnes(table)),
    )


def _can_be_recorded(one: HiveFile | Stray) -> bool:
    """Pass over what no reader sees, and over what cannot be placed, which ends the plan anyway."""
    return isinstance(one, HiveFile) or not (one.is_harmless or one.kind is StrayKind.UNPLACED)
