"""Rows of evidence of which each has an id of its own: a second one would be counted twice or hide the first.

What does not belong here: evidence whose completeness is a control of its own (compliance).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mrv_assets.domain.errors import listed
from mrv_assets.domain.monitoring import Monitoring


def distinct(evidence: Monitoring, table: str, *columns: str) -> Sequence[Mapping[str, str]]:
    """Return the rows of a table whose first column is an id. Raises ContractError when one is there twice."""
    rows = evidence.table(table, *columns)
    twice = sorted(name for name, count in Counter(row[columns[0]] for row in rows).items() if count > 1)
    if twice:
        raise evidence.unusable(f"table {table}, {columns[0]}", expected="each once", found=listed(twice))
    return rows
