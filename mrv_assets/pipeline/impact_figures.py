"""What is reported now, what each figure rests on, and whether the ledger would move: read for many figures at once.

What does not belong here: what another release would make of it (impact_applied, impact).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import Decimal

import pyarrow as pa

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.errors import BrokenChain, Refusal
from mrv_assets.domain.factor_spans import FactorKey
from mrv_assets.domain.fallback import Fallback
from mrv_assets.domain.generation import GenerationRecord, UpstreamRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.project import MATERIALITY, Project, Publication
from mrv_assets.domain.tonnes import Move, Tonnes
from mrv_assets.pipeline.promotion import AWAITS_APPROVAL, agreed_record, reported_tonnes
from mrv_assets.pipeline.succession import standing
from mrv_assets.pipeline.world import World
from mrv_assets.storage.glimpse import glimpse, load_content
from mrv_assets.storage.parquet import read_parquet

_FACTORED = ["activity_id", "region", "unit", "emissions_tco2e", "removals_tco2e"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveFigure:
    """One figure of the ledger, and where the tables behind it are.

    `key` is the partition under the release that it rests on. `normalized` and `factored` are the generations that its
    certificate rests on.
    """

    key: PartitionKey
    tonnes: Tonnes
    normalized: UpstreamRef
    factored: UpstreamRef


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a project has factors applied: what may stand in for the factors of its regions, and who knows its regions.

    `spatial` is its CRS policy when the release says by footprint in which region a row is, None when rows say it.
    """

    fallback: Fallback | None = None
    spatial: CrsPolicy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Prospect:
    """What would become of a figure if its partition were run with another release, as far as no table tells.

    `hold` says why the ledger would stay as it is, None when it would move. `refusal` is what stands in the way of
    asking. `materiality` and `terms` are the project's; `agreed` is the figure that its changes are measured against
    beside the reported one, None where nobody has to approve them.
    """

    hold: str | None = None
    refusal: Refusal | None = None
    materiality: Decimal = MATERIALITY
    factor_line: str | None = None
    terms: Terms = field(default_factory=Terms)
    agreed: Tonnes | None = None

    def hold_of(self, move: Move) -> str | None:
        """Say why the ledger would stay as it is, for a change of this size."""
        if self.hold is not None or self.agreed is None:
            return self.hold
        changes = (move, Move(before=self.agreed, after=move.after))
        return AWAITS_APPROVAL if any(change.exceeds(self.materiality) for change in changes) else None


def for_one_look(world: World, *, project_id: str | None) -> World:
    """Return the world for one look at many figures: the ledger is listed once, each project is read once."""
    return world.at_a_glance(asset=Asset.LEDGER, project_id=project_id)


def live_record(world: World, slot: Slot) -> GenerationRecord | None:
    """Return the generation that a slot of the listing reports, None where its figure was withdrawn.

    Raises BrokenChain when there is none any more.
    """
    record = world.slots.current(slot)
    if record is None:
        raise _broken(str(slot), expected="the generation that was listed", found="an empty slot")
    record.require_passed()
    return None if record.withdrawal is not None else record


def live_figure(world: World, record: GenerationRecord) -> LiveFigure:
    """Return the figure of a ledger generation.

    Raises BrokenChain when it does not rest on what a figure rests on, and what reading a generation raises.
    """
    where = f"{record.slot}, generation {record.generation}"
    ref = next((ref for ref in record.upstream if ref.slot.asset is Asset.CERTIFICATE), None)
    if ref is None:
        raise _broken(where, expected="a certificate among what it was made from", found="none")
    certificate = glimpse(world.store, world.slots, ref.slot, ref.generation)
    normalized, factored = (certificate.made_from(asset) for asset in (Asset.NORMALIZED, Asset.FACTORED))
    if normalized is None or factored is None:
        raise _broken(str(ref.slot), expected="a normalized and a factored table below it", found="not both")
    key = PartitionKey(
        project_id=record.slot.project_id, period=record.slot.period, factor_version=record.pins["factor_version"]
    )
    return LiveFigure(key=key, tonnes=reported_tonnes(world, record), normalized=normalized, factored=factored)


def prospect(world: World, key: PartitionKey, live: GenerationRecord) -> Prospect:
    """Tell whether the ledger would move from `live` to a partition. A refusal of asking is told in the answer."""
    project: Project | None = None
    try:
        project = world.references.project(key.project_id)
        found = standing(world, key, live)
    except Refusal as refusal:
        return Prospect(refusal=refusal) if project is None else _of(project, Prospect(refusal=refusal))
    hold = found.hold
    if hold is None and found.rival is not None:
        hold = f"refused: neither {found.rival}, which is live, nor {key.factor_version} supersedes the other"
    is_approved = project.publication is Publication.APPROVE
    agreed = reported_tonnes(world, agreed_record(world, live)) if is_approved else None
    return _of(project, Prospect(hold=hold, agreed=agreed))


def content_of(world: World, ref: UpstreamRef) -> tuple[bytes, int]:
    """Return the stored table of a generation and how many rows it has. Raises what reading a generation raises."""
    seen = glimpse(world.store, world.slots, ref.slot, ref.generation)
    return load_content(world.store, seen), seen.rows


def load(world: World, ref: UpstreamRef, columns: list[str] | None = None) -> pa.Table:
    """Return the table of a generation, or columns of it. Raises what reading a generation raises."""
    return read_parquet(content_of(world, ref)[0], columns=columns)


def stored_parts(world: World, figure: LiveFigure) -> dict[FactorKey, Tonnes]:
    """Return the tonnes of a figure by factor, from the factored table behind it."""
    parts: dict[FactorKey, Tonnes] = {}
    for row in load(world, figure.factored, _FACTORED).to_pylist():
        key = FactorKey(activity_id=row["activity_id"], region=row["region"], unit=row["unit"])
        one = Tonnes(emissions=row["emissions_tco2e"], removals=row["removals_tco2e"])
        parts[key] = parts.get(key, Tonnes()) + one
    return parts


def _of(project: Project, found: Prospect) -> Prospect:
    return replace(
        found,
        materiality=project.materiality,
        factor_line=project.factor_line,
        terms=Terms(fallback=project.fallback, spatial=project.crs if project.source.is_spatial else None),
    )


def _broken(where: str, *, expected: str, found: str) -> BrokenChain:
    return BrokenChain(
        "figure does not rest on what it must rest on",
        where=where,
        expected=expected,
        found=found,
        remedy="stop, keep the store as it is and see what `mrv fsck` says",
    )
