"""Why a content or a figure is made anew: what differs between what it was made from and what it would be made from.

What does not belong here: finding the inputs (pipeline), and putting one change into words with its digests (report).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.generation import GenerationRecord, InputRef


class Cause(StrEnum):
    """One kind of reason, in the order in which they are told."""

    NEVER_RUN = "never run"
    INPUT = "input changed"
    FACTOR = "factor changed"
    RULES = "rules changed"
    POLICY = "policy changed"
    CODE = "code changed"
    CONTRACT = "contract changed"
    UNHASHED = "unhashed"
    UPSTREAM = "upstream changed"
    FORCED = "forced"
    REINSTATED = "reinstated"


_BY_INPUT = {"factor_release": Cause.FACTOR, "gwp_set": Cause.FACTOR, "rule_set": Cause.RULES}
"""All other inputs are what was delivered or declared: source, STAC Item, boundary, project, monitoring evidence."""

_BY_PIN = {
    "contract": Cause.CONTRACT,
    "factor_version": Cause.FACTOR,
    "boundary": Cause.INPUT,
    **dict.fromkeys(("policy", "fallback", "standard", "uncertainty", "approval_above"), Cause.POLICY),
}
"""All other pins are what computes: the code of the stage, and the libraries that it uses by version."""

_TOLD = tuple(Cause)


def work_causes(before: GenerationRecord, *, inputs: Iterable[InputRef], pins: Mapping[str, str]) -> set[Cause]:
    """Return why what is made from these inputs and pins is another work than `before`, upstream contents left out."""
    return _by_inputs(before.inputs, inputs) | pin_causes(before.pins, pins)


def figure_causes(before: Certificate, after: Certificate) -> tuple[Cause, ...]:
    """Return why one figure took the place of another, none when nothing that is pinned differs.

    Compared are all pinned inputs, and the pins of every asset on the way; those of the certificate itself stand in its
    record.
    """
    found = _by_inputs(before.inputs, after.inputs)
    if before.standard != after.standard:
        found.add(Cause.POLICY)
    old = {subject.asset: subject.pins for subject in before.subjects}
    for subject in after.subjects:
        found |= pin_causes(old.get(subject.asset, {}), subject.pins)
    return in_order(found)


def in_order(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Return each cause once, in the order of telling."""
    return tuple(sorted(set(causes), key=_TOLD.index))


def _by_inputs(before: Iterable[InputRef], after: Iterable[InputRef]) -> set[Cause]:
    differing = {(ref.kind, ref.name, ref.digest) for ref in before} ^ {(r.kind, r.name, r.digest) for r in after}
    return {_BY_INPUT.get(kind, Cause.INPUT) for kind, _, _ in differing if kind != "approval"}


def pin_causes(before: Mapping[str, str], after: Mapping[str, str]) -> set[Cause]:
    """Return why contents of these pins are other work."""
    differing = {name for name in {*before, *after} if before.get(name) != after.get(name)}
    return {_BY_PIN.get(name, Cause.CODE) for name in differing}
