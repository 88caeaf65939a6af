"""What a rule set is: one version of one document of a standard as data, each rule with clause and thresholds.

Read from `reference_data/standards/`. A rule names its formula; formulas are pure functions of a small register.
What does not belong here: the formulas (crediting, compliance) and which rule set a project declares (project).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Period, checked_id


class Tag(StrEnum):
    """How a rule is known: official text, extract, secondary source, memory, derived, or our own choice."""

    SRC = "SRC"
    EXT = "EXT"
    SEC = "SEC"
    MEM = "MEM"
    DER = "DER"
    OURS = "OURS"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule: its id, the clause it restates, how that is known, the formula by name, and the numbers it takes.

    `thresholds` are exact decimals, `choices` words such as the reading of an ambiguous equation.
    """

    id: str
    title: str
    clause: str
    evidence: Tag
    formula: str
    thresholds: Mapping[str, Decimal]
    choices: Mapping[str, str]

    def threshold(self, name: str) -> Decimal:
        """Return a number of the rule. Raises ContractError when the rule does not give it."""
        if name not in self.thresholds:
            raise _malformed(
                f"rule {self.id}", expected=f"a threshold {name}", found=", ".join(self.thresholds) or "none"
            )
        return self.thresholds[name]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """One version of one document: the steps from gross to whole credits in their order, and what has to hold.

    `lines` are none for a standard that issues no credits. `effective_until` is the last day on which it may be newly
    applied, None while it is the current version. `confidence` is the level of its uncertainty rules, 0.90 or 0.95,
    None where it has none. `gwp_sets` are those that it accepts, none for any. `digest` is of the whole file.
    """

    id: str
    version: str
    title: str
    effective_from: date
    effective_until: date | None
    confidence: Decimal | None
    gwp_sets: Sequence[str]
    lines: Sequence[Rule]
    controls: Sequence[Rule]
    digest: str

    @property
    def name(self) -> str:
        """Name the document and its version, as projects declare it."""
        return f"{self.id}@{self.version}"

    def require_effective(self, period: Period, *, where: str) -> None:
        """Raise ContractError naming `where` for a period that ends before the rule set is in force, or begins after.

        A period in which it comes into force, or goes out of it, may take it: which of two versions is declared.
        """
        is_early = period.last < self.effective_from
        is_late = self.effective_until is not None and period.first > self.effective_until
        if is_early or is_late:
            until = self.effective_until or "now"
            raise ContractError(
                "rule set is not yet effective" if is_early else "rule set is not effective any more",
                where=where,
                expected=f"a period of {self.name}, in force from {self.effective_from} to {until}",
                found=f"{period}, {period.first} to {period.last}",
                remedy="declare the version that is in force in this monitoring period",
            )

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> RuleSet:
        """Read a rule set. Raises ContractError or IdentityError naming `where` when the file is malformed."""
        try:
            d = tomllib.loads(data.decode())
        except (ValueError, RecursionError) as error:
            raise _malformed(where, expected="UTF-8 TOML", found=str(error)) from error
        unknown = sorted(set(d) - _KEYS)
        if unknown:
            raise _malformed(where, expected=f"only {', '.join(sorted(_KEYS))}", found=", ".join(unknown))
        try:
            found = cls(
                id=checked_id(d["id"], what="rule set id"),
                version=checked_id(d["version"], what="rule set version"),
                title=_text(d["title"]),
                effective_from=_day(d["effective_from"]),
                effective_until=_day(d["effective_until"]) if "effective_until" in d else None,
                confidence=_level(d["confidence"]) if "confidence" in d else None,
                gwp_sets=tuple(_text(name) for name in _list(d.get("gwp_sets", []))),
                lines=tuple(_rule(rule) for rule in d.get("line", [])),
                controls=tuple(_rule(rule) for rule in d.get("control", [])),
                digest=sha256_hex(data),
            )
        except (KeyError, ValueError, TypeError, AttributeError, InvalidOperation) as error:
            raise _malformed(
                where, expected="the fields described in docs/standards.md", found=f"{type(error).__name__}: {error}"
            ) from error
        _refuse_what_cannot_be_meant(found, where)
        return found


_KEYS = {
    "id", "version", "title", "effective_from", "effective_until", "confidence", "gwp_sets", "line", "control",
}  # fmt: skip
_RULE_KEYS = {"id", "title", "clause", "evidence", "formula", "thresholds", "choices"}


def _rule(d: Mapping[str, Any]) -> Rule:
    unknown = sorted(set(d) - _RULE_KEYS)
    if unknown:
        raise ValueError(f"rule {d.get('id')} has unknown keys {', '.join(unknown)}")
    return Rule(
        id=checked_id(d["id"], what="rule id"),
        title=_text(d["title"]),
        clause=_text(d["clause"]),
        evidence=Tag(d["evidence"]),
        formula=_text(d["formula"]),
        thresholds={name: _decimal(name, text) for name, text in d.get("thresholds", {}).items()},
        choices={name: _text(text) for name, text in d.get("choices", {}).items()},
    )


def _decimal(name: str, text: object) -> Decimal:
    """Read decimal text. A number of TOML is refused: it is a binary fraction that nobody typed."""
    value = Decimal(text) if isinstance(text, str) else Decimal("NaN")
    if not value.is_finite():
        raise ValueError(f'threshold {name} is decimal text such as "0.10", not {text!r}')
    return value


def _text(value: object) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"text is expected, not {value!r}")
    return value


def _level(value: object) -> Decimal:
    if value not in ("0.90", "0.95"):
        raise ValueError(f'confidence is "0.90" or "0.95", not {value!r}')
    return Decimal(_text(value))


def _list(value: object) -> list[object]:
    """Refuse text, which would be read letter by letter."""
    if not isinstance(value, list):
        raise TypeError(f"a list is expected, not {value!r}")
    return value


def _day(value: object) -> date:
    if type(value) is not date:
        raise ValueError(f"a day such as 2025-12-16 is expected, not {value!r}")
    return value


def _refuse_what_cannot_be_meant(found: RuleSet, where: str) -> None:
    if found.effective_until is not None and found.effective_until < found.effective_from:
        days = f"{found.effective_from} to {found.effective_until}"
        raise _malformed(where, expected="effective_until on or after effective_from", found=days)
    ids = [rule.id for rule in (*found.lines, *found.controls)]
    repeated = sorted({name for name in ids if ids.count(name) > 1})
    if not ids or repeated:
        raise _malformed(
            where,
            expected="at least one rule, each id once",
            found=f"twice: {', '.join(repeated)}" if ids else "no rule",
        )


def _malformed(where: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        "rule set is malformed",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the file; see reference_data/standards for examples",
    )
