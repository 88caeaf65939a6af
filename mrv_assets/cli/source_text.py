"""The words and tables of `mrv source` about a file.

What does not belong here: looking at the file (pipeline.preview), and what its rows would become (stage_text).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mrv_assets.cli.stage_text import Lines, crs_name, laid_out, print_stage
from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.project import Project
from mrv_assets.domain.source import Footprint, GeometrySource, SourceFormat
from mrv_assets.pipeline.preview import Preview
from mrv_assets.pipeline.source_reading import SourceReading

_KEPT_NOTHING = "Nothing was kept: this only looked."


def print_preview(seen: Preview) -> None:
    """Print what the file is, what it holds and what it would become, as far as that was found out."""
    console, project = stdout(), seen.project
    console.print(f"{project.id}, {project.name}", style="bold", soft_wrap=True)
    _print_section("File", _file_lines(seen.identity))
    _print_section("Read as", [*_format_lines(project), *_reading_lines(project, seen.reading), *_crs_lines(seen)])
    if seen.columns:
        _print_columns(seen)
    if seen.reading is not None:
        _print_periods(project, seen.reading)
    for stage in seen.stages:
        print_stage(stage)
    console.print(f"\n{_KEPT_NOTHING}", style="dim")


def _print_section(title: str, lines: Lines) -> None:
    stdout().print(f"\n{title}", style="bold")
    stdout().print(laid_out(lines))


def _file_lines(identity: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield "from", identity["source_uri"]
    yield "sha256", identity["source_sha256"]
    yield "size", f"{int(identity['source_size']):,} bytes of {identity['source_media_type']}"
    yield "version or tag", identity["source_version"]
    yield "last changed", identity["source_modified_utc"]
    if "source_stac_uri" not in identity:
        yield "STAC Item", "none beside it"
        return
    yield "STAC Item", identity["source_stac_uri"]
    # An item that was refused says nothing but where it is.
    for name in ("id", "version", "datetime", "start_datetime", "end_datetime", "checksum", "crs"):
        if said := identity.get(f"source_stac_{name}"):
            yield f"  {name.replace('_', ' ')}", said


def _format_lines(project: Project) -> Iterator[tuple[str, str]]:
    source = project.source
    options = []
    if source.format is SourceFormat.CSV:
        options += [f"encoding {source.text_encoding}", f"delimiter {source.delimiter!r}"]
    if source.format is SourceFormat.SHAPEFILE:
        options += [f"encoding {source.encoding or 'as its .cpg says, else ASCII'}"]
    if not source.format.has_geometry:
        options += [f"decimal mark {source.decimal_mark!r}"]
    if source.layer is not None:
        options += [f"layer {source.layer!r}"]
    yield "format", ", ".join([source.format.value, *options])
    boundary = project.boundary
    origin = {
        GeometrySource.BOUNDARY: f"{boundary.path}, {boundary.id_property} = {boundary.id}",
        GeometrySource.NONE: "nowhere; the region says where",
        GeometrySource.RECORD: "the records of the file",
    }
    columns = f"{source.geometry}, column {' and '.join(source.geometry_columns)}"
    yield "footprints from", origin.get(source.geometry, columns)
    yield "a footprint is", {Footprint.AREA: "an area", Footprint.POINT: "a point"}.get(source.footprint, "nothing")


def _reading_lines(project: Project, reading: SourceReading | None) -> Iterator[tuple[str, str]]:
    if reading is None:
        return
    yield "records", f"{reading.records:,}, from {reading.record} {reading.first} on"
    selected = " and ".join(f"{theirs} = {text!r}" for theirs, text in project.source.where.items())
    yield "rows of the project", f"{reading.rows:,}" + (f", where {selected}" if selected else ", all of them")
    for name, text in reading.facts.items():
        yield name.replace("_", " "), text


def _crs_lines(seen: Preview) -> Iterator[tuple[str, str]]:
    source = seen.project.source
    if source.geometry is GeometrySource.NONE:
        return
    is_boundary = source.geometry is GeometrySource.BOUNDARY
    tag = seen.boundary_tag if is_boundary else seen.reading.tag if seen.reading else None
    declared = seen.project.boundary.declared if is_boundary else source.declared
    if is_boundary or seen.reading is not None:
        yield f"CRS tag of the {'boundary' if is_boundary else 'file'}", crs_name(tag) if tag else "none"
    yield "CRS declared", f"{crs_name(declared.crs)}, because {declared.because}" if declared else "no"
    if declared is None and seen.crs is not None:
        yield "CRS used", f"{crs_name(seen.crs.crs)}, because {seen.crs.because}"


def _print_columns(seen: Preview) -> None:
    source = seen.project.source
    uses: dict[str, list[str]] = {name: [] for name in (*seen.columns, *source.wanted)}
    for ours, theirs in source.columns.items():
        uses[theirs].append(ours)
    for theirs in source.where:
        uses[theirs].append("where")
    for theirs in source.geometry_columns:
        uses[theirs].append("footprint")
    stdout().print("\nColumns", style="bold")
    table = plain_table()
    table.add_column("in the file", overflow="fold")
    table.add_column("used as", overflow="fold")
    for theirs, used in uses.items():
        if used:
            table.add_row(theirs if theirs in seen.columns else f"{theirs} (MISSING)", ", ".join(used))
    for ours, text in source.constants.items():
        table.add_row(f'constant "{text}"', ours)
    stdout().print(table)
    unused = [name for name, used in uses.items() if not used]
    stdout().print(f"not used: {', '.join(unused) or 'none'}", style="dim")


def _print_periods(project: Project, reading: SourceReading) -> None:
    stdout().print(f"\nPeriods of the project, which reports by the {project.reporting}", style="bold")
    table = plain_table()
    table.add_column("period", no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("covered", overflow="fold")
    for period in reading.periods:
        table.add_row(period.period, f"{period.rows:,}", "whole" if period.is_whole else "in part")
    for epoch, rows in reading.unusable.items():
        table.add_row(repr(epoch), f"{rows:,}", f"the epoch lies in no single {project.reporting}")
    if not table.rows:
        table.add_row("none", "0", "the project has no rows in this file")
    stdout().print(table)
