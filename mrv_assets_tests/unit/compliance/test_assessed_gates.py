"""The gates of `certificate` on rule sets and on how sure a figure is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.controls.register import CHECKS_BY_DOCUMENT
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.assessment import Assessment, ControlOutcome, Status
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.figure_uncertainty import FigureUncertainty, Spread
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets_tests.builders import good_case
from mrv_assets_tests.rule_sets import RuleText, rule_set
from mrv_assets_tests.unit.compliance.breaks import Break, check, ids

PILOT = rule_set(lines=[RuleText(id="L-1"), RuleText(id="L-2")])


def assessment(of: RuleSet = PILOT, *, status: Status = Status.PASS, formula: str = "known") -> Assessment:
    """Return an assessment that takes each line and control once."""
    lines = tuple(
        Line(name=rule.title, rule=rule.id, clause=rule.clause, change_tco2e=Decimal(1), note="") for rule in of.lines
    )
    return Assessment(
        rule_set=of.name,
        rule_set_sha256=of.digest,
        waterfall=Waterfall(rule_set=of.name, lines=lines) if lines else None,
        controls=tuple(
            ControlOutcome.of(
                replace(rule, formula=formula),
                status=status,
                observed="2 t",
                limit="at most 1 t",
                evidence_sha256="0" * 64,
                remedy="explain it",
            )
            for rule in of.controls
        ),
    )


def assessed(*found: Assessment, declared: Sequence[RuleSet] = (PILOT,)) -> Callable[[Case], Case]:
    """Stage a certificate with these assessments, for a project that declares these rule sets."""

    def do(case: Case) -> Case:
        certificate = Certificate.from_bytes(case.staged.document, where="under test")
        content = replace(certificate, assessments=found).to_bytes()
        return replace(case, staged=replace(case.staged, content=content), rule_sets=declared)

    return do


def sure(
    emissions: str | None, *, of: str | None = None, limit: str | None = "0.15", declared: Sequence[RuleSet] = ()
) -> Callable[[Case], Case]:
    """Stage a certificate whose emissions have this 95 % half-width, for a project that accepts this share.

    `of` are other tonnes than those that are certified.
    """

    def do(case: Case) -> Case:
        certificate = Certificate.from_bytes(case.staged.document, where="under test")
        totals = certificate.totals
        removals = Spread(tco2e=totals.removals_tco2e, half_width_95=Decimal("0.15"))
        share = None if emissions is None else Decimal(emissions)
        spread = Spread(tco2e=totals.emissions_tco2e if of is None else Decimal(of), half_width_95=share)
        said = FigureUncertainty(emissions=spread, removals=removals, net=spread, because="measured", simulated={})
        return replace(
            case,
            staged=replace(case.staged, content=replace(certificate, uncertainty=said).to_bytes()),
            max_relative_uncertainty=None if limit is None else Decimal(limit),
            rule_sets=declared,
        )

    return do


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Return a defect of the certificate."""
    return Break(name=name, asset=Asset.CERTIFICATE, do=do, red=red, says=says)


_WITHOUT_CONTROL = replace(assessment(), controls=())
_WITHOUT_LINE = replace(assessment(), waterfall=Waterfall(rule_set=PILOT.name, lines=()))

BREAKS = (
    broken("declared and not assessed", assessed(), "standards_assessed", "pilot@1.0 is assessed 0 times"),
    broken("assessed twice", assessed(assessment(), assessment()), "standards_assessed", "assessed 2 times"),
    broken(
        "other rules of the name",
        assessed(replace(assessment(), rule_set_sha256="1" * 64)),
        "standards_assessed",
        "assessed 0 times",
    ),
    broken("not declared", assessed(assessment(), declared=()), "standards_assessed", "pilot@1.0 was not declared"),
    broken("a control not asked", assessed(_WITHOUT_CONTROL), "standards_assessed", "controls that were not asked"),
    broken("lines not taken", assessed(_WITHOUT_LINE), "standards_assessed", "lines that were not taken"),
    broken(
        "unsure", sure("0.150000000001"), "max_relative_uncertainty", r"emissions ± 0\.150000000001 of 1\.177907617 t"
    ),
    broken("how sure other tonnes are", sure("0.1", of="7"), "max_relative_uncertainty", "no uncertainty of this"),
    broken("how sure is not known", sure(None), "max_relative_uncertainty", "no uncertainty"),
    *(
        broken(
            f"a control of {document} fails",
            assessed(assessment(status=Status.FAIL, formula=next(iter(checks)))),
            f"{document}_controls",
            r"pilot@1\.0 R-1 \(section 1\): 2 t, expected at most 1 t",
        )
        for document, checks in CHECKS_BY_DOCUMENT.items()
    ),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_an_assessment_turns_its_gates_red(defect: Break) -> None:
    """Exactly its gates, and the gate names rule and clause."""
    check(defect)


@pytest.mark.parametrize(
    "do",
    [
        pytest.param(assessed(assessment()), id="assessed in full"),
        pytest.param(assessed(assessment(status=Status.NOT_APPLICABLE)), id="no control applies"),
        pytest.param(sure("0.15"), id="just sure enough"),
        pytest.param(sure("0.9", limit=None), id="the project says nothing"),
        pytest.param(
            sure("0.9", declared=[rule_set(controls=[RuleText(formula="max_relative_uncertainty")])]),
            id="a rule set asks instead",
        ),
    ],
)
def test_what_holds_is_not_red(do: Callable[[Case], Case]) -> None:
    """Nor what does not apply; that a rule set was not assessed here is told by its own gate."""
    case = do(good_case(Asset.CERTIFICATE))
    found = Certificate.from_bytes(case.staged.document, where="under test").assessments
    red = [gate.gate for gate in judge_all(Asset.CERTIFICATE, case) if not gate.passed]
    assert red == (["standards_assessed"] if len(case.rule_sets) > len(found) else [])
