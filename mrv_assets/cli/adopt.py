"""`mrv adopt`: choose the authoritative file of every partition of a foreign tree, show the plan, and record it.

What does not belong here: the rules of choosing (pipeline.choice) and the manifest (domain.adoption).
"""

from __future__ import annotations

import getpass
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from decimal import Decimal
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_writing
from mrv_assets.cli.terminal import DONE, plain_table, print_json, stdout
from mrv_assets.domain.adoption import AdoptedPartition, Keep, Manifest
from mrv_assets.domain.errors import ContractError
from mrv_assets.pipeline.adopt import Plan, adopt, plan_adoption
from mrv_assets.pipeline.authoritative import AuthoritativeList
from mrv_assets.pipeline.foreign_tables import added
from mrv_assets.storage.opening import open_store


def run_adopt(uri: str, *, keep: str, authoritative: Path | None, is_dry_run: bool, as_json: bool) -> int:
    """Plan the adoption of the tree at `uri`, print it and, unless it is a dry run, record it. Return the exit code.

    Raises Refusal naming every partition that the rule does not resolve; then nothing is recorded.
    """
    settings = enter()
    tree = open_store(uri, allow_network_fs=settings.allow_network_fs)
    plan = plan_adoption(tree, keep=_rule(keep), authoritative=_list(authoritative))
    kept = None
    if not is_dry_run:
        world = open_for_writing(settings)
        run_id, write_id = uuid.uuid4().hex, uuid.uuid4().hex
        kept = adopt(world, plan, run_id=run_id, adopted_by=getpass.getuser(), write_id=write_id)
    if as_json:
        print_json(_json(plan, kept, is_dry_run=is_dry_run))
    else:
        _print(plan)
        stdout().print(_outcome(kept, is_dry_run=is_dry_run), style="bold")
    return DONE


def _rule(keep: str) -> Keep:
    if keep not in set(Keep):
        raise ContractError(
            "rule is unknown",
            where="--keep",
            expected=", ".join(Keep),
            found=repr(keep),
            remedy="say by which rule one of several files becomes the authoritative one",
        )
    return Keep(keep)


def _list(path: Path | None) -> AuthoritativeList | None:
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ContractError(
            "list of authoritative files cannot be read",
            where=str(path),
            expected="a text file with one path per line",
            found=error.strerror or str(error),
            remedy="correct the path",
        ) from error
    return AuthoritativeList.parse(data, where=str(path))


def _json(plan: Plan, kept: Manifest | None, *, is_dry_run: bool) -> dict[str, object]:
    return {
        "is_dry_run": is_dry_run,
        "outcome": "planned" if is_dry_run else "skipped" if kept is None else "committed",
        "number": kept.number if kept else None,
        "sha256": kept.sha256 if kept else None,
        "tco2e": totals(plan.partitions),
        **asdict(plan),
    }


def totals(partitions: Sequence[AdoptedPartition]) -> dict[str, dict[str, Decimal | None]]:
    """Return what a reader sums with and without the adoption, t CO2e, by factor version; None when it is unknown.

    Never over versions: two of them are two answers to one question.
    """
    found: dict[str, dict[str, Decimal | None]] = {}
    for version in sorted({p.key.factor_version or "" for p in partitions}):
        own = [p for p in partitions if (p.key.factor_version or "") == version]
        found[version] = {
            "chosen": _sum([p.chosen_tco2e for p in own]),
            "all_files": _sum([p.all_tco2e for p in own]),
        }
    return found


def _sum(texts: Sequence[str | None]) -> Decimal | None:
    known = [Decimal(text) for text in texts if text is not None]
    return added(known) if len(known) == len(texts) else None


def _print(plan: Plan) -> None:
    console = stdout()
    console.print(f"{plan.source_uri}, keep {plan.keep}", style="bold", soft_wrap=True)
    table = plain_table()
    for name in ("partition", "authoritative file, and why", "provenance"):
        table.add_column(name, overflow="fold", no_wrap=False)
    for name in ("aside", "chosen t", "all files t"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in plan.partitions:
        table.add_row(
            str(one.key),
            f"{one.chosen.path}\n{one.chosen.why}",
            one.provenance,
            str(len(one.set_aside)),
            _tonnes(one.chosen_tco2e),
            _tonnes(one.all_tco2e),
        )
    console.print("", table, "", sep="\n")
    for version, sums in totals(plan.partitions).items():
        console.print(
            f"{version or 'no factor version'}: {_tonnes(sums['all_files'])} t in all files → "
            f"{_tonnes(sums['chosen'])} t in the authoritative ones"
        )
    if plan.set_aside:
        console.print(f"{len(plan.set_aside)} object(s) outside every partition are set aside.")


def _outcome(kept: Manifest | None, *, is_dry_run: bool) -> str:
    if is_dry_run:
        return "Nothing was recorded; with --apply it is."
    if kept is None:
        return "Skipped: this is what the latest adoption of the tree says already."
    return f"Recorded as adoption {kept.number}, sha256 {kept.sha256}. No file of the tree was touched."


def _tonnes(value: Decimal | str | None) -> str:
    return "unknown" if value is None else f"{Decimal(value):,f}"
