from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.domain.subject import Subject
from mrv_assets_tests.builders import KEY, good_case
from mrv_assets_tests.unit.compliance.breaks import Break, both, check, ids


def edited(edit: Callable[[Certificate], Certificate]) -> Callable[[Case], Case]:
    """Stage the certificate after an edit."""

    def do(case: Case) -> Case:
        certificate = edit(Certificate.from_bytes(case.staged.document, where="under test"))
        return replace(case, staged=replace(case.staged, content=certificate.to_bytes()))

    return do


def totals(**changes: Decimal | int) -> Callable[[Case], Case]:
    """Change the certified totals."""
    return edited(lambda c: replace(c, totals=replace(c.totals, **changes)))  # type: ignore[arg-type]


def inputs(change: Callable[[InputRef], InputRef | None]) -> Callable[[Case], Case]:
    """Change or drop pinned inputs."""
    return edited(lambda c: replace(c, inputs=[kept for ref in c.inputs if (kept := change(ref)) is not None]))


def without(kind: str) -> Callable[[Case], Case]:
    """Drop the inputs of one kind."""
    return inputs(lambda ref: None if ref.kind == kind else ref)


def subjects(change: Callable[[Sequence[Subject]], Sequence[Subject]]) -> Callable[[Case], Case]:
    """Change the subjects."""
    return edited(lambda c: replace(c, subjects=change(c.subjects)))


def gates_of_first(change: Callable[[Sequence[GateOutcome]], Sequence[GateOutcome]]) -> Callable[[Case], Case]:
    """Change the gate outcomes of the first subject, in the certificate and in the record that it quotes."""

    def do(case: Case) -> Case:
        changed = subjects(lambda s: [replace(s[0], gates=change(s[0].gates)), *s[1:]])(case)
        recorded = {**case.upstream_gates, Asset.ACTIVITY: change(case.upstream_gates[Asset.ACTIVITY])}
        return replace(changed, upstream_gates=recorded)

    return do


def red(gates: Sequence[GateOutcome]) -> Sequence[GateOutcome]:
    """Let the first gate have failed."""
    return [replace(gates[0], passed=False), *gates[1:]]


def none(gates: Sequence[GateOutcome]) -> Sequence[GateOutcome]:
    """Let no gate have been asked."""
    return gates[:0]


def expecting(*names: str) -> Callable[[Case], Case]:
    """Expect these gates of activity."""
    return lambda case: replace(case, expected_gates={**case.expected_gates, Asset.ACTIVITY: names})


FIRST = GATE_NAMES[Asset.ACTIVITY][0]
OTHER_VERSION = PartitionKey(project_id=KEY.project_id, period=KEY.period, factor_version="mrow-2024.02.01")


def broken(name: str, do: Callable[[Case], Case], red: str, says: str) -> Break:
    """Name a defect of the certificate."""
    return Break(name=name, asset=Asset.CERTIFICATE, do=do, red=red, says=says)


BREAKS = (
    broken("other emissions", totals(emissions_tco2e=Decimal("1.177907618")), "totals_agree", "certified 1.177907618"),
    broken("other removals", totals(removals_tco2e=Decimal(0)), "totals_agree", "certified .* 0 t removals"),
    broken("other row count", totals(activity_rows=4), "totals_agree", "4 rows; strata"),
    broken(
        "no strata behind it",
        lambda case: replace(case, upstream={Asset.AGGREGATED: good_case(Asset.AGGREGATED).staged.table.slice(0, 0)}),
        "totals_agree",
        "strata None t",
    ),
    broken("subject left out", subjects(lambda s: s[1:]), "gates_complete", "activity is 0 times a subject"),
    broken("subject twice", subjects(lambda s: [s[0], *s]), "gates_complete", "activity is 2 times a subject"),
    broken(
        "subject that is none of the four",
        subjects(lambda s: [*s, replace(s[0], asset=Asset.LEDGER)]),
        "gates_complete",
        "ledger is no subject",
    ),
    broken("gate left out", gates_of_first(lambda g: g[1:]), "gates_complete", "instead of columns_present"),
    broken("gate twice", gates_of_first(lambda g: [g[0], *g]), "gates_complete", f"{FIRST}, {FIRST}"),
    broken("no gate at all", gates_of_first(none), "gates_complete", "activity has gates none"),
    broken("red gate", gates_of_first(red), "gates_complete", f"activity {FIRST} is red"),
    broken(
        "gate turned green on the way",
        lambda case: replace(
            case,
            upstream_gates={**case.upstream_gates, Asset.ACTIVITY: red(case.upstream_gates[Asset.ACTIVITY])},
        ),
        "gates_complete",
        "activity has other outcomes than its record",
    ),
    broken("new gate not yet asked", expecting("rows_present", "new_gate"), "gates_complete", "new_gate"),
    broken("nothing expected", both(expecting(), gates_of_first(none)), "gates_complete", "no expected gates"),
    broken(
        "certificate of another factor version",
        edited(lambda c: replace(c, key=OTHER_VERSION)),
        "factor_version_stamped",
        "certificate of metc-anoka 2021 mrow-2024.02.01",
    ),
    broken(
        "made with another release",
        inputs(lambda ref: replace(ref, name="mrow-2024.02.01") if ref.kind == "factor_release" else ref),
        "factor_version_stamped",
        "made with mrow-2024.02.01",
    ),
    broken("no release", without("factor_release"), "factor_version_stamped inputs_pinned", "no factor release"),
    *(
        broken(f"no {kind}", without(kind), "inputs_pinned", f"missing {kind}")
        for kind in ("boundary", "gwp_set", "project", "source")
    ),
    broken(
        "digest that is none",
        inputs(lambda ref: replace(ref, digest="latest") if ref.kind == "source" else ref),
        "inputs_pinned",
        "sha256 source electricity.csv",
    ),
    broken("digest in capitals", inputs(lambda ref: replace(ref, digest="A" * 64)), "inputs_pinned", "sha256 project"),
    broken(
        "nameless input",
        inputs(lambda ref: replace(ref, name="") if ref.kind == "project" else ref),
        "inputs_pinned",
        "project",
    ),
)


@pytest.mark.parametrize("defect", BREAKS, ids=ids(BREAKS))
def test_defect_of_the_certificate_turns_its_gates_red(defect: Break) -> None:
    """A defect of the certificate turns exactly its gates red, and the gate names it."""
    check(defect)


def test_a_document_that_is_no_certificate_stops_the_run() -> None:
    """A staged document that cannot be read as a certificate is no red gate: it passes through as BrokenChain."""
    case = good_case(Asset.CERTIFICATE)
    staged = replace(case.staged, content=case.staged.document + b" ")
    with pytest.raises(BrokenChain, match="canonical form"):
        check(broken("not canonical", lambda case: replace(case, staged=staged), "totals_agree", ""))
