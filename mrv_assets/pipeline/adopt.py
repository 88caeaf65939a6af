"""Adopt a foreign hive tree: one authoritative file for each partition, a digest of every table, all recorded.

The tree itself is never touched. A plan is made whole or refused whole, and kept as one immutable manifest. What does
not belong here: the rules of choosing (choice) and what a tree holds (storage).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

import structlog

from mrv_assets.domain.adoption import AdoptedFile, AdoptedPartition, ForeignKey, Keep, Manifest
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.partition import Period
from mrv_assets.domain.window import overlapping
from mrv_assets.pipeline.authoritative import AuthoritativeList, require_list_with_rule
from mrv_assets.pipeline.choice import Candidates, Choice, choose
from mrv_assets.pipeline.foreign_tables import added, decimal_text
from mrv_assets.pipeline.survey import Survey
from mrv_assets.pipeline.world import World
from mrv_assets.storage.adoptions import keep_manifest, manifest_key
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.documents import kept_document
from mrv_assets.storage.hive import everywhere, scan
from mrv_assets.storage.hive_tree import HiveFile, HiveTree, Stray, StrayKind
from mrv_assets.storage.object_store import ObjectStore

log = structlog.get_logger("mrv")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an adoption would record: each partition with its file, and the objects that belong to none."""

    source_uri: str
    keep: Keep
    list_sha256: str | None
    partitions: tuple[AdoptedPartition, ...]
    set_aside: tuple[AdoptedFile, ...]


def plan_adoption(tree: ObjectStore, *, keep: Keep, authoritative: AuthoritativeList | None) -> Plan:
    """Choose the file of every partition of the tree and digest every table; write nothing.

    `authoritative` goes with `Keep.LIST` and with no other rule. Raises Refusal naming every partition and object
    that the rule does not resolve, ContractError when there is no tree or the list does not fit the rule.
    """
    require_list_with_rule(keep, authoritative)
    found = scan(tree, scope=everywhere)
    seen = Survey.read(tree, found)
    named = authoritative.paths if authoritative else ()
    partitions, open_ = _decide(seen, keep, frozenset(named))
    open_ = [*_unknown_names(found, named), *open_, *_unresolvable(seen)]
    if open_:
        raise Refusal(
            f"{len(open_)} partitions or objects are not resolved by --keep {keep}",
            where=tree.uri,
            expected="exactly one authoritative file for each partition",
            found=" | ".join(open_),
            remedy="choose another rule, name the files with --keep list, or move what is wrong out of the tree; "
            "nothing was recorded",
        )
    placed = {file.path for partition in partitions for file in partition.files}
    strays = [s for s in found.strays if s.path in seen.files and s.path not in placed]
    return Plan(
        source_uri=tree.uri,
        keep=keep,
        list_sha256=authoritative.sha256 if authoritative else None,
        partitions=tuple(partitions),
        set_aside=tuple(replace(seen.files[stray.path], why=_why(stray)) for stray in strays),
    )


def adopt(world: World, plan: Plan, *, run_id: str, adopted_by: str, write_id: str) -> Manifest | None:
    """Record the plan as the next manifest of the store; None when the latest one about this tree says the same.

    `write_id` is fresh for every call, so that a lost answer can be told from another writer. Raises
    CommitStateUnknown when the store does not say whether the manifest landed; running again settles it. The journal is
    told of it; what a crash keeps out of there, `mrv fsck --repair` tells later.
    """

    def draft(before: tuple[Manifest, ...]) -> Manifest | None:
        manifest = Manifest(
            number=len(before) + 1,
            prev=before[-1].sha256 if before else None,
            source_uri=plan.source_uri,
            keep=plan.keep,
            list_sha256=plan.list_sha256,
            partitions=plan.partitions,
            set_aside=plan.set_aside,
            run_id=run_id,
            adopted_by=adopted_by,
            adopted_utc=utc_text(world.clock()),
            write_id=write_id,
        )
        same = [one for one in before if one.source_uri == plan.source_uri][-1:]
        return None if same and same[0].decision == manifest.decision else manifest

    kept = keep_manifest(world.store, draft)
    if kept is not None:
        told = kept_document(manifest_key(kept.number), kept.to_bytes())
        world.journal.append(run_id, [], documents=[told])
    log.info(
        "adoption.finished",
        source=plan.source_uri,
        run_id=run_id,
        outcome="skipped" if kept is None else "committed",
        number=kept.number if kept else None,
        partitions=len(plan.partitions),
    )
    return kept


