from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.approval import Certified
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.generation import GenerationRecord, InputRef, UpstreamRef
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests import builders
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.unit.compliance.breaks import Break, check, column, ids, rows, with_a_note

MATCH, STATED = "figure_matches_certificate", "withdrawal_stated"
EVERY = " ".join(GATE_NAMES[Asset.LEDGER])


def live_period(text: str) -> Callable[[Case], Case]:
    """Let the project report this one period already."""
    return lambda case: replace(case, live={text: "mrow-2024.02.01"})


def other_certificate(case: Case) -> Case:
    """Let the current certificate be a later one than the figure was made from."""
    document = case.upstream_document(Asset.CERTIFICATE)
    certificate = Certificate.from_bytes(document, where="under test")
    return replace(case, upstream={Asset.CERTIFICATE: replace(certificate, standard="another standard").to_bytes()})


WITHDRAWAL = FigureWithdrawal(
    project_id="metc-anoka",
    period="2021",
    generation=2,
    withdrawn=Certified(
        factor_version="mrow-2024.02.01", certificate_sha256="a" * 64, tonnes=Tonnes(emissions=Decimal(7))
    ),
    reason="a doubt",
    in_favour_of=None,
    withdrawn_by="R. Reviewer",
    withdrawn_utc="2026-01-01T00:00:00+00:00",
    write_id="w",
)
_SEALING = Slot(asset=Asset.CERTIFICATE, project_id="metc-anoka", period="2021", factor_version="mrow-2024.02.01")
LIVE = replace(
    builders.record(Asset.LEDGER),
    generation=2,
    upstream=(UpstreamRef(slot=_SEALING, generation=1, content_digest="a" * 64),),
)
YOUNGER = replace(LIVE, generation=3)
OTHER = replace(LIVE, upstream=(UpstreamRef(slot=_SEALING, generation=1, content_digest="b" * 64),))
SILENT = replace(
    LIVE, generation=3, upstream=(), inputs=(InputRef(kind="withdrawal", name="word", digest=WITHDRAWAL.sha256),)
)
UNREADABLE = ContractError("successions are malformed", where="file", expected="none", found="a circle", remedy="x")


def silent(*, previous: GenerationRecord | None) -> Callable[[Case], Case]:
    """Let a person have taken the figure back, and the row stay."""
    return lambda case: replace(case, withdrawal=WITHDRAWAL, previous=previous)


def withdrawn(*, previous: GenerationRecord | None) -> Callable[[Case], Case]:
    """Let a person have taken the figure back, and no row be left."""
    return lambda case: silent(previous=previous)(rows()(case))


def returned(digest: str) -> Callable[[Case], Case]:
    """Let a figure return after the withdrawal by a word that ends the one of this digest."""
    word = Reinstatement(
        project_id="metc-anoka",
        period="2021",
        generation=2,
        withdrawal_sha256=digest,
        reason="no doubt",
        reinstated_by="A. Auditor",
        reinstated_utc="2026-01-02T00:00:00+00:00",
        write_id="w",
    )
    return lambda case: replace(case, previous=SILENT, reinstatement=word)


def kin(project: str, period: str) -> Callable[[Case], Case]:
    """Let the project report this period under another name."""
    return lambda case: replace(case, kin={(project, period): "mrow-2024.02.01"})


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the ledger row."""
    return Break(name=name, asset=Asset.LEDGER, do=do, red=red, says=says)


BREAKS = (
    broken("no row", rows(), f"one_figure {MATCH} net_is_derived expectations_met withdrawal_stated", "0 rows"),
    broken("row of a withdrawn figure", silent(previous=LIVE), EVERY, "1 rows, the figure being withdrawn"),
    broken("withdrawal of another figure", withdrawn(previous=YOUNGER), STATED, "of another figure"),
    broken("withdrawal of another certificate", withdrawn(previous=OTHER), STATED, "of another figure"),
    broken("withdrawal of nothing", withdrawn(previous=None), STATED, "of another figure"),
    broken("return without a word", lambda case: replace(case, previous=SILENT), STATED, "which stands"),
    broken("return by another word", returned("0" * 64), STATED, "reinstated on 2026-01-02 by A. Auditor"),
    broken("day under another name", kin("old-anoka", "2021-Q1"), "no_overlap", "old-anoka 2021-Q1 \\(mrow"),
    broken("names that cannot be told", lambda case: replace(case, kin=UNREADABLE), "no_overlap", "a circle"),
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


@pytest.mark.parametrize("previous", [pytest.param(LIVE, id="first"), pytest.param(SILENT, id="once more")])
def test_a_withdrawn_figure_passes_every_gate_without_a_row(previous: GenerationRecord) -> None:
    """It is no figure of 0 t: the gates of a figure ask that there is none."""
    case = withdrawn(previous=previous)(good_case(Asset.LEDGER))
    assert [outcome.gate for outcome in judge_all(Asset.LEDGER, case) if not outcome.passed] == []


def test_a_reinstated_figure_passes_every_gate() -> None:
    """By the word that ended this withdrawal."""
    case = returned(WITHDRAWAL.sha256)(good_case(Asset.LEDGER))
    assert [outcome.gate for outcome in judge_all(Asset.LEDGER, case) if not outcome.passed] == []
