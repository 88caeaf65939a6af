"""How a backfill looks in Dagit: the plan, the manifest and what is to be forwarded, as metadata of its steps."""

import base64
from collections import Counter
from collections.abc import Callable, Sequence

from dagster import MetadataValue
from dagster._core.definitions.metadata import RawMetadataValue

from mrv_assets.domain.run_manifest import RunManifest, Unresolved
from mrv_assets.orchestration.presentation import markdown_row
from mrv_assets.pipeline.backfill_manifest import KeptManifest
from mrv_assets.pipeline.backfill_plan import Action, PartitionPlan
from mrv_assets.pipeline.backfill_submission import Correction

_SHOWN = 200
"""Rows of a table: Dagster keeps metadata in its event log, which is no place for ten thousand."""


def plan_metadata(plans: Sequence[PartitionPlan], unresolved: Sequence[Unresolved]) -> dict[str, RawMetadataValue]:
    """Return how many partitions are to run, to skip and blocked, by cause, and a table of all but the skipped."""
    actions = Counter(plan.action for plan in plans)
    causes = Counter(cause.value for plan in plans for cause in plan.causes)
    told = [plan for plan in plans if plan.action is not Action.SKIP]
    rows = [markdown_row(str(p.key), p.action, ", ".join(p.causes), p.reason) for p in told[:_SHOWN]]
    rows += [markdown_row(str(one), "blocked", "", one.trouble.what) for one in unresolved]
    head = ["| partition | action | why | reason |", "| --- | --- | --- | --- |"]
    more = [f"\n… and {len(told) - _SHOWN} more: `mrv plan`"] if len(told) > _SHOWN else []
    table = "\n".join([*head, *rows, *more]) if rows else "Nothing to do: all partitions are skipped."
    return {
        **{action.value: actions[action] for action in Action},
        Action.BLOCKED.value: actions[Action.BLOCKED] + len(unresolved),
        "causes": dict(causes),
        "plan": MetadataValue.md(table),
    }


def manifest_metadata(
    kept: KeptManifest, show: Callable[[RunManifest], tuple[str, bytes | None]]
) -> dict[str, RawMetadataValue]:
    """Return the sheet of the run: the table and the picture, its counts and tonnes, where it is kept, its digest."""
    manifest = kept.manifest
    markdown, picture = show(manifest)
    metadata: dict[str, RawMetadataValue] = {"manifest": MetadataValue.md(markdown)}
    if picture is not None:
        # Before the counts: Dagit covers what does not fit into the row of an event.
        image = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
        metadata["waterfall"] = MetadataValue.md(f"![tonnes before and after, by cause]({image})")
    metadata |= {
        **{outcome.value: count for outcome, count in manifest.counts.items()},
        "change t CO2e": float(manifest.total.delta_tco2e),
        "kept as": kept.document.key,
        "sha256": kept.document.sha256,
    }
    return metadata


def submission_metadata(corrections: Sequence[Correction]) -> dict[str, RawMetadataValue]:
    """Return the corrected ledger entries, those with issued credits first."""
    if not corrections:
        return {"corrected ledger entries": 0}
    head = [
        "| project | period | before t | after t | change t | certificate | credits issued before |",
        "| --- | --- | ---: | ---: | ---: | --- | --- |",
    ]
    ordered = sorted(corrections, key=lambda one: not one.credits)
    rows = [_correction(one) for one in ordered[:_SHOWN]]
    more = [f"\n… and {len(ordered) - _SHOWN} more: in the manifest"] if len(ordered) > _SHOWN else []
    return {
        "corrected ledger entries": len(corrections),
        "with issued credits": sum(bool(one.credits) for one in corrections),
        "to forward": MetadataValue.md("\n".join([*head, *rows, *more])),
    }


def _correction(one: Correction) -> str:
    done = one.partition
    before = f"{done.before.tonnes.net:f}" if done.before else "none"
    after = f"{done.after.tonnes.net:f}" if done.after else "none"
    certificate = f"`{done.after.certificate_sha256[:16]}`" if done.after else ""
    delta = f"{done.delta_tco2e:+f}"
    return markdown_row(done.key.project_id, done.key.period, before, after, delta, certificate, ", ".join(one.credits))