def _decide(seen: Survey, keep: Keep, named: frozenset[str]) -> tuple[list[AdoptedPartition], list[str]]:
    partitions, open_ = [], []
    for key, files in seen.found.partitions().items():
        candidates = Candidates(
            key=key,
            files=tuple(seen.files[file.path] for file in files),
            faults={file.path: fault for file in files if (fault := _fault(file, seen.files[file.path]))},
            blocked=_blocked(seen, key),
        )
        decision = choose(candidates, keep=keep, named=[file.path for file in files if file.path in named])
        if isinstance(decision, Choice):
            partitions.append(_partition(candidates, decision, _strays_of(seen, key)))
        else:
            open_.append(f"{key}: {decision.why}")
    return partitions, open_


def _fault(file: HiveFile, read: AdoptedFile) -> str:
    return "; ".join([*file.contradictions, *([read.why] if read.rows is None else [])])


def _blocked(seen: Survey, key: ForeignKey) -> str | None:
    """Say why no rule may rank the tables of a partition: there may be one more that nobody can read or place."""
    for stray in seen.strays.get((key.project_id, key.period), ()):
        if stray.kind is StrayKind.UNREADABLE and stray.factor_version in (None, key.factor_version):
            return f"{stray.path} cannot be ranked: {stray.why}"
    versions = seen.versions[key.project_id, key.period]
    if len(versions) > 1 and None in versions:
        return "some of its files name a factor version and some do not, so which of them are copies is unknown"
    return None


def _unresolvable(seen: Survey) -> list[str]:
    """Name what no rule can resolve: objects that cannot be placed, partitions without a table, days reported twice."""
    strays = seen.found.strays
    open_ = [f"{s.path}: {_why(s)}" for s in strays if _may_be_a_table(s)]
    lost = [s for s in strays if not _may_be_a_table(s) and _is_all_there_is(s, seen)]
    open_ += [f"{s.path}: {_why(s)}, and its partition has no whole table" for s in lost]
    if not seen.versions:
        open_.append("the tree has no table of any partition")
    periods: defaultdict[str, list[Period]] = defaultdict(list)
    for key in seen.found.partitions():
        periods[key.project_id].append(Period.parse(key.period))
    for project_id, own in sorted(periods.items()):
        open_ += [f"{project_id}: {one} and {other} share days" for one, other in overlapping(own)]
    return open_


def _may_be_a_table(stray: Stray) -> bool:
    """Tell whether the stray may hold rows that belong to nobody knows what."""
    is_readable_by_some = stray.kind is StrayKind.FOREIGN and stray.rows is not None
    is_loose = stray.kind is StrayKind.UNREADABLE and None in (stray.project_id, stray.period)
    return stray.kind is StrayKind.UNPLACED or is_readable_by_some or is_loose


def _is_all_there_is(stray: Stray, seen: Survey) -> bool:
    """Tell whether a left-over, empty or unreadable file is all that its partition has."""
    if stray.kind in (StrayKind.FOREIGN, StrayKind.MARKER) or None in (stray.project_id, stray.period):
        return False
    versions = seen.versions.get((stray.project_id, stray.period), set())
    return not versions or (stray.factor_version is not None and stray.factor_version not in versions)


def _unknown_names(found: HiveTree, named: Sequence[str]) -> list[str]:
    tables = {file.path for file in found.files}
    return [f"{path}: named by the list, but no table of a partition" for path in named if path not in tables]


def _strays_of(seen: Survey, key: ForeignKey) -> list[AdoptedFile]:
    """Return the strays that a reader of this partition would meet; one without version where there is only one."""
    is_only = len(seen.versions[key.project_id, key.period]) == 1
    versions = {key.factor_version, None} if is_only else {key.factor_version}
    strays = seen.strays.get((key.project_id, key.period), ())
    return [
        replace(seen.files[stray.path], why=_why(stray))
        for stray in strays
        if stray.path in seen.files and stray.factor_version in versions
    ]


def _partition(candidates: Candidates, choice: Choice, strays: Sequence[AdoptedFile]) -> AdoptedPartition:
    chosen = replace(choice.chosen, why=choice.why)
    others = [replace(file, why=choice.why_not(file)) for file in candidates.files if file.path != chosen.path]
    aside = tuple(sorted((*others, *strays), key=lambda file: file.path))
    read = [file.tco2e for file in (chosen, *aside) if file.rows is not None]
    known = [Decimal(text) for text in read if text is not None]
    return AdoptedPartition(
        key=candidates.key,
        chosen=chosen,
        set_aside=aside,
        provenance="unknown" if chosen.recorded_hash is None else "recorded",
        chosen_tco2e=chosen.tco2e,
        all_tco2e=decimal_text(added(known)) if len(known) == len(read) else None,
    )


def _why(stray: Stray) -> str:
    return f"{stray.kind}: {stray.why}"
