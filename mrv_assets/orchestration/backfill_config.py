"""What the launchpad asks for to launch `backfill_window`: typed, with a default and a sentence for each field."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dagster import Array, Bool, Enum, EnumValue, Field, Int, Shape, String

from mrv_assets.domain.backfill import FOLLOW, BackfillRequest, Mode, Policy
from mrv_assets.domain.errors import ContractError

CHUNK = 200
"""Partitions of a chunk, where none is named: a step of Dagster costs about 0.15 s, and a chunk is what is retried."""


class Events(StrEnum):
    """What Dagster's event log is told of a partition that was made anew; an event costs about 22 ms.

    `every_gate` writes a check for each gate, `summary` one for all that passed. Red gates are always written.
    """

    EVERY_GATE = "every_gate"
    SUMMARY = "summary"


def _enum(kind: type[StrEnum], **described: str) -> Enum:
    values = [EnumValue(one.value, python_value=one, description=described[one.value]) for one in kind]
    return Enum(kind.__name__, values)


CONFIG = Shape(  # type: ignore[no-untyped-call]
    {
        "projects": Field(
            Array(String), default_value=[], description="Ids of the projects, such as metc-anoka. Empty: all of them."
        ),
        "window": Field(
            String,
            description="Periods and ranges of one kind: 2019..2022, 2024-Q1..2024-Q3, 2024-01..2024-06, or several "
            "with commas between. Each project is taken in the periods that it reports.",
        ),
        "factor_version": Field(
            String,
            default_value=FOLLOW,
            description="A factor release such as mrow-2025.05.20, or follow: the pin of each period, else the newest "
            "release of the project's line.",
        ),
        "mode": Field(
            _enum(Mode, report="carry to the ledger", certify="stop at the certificate: no figure moves"),
            default_value=Mode.REPORT.value,
            description="How far partitions are carried.",
        ),
        "policy": Field(
            _enum(
                Policy,
                abort="anything that the preflight finds ends the run before a partition is touched",
                recompute="a published file that is not what the ledger seals is published and computed again",
            ),
            default_value=Policy.ABORT.value,
            description="What the run may do about what the preflight finds.",
        ),
        "chunk_size": Field(
            Int, default_value=CHUNK, description="Partitions of one step, 1 or more. A step is what is retried."
        ),
        "force": Field(
            Bool, default_value=False, description="Compute again what is unchanged. Equal content adds nothing."
        ),
        "dry_run": Field(
            Bool, default_value=False, description="Plan only: tell what would be done, and write nothing."
        ),
        "events": Field(
            _enum(
                Events,
                every_gate="a check for each gate of what was made anew",
                summary="one check for all gates that passed, for large backfills",
            ),
            default_value=Events.EVERY_GATE.value,
            description="How much of each partition the event log is told. Red gates are always told.",
        ),
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What is asked for beside the request itself: how the run goes about it."""

    chunk_size: int
    dry_run: bool
    events: Events

    def to_json(self) -> dict[str, int | bool | str]:
        """Return the options as JSON-ready values."""
        return {"chunk_size": self.chunk_size, "dry_run": self.dry_run, "events": self.events.value}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> "Options":
        """Read what `to_json` wrote, or a configuration that holds it. Raises ContractError for a chunk below 1."""
        if d["chunk_size"] < 1:
            raise ContractError(
                "chunk holds no partition",
                where="chunk_size",
                expected="1 or more",
                found=str(d["chunk_size"]),
                remedy=f"leave it out for {CHUNK}",
            )
        return cls(chunk_size=d["chunk_size"], dry_run=d["dry_run"], events=Events(d["events"]))


def requested(config: Mapping[str, Any]) -> BackfillRequest:
    """Return the request of a configuration. Raises what `BackfillRequest.of` raises."""
    names = ("projects", "window", "factor_version", "mode", "policy", "force")
    return BackfillRequest.of(**{name: config[name] for name in names})


def run_config(request: BackfillRequest, options: Options) -> dict[str, Any]:
    """Return the configuration that launches a request, for sensors, schedules and the command line."""
    return {"ops": {"ingest": {"config": {**request.to_json(), **options.to_json()}}}}
