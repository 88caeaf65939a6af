"""The gates of `certificate`: does the statement say what its subjects say, and name all that it rests on.

What does not belong here: whether the ledger may report it (ledger).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow.compute as pc

from mrv_assets.compliance.case import Case, Gate
from mrv_assets.compliance.rows import exact_sum
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.subject import Subject

SUBJECTS = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)
PINNED_KINDS = ("boundary", "factor_release", "gwp_set", "project", "source")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def _totals_agree(case: Case) -> Verdict:
    totals = case.certificate.totals
    emissions = exact_sum(case.upstream_column(Asset.AGGREGATED, "emissions_tco2e"))
    removals = exact_sum(case.upstream_column(Asset.AGGREGATED, "removals_tco2e"))
    rows = pc.sum(case.upstream_column(Asset.AGGREGATED, "rows"), skip_nulls=False).as_py() or 0
    certified = (totals.emissions_tco2e, totals.removals_tco2e, totals.activity_rows)
    return Verdict(
        passed=certified == (emissions, removals, rows) and rows > 0,
        observed=f"certified {totals.emissions_tco2e:f} t emissions, {totals.removals_tco2e:f} t removals, "
        f"{totals.activity_rows} rows; strata {emissions} t, {removals} t, {rows} rows",
        limit="emissions, removals and rows exactly as the strata add up to, at least one row",
        metrics={
            "emissions_tco2e": totals.emissions_tco2e,
            "removals_tco2e": totals.removals_tco2e,
            "activity_rows": totals.activity_rows,
        },
        remedy="materialise the certificate again; nothing may change a total after the strata",
    )


def _gates_complete(case: Case) -> Verdict:
    subjects = case.certificate.subjects
    faults = [fault for asset in SUBJECTS for fault in _subject_faults(case, asset, subjects)]
    others = [subject.asset.value for subject in subjects if subject.asset not in SUBJECTS]
    faults += [f"{asset} is no subject of a certificate" for asset in others]
    passed = sum(gate.passed for subject in subjects for gate in subject.gates)
    return Verdict(
        passed=not faults,
        observed="; ".join(faults) or f"{passed} gates of {len(subjects)} subjects, all passed",
        limit=f"{', '.join(SUBJECTS)}, each once, with each of its gates once, as recorded, all passed",
        metrics={"subjects": len(subjects), "gates_passed": passed, "faults": len(faults)},
        remedy="materialise the named assets again, so that every gate judges what the figure rests on",
    )


def _subject_faults(case: Case, asset: Asset, subjects: Sequence[Subject]) -> list[str]:
    """Say what is wrong with the gates of one upstream asset: nothing is, when the list is empty."""
    ours = [subject for subject in subjects if subject.asset is asset]
    if len(ours) != 1:
        return [f"{asset} is {len(ours)} times a subject"]
    expected = sorted(case.expected_gates.get(asset, ()))
    found = sorted(gate.gate for gate in ours[0].gates)
    faults = []
    if not expected:
        faults.append(f"{asset} has no expected gates")
    if found != expected:
        faults.append(f"{asset} has gates {', '.join(found) or 'none'} instead of {', '.join(expected) or 'none'}")
    faults += [f"{asset} {gate.gate} is red" for gate in ours[0].gates if not gate.passed]
    recorded = [gate.to_json() for gate in case.upstream_gates.get(asset, ())]
    if recorded != [gate.to_json() for gate in ours[0].gates]:
        faults.append(f"{asset} has other outcomes than its record")
    return faults


def _factor_version_stamped(case: Case) -> Verdict:
    certificate = case.certificate
    releases = [ref.name for ref in certificate.inputs if ref.kind == "factor_release"]
    return Verdict(
        passed=certificate.key == case.key and set(releases) == {case.key.factor_version},
        observed=f"certificate of {certificate.key}, made with {', '.join(releases) or 'no factor release'}",
        limit=f"a certificate of {case.key}, made with that factor release and no other",
        metrics={"factor_releases": len(releases)},
        remedy="materialise factored and what follows for this factor version",
    )


def _inputs_pinned(case: Case) -> Verdict:
    inputs = case.certificate.inputs
    missing = [kind for kind in PINNED_KINDS if kind not in {ref.kind for ref in inputs}]
    loose = [f"{ref.kind} {ref.name}" for ref in inputs if not _SHA256.fullmatch(ref.digest) or not ref.name]
    return Verdict(
        passed=not missing and not loose,
        observed=f"{len(inputs)} inputs; missing {', '.join(missing) or 'none'}; "
        f"without a name and a sha256 {', '.join(loose) or 'none'}",
        limit=f"{', '.join(PINNED_KINDS)}, each with a name and a sha256 of 64 hex digits",
        metrics={"inputs": len(inputs), "missing": len(missing), "loose": len(loose)},
        remedy="materialise the partition again from activity on, so that every input is pinned",
    )


GATES = (
    Gate(name="totals_agree", question="Are the certified totals those of the strata?", judge=_totals_agree),
    Gate(
        name="gates_complete",
        question="Did every upstream gate pass, and is each one in the statement?",
        judge=_gates_complete,
    ),
    Gate(
        name="factor_version_stamped",
        question="Does the statement name the factor version it was made with?",
        judge=_factor_version_stamped,
    ),
    Gate(name="inputs_pinned", question="Is every input from outside pinned by digest?", judge=_inputs_pinned),
)
