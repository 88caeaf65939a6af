"""Restatements: what a total was, what it became, and the causes, computed from the certificates of both.

Pure: the same figures give the same words. A cause is a pinned input that differs between the certificates;
nobody types one in. What does not belong here: reading figures (reported) and showing rows (page, cli).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from itertools import pairwise
from typing import TypeVar

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.figures import Figure
from mrv_assets.report.wording import exact_difference, exact_sum, short, signed_tonnes

_T = TypeVar("_T")

FIRST = "first figure"
NOTHING = "nothing that is pinned"
_KINDS = {
    "factor_release": "factor release",
    "gwp_set": "GWP set",
    "source": "source file",
    "boundary": "boundary",
    "project": "project file",
    "stac_item": "STAC item",
    "rule_set": "rule set",
    "monitoring": "monitoring evidence",
}
"""How a kind of input is called, in the order of telling; another kind is called by its own name."""

_PINS = ("contract", "code")
"""The pins that are told first."""

_TOLD_AS_INPUT = "factor_version"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement:
    """One total, net t CO2e, before and after; without a `before_tco2e` it is a first figure."""

    period: str
    before_tco2e: Decimal | None
    after_tco2e: Decimal
    causes: tuple[str, ...]

    @property
    def delta_tco2e(self) -> Decimal | None:
        """The change in t CO2e, exact; None for a first figure."""
        return None if self.before_tco2e is None else exact_difference(self.after_tco2e, self.before_tco2e)


def total(figures: Mapping[str, Figure]) -> Decimal:
    """Return the net total of figures by project, t CO2e, exact."""
    return exact_sum(figure.totals.net_tco2e for figure in figures.values())


def restatement(period: str, before: Mapping[str, Figure], after: Mapping[str, Figure]) -> Restatement:
    """Compare the total over two sets of figures, by project, of one period. `before` may be empty."""
    return Restatement(
        period=period,
        before_tco2e=total(before) if before else None,
        after_tco2e=total(after),
        causes=_causes(before, after),
    )


def restatements_of(history: Sequence[Figure]) -> tuple[Restatement, ...]:
    """Return a row for each figure that one ledger slot reported, the first figure included, oldest first."""
    sets = [{}, *({figure.project_id: figure} for figure in history)]
    return tuple(restatement(next(iter(after.values())).period, before, after) for before, after in pairwise(sets))


def causes_between(before: Certificate, after: Certificate) -> tuple[str, ...]:
    """Return what differs between the certificates of one figure, before the ledger reports the newer one."""
    pair = [(before, after)]
    found = [
        *_pinned_causes(pair),
        *_pin_causes(pair, _sealed_pins),
        *_asset_causes("gates", pair, _sealed_gates),
    ]
    return tuple(found) or (NOTHING,)


def _causes(before: Mapping[str, Figure], after: Mapping[str, Figure]) -> tuple[str, ...]:
    if not before:
        return (FIRST,)
    shared = [(before[project], after[project]) for project in before if project in after]
    found = [
        *_pinned_causes([(old.certificate, new.certificate) for old, new in shared]),
        *_pin_causes(shared, _pins),
        *_asset_causes("gates", shared, _gates),
        *_project_causes(before, after),
    ]
    return tuple(found) or (NOTHING,)


def _pinned_causes(certificates: Sequence[tuple[Certificate, Certificate]]) -> list[str]:
    named = {ref.kind for pair in certificates for certificate in pair for ref in certificate.inputs}
    kinds = (*_KINDS, *sorted(named - _KINDS.keys()))
    inputs = [cause for kind in kinds for cause in _input_causes(kind, certificates)]
    return [*inputs, *_standard_causes(certificates)]


def _input_causes(kind: str, pairs: Sequence[tuple[Certificate, Certificate]]) -> list[str]:
    label = _KINDS.get(kind, kind.replace("_", " "))
    return _changes(label, pairs, lambda certificate: _inputs(certificate, kind))


def _inputs(certificate: Certificate, kind: str) -> Mapping[str, str]:
    return {ref.name: ref.digest for ref in certificate.inputs if ref.kind == kind}


def _changes(
    label: str,
    pairs: Sequence[tuple[Certificate, Certificate]],
    named: Callable[[Certificate], Mapping[str, str]],
) -> list[str]:
    """Put each distinct change of named digests into words once, with the number of projects that it touches."""
    counts: dict[str, int] = {}
    for before, after in pairs:
        words = _change(named(before), named(after))
        if words:
            counts[words] = counts.get(words, 0) + 1
    return [
        f"{label} {words}" + ("" if count == len(pairs) else f" ({count} of {len(pairs)} projects)")
        for words, count in counts.items()
    ]


def _change(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    gone = sorted(set(before) - set(after))
    new = sorted(set(after) - set(before))
    if gone or new:
        return f"{', '.join(gone) or 'none'} → {', '.join(new) or 'none'}"
    differing = [name for name in sorted(before) if before[name] != after[name]]
    return ", ".join(f"{name} {short(before[name])} → {short(after[name])}" for name in differing)


def _standard_causes(pairs: Sequence[tuple[Certificate, Certificate]]) -> list[str]:
    changes = {(before.standard, after.standard) for before, after in pairs if before.standard != after.standard}
    return [f"standard {before} → {after}" for before, after in sorted(changes)]


def _pin_causes(pairs: Sequence[tuple[_T, _T]], pins: Callable[[_T], Mapping[str, Mapping[str, str]]]) -> Iterator[str]:
    """Name each pin that differs, with the assets that it differs for."""
    differing = [pair for pair in pairs if pins(pair[0]) != pins(pair[1])]
    named = {name for pair in differing for one in pair for of_asset in pins(one).values() for name in of_asset}
    for name in (*_PINS, *sorted(named - {*_PINS, _TOLD_AS_INPUT})):
        yield from _asset_causes(name, differing, partial(_pin, name, pins))


def _pin(name: str, pins: Callable[[_T], Mapping[str, Mapping[str, str]]], of: _T) -> Mapping[str, str]:
    return {asset: of_asset[name] for asset, of_asset in pins(of).items() if name in of_asset}


def _pins(figure: Figure) -> Mapping[str, Mapping[str, str]]:
    """Return the pins of every asset, the certificate and the ledger row themselves included."""
    own = {Asset.CERTIFICATE.value: figure.sealing.pins, Asset.LEDGER.value: figure.record.pins}
    return {**_sealed_pins(figure.certificate), **own}


def _sealed_pins(certificate: Certificate) -> Mapping[str, Mapping[str, str]]:
    return {subject.asset.value: subject.pins for subject in certificate.subjects}


def _gates(figure: Figure) -> Mapping[str, str]:
    """Return the names of the gates that judged every asset, the certificate and the ledger row included."""
    own = {Asset.CERTIFICATE.value: _names(figure.sealing.gates), Asset.LEDGER.value: _names(figure.record.gates)}
    return {**_sealed_gates(figure.certificate), **own}


def _sealed_gates(certificate: Certificate) -> Mapping[str, str]:
    return {subject.asset.value: _names(subject.gates) for subject in certificate.subjects}


def _names(gates: Sequence[GateOutcome]) -> str:
    return ",".join(sorted(gate.gate for gate in gates))


def _asset_causes(label: str, pairs: Sequence[tuple[_T, _T]], named: Callable[[_T], Mapping[str, str]]) -> list[str]:
    """Name the assets for which `named` differs; what only one side has counts as a difference."""
    assets: dict[str, None] = {}
    for before, after in pairs:
        old, new = named(before), named(after)
        assets.update(dict.fromkeys(asset for asset in {**old, **new} if old.get(asset) != new.get(asset)))
    return [f"{label} of {', '.join(assets)}"] if assets else []


def _project_causes(before: Mapping[str, Figure], after: Mapping[str, Figure]) -> list[str]:
    joined = {project: figure for project, figure in after.items() if project not in before}
    left = {project: figure for project, figure in before.items() if project not in after}
    words = []
    if joined:
        words.append(f"joined: {', '.join(joined)}, {signed_tonnes(total(joined))} t")
    if left:
        words.append(f"left: {', '.join(left)}, {signed_tonnes(exact_difference(Decimal(0), total(left)))} t")
    return [f"projects {len(before)} → {len(after)} ({'; '.join(words)})"] if words else []
