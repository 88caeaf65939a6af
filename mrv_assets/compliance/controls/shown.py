"""What controls ask of evidence beyond its being there: a word of a list, a digest, serials.

What does not belong here: what a control makes of it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.rule_set import Rule

_SHA256 = re.compile(r"[0-9a-f]{64}")
_SERIAL = re.compile(r"\s*[0-9]+\s*")


def words(rule: Rule, name: str) -> tuple[str, ...]:
    """Return the comma separated words of a choice of the rule. Raises ContractError when the rule does not give it."""
    if name not in rule.choices:
        raise ContractError(
            "rule set is malformed",
            where=f"rule {rule.id}",
            expected=f"a choice {name}",
            found=", ".join(rule.choices) or "none",
            remedy="add it to the rule in reference_data/standards",
        )
    return tuple(word.strip() for word in rule.choices[name].split(","))


def fact_of(monitoring: Monitoring, name: str, known: tuple[str, ...]) -> str:
    """Return a fact that is one of the known words. Raises ContractError when it is missing or another."""
    return _known(monitoring, f"fact {name}", monitoring.fact(name), known)


def word_of(
    monitoring: Monitoring, table: str, row: Mapping[str, str], column: str, known: tuple[str, ...] | None = None
) -> str:
    """Return a cell that is not blank and one of the known words, any when None. Raises ContractError otherwise."""
    what = f"table {table}, row {next(iter(row.values()), '?')}, column {column}"
    text = row.get(column, "").strip()
    if not text:
        raise monitoring.missing(what)
    return text if known is None else _known(monitoring, what, text, known)


def _known(monitoring: Monitoring, what: str, text: str, known: tuple[str, ...]) -> str:
    if text not in known:
        raise monitoring.unusable(what, expected=", ".join(known), found=text)
    return text


def serial_block(monitoring: Monitoring, table: str, row: Mapping[str, str], *, first: str, last: str) -> SerialBlock:
    """Return the block of serials whose ends stand in two columns. Raises ContractError naming the row for no block."""
    try:
        if not (_SERIAL.fullmatch(row[first]) and _SERIAL.fullmatch(row[last])):
            raise ValueError
        return SerialBlock(start=int(row[first]), end=int(row[last]))
    except (ValueError, ContractError):
        what = f"table {table}, serials {row[first]} to {row[last]}"
        raise monitoring.unusable(
            what, expected="whole numbers, the last not before the first", found=row[last]
        ) from None


def is_sha256(text: str) -> bool:
    """Tell whether a text is a sha256 as 64 lower hex digits."""
    return _SHA256.fullmatch(text) is not None
