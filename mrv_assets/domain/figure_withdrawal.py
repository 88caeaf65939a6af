"""What the withdrawal of a figure is, and its reinstatement: one named person takes a figure back, or lets it return.

Each is given for exactly one generation of the ledger, so it takes back, and lets through, nothing else. A withdrawn
figure is not zero tonnes: nothing is reported in its place. What does not belong here: keeping them (storage), making
the ledger say so (pipeline), and factor releases that are withdrawn (withdrawal).
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from mrv_assets.domain.approval import Certified, certified_json, certified_of
from mrv_assets.domain.digest import self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.said import said

SCHEMA = "mrv-withdrawal-1"
REINSTATEMENT_SCHEMA = "mrv-reinstatement-1"

_DAY = len("2026-01-01")
_T = TypeVar("_T", "FigureWithdrawal", "Reinstatement")


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureWithdrawal:
    """A figure that was taken back: `generation` of the ledger of a project and period, by whom, when and why.

    `withdrawn` is what was reported, t CO2e. `in_favour_of` says what is to be reported instead, None where nothing is.
    `write_id` is fresh for every attempt, so a writer can recognise its own after a lost answer.
    """

    project_id: str
    period: str
    generation: int
    withdrawn: Certified
    reason: str
    in_favour_of: str | None
    withdrawn_by: str
    withdrawn_utc: str
    write_id: str

    def __post_init__(self) -> None:
        """Raise ContractError unless it says who and why, in characters that can be shown."""
        object.__setattr__(self, "reason", _said(self.reason, "--because", "why the figure is taken back"))
        object.__setattr__(self, "withdrawn_by", _said(self.withdrawn_by, "--by", "the name of who takes it back"))
        if self.in_favour_of is not None:
            favour = _said(self.in_favour_of, "--in-favour-of", "what is to be reported instead")
            object.__setattr__(self, "in_favour_of", favour)

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes."""
        return self_sealed_json(
            {
                "schema": SCHEMA,
                "project_id": self.project_id,
                "period": self.period,
                "generation": self.generation,
                "withdrawn": certified_json(self.withdrawn),
                "reason": self.reason,
                "in_favour_of": self.in_favour_of,
                "withdrawn_by": self.withdrawn_by,
                "withdrawn_utc": self.withdrawn_utc,
                "write_id": self.write_id,
            }
        )

    @property
    def sha256(self) -> str:
        """The digest by which the generation that reports nothing names it."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> FigureWithdrawal:
        """Read a withdrawal. Raises BrokenChain naming `where` unless these are the bytes that the platform writes."""
        return _read(data, cls._from_document, schema=SCHEMA, where=where)

    @classmethod
    def _from_document(cls, d: dict[str, Any]) -> FigureWithdrawal:
        return cls(
            project_id=d["project_id"],
            period=d["period"],
            generation=d["generation"],
            withdrawn=certified_of(d["withdrawn"]),
            reason=d["reason"],
            in_favour_of=d["in_favour_of"],
            withdrawn_by=d["withdrawn_by"],
            withdrawn_utc=d["withdrawn_utc"],
            write_id=d["write_id"],
        )

    def __str__(self) -> str:
        favour = f", in favour of {self.in_favour_of}" if self.in_favour_of else ""
        return f"withdrawn on {self.withdrawn_utc[:_DAY]} by {self.withdrawn_by}: {self.reason}{favour}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reinstatement:
    """The word that a withdrawal is over: of the withdrawal of `generation`, by whom, when and why.

    The period may be reported again; by which figure, its certificate decides.
    """

    project_id: str
    period: str
    generation: int
    withdrawal_sha256: str
    reason: str
    reinstated_by: str
    reinstated_utc: str
    write_id: str

    def __post_init__(self) -> None:
        """Raise ContractError unless it says who and why, in characters that can be shown."""
        object.__setattr__(self, "reason", _said(self.reason, "--because", "why the period is reported again"))
        object.__setattr__(self, "reinstated_by", _said(self.reinstated_by, "--by", "the name of who reinstates it"))

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes."""
        return self_sealed_json(
            {
                "schema": REINSTATEMENT_SCHEMA,
                "project_id": self.project_id,
                "period": self.period,
                "generation": self.generation,
                "withdrawal_sha256": self.withdrawal_sha256,
                "reason": self.reason,
                "reinstated_by": self.reinstated_by,
                "reinstated_utc": self.reinstated_utc,
                "write_id": self.write_id,
            }
        )

    @property
    def sha256(self) -> str:
        """The digest by which the figure that returns names it."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Reinstatement:
        """Read a reinstatement. Raises BrokenChain as `FigureWithdrawal.from_bytes`."""
        return _read(data, cls._from_document, schema=REINSTATEMENT_SCHEMA, where=where)

    @classmethod
    def _from_document(cls, d: dict[str, Any]) -> Reinstatement:
        return cls(
            project_id=d["project_id"],
            period=d["period"],
            generation=d["generation"],
            withdrawal_sha256=d["withdrawal_sha256"],
            reason=d["reason"],
            reinstated_by=d["reinstated_by"],
            reinstated_utc=d["reinstated_utc"],
            write_id=d["write_id"],
        )

    def __str__(self) -> str:
        return f"reinstated on {self.reinstated_utc[:_DAY]} by {self.reinstated_by}: {self.reason}"


def not_kept(what: str, where: str, *, expected: str, found: str) -> BrokenChain:
    """Return the error for a withdrawal or reinstatement that is gone, unreadable or of something else."""
    return BrokenChain(
        what,
        where=where,
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and restore the document from a replica",
    )


def _read(data: bytes, read: Callable[[dict[str, Any]], _T], *, schema: str, where: str) -> _T:
    what, expected = "withdrawal cannot be read", f"a {schema} document, byte for byte as the platform writes it"
    try:
        d = json.loads(data)
        if d["schema"] != schema:
            raise ValueError(f"schema {d['schema']!r}")
        document = read(d)
        is_exact = document.to_bytes() == data
    except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, ContractError) as error:
        raise not_kept(what, where, expected=expected, found=f"{type(error).__name__}: {error}") from error
    if not is_exact:
        found = "bytes that were altered, or that say the same in another spelling"
        raise not_kept(what, where, expected=expected, found=found)
    return document


def _said(text: str, option: str, expected: str) -> str:
    return said(text, of="withdrawal", lacking="who takes the figure back or why", where=option, expected=expected)
