"""`mrv ledger pending`: the figures that are held until somebody approves them, with what an approver has to know."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, plain_table, print_error, print_json, stdout
from mrv_assets.domain.approval import Proposal, share_text
from mrv_assets.domain.errors import Refusal
from mrv_assets.pipeline.approving import Waiting, certificate_of, reported_certificate, waiting
from mrv_assets.pipeline.world import World
from mrv_assets.report.restatement import causes_between
from mrv_assets.report.wording import share, signed_tonnes, tonnes

_SHOWN = 12
"""Digits of a certificate that a command names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """What waits, with the causes of the change."""

    waiting: Waiting
    proposal: Proposal
    causes: Sequence[str]

    @property
    def command(self) -> str:
        """The command that approves exactly this."""
        p = self.proposal
        parts = ["mrv", "ledger", "approve", p.project_id, p.period, p.new.factor_version]
        named = ["--certificate", p.new.certificate_sha256[:_SHOWN]]
        return f"{shlex.join([*parts, *named])} --by NAME --reason TEXT"


def show_pending(project: str | None, *, as_json: bool) -> int:
    """Print what waits for an approval; return the exit code, which tells of a project that cannot be read."""
    world = open_for_reading(enter())
    if project is not None:
        world.references.project(project)
    found = list(waiting(world, project_id=project))
    refused = [one for one in found if isinstance(one, Refusal)]
    held = [_pending(world, one) for one in found if isinstance(one, Waiting)]
    if as_json:
        print_json({"pending": [_json(one) for one in held], "refused": [str(refusal) for refusal in refused]})
    elif held:
        _print(held)
    else:
        stdout().print("Nothing waits for an approval.")
    return max((print_error(refusal) for refusal in refused), default=DONE)


def proposal_json(proposal: Proposal, causes: Sequence[str]) -> dict[str, object]:
    """Return a proposed change in JSON-ready values, tonnes exact."""
    return {
        "project_id": proposal.project_id,
        "period": proposal.period,
        "generation": proposal.generation,
        "old_factor_version": proposal.old.factor_version,
        "old_certificate_sha256": proposal.old.certificate_sha256,
        "old_net_tco2e": proposal.old.tonnes.net,
        "agreed_net_tco2e": proposal.agreed.tonnes.net,
        "new_factor_version": proposal.new.factor_version,
        "new_certificate_sha256": proposal.new.certificate_sha256,
        "new_net_tco2e": proposal.new.tonnes.net,
        "share": share_text(proposal.move),
        "share_since_agreed": share_text(proposal.agreed_move),
        "materiality": proposal.materiality,
        "causes": list(causes),
    }


def _pending(world: World, one: Waiting) -> Pending:
    if one.promotion.proposal is None:
        raise ValueError("what waits proposes a change")
    before, after = reported_certificate(world, one.key), certificate_of(world, one.certificate)
    return Pending(waiting=one, proposal=one.promotion.proposal, causes=causes_between(before, after))


def _json(one: Pending) -> dict[str, object]:
    is_approved = one.waiting.promotion.approval is not None
    return {**proposal_json(one.proposal, one.causes), "is_approved": is_approved, "command": one.command}


def _print(held: Sequence[Pending]) -> None:
    table = plain_table(title="Held until they are approved, net t CO2e")
    for name in ("project", "period"):
        table.add_column(name, overflow="fold")
    for name in ("reported", "proposed", "change", "share", "since agreed"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in held:
        p = one.proposal
        table.add_row(
            p.project_id,
            p.period,
            tonnes(p.old.tonnes.net),
            tonnes(p.new.tonnes.net),
            signed_tonnes(p.move.delta),
            share(p.move.share),
            share(p.agreed_move.share),
        )
    stdout().print(table)
    for one in held:
        p = one.proposal
        stdout().print(f"\n{p.project_id} {p.period}", style="bold")
        stdout().print(f"  above the materiality of {(p.materiality * 100).normalize():f} %; {'; '.join(one.causes)}")
        if one.waiting.promotion.approval is not None:
            said = one.waiting.promotion.approval
            stdout().print(f"  approved by {said.approved_by}; `mrv run {p.project_id} {p.period}` reports it")
        else:
            stdout().print(f"  {one.command}", soft_wrap=True)
