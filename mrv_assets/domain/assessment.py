"""What an assessment is: one rule set on one canonical result, every step and every control, sealed in a certificate.

What does not belong here: making one (crediting, compliance).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import Json
from mrv_assets.domain.rule_set import Rule, Tag
from mrv_assets.domain.waterfall import Line, Waterfall


class Status(StrEnum):
    """What a control came to. There is no fourth answer: what was not evaluated has failed."""

    PASS = "pass"  # noqa: S105 - the word of a control
    FAIL = "fail"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlOutcome:
    """What one control of a rule set came to, with the clause, and the digest of the evidence that it looked at."""

    rule: str
    title: str
    clause: str
    tag: Tag
    formula: str
    status: Status
    observed: str
    limit: str
    evidence_sha256: str
    remedy: str = ""
    metrics: Mapping[str, Decimal] = field(default_factory=dict)

    @classmethod
    def of(
        cls, rule: Rule, *, status: Status, observed: str, limit: str, evidence_sha256: str, **more: Any
    ) -> ControlOutcome:
        """Return the outcome of a rule."""
        return cls(
            rule=rule.id,
            title=rule.title,
            clause=rule.clause,
            tag=rule.evidence,
            formula=rule.formula,
            status=status,
            observed=observed,
            limit=limit,
            evidence_sha256=evidence_sha256,
            **more,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Assessment:
    """One rule set, by name and digest, on one canonical result. `waterfall` is None where it issues no credits."""

    rule_set: str
    rule_set_sha256: str
    waterfall: Waterfall | None
    controls: Sequence[ControlOutcome]

    @property
    def failed(self) -> tuple[ControlOutcome, ...]:
        """The controls that do not hold."""
        return tuple(control for control in self.controls if control.status is Status.FAIL)

    def to_json(self) -> dict[str, Json]:
        """Return the assessment as canonical-JSON-ready values, decimals as text."""
        return {
            "rule_set": self.rule_set,
            "rule_set_sha256": self.rule_set_sha256,
            "waterfall": None if self.waterfall is None else [_line_json(line) for line in self.waterfall.lines],
            "total_tco2e": None if self.waterfall is None else format(self.waterfall.total_tco2e, "f"),
            "controls": [_control_json(control) for control in self.controls],
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Assessment:
        """Read an assessment back. Raises KeyError, TypeError or ValueError on a malformed one."""
        lines = d["waterfall"]
        return cls(
            rule_set=d["rule_set"],
            rule_set_sha256=d["rule_set_sha256"],
            waterfall=None
            if lines is None
            else Waterfall(rule_set=d["rule_set"], lines=tuple(_line(line) for line in lines)),
            controls=tuple(_control(control) for control in d["controls"]),
        )


def _line_json(line: Line) -> dict[str, Json]:
    return {
        "name": line.name,
        "rule": line.rule,
        "clause": line.clause,
        "change_tco2e": format(line.change_tco2e, "f"),
        "note": line.note,
        "numbers": _numbers_json(line.numbers),
    }


def _line(d: Mapping[str, Any]) -> Line:
    return Line(**{**d, "change_tco2e": Decimal(d["change_tco2e"]), "numbers": _numbers(d["numbers"])})


def _control_json(control: ControlOutcome) -> dict[str, Json]:
    return {
        "rule": control.rule,
        "title": control.title,
        "clause": control.clause,
        "tag": control.tag.value,
        "formula": control.formula,
        "status": control.status.value,
        "observed": control.observed,
        "limit": control.limit,
        "evidence_sha256": control.evidence_sha256,
        "remedy": control.remedy,
        "metrics": _numbers_json(control.metrics),
    }


def _control(d: Mapping[str, Any]) -> ControlOutcome:
    read = {"tag": Tag(d["tag"]), "status": Status(d["status"]), "metrics": _numbers(d["metrics"])}
    return ControlOutcome(**{**d, **read})


def _numbers_json(numbers: Mapping[str, Decimal]) -> dict[str, Json]:
    return {name: format(value, "f") for name, value in sorted(numbers.items())}


def _numbers(d: Mapping[str, str]) -> dict[str, Decimal]:
    return {name: Decimal(text) for name, text in d.items()}
