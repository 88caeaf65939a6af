"""What is found in a hive tree: tables by partition, and everything else that lies about.

What does not belong here: finding it (hive).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.adoption import ForeignKey


class StrayKind(StrEnum):
    """Why an object of the tree is not a table of a partition."""

    TEMPORARY = "temporary"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    UNPLACED = "unplaced"
    FOREIGN = "foreign"
    MARKER = "marker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stray:
    """An object that is no table of a partition; `rows` is known when it is a whole Parquet file all the same."""

    path: str
    size: int
    kind: StrayKind
    why: str
    project_id: str | None
    period: str | None
    factor_version: str | None
    rows: int | None = None

    @property
    def is_harmless(self) -> bool:
        """Tell whether every reader passes the object over."""
        return self.kind is StrayKind.MARKER


@dataclass(frozen=True, slots=True, kw_only=True)
class HiveFile:
    """One readable table of a partition, by its footer.

    `recorded_hash` and `generated_utc` are what its writer noted. `types` are those of its identity columns, text as
    `string`. `contradictions` say where the file speaks of another partition than its path.
    """

    path: str
    size: int
    key: ForeignKey
    rows: int
    recorded_hash: str | None
    generated_utc: str | None
    types: Mapping[str, str]
    contradictions: tuple[str, ...]

    @property
    def folder(self) -> str:
        """The folder that holds the file, ending in `/`."""
        return self.path.rpartition("/")[0] + "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class HiveTree:
    """The tables and the strays of a tree, each in the order of their paths."""

    files: tuple[HiveFile, ...]
    strays: tuple[Stray, ...]

    @property
    def objects(self) -> tuple[HiveFile | Stray, ...]:
        """Everything that was found."""
        return (*self.files, *self.strays)

    def partitions(self) -> dict[ForeignKey, list[HiveFile]]:
        """Return the tables of each partition."""
        found: dict[ForeignKey, list[HiveFile]] = {}
        for file in self.files:
            found.setdefault(file.key, []).append(file)
        return found
