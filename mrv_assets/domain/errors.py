"""Every way the platform says no, sorted by who can remedy it.

Three families: `Refusal` (the input is at fault: correct it, never retry), `Transient` (the world is at
fault: retry, bounded) and `Tampering` (the record is at fault: stop, keep everything, call a person); and
`Defect`, by which a launcher tells of an exception that is none of these. What does not belong here: the
wording of one particular fault, which stands where the fault is found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import ClassVar

_LISTED = 5


class MrvError(Exception):
    """Say what went wrong, where, what was expected, what was found and what to do.

    `where` names the partition, slot, file or key at fault. The five parts stay readable as attributes, so
    that a page or a check can show them in columns. `family` says in one word who can remedy it.
    """

    family: ClassVar[str]

    def __init__(self, what: str, *, where: str, expected: str, found: str, remedy: str) -> None:
        super().__init__(f"{what} [{where}]: expected {expected}; found {found}. Remedy: {remedy}")
        self.what = what
        self.where = where
        self.expected = expected
        self.found = found
        self.remedy = remedy

    def __reduce__(self) -> tuple[Callable[[], MrvError], tuple[()]]:
        """Let the error travel between processes: its parts are keywords, which exceptions forget by default."""
        return partial(type(self), **self.__dict__), ()


class Refusal(MrvError):
    """The input is at fault. Never retried: the same input gives the same refusal."""

    family = "refusal"


class IdentityError(Refusal):
    """A project id, period, factor version or partition key is not in canonical form."""


class ContractError(Refusal):
    """A table, file or configuration does not have the declared shape."""


class FactorError(Refusal):
    """A factor release or GWP set is malformed, ambiguous or does not cover what is asked of it."""


class GateError(Refusal):
    """A gate is red. `gate` names it, so that the same name turns red on the checks page."""

    def __init__(self, what: str, *, gate: str, where: str, expected: str, found: str, remedy: str) -> None:
        super().__init__(what, where=where, expected=expected, found=found, remedy=remedy)
        self.gate = gate


class NonDeterministic(Refusal):
    """The same pinned inputs gave other content: the stage depends on something that is not pinned."""


class Unsigned(Refusal):
    """There is no signature. That is no sign of tampering: signing is a choice of who runs the platform."""


class Untrusted(Refusal):
    """Nobody whom the reader trusts has signed. The trust file may be the wrong one."""


class Transient(MrvError):
    """The world is at fault for now. Retried with bounded exponential backoff."""

    family = "transient"


class StoreUnavailable(Transient):
    """The store did not answer, or answered with an error of its own."""


class CommitConflict(Transient):
    """Another writer took the generation number; the decision must be taken again on the new state."""


class CommitStateUnknown(Transient):
    """It cannot be known now whether a write landed. Nothing is deleted; the next run settles it."""


class Tampering(MrvError):
    """What is stored contradicts its own record. Stop, keep everything, call a person."""

    family = "tampering"


class DigestMismatch(Tampering):
    """Stored bytes are not the bytes that were sealed."""


class BrokenChain(Tampering):
    """A generation or journal entry does not continue the one before it."""


class SignatureInvalid(Tampering):
    """A signature does not hold: of other bytes, by another key than it says, or by a key that did not count then."""


class Defect(MrvError):
    """The platform is at fault: an exception that no room expected ended a run. Nothing was kept by it."""

    family = "defect"


def listed(names: Sequence[object]) -> str:
    """Write out the first few names for a message, with the count of the rest."""
    shown = ", ".join(repr(name) for name in names[:_LISTED])
    return shown if len(names) <= _LISTED else f"{shown} and {len(names) - _LISTED} more"
