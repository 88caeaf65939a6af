"""`mrv data-docs`: every table behind the live figures judged again, as pages that an auditor can keep.

What does not belong here: judging and drawing (report.data_docs).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, print_json, print_panel, stderr, stdout
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Period
from mrv_assets.pipeline.figures import Figure, live_figures
from mrv_assets.pipeline.world import World
from mrv_assets.report.data_docs import TablePage, index_page, page_path, table_page, tables_behind
from mrv_assets.settings import Settings

_INDEX = "index.html"
_OURS = ".mrv-data-docs.json"
"""The list of all files that this command has written into a folder: what it may write over and take away."""


def write_data_docs(project: str | None, period: str | None, out: Path, *, as_json: bool) -> int:
    """Write a page for every table behind the live figures, limited to a project and a period; return the exit code.

    The code is 0 when every table is proven to keep its contract, else 1. Raises ContractError when nothing is
    reported, and for a folder that holds other things or lies in a place of the platform; Tampering when what is
    stored contradicts its record.
    """
    settings = enter()
    world = open_for_reading(settings)
    tables = _tables(world, project, period)
    _prepare(out, settings, [page_path(record) for _, record in tables])
    pages = []
    with _progress(len(tables)) as notice:
        for figure, record in tables:
            notice(record)
            page = table_page(world.slots, figure, record)
            _write(out / page.path, page.html)
            pages.append(replace(page, html=""))  # written is enough: there may be thousands
    _write(out / _INDEX, index_page(pages))
    return _told(pages, out / _INDEX, as_json=as_json)


def _told(pages: Sequence[TablePage], index: Path, *, as_json: bool) -> int:
    unmet = [page for page in pages if page.faults]
    if as_json:
        print_json({"index": index, "is_met": not unmet, "tables": [_table_json(page) for page in pages]})
    else:
        expectations = sum(page.expectations for page in pages)
        words = f"{len(pages)} tables, {expectations} expectations, {len(unmet)} tables not met."
        stdout().print(words, f"Written: {index}", sep="\n", soft_wrap=True)
    if unmet:
        print_panel("A stored table is not proven to keep its contract", _panel(unmet))
    return REFUSED if unmet else DONE


def _tables(world: World, project: str | None, period: str | None) -> list[tuple[Figure, GenerationRecord]]:
    """Return the tables behind the live figures that are asked for. Raises ContractError when there are none."""
    if project is not None:
        world.references.project(project)
    if period is not None:
        Period.parse(period)
    figures = live_figures(world.slots, project_id=project, period=period)
    if not figures:
        raise ContractError(
            "there is nothing to document",
            where=" ".join(name for name in (project, period) if name) or "the ledger",
            expected="at least one live figure",
            found="none",
            remedy=f"run the partition: mrv run {project or 'PROJECT'} {period or 'PERIOD'}",
        )
    return [(figure, record) for figure in figures for record in tables_behind(world.slots, figure)]


def _prepare(out: Path, settings: Settings, pages: Sequence[str]) -> None:
    """Make the folder ready: empty but for what this command wrote before, of which no page remains."""
    _refuse_a_place_of_the_platform(out, settings)
    for path in _written_before(out):
        path.unlink(missing_ok=True)
    _write(out / _OURS, json.dumps(sorted({*pages, _INDEX}), indent=0) + "\n")


def _written_before(out: Path) -> list[Path]:
    """Return the pages that this command has written into a folder. Raises ContractError when it has others in it."""
    ours = out / _OURS
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return []
    try:
        names = [str(name) for name in json.loads(ours.read_text(encoding="utf-8"))]
    except (OSError, ValueError, TypeError):
        raise ContractError(
            "folder holds what this command did not write",
            where=f"--out {out}",
            expected="no such folder, an empty one, or one that `mrv data-docs` has written",
            found=f"no usable list of its own files, {_OURS}",
            remedy="name another folder",
        ) from None
    return [path for path in (out / name for name in names) if path.resolve().is_relative_to(out.resolve())]


def _refuse_a_place_of_the_platform(out: Path, settings: Settings) -> None:
    for uri in (settings.store, settings.reference, settings.landing):
        place = Path(unquote(urlsplit(uri).path))
        if uri.startswith("file:") and out.resolve().is_relative_to(place.resolve()):
            raise ContractError(
                "folder lies in a place of the platform",
                where=f"--out {out}",
                expected="a folder outside of store, reference data and landing",
                found=f"a folder in {place}",
                remedy="name another folder",
            )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _table_json(page: TablePage) -> dict[str, object]:
    return {
        "project_id": page.figure.project_id,
        "period": page.figure.period,
        "factor_version": page.figure.factor_version,
        "asset": page.asset.value,
        "generation": page.record.generation,
        "content_digest": page.record.content_digest,
        "contract": page.contract.version,
        "made_under": page.made_under,
        "rows": page.record.rows,
        "expectations": page.expectations,
        "is_met": not page.faults,
        "faults": page.faults,
        "page": page.path,
    }


def _panel(unmet: Sequence[TablePage]) -> dict[str, str]:
    shown = {f"{page.record.slot}": f"{page.faults[0]} (made under {page.made_under})" for page in unmet[:5]}
    more = {"and": f"{len(unmet) - len(shown)} more, see the index"} if len(unmet) > len(shown) else {}
    return {
        **shown,
        **more,
        "remedy": "run the partition again; a contract that changed asks more than the table was made for",
    }


@contextmanager
def _progress(tables: int) -> Iterator[Callable[[GenerationRecord], None]]:
    """Show a bar over all tables with the present one named; without a terminal show nothing."""
    console = stderr()
    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=tables)
        seen = -1

        def notice(record: GenerationRecord) -> None:
            nonlocal seen
            seen += 1
            progress.update(task, completed=seen, description=str(record.slot))

        yield notice
