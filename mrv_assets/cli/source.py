"""`mrv source`: what a project's source file is and would become, before anything is run.

What does not belong here: looking (pipeline.preview) and how it is laid out (source_text).
"""

from __future__ import annotations

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.source_text import print_preview
from mrv_assets.cli.terminal import DONE, REFUSED, parts, print_json, print_panel, stderr
from mrv_assets.domain.errors import GateError, Refusal
from mrv_assets.pipeline.preview import Preview, preview
from mrv_assets.pipeline.source_reading import SourceReading
from mrv_assets.pipeline.stage_preview import StagePreview


def show_source(project: str, period: str | None, *, as_json: bool) -> int:
    """Print what the source file of a project is and, with `period`, would become; return the exit code.

    Nothing is kept. The code is that of a refusal when a run would be refused. Raises as `preview` does.
    """
    world = open_for_reading(enter())
    with stderr().status(f"Reading the source of {project}"):
        seen = preview(world, project, period)
    if as_json:
        print_json(preview_json(seen))
    else:
        print_preview(seen)
    if seen.refusal is not None:
        file = {"file": seen.identity["source_uri"]}
        print_panel("Refused", {**file, **_gate(seen.refusal), **parts(seen.refusal)})
    return DONE if seen.refusal is None else REFUSED


def preview_json(seen: Preview) -> dict[str, object]:
    """Return a preview in JSON-ready values, complete: every row that would be set aside, every metric of a gate."""
    source = seen.project.source
    return {
        "project_id": seen.project.id,
        "file": dict(seen.identity),
        "format": source.format,
        "columns": {
            "mapped": dict(source.columns),
            "constants": dict(source.constants),
            "where": dict(source.where),
            "geometry": list(source.geometry_columns),
            "in_file": list(seen.columns),
            "unused": [name for name in seen.columns if name not in source.wanted],
            "missing": [name for name in source.wanted if seen.columns and name not in seen.columns],
        },
        "reading": None if seen.reading is None else _reading_json(seen.reading),
        "crs": {
            "file_tag": seen.reading.tag if seen.reading else None,
            "boundary_tag": seen.boundary_tag,
            "used": None if seen.crs is None else {"crs": seen.crs.crs, "because": seen.crs.because},
        },
        "stages": [_stage_json(stage) for stage in seen.stages],
        "refusal": None if seen.refusal is None else _refusal_json(seen.refusal),
    }


def _reading_json(reading: SourceReading) -> dict[str, object]:
    return {
        "record": reading.record,
        "first": reading.first,
        "records": reading.records,
        "project_rows": reading.rows,
        "facts": dict(reading.facts),
        "periods": [{"period": p.period, "rows": p.rows, "is_whole": p.is_whole} for p in reading.periods],
        "unusable_epochs": dict(reading.unusable),
    }


def _stage_json(stage: StagePreview) -> dict[str, object]:
    staged = stage.staged
    aside = None if staged is None else staged.quarantined
    return {
        "asset": stage.slot.asset,
        "rows": None if staged is None else staged.rows,
        "quarantine": [] if aside is None else aside.to_pylist(),
        "evidence": {} if staged is None else dict(staged.evidence),
        "gates": [gate.to_json() for gate in stage.gates],
        "content_digest": stage.content_digest,
        "current_generation": None if stage.current is None else stage.current.generation,
        "is_new": stage.is_new,
        "is_refused": stage.refusal is not None,
    }


def _refusal_json(refusal: Refusal) -> dict[str, str]:
    return {"family": refusal.family, **_gate(refusal), **parts(refusal)}


def _gate(refusal: Refusal) -> dict[str, str]:
    return {"gate": refusal.gate} if isinstance(refusal, GateError) else {}
