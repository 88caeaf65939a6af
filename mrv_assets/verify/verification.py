"""What a verification came to: every check by name, what held, and why something could not be checked.

A breach is never in here: it is raised. What does not belong here: checking, and showing the outcome.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.certificate import Certificate


class State(StrEnum):
    """How far a check came."""

    HELD = "held"
    UNSIGNED = "unsigned"
    NOT_CHECKED = "not checked"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check: its name, how far it came, and in words what held or why it was not checked."""

    name: str
    state: State
    said: str

    def to_json(self) -> dict[str, str]:
        """Return the check as plain values."""
        return {"check": self.name, "state": self.state.value, "said": self.said}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """A certificate in which no breach was found, and the checks in the order in which an auditor reads them."""

    certificate: Certificate
    checks: Sequence[Check]

    @property
    def unsigned(self) -> tuple[Check, ...]:
        """What nobody has signed, or whose signature was looked at by nobody: said in red."""
        return tuple(check for check in self.checks if check.state is State.UNSIGNED)

    @property
    def withdrawn(self) -> tuple[Check, ...]:
        """What a person took back, as far as it is known: said in red."""
        return tuple(check for check in self.checks if check.state is State.WITHDRAWN)

    @property
    def unchecked(self) -> tuple[Check, ...]:
        """What could not be checked with what was at hand."""
        return tuple(check for check in self.checks if check.state is State.NOT_CHECKED)

    def to_json(self) -> dict[str, object]:
        """Return the outcome as plain values, tonnages as text."""
        key, totals = self.certificate.key, self.certificate.totals
        return {
            "certificate_sha256": self.certificate.sha256,
            "project_id": key.project_id,
            "period": key.period,
            "factor_version": key.factor_version,
            "totals": {**totals.tonnes, "activity_rows": totals.activity_rows},
            "checks": [check.to_json() for check in self.checks],
        }


def held(name: str, said: str) -> Check:
    """Return a check that held."""
    return Check(name=name, state=State.HELD, said=said)


def unsigned(name: str, said: str) -> Check:
    """Return a check of a signature that is not there, or that nobody has looked at."""
    return Check(name=name, state=State.UNSIGNED, said=said)


def withdrawn(name: str, said: str) -> Check:
    """Return what was withdrawn by a person: whole as it is, and not to be relied on any more."""
    return Check(name=name, state=State.WITHDRAWN, said=said)


def not_checked(name: str, why: str) -> Check:
    """Return a check that could not be made."""
    return Check(name=name, state=State.NOT_CHECKED, said=why)
