"""Whatever stands in a package, every rule set answers or refuses by name: no other error, no endless work."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.compliance.controls.register import CHECKS
from mrv_assets.crediting.account import Account
from mrv_assets.crediting.assess import waterfall
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.evidence import SOUND
from mrv_assets_tests.monitored import NPR, VCS, rule_set
from mrv_assets_tests.properties.test_ambient_decimals import under_vcs
from mrv_assets_tests.verra_evidence import AREA, CENSUS, SOIL

TEXTS = st.sampled_from(
    [
        "", " ", "0", "-1", "0.5", "2", "1e39", "-1e39", "1E-40", "NaN", "1_0", "\u0661\u0662", "\u200b", "a\nb",
        "9" * 5000, "yes", "no", "0001-01-01", "9999-12-31", "2024-02-29", "EPSG:4326", "EPSG:3857", "POLYGON EMPTY",
        "POINT (0 0)", "POLYGON ((0 0, 1 1, 1 0, 0 0))", "POLYGON ((0 0, 1e7 0, 1e7 1e7, 0 0))",
        "POLYGON ((0 0, 1e30 0, 1e30 1e30, 0 0))",
    ]
)  # fmt: skip


def changed_rows(draw: st.DrawFn, rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return the rows with a cell of another text, a row twice, in another order, or all but one gone."""
    kind = draw(st.sampled_from(["cell", "cell", "column", "twice", "order", "none", "one"]))
    if kind in ("none", "one"):
        return rows[: int(kind == "one")]
    if kind == "order":
        return draw(st.permutations(rows))
    number, column, text = draw(st.integers(0, len(rows) - 1)), draw(st.sampled_from(sorted(rows[0]))), draw(TEXTS)
    if kind == "twice":
        return [*rows, rows[number]]
    return [row | {column: text} if kind == "column" or n == number else row for n, row in enumerate(rows)]


@st.composite
def broken(draw: st.DrawFn, sound: Monitoring) -> Monitoring:
    """Return the evidence with one quantity, fact or table changed."""
    tables = sorted(name for name, rows in sound.tables.items() if rows)
    kind, name = draw(
        st.one_of(
            st.tuples(st.just("quantity"), st.sampled_from(sorted(sound.quantities))),
            st.tuples(st.just("fact"), st.sampled_from(sorted(sound.facts))),
            st.tuples(st.just("table"), st.sampled_from(tables)),
        )
    )
    if kind == "quantity":
        return replace(sound, quantities={**sound.quantities, name: draw(TEXTS)})
    if kind == "fact":
        return replace(sound, facts={**sound.facts, name: draw(TEXTS)})
    rows = changed_rows(draw, [dict(row) for row in sound.tables[name]])
    return replace(sound, tables={**sound.tables, name: rows})


@pytest.mark.parametrize(
    ("name", "sound"),
    [
        pytest.param("vcs-5.0", VCS.monitoring, id="vcs"),
        pytest.param("npr-4.2", NPR.monitoring, id="npr"),
        pytest.param("vm0047-area-1.0", under_vcs(AREA), id="area 1.0"),
        pytest.param("vm0047-area-1.1", under_vcs(AREA), id="area 1.1"),
        pytest.param("vm0047-census-1.1", under_vcs(CENSUS), id="census"),
        pytest.param("vm0042-2.2", under_vcs(SOIL), id="soil"),
        pytest.param("iso-14064-2-2019", SOUND, id="iso 2"),
        pytest.param("iso-14064-3-2019", SOUND, id="iso 3"),
        pytest.param("esrs-e1-2023", SOUND, id="esrs"),
        pytest.param("ghg-protocol-corporate-2004", SOUND, id="ghg protocol"),
        pytest.param("ghg-protocol-land-sector-removals-1.0", SOUND, id="land sector"),
    ],
)
@settings(max_examples=40)
@given(data=st.data())
def test_any_evidence_gives_an_answer_or_a_refusal(name: str, sound: Monitoring, data: st.DataObject) -> None:
    """And what is credited is whole and not below 0."""
    account = Account(
        period=Period.parse("2025-07-01_2026-12-31"),
        canonical=Tonnes(emissions=Decimal(20), removals=Decimal(5000)),
        monitoring=data.draw(broken(sound)),
    )
    try:
        after, lines = waterfall(rule_set(name), account)
    except Refusal:
        return
    for rule in rule_set(name).controls:
        try:
            CHECKS[rule.formula](ControlCase(account=after, waterfall=lines), rule)
        except Refusal:
            continue
    if lines is not None and "credits" in lines.lines[-1].numbers:
        assert lines.total_tco2e == lines.lines[-1].numbers["credits"] >= 0
