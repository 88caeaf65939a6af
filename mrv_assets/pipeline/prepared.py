"""What a re-performance starts from: the certificate, what it pins beside what is here, and what cannot be made again.

What does not belong here: making and comparing (reperform).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.pinned import DELIVERED, SHOWN, Pinned, pinned
from mrv_assets.pipeline.sealed import Sealed, sealed_chain
from mrv_assets.pipeline.world import World
from mrv_assets.storage.parquet import read_parquet


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A certificate, what it pins beside what is here, and which assets are not to be made again, each with a reason.

    `shown` are Parquet bytes of tables that are known without some columns only.
    """

    sealed: Sealed
    pins: tuple[Pinned, ...]
    not_made: Mapping[Asset, str]
    shown: Mapping[Asset, bytes] = field(default_factory=dict)

    @property
    def lacking(self) -> tuple[Pinned, ...]:
        """The reference data that are needed and are not here as they were pinned.

        A boundary is needed for activity and normalized alone.
        """
        unneeded = ("boundary",) if Asset.NORMALIZED in self.not_made else ()
        return tuple(pin for pin in self.pins if pin.is_lacking and pin.ref.kind not in unneeded)


def prepare(world: World, record: GenerationRecord, *, shown: Mapping[Asset, bytes] | None = None) -> Prepared:
    """Read a certificate, compare what it pins with what is here, and say what cannot be made again.

    `shown` are Parquet bytes of tables that are known without their geometry only, proven to be the sealed ones.
    """
    sealed = sealed_chain(world.slots, record)
    pins = pinned(world, sealed.certificate)
    not_made: dict[Asset, str] = {}
    for pin in pins:
        if pin.ref.kind in DELIVERED and not pin.is_here:
            not_made.setdefault(Asset.ACTIVITY, f"activity was not recomputed: {pin}")
        if pin.ref.kind == SHOWN and not pin.is_here:
            not_made[Asset.CERTIFICATE] = f"the assessments were not recomputed: {pin}"
    if shown:
        not_made |= _unplaced(world, sealed, shown)
    return Prepared(sealed=sealed, pins=pins, not_made=not_made, shown=shown or {})


def _unplaced(world: World, sealed: Sealed, shown: Mapping[Asset, bytes]) -> dict[Asset, str]:
    """Return what cannot be made again without footprints, and what is shown all the same."""
    told = {
        asset: f"shown without {_missing(sealed, asset, data)}: the rest is what was sealed, and was not recomputed"
        for asset, data in shown.items()
    }
    project = world.references.project(sealed.certificate.key.project_id)
    if project.source.is_spatial:
        told[Asset.FACTORED] = "factored was not recomputed: its rows are in regions by their footprints"
    return told


def _missing(sealed: Sealed, asset: Asset, data: bytes) -> str:
    there = read_parquet(data).column_names
    return ", ".join(column.name for column in sealed.contract(asset).columns if column.name not in there)
