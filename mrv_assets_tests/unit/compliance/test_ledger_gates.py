from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.compliance.breaks import Break, check, column, ids, rows, with_a_note

MATCH = "figure_matches_certificate"


def live_period(text: str) -> Callable[[Case], Case]:
    """Let the project report this one period already."""
    return lambda case: replace(case, live={text: "mrow-2024.02.01"})


def other_certificate(case: Case) -> Case:
    """Let the current certificate be a later one than the figure was made from."""
    document = case.upstream_document(Asset.CERTIFICATE)
    certificate = Certificate.from_bytes(document, where="under test")
    return replace(case, upstream={Asset.CERTIFICATE: replace(certificate, standard="another standard").to_bytes()})


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the ledger row."""
    return Break(name=name, asset=Asset.LEDGER, do=do, red=red, says=says)


BREAKS = (
    broken("no row", rows(), f"one_figure {MATCH} net_is_derived expectations_met", "0 rows"),
    broken("two rows", rows(0, 0), f"one_figure {MATCH} expectations_met", "2 rows"),
    broken("other project", column("project_id", "metc-dakota"), "one_figure", "metc-dakota 2021"),
    broken("other period", column("period", "2020"), "one_figure", "metc-anoka 2020"),
    broken("other version", column("factor_version", "mrow-2024.02.01"), "one_figure", "mrow-2024.02.01"),
    broken("other emissions", column("emissions_tco2e", Decimal(1)), f"{MATCH} net_is_derived", "emissions_tco2e"),
    broken("other row count", column("activity_rows", 1), MATCH, "differs in activity_rows"),
    broken("other digest", column("certificate_sha256", "0" * 64), MATCH, "differs in certificate_sha256"),
    broken("later certificate", other_certificate, MATCH, "differs in certificate_sha256"),
    broken("net entered by hand", column("net_tco2e", Decimal(0)), f"net_is_derived {MATCH}", "net 0"),
    broken("null net", column("net_tco2e", None), f"net_is_derived {MATCH} expectations_met", "net None"),
    broken("null removals", column("removals_tco2e", None), f"net_is_derived {MATCH} expectations_met", "- None"),
    broken("line of its own", lambda case: replace(case, rival="egrid-2023.1"), "succession", "live egrid-2023.1"),
    broken("quarter of a live year", live_period("2021-Q3"), "no_overlap", "2021-Q3 \\(mrow-2024.02.01\\)"),
    broken("month of a live year", live_period("2021-12"), "no_overlap", "overlaps 2021-12"),
    broken("span that shares a day", live_period("2021-12-31_2022-06-30"), "no_overlap", "2021-12-31_2022"),
    broken("live period that is none", live_period("2021-3"), "no_overlap", "'2021-3'"),
    broken("column more", with_a_note, "expectations_met", "columns: missing none, unknown note"),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_the_ledger_turns_its_gates_red(defect: Break) -> None:
    """A defect of the ledger row turns exactly its gates red, and the gate names it."""
    check(defect)


def test_a_figure_may_replace_its_own_and_stand_beside_others() -> None:
    """The period itself and periods that share no day with it do not overlap."""
    case = replace(good_case(Asset.LEDGER), live={"2021": "mrow-2024.02.01", "2020": "x", "2022-Q1": "x"})
    assert [outcome.gate for outcome in judge_all(Asset.LEDGER, case) if not outcome.passed] == []
