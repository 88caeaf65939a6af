"""What somebody else published, step by step, to compare the ledger with: the replay files under `examples/`.

What does not belong here: running the steps (cli) and comparing them with the ledger (restatement).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import PartitionKey

UNIT = "tCO2e"


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedStep:
    """One published state: which activity and factors it rests on, for whom, and the totals by period, t CO2e.

    `landing` names the folder of source files that were in force; `cause` is the publisher's story in words.
    """

    date: date
    title: str
    factor_version: str
    landing: str
    periods: tuple[str, ...]
    projects: tuple[str, ...]
    cause: str
    source: str
    published_total_tco2e: Mapping[str, Decimal]

    @property
    def keys(self) -> tuple[PartitionKey, ...]:
        """The partitions of the step, period by period, projects in the order of the file."""
        return tuple(
            PartitionKey(project_id=project, period=period, factor_version=self.factor_version)
            for period in self.periods
            for project in self.projects
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The published states of one inventory, oldest first."""

    inventory: str
    steps: tuple[PublishedStep, ...]

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Replay:
        """Read a replay file.

        Raises ContractError naming `where` when it is malformed, has no step, or publishes no total for a
        period of a step; IdentityError for ids and periods that are not canonical.
        """
        try:
            document = tomllib.loads(data.decode())
            if document["unit"] != UNIT or not document["step"]:
                raise ValueError(f'expected unit = "{UNIT}" and at least one [[step]]')
            steps = tuple(_step(step) for step in document["step"])
            for step in steps:
                # Building the keys is what checks them.
                _ = step.keys
            return cls(inventory=document["inventory"], steps=steps)
        except (KeyError, ValueError, TypeError, AttributeError, InvalidOperation) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error


def _step(d: Mapping[str, Any]) -> PublishedStep:
    totals = {period: Decimal(text) for period, text in d["published_total_tco2e"].items()}
    periods = tuple(d["periods"])
    if sorted(totals) != sorted(periods):
        raise ValueError(f"step {d['title']!r} publishes {sorted(totals)} for the periods {sorted(periods)}")
    return PublishedStep(
        date=d["date"],
        title=d["title"],
        factor_version=d["factor_version"],
        landing=d["landing"],
        periods=periods,
        projects=tuple(d["projects"]),
        cause=d["cause"],
        source=d["source"],
        published_total_tco2e=totals,
    )


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "replay file is malformed",
        where=where,
        expected="inventory, unit and [[step]] tables as in examples/twin-cities/published.toml",
        found=found,
        remedy="correct the file",
    )
