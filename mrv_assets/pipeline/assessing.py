"""What the rule sets of a period come to on one canonical result: fetched, pinned, and evaluated side by side.

What does not belong here: the rules (reference data), the formulas (crediting) and the controls (compliance).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.compliance.assessed import ASSESSED
from mrv_assets.compliance.controls.assess import account_of, assess
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.figure_uncertainty import FigureUncertainty
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.pipeline.world import World
from mrv_assets.stages.monitoring_package import read_package, table_files
from mrv_assets.storage.references import ReferenceData


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """The rule sets that a project declares for a period, and the evidence that it shows. `refs` pin both by digest."""

    rule_sets: Sequence[RuleSet] = ()
    package: bytes | None = None
    tables: Sequence[tuple[str, bytes]] = ()
    path: str = ""
    refs: Sequence[InputRef] = ()


def declared(world: World, key: PartitionKey, *, instead: Sequence[str] | None = None) -> Declared:
    """Return what the project of a partition declares for its period; nothing is read but what is declared.

    `instead` are rule sets to take in place of the declared ones, on the same evidence.

    Raises ContractError for a rule set or a file of evidence that is missing or malformed.
    """
    project, period = world.references.project(key.project_id), Period.parse(key.period)
    asked = project.declared_for(period)
    names = instead or (asked.rule_sets if asked else ())
    if not names:
        return Declared()
    rule_sets = tuple(world.references.rule_set(name) for name in names)
    pins = tuple(InputRef(kind="rule_set", name=found.name, digest=found.digest) for found in rule_sets)
    path = asked.monitoring_of(period) if asked else None
    if path is None:
        return Declared(rule_sets=rule_sets, refs=pins)
    package, tables = fetch_package(world, path)
    shown = InputRef(kind="monitoring", name=path, digest=package_digest(package, tables))
    return Declared(rule_sets=rule_sets, package=package, tables=tables, path=path, refs=(*pins, shown))


def fetch_package(world: World, path: str) -> tuple[bytes, tuple[tuple[str, bytes], ...]]:
    """Return the monitoring package at a path of the landing folder, and its tables by name.

    Raises ContractError for a file that is missing or malformed.
    """
    package = world.landing.fetch(path).data
    places = table_places(package, path)
    return package, tuple((name, world.landing.fetch(place).data) for name, place in places.items())


def package_digest(package: bytes, tables: Sequence[tuple[str, bytes]]) -> str:
    """Return the digest by which a certificate names a monitoring package with its tables."""
    return sha256_hex(canonical_json([sha256_hex(package), [[name, sha256_hex(data)] for name, data in tables]]))


def table_places(package: bytes, path: str) -> dict[str, str]:
    """Return where the tables of the monitoring package at `path` lie in the landing folder, by table.

    Raises ContractError when the package is malformed.
    """
    folder = path.rpartition("/")[0]
    return {name: f"{folder}/{file}".lstrip("/") for name, file in table_files(package, where=path).items()}


def evidence(found: Declared, key: PartitionKey) -> Monitoring:
    """Return what a project shows, nothing where it names no package. Raises ContractError when it is malformed."""
    if found.package is None:
        return Monitoring(where=f"monitoring of {key.project_id} {key.period}")
    return read_package(found.package, dict(found.tables), where=found.path)


def evidence_of(world: World, certificate: Certificate) -> Monitoring:
    """Return the evidence that a certificate was assessed on.

    Raises ContractError when the landing folder holds another one by now: what is said of a certificate rests on what
    it rests on.
    """
    found = declared(world, certificate.key)
    sealed, now = ([ref for ref in refs if ref.kind == "monitoring"] for refs in (certificate.inputs, found.refs))
    if list(sealed) != now:
        raise ContractError(
            "evidence is not what the certificate was assessed on",
            where=str(certificate.key),
            expected=", ".join(f"{ref.name} {ref.digest}" for ref in sealed) or "no monitoring package",
            found=", ".join(f"{ref.name} {ref.digest}" for ref in now) or "no monitoring package",
            remedy="run the partition, so that a certificate rests on the evidence that is there now",
        )
    return evidence(found, certificate.key)


def assessments(
    found: Declared,
    key: PartitionKey,
    totals: Totals,
    references: ReferenceData,
    *,
    uncertainty: FigureUncertainty | None,
) -> tuple[Assessment, ...]:
    """Return one assessment for each declared rule set, all on the same canonical result; none when none is declared.

    `uncertainty` is that of the result, None where it is not known. Raises GateError (gate `standards_assessed`) for a
    rule set that is not in force, evidence that cannot be read, and a step whose evidence is missing.
    """
    if not found.rule_sets:
        return ()
    where, release = str(Slot.of(Asset.CERTIFICATE, key)), references.factor_release(key.factor_version)
    try:
        own = {"gwp_set": release.gwp.name, "factor_version": release.version, "factor_release_sha256": release.digest}
        account = account_of(
            Period.parse(key.period), totals, evidence(found, key), own_facts=own, uncertainty=uncertainty
        )
        return assess(found.rule_sets, account, where=where)
    except ContractError as refusal:
        raise GateError(
            refusal.what,
            gate=ASSESSED,
            where=refusal.where,
            expected=refusal.expected,
            found=refusal.found,
            remedy=refusal.remedy,
        ) from refusal
