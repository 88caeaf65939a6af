"""What a stage has made, before any gate has judged it and before anything is kept.

What does not belong here: gate outcomes (gate) and kept content (generation).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A table in contract order, or the canonical bytes of a document, with what the stage measured on the way.

    `evidence` is text by name and goes into the generation record; `crs` is the CRS of the geometry column,
    if there is one.
    """

    content: pa.Table | bytes
    evidence: Mapping[str, str] = field(default_factory=dict)
    crs: str | None = None

    @property
    def table(self) -> pa.Table:
        """The content as a table. Raises TypeError for a document."""
        if isinstance(self.content, bytes):
            raise TypeError("this stage makes a document, not a table")
        return self.content

    @property
    def document(self) -> bytes:
        """The content as document bytes. Raises TypeError for a table."""
        if not isinstance(self.content, bytes):
            raise TypeError("this stage makes a table, not a document")
        return self.content

    @property
    def rows(self) -> int:
        """Rows of the table; a document counts as one."""
        return 1 if isinstance(self.content, bytes) else self.content.num_rows
