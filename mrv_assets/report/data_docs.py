"""Data Docs for the auditor: stored tables judged again by Great Expectations' own rules, each on a page of its own.

The rules and their results are drawn by the library; the page around them, and the index, are ours, because the
library's pages fetch their style, their scripts and the rows of their index from six hosts. These ask nothing of the
network. What does not belong here: choosing generations and writing files (cli), the rules (compliance.library_suite).
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import great_expectations as gx
import jinja2
from great_expectations.core import ExpectationSuiteValidationResult
from great_expectations.render.renderer import ValidationResultsPageRenderer
from great_expectations.render.view import DefaultJinjaPageView

from mrv_assets.compliance.expectation_faults import faults_of
from mrv_assets.compliance.expectation_run import validated
from mrv_assets.compliance.library_suite import library_suite_of
from mrv_assets.domain.contract import CONTRACTS, Contract, contract_of
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.source import Footprint
from mrv_assets.pipeline.figures import Figure, upstream_record
from mrv_assets.storage.slots import SlotStore
from mrv_assets.verify import verify_table

_TEMPLATES = Path(__file__).parent / "templates"
_PAGE, _INDEX, _STYLE = "data_docs_page.html.j2", "data_docs_index.html.j2", "data_docs.css"


@dataclass(frozen=True, slots=True, kw_only=True)
class TablePage:
    """One stored table, judged again: the generation behind which figure, what was found, and the page that shows it.

    `faults` are all that keeps the table from being proven to keep its contract; none is how it should be.
    """

    figure: Figure
    record: GenerationRecord
    contract: Contract
    expectations: int
    faults: Sequence[str]
    html: str

    @property
    def asset(self) -> Asset:
        """The asset that the table belongs to."""
        return self.record.slot.asset

    @property
    def path(self) -> str:
        """Where the page goes, relative to the index."""
        return page_path(self.record)

    @property
    def made_under(self) -> str:
        """The version of the contract that was in force when the table was made."""
        return self.record.pins["contract"]


def page_path(record: GenerationRecord) -> str:
    """Return where the page of a generation goes: `metc-anoka/2021/activity.html`."""
    return f"{record.slot.project_id}/{record.slot.period}/{record.slot.asset}.html"


def tables_behind(slots: SlotStore, figure: Figure) -> tuple[GenerationRecord, ...]:
    """Return the generations of all tables that a figure rests on, by the numbers in the records, its own the last.

    Raises BrokenChain when one is not to be found on the way up.
    """
    before = [asset for asset in (contract.asset for contract in CONTRACTS) if asset is not Asset.LEDGER]
    return (*(upstream_record(slots, figure.record, asset) for asset in before), figure.record)


def table_page(slots: SlotStore, figure: Figure, record: GenerationRecord) -> TablePage:
    """Judge one stored table again and draw its page.

    Raises DigestMismatch when the table does not have the content digest of its record, and what loading it raises.
    """
    contract = contract_of(record.slot.asset, record.pins.get("contract"))
    table = slots.load_table(record)
    verify_table(table, record)
    suite = library_suite_of(
        contract,
        rows_at_most=_rows_at_most(slots, record),
        has_footprints=record.evidence.get("footprint") != Footprint.NONE,
    )
    result = validated(suite, table)
    return TablePage(
        figure=figure,
        record=record,
        contract=contract,
        expectations=len(suite.expectations),
        faults=(faults := faults_of(suite, result.results, table, key=contract.key)),
        html=drawn_page(figure, record, contract, result, faults),
    )


def index_page(pages: Sequence[TablePage]) -> str:
    """Return the index: every table with what was found, and a link to its page."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES), autoescape=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(_INDEX).render(pages=pages, style=_style(), gx_version=gx.__version__)


def drawn_page(
    figure: Figure,
    record: GenerationRecord,
    contract: Contract,
    result: ExpectationSuiteValidationResult,
    faults: Sequence[str],
) -> str:
    """Return the page of one stored table: which one it is, what was found, each rule, and what the columns mean."""
    drawn: str = _view().render(
        ValidationResultsPageRenderer().render(_without_values(result)),
        template=_PAGE,
        figure=figure,
        record=record,
        contract=contract,
        faults=faults,
        style=_style(),
        gx_version=gx.__version__,
        statistics=result.statistics,
    )
    return drawn


def _without_values(result: ExpectationSuiteValidationResult) -> ExpectationSuiteValidationResult:
    """Return the result without values of the table and paths of this computer.

    The library draws both as markup; the list of faults on the page has examples, as text.
    """
    bare = deepcopy(result)
    for one in bare.results:
        one.result.pop("partial_unexpected_list", None)
        if isinstance(seen := one.result.get("observed_value"), list):
            one.result["observed_value"] = escape(", ".join(map(str, seen)))
        for exception in (one.exception_info, *(one.exception_info or {}).values()):
            if isinstance(exception, dict) and "exception_traceback" in exception:
                exception["exception_traceback"] = ""
    return bare


@cache
def _view() -> Any:
    """Return the library's drawer of pages, whose methods have no types, with the templates that it has compiled."""
    return DefaultJinjaPageView(custom_views_directory=str(_TEMPLATES))


@cache
def _style() -> str:
    return (_TEMPLATES / _STYLE).read_text(encoding="utf-8")


def _rows_at_most(slots: SlotStore, record: GenerationRecord) -> int:
    before = [slots.record(ref.slot, ref.generation).rows for ref in record.upstream]
    return min(before, default=record.rows)
