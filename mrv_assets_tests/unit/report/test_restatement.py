from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.report.replayed import replayed_totals
from mrv_assets.report.restatement import restatement, restatements_of
from mrv_assets_tests.unit.report.figures import figure, step

FIRST, SECOND = (sha256_hex(text.encode())[:12] for text in ("first delivery", "second delivery"))


@pytest.mark.parametrize(
    ("change", "causes"),
    [
        ({"version": "v2"}, ("factor release v1 → v2",)),
        ({"version": "v2", "gwp": "ar6"}, ("factor release v1 → v2", "GWP set ar5 → ar6")),
        ({"source": "second delivery"}, (f"source file electricity.csv {FIRST} → {SECOND}",)),
        ({"standard": "ISO 14064-1"}, ("standard GHG Protocol → ISO 14064-1",)),
        ({"pins": {"code": "2"}}, ("code of activity, normalized, factored, aggregated",)),
        ({"pins": {"code": "1", "contract": "2"}}, ("contract of activity, normalized, factored, aggregated",)),
        (
            {"gates": ("rows_present", "rows_conserved")},
            ("gates of activity, normalized, factored, aggregated",),
        ),
        (
            {"pins": {"code": "1", "pyproj": "3.7.3"}},
            ("pyproj of activity, normalized, factored, aggregated",),
        ),
        (
            {"pins": {"code": "1", "policy": "2", "fallback": "3"}},
            (
                "fallback of activity, normalized, factored, aggregated",
                "policy of activity, normalized, factored, aggregated",
            ),
        ),
        ({"pins": {"code": "1", "factor_version": "v1"}}, ("nothing that is pinned",)),
        ({"inputs": {"rule_set": "vm0042-2"}}, ("rule set none → vm0042-2",)),
        (
            {"inputs": {"stac_item": "item.json", "monitoring": "a/b.json"}},
            ("STAC item none → item.json", "monitoring evidence none → a/b.json"),
        ),
        ({"inputs": {"new_kind": "name"}}, ("new kind none → name",)),
        ({"sealing": {"code": "2", "uncertainty": "3"}}, ("code of certificate", "uncertainty of certificate")),
        ({"tonnes": "101"}, ("nothing that is pinned",)),
    ],
    ids=[
        "release",
        "release-and-gwp",
        "source",
        "standard",
        "code",
        "contract",
        "gates",
        "library",
        "policy-and-fallback",
        "version-again",
        "rule-set",
        "item-and-evidence",
        "kind-without-words",
        "certificate",
        "none",
    ],
)
def test_a_cause_is_a_pinned_input_that_differs(change: Mapping[str, Any], causes: tuple[str, ...]) -> None:
    """Whatever differs between the two certificates is named, and nothing else."""
    assert restatement("2021", {"a": figure()}, {"a": figure(**change)}).causes == causes


def test_a_figure_judged_by_a_new_gate_says_so() -> None:
    """A ledger generation that differs by its own code and gates alone names them."""
    before = figure()
    outcome = GateOutcome(gate="succession", passed=True, observed="1", limit="1")
    record = replace(before.record, pins={**before.record.pins, "code": "2"}, gates=[outcome])
    row = restatement("2021", {"a": before}, {"a": replace(before, record=record)})
    assert row.causes == ("code of ledger", "gates of ledger")


def test_a_first_figure_has_no_before() -> None:
    """The first figure of a period restates nothing."""
    row = restatement("2021", {}, {"a": figure(tonnes="12.5", removals="2.5")})
    assert (row.before_tco2e, row.after_tco2e, row.delta_tco2e) == (None, Decimal("10.0"), None)
    assert row.causes == ("first figure",)


def test_a_change_of_some_projects_says_how_many() -> None:
    """A cause that touches a part of the projects says which part."""
    before = {"a": figure("a"), "b": figure("b")}
    after = {"a": figure("a", source="second delivery", tonnes="90"), "b": figure("b")}
    row = restatement("2021", before, after)
    assert row.causes == (f"source file electricity.csv {FIRST} → {SECOND} (1 of 2 projects)",)
    assert row.delta_tco2e == Decimal(-10)


def test_projects_that_join_or_leave_are_named_with_their_tonnes() -> None:
    """A total over other projects says who joined and left, and what that moved."""
    before = {"a": figure("a"), "b": figure("b", tonnes="7")}
    after = {"a": figure("a"), "c": figure("c", tonnes="0.5"), "d": figure("d", tonnes="1")}
    row = restatement("2021", before, after)
    assert row.causes == ("projects 2 → 3 (joined: c, d, +1.500 t; left: b, -7.000 t)",)
    assert row.delta_tco2e == Decimal("-5.5")


def test_a_history_gives_a_row_for_each_generation() -> None:
    """Every generation of a ledger slot has one row, the first figure included."""
    history = [
        figure(),
        figure(version="v2", tonnes="110", generation=2),
        figure(version="v3", tonnes="110", generation=3),
    ]
    rows = restatements_of(history)
    assert [row.delta_tco2e for row in rows] == [None, Decimal(10), Decimal(0)]
    assert [row.causes for row in rows] == [
        ("first figure",),
        ("factor release v1 → v2",),
        ("factor release v2 → v3",),
    ]


def test_a_period_compares_with_the_last_step_that_had_it() -> None:
    """In a replay each period follows its own chain, across steps that do not report it."""
    states = [
        (step(number=1, periods=("2020", "2021")), {"2020": {"a": figure(period="2020")}, "2021": {"a": figure()}}),
        (step(number=2, periods=("2021",)), {"2021": {"a": figure(version="v2")}}),
        (step(number=3, periods=("2020",)), {"2020": {"a": figure(period="2020", version="v3", tonnes="90")}}),
    ]
    rows = replayed_totals(states)
    assert [(row.number, row.period, row.restatement.causes) for row in rows] == [
        (1, "2020", ("first figure",)),
        (1, "2021", ("first figure",)),
        (2, "2021", ("factor release v1 → v2",)),
        (3, "2020", ("factor release v1 → v3",)),
    ]


@pytest.mark.parametrize(
    ("total", "is_equal"),
    [("100", True), ("100.001", True), ("100.0011", False), ("99.999", True), ("99.9989", False)],
)
def test_a_total_equals_the_published_one_to_a_thousandth(total: str, is_equal: bool) -> None:  # noqa: FBT001
    """The ledger may differ from the published total by 0.001 t and no more."""
    [row] = replayed_totals([(step(total=total), {"2021": {"a": figure()}})])
    assert row.is_equal is is_equal
