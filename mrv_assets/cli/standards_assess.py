"""`mrv standards assess`: what rule sets make of certified totals, the declared ones or others. Nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.cli.assessment_text import assessments_text
from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, print_json, stdout
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.assessing import assessments, declared
from mrv_assets.pipeline.versions import version_to_run
from mrv_assets.pipeline.world import World
from mrv_assets.verify import verify_certificate


def show_assessment(
    project: str, period: str, factor_version: str | None, *, rule_sets: Sequence[str] | None, as_json: bool
) -> int:
    """Print the assessment of a partition's certified totals and return the exit code: 1 when a control fails.

    Raises ContractError for a partition without a certificate or without rule sets, GateError when one cannot be
    evaluated, Tampering when the certificate is not what its record seals.
    """
    world = open_for_reading(enter())
    if factor_version is None:
        factor_version = version_to_run(world.references, world.references.project(project), period)
    key = PartitionKey(project_id=project, period=period, factor_version=factor_version)
    certificate = current_certificate(world, key)
    found = declared(world, key, instead=rule_sets)
    if not found.rule_sets:
        raise ContractError(
            "no rule set is declared for the period",
            where=f"project {project}, {period}",
            expected="[[standards]] of the project whose window holds the period, or --rule-set",
            found="none",
            remedy="declare rule sets in the project file (docs/standards.md), or name some with --rule-set",
        )
    assessed = assessments(found, key, certificate.totals, world.references, uncertainty=certificate.uncertainty)
    if as_json:
        print_json({"partition": str(key), "assessments": [one.to_json() for one in assessed]})
    else:
        stdout().print(f"{key}, certificate {certificate.sha256[:12]}", style="bold")
        stdout().print(assessments_text(assessed))
    return REFUSED if _is_failed(assessed) else DONE


def _is_failed(assessments: Sequence[Assessment]) -> bool:
    return any(one.failed for one in assessments)


def current_certificate(world: World, key: PartitionKey) -> Certificate:
    """Return the certificate of a partition. Raises ContractError when there is none, Tampering when it was changed."""
    record = world.slots.current(Slot.of(Asset.CERTIFICATE, key))
    if record is None:
        raise ContractError(
            "partition has no certificate yet",
            where=str(key),
            expected="a certificate whose totals can be assessed",
            found="an empty slot",
            remedy=f"run it first: mrv run {key.project_id} {key.period} {key.factor_version}",
        )
    return verify_certificate(world.slots.load_bytes(record), record)
