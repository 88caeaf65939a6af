"""`mrv standards disclose`: each form from one certificate, and what is refused."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.domain.partition import PartitionKey
from mrv_assets.pipeline.world import World
from mrv_assets_tests.evidence import DIGEST, Rows, evidence
from mrv_assets_tests.rule_sets import RuleText, rule_set_toml
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import settings_of
from mrv_assets_tests.world import run_partition

ANOKA = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2025.05.20")
BASELINE, CREDITS = "1208316", 1000
LINES = [
    RuleText(id=name, formula=f"vcs_{name}") for name in ("gross", "baseline", "leakage", "buffer", "whole_credits")
]
HEAD = 'id = "{id}"\nversion = "1"\ntitle = "A pilot"\neffective_from = 2020-01-01\n'
SERIALS: Rows = ({"vintage": "2021", "first": "421604735", "last": "421605734"},)
DECLARED = '\n[[standards]]\nwindow = "2021"\nrule_sets = [{names}]\nmonitoring = "shown/{{period}}.toml"\n'
CREDITING = ("cad-trust", "verra", "gold-standard")


@pytest.fixture(scope="module")
def issued(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A deployment in which Anoka's figure of 2021 is worth credits under a pilot rule set; only for reading."""
    return deployment(folder, tmp_path_factory.mktemp("issued"), "pilot")


def deployment(folder: Path, place: Path, *rule_sets: str) -> Path:
    """Return a copy of a deployment in which Anoka declares these rule sets, shows all evidence, and is run."""
    own = Path(shutil.copytree(folder, place / "own"))
    for name in ("pilot", "other"):
        rules = rule_set_toml(lines=LINES, controls=[], head=HEAD.format(id=name))
        (own / "reference" / "standards" / f"{name}-1.toml").write_bytes(rules)
    rules = rule_set_toml(controls=[RuleText(formula="iso_assurance", more='choices = { accepted = "reasonable" }\n')])
    (own / "reference" / "standards" / "plain-1.0.toml").write_bytes(rules.replace(b'"pilot"', b'"plain"'))
    project = own / "reference" / "projects" / "metc-anoka.toml"
    names = ", ".join(f'"{name}@{"1.0" if name == "plain" else "1"}"' for name in rule_sets)
    project.write_text(project.read_text(encoding="utf-8") + DECLARED.format(names=names), encoding="utf-8")
    show(own)
    run_partition(World.open(settings_of(own)), ANOKA)
    return own


def show(own: Path, *, facts: Mapping[str, str] | None = None) -> None:
    """Write the evidence of 2021: a baseline that emits 1000.19 t more, and what every form asks for."""
    shown = evidence(
        quantities={
            "scope1_tco2e": BASELINE,
            "baseline_net_removals_tco2e": f"-{BASELINE}",
            "leakage_tco2e": "0",
            "deficit_carried_in_tco2e": "0",
        },
        facts={"afolu_project": "no", **(facts or {})},
        tables={"serial_blocks": SERIALS},
    )
    quantities = {name: text for name, text in shown.quantities.items() if not name.startswith("total_")}
    landing = own / "home" / "landing" / "shown"
    landing.mkdir(parents=True, exist_ok=True)
    sections = {"quantities": quantities, "facts": shown.facts, "tables": {t: f"{t}.csv" for t in shown.tables}}
    text = "".join(f"[{name}]\n{_entries(values)}" for name, values in sections.items())
    (landing / "2021.toml").write_text(text, encoding="utf-8")
    for name, rows in shown.tables.items():
        (landing / f"{name}.csv").write_text(_csv(rows), encoding="utf-8")


def _entries(values: Mapping[str, str]) -> str:
    return "".join(f"{name} = {json.dumps(text)}\n" for name, text in values.items())


def _csv(rows: Rows) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def disclosed(mrv: Mrv, folder: Path, form: str, *more: str) -> str:
    """Return what is written of a form to the terminal."""
    answer = mrv(folder, "standards", "disclose", form, "metc-anoka", "2021", *more)
    assert answer.exit_code == 0, answer.stderr
    return answer.stdout


def certificate_of(mrv: Mrv, folder: Path) -> str:
    """Return the digest of the certificate behind the figure."""
    [figure] = parsed(mrv(folder, "ledger", "--project", "metc-anoka", "--period", "2021", "--json"))["figures"]
    return str(figure["certificate_sha256"])


@pytest.mark.parametrize("form", ["esrs-e1", "cad-trust", "verra", "gold-standard", "pact"])
def test_every_form_names_the_certificate_that_it_is_made_from(mrv: Mrv, issued: Path, form: str) -> None:
    """And says the same each time."""
    first = disclosed(mrv, issued, form)
    assert certificate_of(mrv, issued) in first
    assert disclosed(mrv, issued, form) == first


