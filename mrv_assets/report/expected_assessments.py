"""What assessments are expected to come to, line by line and control by control: the file of a worked example.

What does not belong here: making assessments (pipeline) and printing what differs (cli).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from mrv_assets.domain.assessment import Assessment, Status
from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.errors import ContractError

_TOTALS = ("emissions_tco2e", "removals_tco2e")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedRuleSet:
    """One rule set: the change of each line, t CO2e, what is credited in the end, and what each control comes to."""

    credited: Decimal
    lines: Mapping[str, Decimal]
    controls: Mapping[str, Status]


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """The canonical result of a partition, t CO2e, and the rule sets by name, each whole and no others."""

    partition: str
    emissions_tco2e: Decimal
    removals_tco2e: Decimal
    rule_sets: Mapping[str, ExpectedRuleSet]

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Expected:
        """Read the file. Raises ContractError naming `where` when it is malformed."""
        try:
            d = tomllib.loads(data.decode())
            return cls(
                partition=d["partition"],
                emissions_tco2e=_decimal(d["emissions_tco2e"]),
                removals_tco2e=_decimal(d["removals_tco2e"]),
                rule_sets={name: _rule_set(one) for name, one in d["rule_sets"].items()},
            )
        except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation) as error:
            raise ContractError(
                "file of expected assessments is malformed",
                where=where,
                expected="partition, emissions_tco2e, removals_tco2e, and rule_sets with credited, lines and controls",
                found=f"{type(error).__name__}: {error}",
                remedy="correct the file; see examples/planted-forest/expected.toml",
            ) from error

    def differences(self, partition: str, totals: Totals, assessments: Sequence[Assessment]) -> dict[str, str]:
        """Return what is not as expected, by what it is; empty when everything is. Amounts are compared exactly."""
        found: dict[str, object] = {"partition": partition, **{name: getattr(totals, name) for name in _TOTALS}}
        wanted: dict[str, object] = {"partition": self.partition, **{name: getattr(self, name) for name in _TOTALS}}
        for name, rule_set in self.rule_sets.items():
            wanted |= dict(_expected(name, rule_set))
        for assessment in assessments:
            found |= dict(_found(assessment))
        names = dict.fromkeys([*wanted, *found])
        return {
            name: f"{_shown(wanted, name)} expected, {_shown(found, name)} found"
            for name in names
            if name not in wanted or name not in found or wanted[name] != found[name]
        }


def _expected(name: str, rule_set: ExpectedRuleSet) -> Iterator[tuple[str, object]]:
    yield f"{name} credited", rule_set.credited
    yield from ((f"{name} line {line}", change) for line, change in rule_set.lines.items())
    yield from ((f"{name} control {control}", status) for control, status in rule_set.controls.items())


def _found(one: Assessment) -> Iterator[tuple[str, object]]:
    lines = one.waterfall.lines if one.waterfall else ()
    yield f"{one.rule_set} credited", one.waterfall.total_tco2e if one.waterfall else Decimal(0)
    yield from ((f"{one.rule_set} line {line.rule}", line.change_tco2e) for line in lines)
    yield from ((f"{one.rule_set} control {control.rule}", control.status) for control in one.controls)


def _shown(values: Mapping[str, object], name: str) -> str:
    value = values.get(name, "nothing")
    return f"{value:f}" if isinstance(value, Decimal) else str(value)


def _rule_set(d: Mapping[str, Any]) -> ExpectedRuleSet:
    return ExpectedRuleSet(
        credited=_decimal(d["credited"]),
        lines={rule: _decimal(text) for rule, text in d["lines"].items()},
        controls={rule: Status(text) for rule, text in d["controls"].items()},
    )


def _decimal(text: object) -> Decimal:
    value = Decimal(text) if isinstance(text, str) else Decimal("NaN")
    if not value.is_finite():
        raise ValueError(f'an amount is decimal text such as "31.79", not {text!r}')
    return value
