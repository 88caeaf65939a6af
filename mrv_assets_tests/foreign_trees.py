"""Hive trees as an older, append-mode pipeline leaves them: every run adds a file, and nothing is ever replaced.

What does not belong here: our own store (world).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

import pyarrow as pa
import pyarrow.parquet as pq

from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.world import memory_store

QUARTER = (("a", 6200.0), ("b", 4100.5), ("c", 2099.5))
"""12,400 t in three rows."""


def parquet(table: pa.Table, metadata: Mapping[str, str] | None = None) -> bytes:
    """Return the table as an ordinary writer would write it, with these notes in the file."""
    sink = io.BytesIO()
    pq.write_table(table.replace_schema_metadata(metadata or None), sink)
    return sink.getvalue()


def rows_table(rows: Sequence[tuple[str, float]] = QUARTER, **constants: object) -> pa.Table:
    """Return rows of a plot and its tonnes, with constant columns beside them."""
    columns: dict[str, object] = {"plot": [plot for plot, _ in rows], "tco2e": [tonnes for _, tonnes in rows]}
    return pa.table(columns | {name: [value] * len(rows) for name, value in constants.items()})


class AppendModeWriter:
    """A pipeline that appends: the n-th call writes `part-<n>.parquet` beside whatever is there."""

    def __init__(self, tree: ObjectStore | None = None) -> None:
        self.tree = tree if tree is not None else memory_store()
        self.parts = 0

    def append(
        self,
        project_id: str = "p",
        period: str = "2024-Q1",
        *,
        version: str | None = "2024.2",
        rows: Sequence[tuple[str, float]] = QUARTER,
        in_path: bool = False,
        content_hash: str | None = "claimed",
        generated_utc: str | None = None,
        constants: Mapping[str, object] | None = None,
    ) -> str:
        """Write one more file and return its path; the version goes in a folder or in the file's metadata."""
        folder = f"project_id={project_id}/period={period}/"
        notes = {"content_hash": content_hash, "generated_utc": generated_utc}
        if in_path:
            folder += f"factor_version={version}/"
        else:
            notes["factor_version"] = version
        data = parquet(
            rows_table(rows, **(constants or {})), {n: text for n, text in notes.items() if text is not None}
        )
        return self.put(f"{folder}part-{self.parts}.parquet", data)

    def put(self, path: str, data: bytes) -> str:
        """Write an object as it is and return its path."""
        self.parts += 1
        self.tree.replace(path, data)
        return path
