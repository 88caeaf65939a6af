"""Rows of evidence of which each has an id of its own: a second one would be counted twice or hide the first.

What does not belong here: evidence whose completeness is a control of its own (compliance).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from mrv_assets.domain.errors import listed
from mrv_assets.domain.monitoring import Monitoring


def distinct(evidence: Monitoring, table: str, *columns: str) -> Sequence[Mapping[str, str]]:
    """Return the rows of a table whose first column is an id.

    Raises ContractError when one is blank or there twice; blanks around an id do not make it another.
    """
    rows = evidence.table(table, *columns)
    ids = [row[columns[0]].strip() for row in rows]
    if not all(ids):
        raise evidence.missing(f"table {table}, {columns[0]} of each row")
    twice = sorted(name for name, count in Counter(ids).items() if count > 1)
    if twice:
        raise evidence.unusable(f"table {table}, {columns[0]}", expected="each once", found=listed(twice))
    return rows