def test_registries_are_told_of_the_credits_that_were_sealed(mrv: Mrv, issued: Path) -> None:
    """One block of 1000 serials, both ends in it."""
    units = json.loads(disclosed(mrv, issued, "cad-trust"))["units"]
    assert [(unit["unitCount"], unit["vintageYear"]) for unit in units] == [(CREDITS, 2021)]
    [row] = csv.DictReader(io.StringIO(disclosed(mrv, issued, "verra")))
    assert (row["Quantity Issued"], row["Total Vintage Quantity"]) == (str(CREDITS), str(CREDITS))
    [block] = json.loads(disclosed(mrv, issued, "gold-standard"))["credit_blocks"]
    assert block["ending_credit_number"] - block["starting_credit_number"] + 1 == CREDITS


def test_datapoints_are_those_of_the_listed_standard(mrv: Mrv, issued: Path) -> None:
    """Scope 1 is what the evidence states, which is no less than what is certified."""
    points = {point["id"]: point for point in json.loads(disclosed(mrv, issued, "esrs-e1"))["datapoints"]}
    assert points["E1-6_07"]["value"] == BASELINE


def test_a_footprint_may_supersede_another(mrv: Mrv, issued: Path) -> None:
    """By the digest of the certificate which that one was made from."""
    record = json.loads(disclosed(mrv, issued, "pact", "--supersedes", DIGEST))
    assert len(record["precedingPfIds"]) == 1
    assert "precedingPfIds" not in json.loads(disclosed(mrv, issued, "pact"))


def test_a_file_is_written_once(mrv: Mrv, issued: Path, tmp_path: Path) -> None:
    """With the bytes of the terminal; what is there is never written over, and a folder that is missing not made."""
    out = tmp_path / "units.json"
    shown = disclosed(mrv, issued, "cad-trust")
    assert "Written" in disclosed(mrv, issued, "cad-trust", "--out", str(out))
    assert out.read_text(encoding="utf-8") == shown
    for place in (out, tmp_path / "none" / "units.json"):
        answer = mrv(issued, "standards", "disclose", "cad-trust", "metc-anoka", "2021", "--out", str(place))
        assert (answer.exit_code, out.read_text(encoding="utf-8")) == (1, shown)
        assert "disclosure cannot be written" in answer.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(("verra", "metc-ramsey", "2021"), "no credits of this rule set", id="no rule set"),
        pytest.param(("verra", "metc-anoka", "2021", "--rule-set", "vcs@5.0"), "no credits of this", id="another one"),
        pytest.param(("pact", "metc-anoka", "2021-Q1"), "no certificate yet", id="never run"),
        pytest.param(("esrs-e1", "metc-ramsey", "2021"), "evidence is missing", id="no evidence"),
        pytest.param(("pact", "metc-anoka", "2021", "--supersedes", "abcd"), "64 hex digits", id="no digest"),
        *(
            pytest.param((form, "metc-anoka", "2021", "--rule-set", "pilot@1"), "found --rule-set", id=f"{form}-rules")
            for form in ("esrs-e1", "pact")
        ),
        *(
            pytest.param(
                (form, "metc-anoka", "2021", "--supersedes", DIGEST), "found --supersedes", id=f"{form}-supersedes"
            )
            for form in ("esrs-e1", *CREDITING)
        ),
    ],
)
def test_what_cannot_be_disclosed_is_refused(mrv: Mrv, issued: Path, arguments: tuple[str, ...], words: str) -> None:
    """By name, and nothing is written."""
    answer = mrv(issued, "standards", "disclose", *arguments)
    assert (answer.exit_code, answer.stdout) == (1, "")
    assert words in " ".join(answer.stderr.replace("│", " ").split())


def test_a_form_that_is_not_known_is_an_error_of_usage(mrv: Mrv, issued: Path) -> None:
    """With the forms that there are."""
    answer = mrv(issued, "standards", "disclose", "vcs", "metc-anoka", "2021")
    assert answer.exit_code == 2
    assert "gold-standard" in answer.stderr


def test_of_two_rule_sets_with_credits_one_is_named(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """One that only controls is not among them."""
    own = deployment(folder, tmp_path, "pilot", "other", "plain")
    answer = mrv(own, "standards", "disclose", "cad-trust", "metc-anoka", "2021")
    assert answer.exit_code == 1
    assert "not clear which credits are meant" in answer.stderr
    assert "pilot@1, other@1" in answer.stderr
    chosen: Any = json.loads(disclosed(mrv, own, "cad-trust", "--rule-set", "other@1"))
    assert chosen["rule_set"] == "other@1"
    answer = mrv(own, "standards", "disclose", "cad-trust", "metc-anoka", "2021", "--rule-set", "plain@1.0")
    assert "no credits of this rule set" in answer.stderr


def test_evidence_that_has_changed_since_is_refused(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """What is said of a certificate rests on what it rests on."""
    own = deployment(folder, tmp_path, "pilot")
    show(own, facts={"project_name": "Another name"})
    for form in ("verra", "esrs-e1"):
        answer = mrv(own, "standards", "disclose", form, "metc-anoka", "2021")
        assert answer.exit_code == 1
        assert "evidence is not what the certificate was assessed on" in " ".join(answer.stderr.split())
