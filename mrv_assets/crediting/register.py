"""The register of formulas: the names that rule sets use for the steps of their waterfalls.

What does not belong here: the formulas (one module a document) and their order (rule sets).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mrv_assets.crediting import (
    ar_tool14_lines,
    gold_standard_203,
    gold_standard_402,
    gold_standard_403,
    gold_standard_501,
    gold_standard_precision,
    non_permanence,
    vcs,
    vm0042,
    vm0047_area,
    vm0047_census,
)
from mrv_assets.crediting.account import Formula

_BY_DOCUMENT: Iterable[Mapping[str, Formula]] = (
    ar_tool14_lines.FORMULAS,
    gold_standard_203.FORMULAS,
    gold_standard_402.FORMULAS,
    gold_standard_403.FORMULAS,
    gold_standard_501.FORMULAS,
    gold_standard_precision.FORMULAS,
    non_permanence.FORMULAS,
    vcs.FORMULAS,
    vm0042.FORMULAS,
    vm0047_area.FORMULAS,
    vm0047_census.FORMULAS,
)


def _joined() -> Mapping[str, Formula]:
    found: dict[str, Formula] = {}
    for formulas in _BY_DOCUMENT:
        twice = sorted(found.keys() & formulas.keys())
        if twice:
            raise ValueError(f"formulas of one name in two documents: {', '.join(twice)}")
        found |= formulas
    return found


FORMULAS: Mapping[str, Formula] = _joined()
