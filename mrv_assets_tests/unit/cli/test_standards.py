"""`mrv standards` and `mrv report`, as a user meets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets_tests.rule_sets import RuleText, rule_set_toml
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

HEAD = 'id = "pilot"\nversion = "{version}"\ntitle = "A pilot"\neffective_from = 2020-01-01\n'
ASSURANCE = RuleText(id="ASR", formula="iso_assurance", more='choices = { accepted = "reasonable" }\n')
PACKAGE = '[facts]\nassurance_level = "{level}"\n'


@pytest.fixture
def declared(own_folder: Path) -> Path:
    """A deployment in which Anoka declares a pilot rule set for 2021 and has not been run since."""
    reference = own_folder / "reference"
    for version in ("1", "2"):
        path = reference / "standards" / f"pilot-{version}.toml"
        path.write_bytes(rule_set_toml(controls=[ASSURANCE], head=HEAD.format(version=version)))
    project = reference / "projects" / "metc-anoka.toml"
    said = '\n[[standards]]\nwindow = "2021"\nrule_sets = ["pilot@1"]\nmonitoring = "{period}.toml"\n'
    project.write_text(project.read_text(encoding="utf-8") + said, encoding="utf-8")
    show(own_folder, "reasonable")
    return own_folder


def show(folder: Path, level: str) -> None:
    """Write the evidence of 2021."""
    landing = folder / "home" / "landing"
    landing.mkdir(parents=True, exist_ok=True)
    (landing / "2021.toml").write_text(PACKAGE.format(level=level), encoding="utf-8")


def test_the_list_says_who_declares_what(mrv: Mrv, declared: Path) -> None:
    """Every committed rule set is there, with its days, rules and the projects that declare it."""
    found = {
        f"{one['id']}@{one['version']}": one
        for one in parsed(mrv(declared, "standards", "list", "--json"))["rule_sets"]
    }
    assert found["pilot@1"]["declared_by"] == ["metc-anoka 2021"]
    assert found["pilot@2"]["declared_by"] == []
    assert {"vm0047-area@1.1", "vm0042@2.2", "vcs@5.0", "npr@4.2", "gs-403@2.1", "esrs-e1@2023"} <= found.keys()
    assert max(map(len, mrv(declared, "standards", "list").stdout.splitlines())) <= 100


def test_a_broken_rule_set_hides_no_other(mrv: Mrv, declared: Path) -> None:
    """It is told, the others are listed, and the exit code is 1."""
    (declared / "reference" / "standards" / "broken-1.toml").write_text("nonsense")
    answer = mrv(declared, "standards", "list")
    assert answer.exit_code == 1
    assert "rule set is malformed" in answer.stderr
    assert "pilot@1" in answer.stdout


def test_a_rule_set_is_shown_rule_by_rule(mrv: Mrv, declared: Path) -> None:
    """Clause, how it is known, formula and numbers."""
    shown = " ".join(mrv(declared, "standards", "show", "vm0047-area@1.1").stdout.split())
    assert "Steps from gross to whole credits" in shown
    assert "SRC" in shown
    document = parsed(mrv(declared, "standards", "show", "pilot@1", "--json"))
    [rule] = document["controls"]
    assert (rule["id"], rule["formula"], rule["choices"]) == ("ASR", "iso_assurance", {"accepted": "reasonable"})


def test_a_figure_is_assessed_without_keeping_anything(mrv: Mrv, declared: Path) -> None:
    """Under the declared rule set, or under another one; nothing in the home changes but the log."""
    store = declared / "home" / "store"
    before = sorted(path.relative_to(store) for path in store.rglob("*"))
    shown = mrv(declared, "standards", "assess", "metc-anoka", "2021")
    assert shown.exit_code == 0, shown.stderr
    assert "1 pass" in shown.stdout
    other = mrv(declared, "standards", "assess", "metc-anoka", "2021", "--rule-set", "pilot@2", "--json")
    document = parsed(other)
    assert [one["rule_set"] for one in document["assessments"]] == ["pilot@2"]
    [figure] = parsed(mrv(declared, "ledger", "--project", "metc-anoka", "--period", "2021", "--json"))["figures"]
    assert document["certificate_sha256"] == figure["certificate_sha256"]
    assert [shown["name"] for shown in document["evidence"]] == ["2021.toml"]
    assert sorted(path.relative_to(store) for path in store.rglob("*")) == before


def test_a_control_that_fails_makes_the_exit_code_1(mrv: Mrv, declared: Path) -> None:
    """And is shown with what was observed."""
    show(declared, "limited")
    answer = mrv(declared, "standards", "assess", "metc-anoka", "2021")
    assert answer.exit_code == 1
    assert "1 fail" in answer.stdout
    assert "limited" in answer.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(("metc-ramsey", "2021"), "no rule set is declared for the period", id="none declared"),
        pytest.param(("metc-anoka", "2021", "--rule-set", "pilot@9"), "file is missing", id="no such version"),
        pytest.param(("metc-anoka", "2021-Q1", "--rule-set", "pilot@1"), "no certificate yet", id="never run"),
    ],
)
def test_what_cannot_be_assessed_is_refused(mrv: Mrv, declared: Path, arguments: tuple[str, ...], words: str) -> None:
    """With what to do."""
    answer = mrv(declared, "standards", "assess", *arguments)
    assert answer.exit_code == 1
    assert words in answer.stderr


def test_years_are_rolled_up(mrv: Mrv, folder: Path) -> None:
    """The sum of two years with the certificates behind it, to the last digit."""
    figures = {f["period"]: f for f in parsed(mrv(folder, "ledger", "--project", "metc-anoka", "--json"))["figures"]}
    document = parsed(mrv(folder, "report", "metc-anoka", "2021-01-01_2022-12-31", "--json"))
    assert [part["certificate_sha256"] for part in document["parts"]] == [
        figures[year]["certificate_sha256"] for year in ("2021", "2022")
    ]
    shown = mrv(folder, "report", "metc-anoka", "2021-01-01_2022-12-31").stdout
    assert "2 figure(s)" in shown
    assert "not known" in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_a_period_that_is_not_reported_in_full_is_not_rolled_up(mrv: Mrv, folder: Path) -> None:
    """The missing days are named."""
    answer = mrv(folder, "report", "metc-anoka", "2021-01-01_2023-12-31")
    assert answer.exit_code == 1
    assert "nothing for 2023-01-01 to 2023-12-31" in " ".join(answer.stderr.split())


def test_what_is_left_out_is_the_version_that_is_reported(mrv: Mrv, declared: Path) -> None:
    """A pin that has not been run yet does not decide what is looked at."""
    project = declared / "reference" / "projects" / "metc-anoka.toml"
    text = project.read_text(encoding="utf-8")
    project.write_text(text.replace("[boundary]", '[pins]\n2021 = "mrow-2024.06.24"\n[boundary]'), encoding="utf-8")
    document = parsed(mrv(declared, "standards", "assess", "metc-anoka", "2021", "--json"))
    assert document["partition"] == "metc-anoka 2021 mrow-2025.05.20"
