"""What an approval is: one named person lets one figure take the place of another, and says why.

It is given for exactly two certificates and one place in the history of the ledger, so it lets nothing else through.
What does not belong here: keeping approvals (storage) and finding out what waits for one (pipeline).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mrv_assets.domain.digest import Json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError
from mrv_assets.domain.said import said
from mrv_assets.domain.tonnes import Move, Tonnes

SCHEMA = "mrv-approval-1"
APPROVAL = "approval"
"""The kind of input by which a generation of the ledger names the approval that it rests on."""

APPROVAL_ABOVE = "approval_above"
"""The pin of a generation of the ledger that says above which share its project asked for an approval."""

_SHARE_DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Certified:
    """A figure by its certificate: the factor release, the sha256 of the certificate, and t CO2e."""

    factor_version: str
    certificate_sha256: str
    tonnes: Tonnes


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A certified figure that would take the place of `generation` of the ledger of a project and period.

    `old` is what is reported, `agreed` what was approved last, or else reported first. The change counts against both,
    so that many small steps are not taken one by one past the threshold. `materiality` is the project's share.
    """

    project_id: str
    period: str
    generation: int
    old: Certified
    agreed: Certified
    new: Certified
    materiality: Decimal

    @property
    def move(self) -> Move:
        """The change of the reported figure."""
        return Move(before=self.old.tonnes, after=self.new.tonnes)

    @property
    def agreed_move(self) -> Move:
        """The change since the figure that was agreed to."""
        return Move(before=self.agreed.tonnes, after=self.new.tonnes)

    @property
    def is_material(self) -> bool:
        """Whether one of the two changes is larger than the project's share."""
        return self.move.exceeds(self.materiality) or self.agreed_move.exceeds(self.materiality)

    def __str__(self) -> str:
        share, since = (share_text(move) or "from 0" for move in (self.move, self.agreed_move))
        net = f"net {self.old.tonnes.net:f} → {self.new.tonnes.net:f} t CO2e"
        return f"{net}, a share of {share} ({since} since it was agreed to; materiality {self.materiality})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """A proposal that was approved: the causes of the change, why it is right, by whom and when.

    `write_id` is fresh for every attempt, so a writer can recognise its own after a lost answer.
    """

    proposal: Proposal
    causes: Sequence[str]
    reason: str
    approved_by: str
    approved_utc: str
    write_id: str

    @classmethod
    def of(
        cls, proposal: Proposal, *, causes: Sequence[str], reason: str, by: str, approved_utc: str, write_id: str
    ) -> Approval:
        """Return the approval.

        Raises ContractError when the reason or the name of the approver has no letter and no digit, or has a control
        character; a reason may have lines.
        """
        return cls(
            proposal=proposal,
            causes=tuple(causes),
            reason=_said(reason, "--reason", "why the new figure is the right one"),
            approved_by=_said(by, "--by", "the name of who approves it"),
            approved_utc=approved_utc,
            write_id=write_id,
        )

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes. Shares are rounded half-even to 1e-9, tonnes exact, both as text."""
        p = self.proposal
        return self_sealed_json(
            {
                "schema": SCHEMA,
                "project_id": p.project_id,
                "period": p.period,
                "generation": p.generation,
                "old": certified_json(p.old),
                "agreed": certified_json(p.agreed),
                "new": certified_json(p.new),
                "materiality": str(p.materiality),
                "share": share_text(p.move),
                "share_since_agreed": share_text(p.agreed_move),
                "causes": list(self.causes),
                "reason": self.reason,
                "approved_by": self.approved_by,
                "approved_utc": self.approved_utc,
                "write_id": self.write_id,
            }
        )

    @property
    def sha256(self) -> str:
        """The digest by which the generation that it lets through names it."""
        return sha256_hex(self.to_bytes())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Approval:
        """Read an approval. Raises BrokenChain naming `where` unless these are the bytes that the platform writes."""
        try:
            approval = cls._from_document(json.loads(data))
            is_exact = approval.to_bytes() == data
        except (ValueError, KeyError, TypeError, ArithmeticError, ContractError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_exact:
            raise _unreadable(where, "bytes that were altered, or that say the same in another spelling")
        return approval

    @classmethod
    def _from_document(cls, d: dict[str, Any]) -> Approval:
        if d["schema"] != SCHEMA:
            raise ValueError(f"schema {d['schema']!r}")
        return cls.of(
            Proposal(
                project_id=d["project_id"],
                period=d["period"],
                generation=d["generation"],
                old=certified_of(d["old"]),
                agreed=certified_of(d["agreed"]),
                new=certified_of(d["new"]),
                materiality=Decimal(d["materiality"]),
            ),
            causes=d["causes"],
            reason=d["reason"],
            by=d["approved_by"],
            approved_utc=d["approved_utc"],
            write_id=d["write_id"],
        )


def share_text(move: Move) -> str | None:
    """Return the signed change as a share of the size of the figure before, to 1e-9; None for a change from 0."""
    share = move.share
    if share is None:
        return None
    return format(Decimal(round(share * 10**_SHARE_DIGITS)).scaleb(-_SHARE_DIGITS), "f")


def _said(text: str, option: str, expected: str) -> str:
    return said(text, of="approval", lacking="who approves or why", where=option, expected=expected)


def certified_json(figure: Certified) -> dict[str, Json]:
    """Return a certified figure as canonical-JSON-ready values, t CO2e exact and as text."""
    return {
        "factor_version": figure.factor_version,
        "certificate_sha256": figure.certificate_sha256,
        "emissions_tco2e": format(figure.tonnes.emissions, "f"),
        "removals_tco2e": format(figure.tonnes.removals, "f"),
        "net_tco2e": format(figure.tonnes.net, "f"),
    }


def certified_of(d: Mapping[str, Any]) -> Certified:
    """Read what `certified_json` wrote. Raises KeyError and ArithmeticError for anything else."""
    return Certified(
        factor_version=d["factor_version"],
        certificate_sha256=d["certificate_sha256"],
        tonnes=Tonnes(emissions=Decimal(d["emissions_tco2e"]), removals=Decimal(d["removals_tco2e"])),
    )


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "approval cannot be read",
        where=where,
        expected=f"a {SCHEMA} document, byte for byte as the platform writes it",
        found=found,
        remedy="stop, keep the store as it is and restore the approval from a replica",
    )
