"""The rows that were set aside for a table: what the table says of them, and what they are.

What does not belong here: setting rows aside (stages) and keeping them (storage).
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from mrv_assets.domain.contract import QUARANTINE, about


@dataclass(frozen=True, slots=True, kw_only=True)
class SetAside:
    """How many rows were set aside, as text, and the content digest of their table, empty where there were none."""

    rows: str = "0"
    digest: str = ""

    @classmethod
    def said_by(cls, table: pa.Table) -> SetAside:
        """Return what a table says that it was made without."""
        said = about(table)
        return cls(rows=said.get("rows_quarantined", "0"), digest=said.get("quarantine", ""))

    @classmethod
    def of(cls, quarantined: pa.Table | None) -> SetAside:
        """Return what a table of rows set aside holds. Raises ContractError when it cannot be one."""
        if quarantined is None:
            return cls()
        return cls(rows=str(quarantined.num_rows), digest=QUARANTINE.digest(quarantined))

    @property
    def said(self) -> dict[str, str]:
        """What a table says of itself that was made without these rows: nothing where there were none."""
        return {"quarantine": self.digest, "rows_quarantined": self.rows} if self.digest else {}

    def __str__(self) -> str:
        return f"{self.rows} rows, content {self.digest}" if self.digest else f"{self.rows} rows"
