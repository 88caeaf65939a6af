"""Which stage reads what: for each asset its pinned inputs, its making function, and what its gates look at.

What does not belong here: deciding whether to run, judging and keeping (run).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.metadata import version
from typing import TypeAlias

import pyarrow as pa

from mrv_assets.compliance.assessed import MAX_RELATIVE_UNCERTAINTY
from mrv_assets.compliance.case import Case
from mrv_assets.domain.approval import Approval
from mrv_assets.domain.certificate import CERTIFICATE_VERSION, Certificate
from mrv_assets.domain.contract import CONTRACTS, Contract
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, FactorError, GateError, Refusal
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal
from mrv_assets.domain.generation import WITHDRAWAL, GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.subject import Subject
from mrv_assets.domain.withdrawal import Withdrawal
from mrv_assets.pipeline.assessing import Declared, assessments, declared
from mrv_assets.pipeline.cases import case_of
from mrv_assets.pipeline.code import code_digest
from mrv_assets.pipeline.kin import kin_reporting
from mrv_assets.pipeline.promotion import promotion
from mrv_assets.pipeline.superseding import superseding
from mrv_assets.pipeline.threads import on_all_cores
from mrv_assets.pipeline.upstream import Upstream
from mrv_assets.pipeline.withdrawn import ledger_slots_now, live_record
from mrv_assets.pipeline.work import Once, Work
from mrv_assets.pipeline.world import World
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.certify import certify, stated, totals_of
from mrv_assets.stages.factor import apply_factors
from mrv_assets.stages.ingest import ingest
from mrv_assets.stages.land import land_box
from mrv_assets.stages.normalize import normalize
from mrv_assets.stages.spread import USED, figure_terms, figure_uncertainty
from mrv_assets.stages.submit import ledger_row, nothing_reported
from mrv_assets.storage.withdrawals import key_of

Recipe: TypeAlias = Callable[[World, PartitionKey], Work]

UPSTREAM: Mapping[Asset, tuple[Asset, ...]] = {
    Asset.ACTIVITY: (),
    Asset.NORMALIZED: (Asset.ACTIVITY,),
    Asset.FACTORED: (Asset.NORMALIZED,),
    Asset.AGGREGATED: (Asset.FACTORED,),
    Asset.CERTIFICATE: (Asset.AGGREGATED,),
    Asset.LEDGER: (Asset.CERTIFICATE,),
}

_STAGE_MODULES: Mapping[Asset, tuple[str, ...]] = {
    Asset.ACTIVITY: ("mrv_assets.stages.ingest",),
    Asset.NORMALIZED: ("mrv_assets.stages.land", "mrv_assets.stages.normalize"),
    Asset.FACTORED: ("mrv_assets.stages.factor",),
    Asset.AGGREGATED: ("mrv_assets.stages.aggregate",),
    Asset.CERTIFICATE: (
        "mrv_assets.stages.certify",
        "mrv_assets.stages.monitoring_package",
        "mrv_assets.stages.spread",
        "mrv_assets.compliance.controls.assess",
        "mrv_assets.compliance.assessed",
    ),
    Asset.LEDGER: ("mrv_assets.stages.submit",),
}
_TABLES = ("pyarrow",)
_EXPECTATIONS = ("great-expectations", "numpy", "pandas")  # what pandas holds and compares is numpy's
_GEOMETRY = ("geoarrow-c", "geoarrow-pyarrow", "pyproj", "sedonadb", "shapely")
LIBRARIES: Mapping[Asset, tuple[str, ...]] = {
    Asset.ACTIVITY: (*_TABLES, *_GEOMETRY, *_EXPECTATIONS, "defusedxml", "pyogrio", "python-calamine"),
    Asset.NORMALIZED: (*_TABLES, *_GEOMETRY, *_EXPECTATIONS, "antimeridian", "pint"),
    Asset.FACTORED: (*_TABLES, *_EXPECTATIONS, "pint"),
    Asset.AGGREGATED: (*_TABLES, *_EXPECTATIONS),
    Asset.CERTIFICATE: (*_TABLES, "numpy", "pint", "pyproj", "scipy", "shapely"),
    Asset.LEDGER: (*_TABLES, *_EXPECTATIONS),
}
"""What computes or judges for the stage, by name of its distribution; the exact version is a pin."""

_version = cache(version)
"""A process computes with what it has imported, whatever is installed later; each look-up reads a file."""

_PLACING = ("geoarrow-c", "pyproj", "shapely")
"""What places rows in the regions of a factor release, beside what computes for factored anyway."""

_CONTRACT: Mapping[Asset, Contract] = {contract.asset: contract for contract in CONTRACTS}


def stage_code(asset: Asset) -> str:
    """Return the digest of the code that makes and judges `asset`; Dagster shows it as the code version."""
    return code_digest(stage_modules(asset))


def stage_modules(asset: Asset) -> tuple[str, ...]:
    """Return the modules that make and judge `asset`; what they import belongs to its code as well."""
    return (*_STAGE_MODULES[asset], f"mrv_assets.compliance.{asset.value}")


def recipe(asset: Asset) -> Recipe:
    """Return the recipe of `asset`."""
    return _RECIPES[asset]


def _activity(world: World, key: PartitionKey) -> Work:
    project = world.references.project(key.project_id)
    source = world.landing.fetch(project.source.path)
    boundary = world.references.boundary(project)
    beside, identity, file = source.beside, source.identity, Once(source)
    item = () if beside is None else (InputRef(kind="stac_item", name=beside.key, digest=sha256_hex(beside.data)),)
    work = _work(
        key,
        asset=Asset.ACTIVITY,
        external=(
            InputRef(kind="project", name=project.id, digest=project.digest),
            InputRef(kind="boundary", name=project.boundary.path, digest=boundary.file_sha256),
            InputRef(kind="source", name=project.source.path, digest=source.sha256),
            *item,
        ),
        make=lambda: _identified(
            ingest(
                file.take().data,
                project=project,
                period=Period.parse(key.period),
                boundary=boundary.geometry,
                boundary_crs=boundary.tagged_crs,
            ),
            identity,
        ),
    )
    return replace(work, source=identity)


def _identified(staged: Staged, identity: Mapping[str, str]) -> Staged:
    """Return activity with the identity of its source file in its evidence."""
    return replace(staged, evidence={**staged.evidence, **identity})


def _normalized(world: World, key: PartitionKey) -> Work:
    activity = _upstream(world, Asset.ACTIVITY, key)
    project = world.references.project(key.project_id)
    boundary = world.references.boundary(project)
    own = {"boundary": boundary.file_sha256} if project.source.geometry.is_own else {}
    return _work(
        key,
        asset=Asset.NORMALIZED,
        upstream=(activity,),
        pins={"policy": project.normalization_digest, **own},
        make=lambda: normalize(
            activity.table(),
            source=project.source,
            policy=project.crs,
            land=land_box(project, boundary.geometry, boundary_crs=boundary.tagged_crs, where=str(key)),
            where=str(Slot.of(Asset.NORMALIZED, key)),
            each=on_all_cores,
        ),
    )


def _factored(world: World, key: PartitionKey) -> Work:
    normalized = _upstream(world, Asset.NORMALIZED, key)
    release = world.references.factor_release(key.factor_version)
    project = world.references.project(key.project_id)
    fallback, is_spatial = project.fallback, project.source.is_spatial
    work = _work(
        key,
        asset=Asset.FACTORED,
        upstream=(normalized,),
        pins={
            **({"fallback": fallback.digest} if fallback else {}),
            **({library: _version(library) for library in _PLACING} if is_spatial else {}),
        },
        external=(
            InputRef(kind="factor_release", name=release.version, digest=release.digest),
            InputRef(kind="gwp_set", name=release.gwp.name, digest=release.gwp.digest),
        ),
        make=lambda: apply_factors(
            normalized.table() if is_spatial else normalized.table_without_footprints(),
            release=release,
            fallback=fallback,
            spatial=project.crs if is_spatial else None,
            where=str(Slot.of(Asset.FACTORED, key)),
        ),
    )
    return _nothing_new_when_withdrawn(world, work)


def _aggregated(world: World, key: PartitionKey) -> Work:
    factored = _upstream(world, Asset.FACTORED, key)
    work = _work(
        key,
        asset=Asset.AGGREGATED,
        upstream=(factored,),
        make=lambda: aggregate(factored.table()),
    )
    return _nothing_new_when_withdrawn(world, work)


def _certificate(world: World, key: PartitionKey) -> Work:
    aggregated = _upstream(world, Asset.AGGREGATED, key)
    chain = _lineage_of(world, aggregated.record)
    asked = declared(world, key)
    project = world.references.project(key.project_id)
    said = project.uncertainty
    inputs = (*(ref for record in chain for ref in record.inputs), *asked.refs)
    work = _work(
        key,
        asset=Asset.CERTIFICATE,
        upstream=(*(Upstream(world.slots, record) for record in chain[:-1]), aggregated),
        external=inputs,
        pins={"standard": project.standard, **({"uncertainty": said.digest} if said else {})},
        make=lambda: _certified(world, key, aggregated.table(), chain, inputs, asked),
    )
    made_of, limit = work.case, said.max_relative if said else None
    work = replace(
        work,
        case=lambda staged, current: replace(
            made_of(staged, current), rule_sets=asked.rule_sets, max_relative_uncertainty=limit
        ),
    )
    return _nothing_new_when_withdrawn(world, work)


def _certified(
    world: World,
    key: PartitionKey,
    strata: pa.Table,
    chain: Sequence[GenerationRecord],
    inputs: Sequence[InputRef],
    asked: Declared,
) -> Staged:
    """Make the statement over the strata and all that they were made from."""
    spread = _spread(world, key, chain)
    certificate = certify(
        strata,
        key=key,
        standard=world.references.project(key.project_id).standard,
        inputs=inputs,
        subjects=[Subject.of(record) for record in chain],
        assessments=assessments(asked, key, totals_of(strata), world.references, uncertainty=spread),
        uncertainty=spread,
    )
    return stated(superseding(world, certificate))


def _spread(world: World, key: PartitionKey, chain: Sequence[GenerationRecord]) -> FigureUncertainty | None:
    """Return how sure the figure is, None where the project says nothing of it."""
    said = world.references.project(key.project_id).uncertainty
    if said is None:
        return None
    [factored] = [record for record in chain if record.slot.asset is Asset.FACTORED]
    where = str(Slot.of(Asset.CERTIFICATE, key))
    try:
        release = world.references.factor_release(key.factor_version)
        terms = figure_terms(world.slots.load_table(factored, columns=USED), release, said, where=where)
        return figure_uncertainty(terms, said, seed=key.idempotency_key, where=where)
    except ContractError as refusal:
        raise GateError(
            refusal.what,
            gate=MAX_RELATIVE_UNCERTAINTY,
            where=refusal.where,
            expected=refusal.expected,
            found=refusal.found,
            remedy=refusal.remedy,
        ) from refusal


def _ledger(world: World, key: PartitionKey) -> Work:
    certificate = _upstream(world, Asset.CERTIFICATE, key)
    found = promotion(world, key, certificate.record)
    silence = found.silence
    if silence is not None and silence.hold is not None:
        return withdrawn_work(key, silence.withdrawal)
    work = _work(
        key,
        asset=Asset.LEDGER,
        upstream=(certificate,),
        pins=found.pins,
        make=lambda: _approved(ledger_row(_load_certificate(world, certificate.record)), found.approval),
    )
    return replace(
        work,
        hold=found.hold,
        approval=found.approval_ref,
        reinstatement=silence.reinstatement_ref if silence else None,
        said=str(silence.reinstatement) if silence else None,
        case=lambda staged, current: replace(
            _ledger_case(world, work.case(staged, current), found.standing.rival),
            reinstatement=silence.reinstatement if silence else None,
        ),
    )


def withdrawn_work(key: PartitionKey, withdrawal: FigureWithdrawal) -> Work:
    """Return the work of a ledger slot whose figure was withdrawn: the same for every factor version that is run."""
    ref = InputRef(kind=WITHDRAWAL, name=key_of(withdrawal), digest=withdrawal.sha256)
    work = _work(key, asset=Asset.LEDGER, external=(ref,), make=lambda: nothing_reported(withdrawal))
    return replace(
        work,
        pins={**work.pins, "factor_version": withdrawal.withdrawn.factor_version},
        said=str(withdrawal),
        settled=str(withdrawal),
        case=lambda staged, current: replace(work.case(staged, current), withdrawal=withdrawal),
    )


def _approved(staged: Staged, approval: Approval | None) -> Staged:
    """Return the figure with who approved it and why in its evidence, where somebody had to."""
    if approval is None:
        return staged
    said = {"approved_by": approval.approved_by, "approved_because": approval.reason}
    return replace(staged, evidence={**staged.evidence, **said})


_RECIPES: Mapping[Asset, Recipe] = {
    Asset.ACTIVITY: _activity,
    Asset.NORMALIZED: _normalized,
    Asset.FACTORED: _factored,
    Asset.AGGREGATED: _aggregated,
    Asset.CERTIFICATE: _certificate,
    Asset.LEDGER: _ledger,
}


def _work(
    key: PartitionKey,
    *,
    asset: Asset,
    make: Callable[[], Staged],
    upstream: Sequence[Upstream] = (),
    external: Sequence[InputRef] = (),
    pins: Mapping[str, str] | None = None,
) -> Work:
    contract = _CONTRACT.get(asset)
    pins = {
        **(pins or {}),
        "contract": contract.version if contract else CERTIFICATE_VERSION,
        "code": stage_code(asset),
    }
    pins |= {library: _version(library) for library in LIBRARIES[asset]}
    if asset.depends_on_factors or asset is Asset.LEDGER:
        pins["factor_version"] = key.factor_version
    return Work(
        asset=asset,
        key=key,
        contract=contract,
        external=tuple(external),
        upstream=tuple(each.record for each in upstream),
        pins=pins,
        make=make,
        case=lambda staged, current: _case(key, staged, current, upstream),
    )


def _nothing_new_when_withdrawn(world: World, work: Work) -> Work:
    """Return work that is refused, unless it is skipped, when the factor release of the partition was withdrawn."""
    withdrawal = world.references.withdrawal(work.key.factor_version)
    if withdrawal is None:
        return work
    return replace(work, refusal=withdrawn(withdrawal, where=str(work.slot)))


def withdrawn(withdrawal: Withdrawal, *, where: str) -> FactorError:
    """Return the error by which nothing new is made with a withdrawn release."""
    return withdrawal.refusal(
        "factor release was withdrawn",
        where=where,
        remedy="run another release of the line, the newest when none is named; what was certified with this one stays",
    )


def _case(
    key: PartitionKey,
    staged: Staged,
    current: GenerationRecord | None,
    upstream: Sequence[Upstream],
) -> Case:
    return case_of(
        key,
        staged,
        current=current,
        upstream={each.record.slot.asset: each.looked_at() for each in upstream[-1:]},
        upstream_gates={each.record.slot.asset: each.record.gates for each in upstream},
    )


def _ledger_case(world: World, case: Case, rival: str | None) -> Case:
    """Add what only the gates of the ledger look at: what the project reports already, under any of its names."""
    try:
        kin: Mapping[tuple[str, str], str] | Refusal = kin_reporting(world, case.key)
    except Refusal as refusal:
        kin = refusal
    return replace(case, live=_live_elsewhere(world, case.key), kin=kin, rival=rival)


def _upstream(world: World, asset: Asset, key: PartitionKey) -> Upstream:
    """Return the current generation of an upstream slot. Raises ContractError when empty, GateError when red."""
    slot = Slot.of(asset, key)
    record = world.slots.current(slot)
    if record is None:
        raise ContractError(
            "upstream has no content yet",
            where=str(slot),
            expected=f"a generation of {asset}",
            found="an empty slot",
            remedy=f"materialise {asset} for this partition first, or run the whole partition",
        )
    record.require_passed()
    return Upstream(world.slots, record)


def _lineage_of(world: World, record: GenerationRecord) -> tuple[GenerationRecord, ...]:
    """Return the generations that `record` was made from, by the numbers in the records, and itself, in order."""
    before: tuple[GenerationRecord, ...] = ()
    for ref in record.upstream:
        before += _lineage_of(world, world.slots.record(ref.slot, ref.generation))
    return (*before, record)


def _live_elsewhere(world: World, key: PartitionKey) -> dict[str, str]:
    """Return the factor version of every other period that the project reports."""
    live: dict[str, str] = {}
    for slot in ledger_slots_now(world, project_id=key.project_id):
        record = live_record(world.slots, slot) if slot.period != key.period else None
        if record is not None:
            live[slot.period] = record.pins["factor_version"]
    return live


def _load_certificate(world: World, record: GenerationRecord) -> Certificate:
    return Certificate.from_bytes(
        world.slots.load_bytes(record), where=f"{record.slot}, generation {record.generation}"
    )
