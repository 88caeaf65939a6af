from __future__ import annotations

import re

import pyarrow as pa
import pytest

from mrv_assets.compliance.expectation_faults import faults_of
from mrv_assets.compliance.expectation_run import validated
from mrv_assets.compliance.library_suite import library_suite_of
from mrv_assets.domain.contract import CONTRACTS, FACTORED, Contract
from mrv_assets.report.data_docs import drawn_page, index_page
from mrv_assets_tests.builders import record
from mrv_assets_tests.contract_tables import good_table, put
from mrv_assets_tests.unit.report.figures import figure

MARKUP = '"><script>alert(1)</script><img src=https://example.org/x>'

NOT_MET = re.compile(r'<i class="[^"]*text-danger')


def page(contract: Contract, table: pa.Table) -> str:
    """Draw the page of a table as if it had been stored."""
    suite = library_suite_of(contract, rows_at_most=3, has_footprints=True)
    result = validated(suite, table)
    faults = faults_of(suite, result.results, table, key=contract.key)
    return drawn_page(figure(project="metc-anoka"), record(contract.asset), contract, result, faults)


@pytest.mark.parametrize("contract", [pytest.param(contract, id=contract.asset.value) for contract in CONTRACTS])
def test_a_page_says_which_table_it_is_and_that_all_is_met(contract: Contract) -> None:
    """The page names project, period, table, contract and digests, shows each column, and says that all is met."""
    text = page(contract, good_table(contract))
    assert f"Table {contract.asset} of metc-anoka, 2021" in text
    assert record(contract.asset).content_digest in text
    assert record(contract.asset).sha256 in text
    assert contract.version in text
    assert "expectations are met</span> by every row" in text
    assert NOT_MET.findall(text) == []
    for column in contract.columns:
        assert f"{column.name} ({column.type})" in text
        assert column.meaning.replace("'", "&#39;") in text


def test_a_page_shows_what_is_not_met() -> None:
    """A table that breaks a rule is called so, with column, count and example; the rule itself is marked."""
    text = page(FACTORED, put(good_table(FACTORED), "activity_qty", -5.0))
    assert "not proven to keep its contract" in text
    assert re.search(r"activity_qty: 1 of 3 break expect_column_values_to_be_between.* such as -5.0", text)
    assert len(NOT_MET.findall(text)) == 1


def test_values_of_a_table_are_text_and_never_markup() -> None:
    """Whatever a source has written into its cells and column names cannot become a part of the page."""
    table = put(good_table(FACTORED), "flux", MARKUP, MARKUP, None)
    renamed = table.rename_columns([MARKUP if name == "epoch" else name for name in table.column_names])
    for bad in (table, renamed, put(table, "row_id", MARKUP, MARKUP)):
        text = page(FACTORED, bad)
        assert "alert(1)" in text
        assert not re.search(r"<script|<img|<b>", text)


def test_a_page_tells_nothing_of_the_computer() -> None:
    """A check that could not be made is shown with its message, without the traceback and the paths in it."""
    text = page(FACTORED, good_table(FACTORED).drop_columns(["epoch"]))
    assert "epoch could not be checked" in text
    assert "Traceback" not in text
    assert ".py" not in text


def test_pages_ask_nothing_of_the_network() -> None:
    """Neither page nor index names another host, a script or an image, and both forbid the browser to load any."""
    for text in (page(FACTORED, good_table(FACTORED)), index_page([])):
        assert not re.search(r"https?:|<script|<link|<img|@import|url\(", text)
        assert "default-src 'none'" in text
