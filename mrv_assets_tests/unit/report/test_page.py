from __future__ import annotations

from dataclasses import replace

from mrv_assets.domain.partition import Asset
from mrv_assets.domain.project import Inventory
from mrv_assets.report.aside import RowsAside
from mrv_assets.report.audit import Audit
from mrv_assets.report.land import Land
from mrv_assets.report.page import Page, label, most_restated, render
from mrv_assets.report.replayed import replayed_totals
from mrv_assets_tests.unit.report.figures import figure, step

SQUARE = [(0.0, 5_000_000.0), (9_000.0, 5_000_000.0), (9_000.0, 5_009_000.0), (0.0, 5_009_000.0)]
LIVE = (figure(tonnes="123456.789"), figure(period="2022", tonnes="2"))
PAGE = Page(
    inventory=Inventory(id="i", title="A & B", projects=("a", "b"), periods=("2021", "2022")),
    names={"a": "Anoka County, Minnesota", "b": "<script>alert(1)</script>"},
    totals=replayed_totals(
        [
            (step(number=1, total="123456.7"), {"2021": {"a": figure(tonnes="123456.789")}}),
            (
                step(number=2, version="v2", total="123456.789"),
                {"2021": {"a": figure(version="v2", tonnes="123456.789")}},
            ),
        ]
    ),
    live=LIVE,
    lands=[Land(project_id="a", rings=[SQUARE], inside=(4_500.0, 5_004_500.0), area_ha=8_100.0)],
    audit=Audit(certificates=3, figures=2),
)


def test_the_page_is_the_same_bytes_each_time() -> None:
    """The same ledger gives the same page: it holds no time of making."""
    assert render(PAGE) == render(PAGE)


def test_names_are_text_and_never_markup() -> None:
    """What a project is called cannot become a part of the page."""
    text = render(PAGE)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script" not in text
    assert "A &amp; B" in text


def test_a_total_that_differs_from_the_published_one_is_marked() -> None:
    """A ledger total that is not the published one is shown beside it."""
    text = " ".join(render(PAGE).split())
    assert '<span class="bad">published 123,456.700</span>' in text
    assert "1 of 2 totals equal to 0.001 t" in text


def test_an_incomplete_total_is_marked() -> None:
    """A period that lacks a project is called incomplete with its name, and a project without a figure is shown."""
    text = " ".join(render(PAGE).split())
    assert '<span class="bad">incomplete</span>: 1 of 2 projects; missing b' in text
    assert "Nothing is reported yet." in text


def test_rows_set_aside_are_shown_as_text() -> None:
    """A page says how many rows are in no figure and shows the first with id, gate and reason, never as markup."""
    rows = [
        {"row": n, "row_id": None if n else "<b>", "gate": "quantity_valid", "reason": "-1 & less"} for n in range(2)
    ]
    aside = RowsAside(figure=LIVE[0], asset=Asset.ACTIVITY, count=3, rows_in=40, because="a < b", rows=rows)
    text = " ".join(render(replace(PAGE, aside=[aside])).split())
    assert (
        "Anoka County, Minnesota, 2021, activity: 3 of 40 rows (7.50 %), the first 2; allowed because a &lt; b" in text
    )
    assert '<td>&lt;b&gt;</td> <td class="w"><code>quantity_valid</code></td><td>-1 &amp; less</td>' in text


def test_without_rows_set_aside_the_page_says_nothing_of_them() -> None:
    """There is no section about rows that there are not."""
    assert "set aside" not in render(PAGE)


def test_the_focus_is_the_period_restated_most() -> None:
    """The chain and the map show the period that appears in most steps, the first of several."""
    assert most_restated(PAGE.totals) == "2021"


def test_a_county_is_called_by_its_name() -> None:
    """Labels on the map leave out what is the same for all."""
    assert label("Anoka County, Minnesota") == "Anoka"
    assert label("St. Croix") == "St. Croix"
