"""Re-performance: a certified figure made again from what its certificate pins, and compared with what it names.

Nothing is written to the store. What does not belong here: showing it (cli).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.json_difference import json_differences
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.subject import Subject
from mrv_assets.pipeline.compared import Compared, State, compare
from mrv_assets.pipeline.pinned import require_references
from mrv_assets.pipeline.prepared import Prepared, prepare
from mrv_assets.pipeline.remake import CERTIFIED, Remade, remake
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.pipeline.world import World

_PROVENANCE = ("subject", "predicate.pinned_configuration", "predicate.output_artifacts")
"""Parts of a statement that are others when the same content is made by other code or libraries."""

_JUDGED = "predicate.validation_outcomes"
"""The part that other code may word in another way."""


class Verdict(StrEnum):
    """What a re-performance comes to.

    `same`: all that was made again is equal, and so is the figure. `differs`: it is not, though everything pinned is
    the same here, or a sealed content is damaged. `elsewhere`: it is not, and something pinned is another one here, so
    nothing follows for the certificate.
    """

    SAME = "same"
    DIFFERS = "differs"
    ELSEWHERE = "elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reperformed:
    """The tables, the statement, and the figure. `totals` are the recomputed ones, None where none came about.

    The certificate's own `leaves` are the parts of the statement that differ, the figure first, but for what follows
    from other pins.
    """

    prepared: Prepared
    tables: Sequence[Compared]
    certificate: Compared
    totals: Totals | None

    @property
    def assets(self) -> tuple[Compared, ...]:
        """The tables and the certificate, in order."""
        return (*self.tables, self.certificate)

    @property
    def is_same_figure(self) -> bool:
        """Whether the recomputed totals are the sealed ones, to the last digit."""
        return self.totals == self.prepared.sealed.certificate.totals

    @property
    def has_other_pins(self) -> bool:
        """Whether code, a library or reference data is another one here than what is pinned."""
        return any(one.pins for one in self.assets) or bool(self.prepared.lacking)

    @property
    def verdict(self) -> Verdict:
        """What it comes to."""
        is_equal = all(one.state is not State.DIFFERS for one in self.assets)
        if is_equal and self.is_same_figure:
            return Verdict.SAME
        is_damaged = any(one.stored for one in self.assets)
        return Verdict.ELSEWHERE if self.has_other_pins and not is_damaged else Verdict.DIFFERS


def reperform(world: World, record: GenerationRecord) -> Reperformed:
    """Make the partition of a certificate again, from activity to the statement, and compare.

    Where the source file is gone or another one, it starts from the sealed activity; where the monitoring package is,
    the assessments are not made again. `supersedes` is taken from the sealed statement: history is not recomputed.
    Raises ContractError when reference data are not those that are pinned, Tampering when the certificate, a record or
    a sealed content that is needed is not what was sealed.
    """
    prepared = prepare(world, record)
    require_references(prepared.lacking)
    return recompute(world, prepared)


def recompute(world: World, prepared: Prepared) -> Reperformed:
    """Make everything again that can be, with what is here, and compare. Raises Tampering as `reperform` does."""
    sealed = prepared.sealed
    remade = remake(world, sealed, not_made=prepared.not_made, shown=prepared.shown)
    tables = [
        compare(world.store, sealed, remade, asset, is_shown=asset in prepared.shown)
        for asset in CERTIFIED
        if asset in sealed.chain
    ]
    certificate, totals = _certificate(sealed, remade)
    return Reperformed(prepared=prepared, tables=tables, certificate=certificate, totals=totals)


def _certificate(sealed: Sealed, remade: Remade) -> tuple[Compared, Totals | None]:
    """Compare the statement with the one made again, but for what was not made again and for the predecessor."""
    ours = remade.records.get(Asset.CERTIFICATE)
    if ours is None:
        return _no_certificate(sealed, remade.not_made.get(Asset.CERTIFICATE), remade.refused.get(Asset.CERTIFICATE)), (
            remade.totals
        )
    made = Certificate.from_bytes(remade.world.slots.load_bytes(ours), where="the recomputed certificate")
    subjects = [_subject(sealed, remade, subject) for subject in made.subjects]
    made = replace(made, supersedes=sealed.certificate.supersedes, subjects=subjects)
    documents = json.loads(sealed.statement), json.loads(made.to_bytes())
    leaves = tuple(json_differences(*documents))
    pins = tuple(json_differences(dict(sealed.record.pins), dict(ours.pins), path="pins"))
    is_other = bool(pins) or any(leaf.path.startswith("predicate.pinned_configuration") for leaf in leaves)
    told = tuple(leaf for leaf in leaves if not (is_other and leaf.path.startswith(_PROVENANCE)))
    counted = [leaf for leaf in told if not (is_other and leaf.path.startswith(_JUDGED))]
    compared = Compared(
        asset=Asset.CERTIFICATE,
        state=State.DIFFERS if counted else State.EQUAL,
        rows=1,
        sealed=sealed.certificate.sha256,
        recomputed=made.sha256,
        pins=pins,
        leaves=sorted(told, key=lambda leaf: leaf.path.startswith(_PROVENANCE)),
    )
    return compared, made.totals


def _subject(sealed: Sealed, remade: Remade, subject: Subject) -> Subject:
    """Return what the certificate says of an asset that was not made again, else what was made."""
    return subject if subject.asset in remade.records else Subject.of(sealed.chain[subject.asset])


def _no_certificate(sealed: Sealed, reason: str | None, refusal: Refusal | None) -> Compared:
    return Compared(
        asset=Asset.CERTIFICATE,
        state=State.NOT_RECOMPUTED if refusal is None else State.DIFFERS,
        rows=1,
        sealed=sealed.certificate.sha256,
        recomputed=None,
        note=reason or "" if refusal is None else f"refused: {refusal}",
    )
