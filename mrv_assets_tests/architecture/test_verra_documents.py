"""The pages for auditors name every rule, and every piece of evidence that the rules ask for."""

from __future__ import annotations

import pytest

from mrv_assets.domain.monitoring import Monitoring
from mrv_assets_tests.verra import rule_set
from mrv_assets_tests.verra_evidence import AREA, CENSUS, SOIL
from mrv_assets_tests.world import ROOT

FOLDER = ROOT / "docs" / "standards"
PAGES = {name: (FOLDER / f"{name}.md").read_text(encoding="utf-8") for name in ("vm0047", "vm0042")}


@pytest.mark.parametrize(
    "name", ["vm0047-area-1.0", "vm0047-area-1.1", "vm0047-census-1.0", "vm0047-census-1.1", "vm0042-2.0", "vm0042-2.2"]
)
def test_the_page_names_every_rule(name: str) -> None:
    """Lines and controls, by id."""
    rules = rule_set(name)
    page = PAGES[name[:6]]
    assert [rule.id for rule in (*rules.lines, *rules.controls) if rule.id not in page] == []


@pytest.mark.parametrize(
    ("page", "evidence"),
    [
        pytest.param("vm0047", AREA, id="area"),
        pytest.param("vm0047", CENSUS, id="census"),
        pytest.param("vm0042", SOIL, id="fields"),
    ],
)
def test_the_page_names_all_evidence(page: str, evidence: Monitoring) -> None:
    """Quantities, facts, tables and their columns, as the tests have to give them."""
    columns = {column for rows in evidence.tables.values() for row in rows for column in row}
    asked = {*evidence.quantities, *evidence.facts, *evidence.tables, *columns}
    assert sorted(name for name in asked if f"`{name}`" not in PAGES[page]) == []
