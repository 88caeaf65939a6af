"""The gates of `certificate` on rule sets: is each declared one evaluated in full, and does every control hold?

One gate a document, because a control that does not apply is no pass, and a checks page of forty such rows hides the
one that matters. What each control came to stands in the certificate. What does not belong here: the controls.
"""

from __future__ import annotations

from collections.abc import Callable

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.controls.register import CHECKS_BY_DOCUMENT, document_of
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.assessment import Assessment, ControlOutcome, Status
from mrv_assets.domain.figure_uncertainty import Spread
from mrv_assets.domain.rule_set import RuleSet

ASSESSED = "standards_assessed"
"""The gate that is red when a rule set cannot be evaluated."""

MAX_RELATIVE_UNCERTAINTY = "max_relative_uncertainty"
"""The gate of how sure a figure is, and the control by which a rule set asks for it instead."""


def _assessments(case: Case) -> tuple[Assessment, ...]:
    return tuple(case.certificate.assessments)


def _assessed(case: Case) -> Verdict:
    found = _assessments(case)
    faults = [fault for rule_set in case.rule_sets for fault in _faults(rule_set, found)]
    declared = {rule_set.name for rule_set in case.rule_sets}
    faults += [f"{one.rule_set} was not declared" for one in found if one.rule_set not in declared]
    controls = sum(len(one.controls) for one in found)
    lines = sum(len(one.waterfall.lines) for one in found if one.waterfall)
    return Verdict(
        passed=not faults,
        observed="; ".join(faults)
        or f"{len(found)} rule sets, {lines} lines and {controls} controls"
        + ("" if found else ": the project declares none for this period"),
        limit="each rule set that the project declares for the period, each of its lines and controls once",
        metrics={"rule_sets": len(found), "lines": lines, "controls": controls, "faults": len(faults)},
        remedy="materialise the certificate again, so that every declared rule is evaluated",
    )


def _faults(rule_set: RuleSet, found: tuple[Assessment, ...]) -> list[str]:
    """Say what is not evaluated of one rule set: nothing is, when the list is empty."""
    ours = [one for one in found if (one.rule_set, one.rule_set_sha256) == (rule_set.name, rule_set.digest)]
    if len(ours) != 1:
        return [f"{rule_set.name} is assessed {len(ours)} times"]
    [one] = ours
    faults = []
    if [control.rule for control in one.controls] != [rule.id for rule in rule_set.controls]:
        faults.append(f"{rule_set.name} has controls that were not asked")
    lines = [line.rule for line in one.waterfall.lines] if one.waterfall else []
    if lines != [rule.id for rule in rule_set.lines]:
        faults.append(f"{rule_set.name} has lines that were not taken")
    return faults


def _controls_hold(document: str) -> Callable[[Case], Verdict]:
    def judge(case: Case) -> Verdict:
        asked = [
            (one.rule_set, control)
            for one in _assessments(case)
            for control in one.controls
            if document_of(control.formula) == document
        ]
        failed = [(name, control) for name, control in asked if control.status is Status.FAIL]
        holding = sum(control.status is Status.PASS for _, control in asked)
        return Verdict(
            passed=not failed,
            observed="; ".join(_told(name, control) for name, control in failed)
            or (f"{holding} of {len(asked)} controls hold, the others do not apply" if asked else "no rule set asks"),
            limit="no control that fails, and none that was not evaluated",
            metrics={
                "controls": len(asked),
                "holding": holding,
                "not_applicable": len(asked) - holding - len(failed),
                "failed": len(failed),
            },
            remedy=failed[0][1].remedy if failed else "",
        )

    return judge


def _max_relative_uncertainty(case: Case) -> Verdict:
    """Judge emissions and removals each: net may be near 0 where both are large and well known."""
    limit = case.max_relative_uncertainty
    if _is_asked_of_a_rule_set(case) or limit is None:
        why = "the project says nothing of uncertainty" if limit is None else "a rule set asks for it"
        return Verdict(
            passed=True,
            observed=f"not judged here: {why}",
            limit="where a project says how sure it has to be",
            metrics={"judged": 0},
            remedy="",
        )
    shares = _spreads_of_the_figure(case)
    known = {name: spread.half_width_95 for name, spread in shares.items() if spread.half_width_95 is not None}
    return Verdict(
        passed=bool(shares) and all(share <= limit for share in known.values()),
        observed=", ".join(f"{name} ± {share:f} of {shares[name].tco2e:f} t" for name, share in known.items())
        or ("0 t, of which nothing is a share" if shares else "no uncertainty of this figure"),
        limit=f"a 95 % half-width of at most {limit} of gross emissions and of gross removals",
        metrics={"judged": 1, **{f"{name}_half_width_95": share for name, share in known.items()}},
        remedy="take better quantities or factors, or say why more is acceptable: max_relative of [uncertainty]",
    )


def _spreads_of_the_figure(case: Case) -> dict[str, Spread]:
    """Return how sure gross emissions and removals are; nothing when that is of other tonnes, or left out for some."""
    certificate = case.certificate
    found, totals = certificate.uncertainty, certificate.totals
    spreads = {} if found is None else {"emissions": found.emissions, "removals": found.removals}
    if [spread.tco2e for spread in spreads.values()] != [totals.emissions_tco2e, totals.removals_tco2e]:
        return {}
    is_known = all(spread.half_width_95 is not None or not spread.tco2e for spread in spreads.values())
    return spreads if is_known else {}


def _is_asked_of_a_rule_set(case: Case) -> bool:
    formulas = {rule.formula for rule_set in case.rule_sets for rule in rule_set.controls}
    return MAX_RELATIVE_UNCERTAINTY in formulas


def _told(rule_set: str, control: ControlOutcome) -> str:
    return f"{rule_set} {control.rule} ({control.clause}): {control.observed}, expected {control.limit}"


GATES = (
    Gate(
        name=MAX_RELATIVE_UNCERTAINTY,
        question="Is the figure as sure as the project, or a rule set, asks?",
        judge=_max_relative_uncertainty,
    ),
    Gate(
        name=ASSESSED,
        question="Is every rule set that the project declares for the period evaluated in full?",
        judge=_assessed,
    ),
    *(
        Gate(
            name=f"{document}_controls",
            question=f"Does every control of {document} hold that a declared rule set asks for?",
            judge=_controls_hold(document),
        )
        for document in CHECKS_BY_DOCUMENT
    ),
)
