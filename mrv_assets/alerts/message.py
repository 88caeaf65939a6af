"""What an alert says: a title and lines for people, and the same as facts for programs.

What does not belong here: when there is one (restated, late, orchestration) and how it travels (targets, mail).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.digest import Json, canonical_json, sha256_hex

SCHEMA = "mrv-alert-1"
SHOWN = 20
"""Lines that people are shown; the facts hold all."""


class Kind(StrEnum):
    """What an alert is about."""

    FAILURE = "failure"
    RESTATEMENT = "restatement"
    LATE = "late"
    TEST = "test"


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One alert. The `id` is the same whenever the same thing is told, so that a receiver may drop a repetition."""

    kind: Kind
    id: str
    title: str
    lines: Sequence[str]
    facts: Mapping[str, Json]

    def to_json(self) -> dict[str, Json]:
        """Return the alert as values for canonical JSON; tonnes in it are decimal text."""
        return {
            "schema": SCHEMA,
            "kind": self.kind.value,
            "id": self.id,
            "title": self.title,
            "lines": list(self.lines),
            "facts": dict(self.facts),
        }

    @property
    def text(self) -> str:
        """Title and lines, one below the other."""
        return "\n".join([self.title, *self.lines])


def message_id(kind: Kind, *what: str) -> str:
    """Return 32 hex digits that name an alert by what it is about."""
    return sha256_hex(canonical_json([kind.value, *what]))[:32]


def shown(lines: Sequence[str]) -> list[str]:
    """Return the first twenty lines and the number of the others."""
    more = [f"… and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    return [*lines[:SHOWN], *more]
