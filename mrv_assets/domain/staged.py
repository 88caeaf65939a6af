"""What a stage has made, before any gate has judged it and before anything is kept.

What does not belong here: gate outcomes (gate) and kept content (generation).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from mrv_assets.domain.contract import about


@dataclass(frozen=True, slots=True, kw_only=True)
class Staged:
    """A table in contract order, or the canonical bytes of a document, with what the stage measured on the way.

    `evidence` is text by name and goes into the generation record. `quarantined` are the rows that were set aside,
    in the shape QUARANTINE, None where there are none.
    """

    content: pa.Table | bytes
    evidence: Mapping[str, str] = field(default_factory=dict)
    quarantined: pa.Table | None = None

    @property
    def crs(self) -> str | None:
        """The CRS of the geometry column, which the table says of itself; None without one."""
        return None if isinstance(self.content, bytes) else about(self.content).get("crs")

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
