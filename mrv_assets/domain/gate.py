"""What a gate outcome is: one named question about staged content, and the answer with its numbers.

A gate is a pure function in compliance; its outcome travels in the generation record and shows as an asset
check in Dagit. There is no warning level: an outcome has passed or it has not. What does not belong here: the
questions themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TypeAlias

from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import GateError

Metric: TypeAlias = int | Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOutcome:
    """The answer of one gate on one staged content.

    `observed` and `limit` are for people; `metrics` are the numbers behind them, plotted over partitions. A
    red outcome also says the `remedy`.
    """

    gate: str
    passed: bool
    observed: str
    limit: str
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    remedy: str = ""

    @classmethod
    def from_error(cls, error: GateError) -> GateOutcome:
        """Turn the refusal of a stage into the red outcome of the gate it names."""
        return cls(
            gate=error.gate,
            passed=False,
            observed=f"{error.where}: {error.found}",
            limit=error.expected,
            remedy=error.remedy,
        )

    def to_json(self) -> dict[str, Json]:
        """Return the outcome as canonical-JSON-ready values, decimals as text."""
        return {
            "gate": self.gate,
            "passed": self.passed,
            "observed": self.observed,
            "limit": self.limit,
            "metrics": {name: _metric_json(value) for name, value in sorted(self.metrics.items())},
            "remedy": self.remedy,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, object]) -> GateOutcome:
        """Read an outcome back from a record. Raises KeyError or TypeError on a malformed record."""
        metrics = data["metrics"]
        if not isinstance(metrics, Mapping) or not isinstance(data["passed"], bool):
            raise TypeError(f"gate outcome is malformed: {data!r}")
        return cls(
            gate=str(data["gate"]),
            passed=data["passed"],
            observed=str(data["observed"]),
            limit=str(data["limit"]),
            metrics={str(name): _metric(value) for name, value in metrics.items()},
            remedy=str(data["remedy"]),
        )


def _metric_json(value: Metric) -> int | str:
    return value if isinstance(value, int) else str(value)


def _metric(value: object) -> Metric:
    return value if isinstance(value, int) else Decimal(str(value))
