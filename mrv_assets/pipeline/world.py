"""Everything a stage may reach outside itself: generations, journal, reference data, landing folder, clock."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING

from mrv_assets.domain.dsse import Signer
from mrv_assets.domain.partition import Asset
from mrv_assets.settings import Settings
from mrv_assets.storage.clock import Clock
from mrv_assets.storage.journal import Journal
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.probe import probe
from mrv_assets.storage.references import ReferenceData
from mrv_assets.storage.slots import SlotStore
from mrv_assets.storage.sources import Landing

if TYPE_CHECKING:
    from mrv_assets.storage.s3 import S3Access


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The seams of one deployment."""

    store: ObjectStore
    slots: SlotStore
    journal: Journal
    references: ReferenceData
    landing: Landing
    clock: Clock
    signer: Signer | None = None

    @classmethod
    def open(cls, settings: Settings, *, s3: S3Access | None = None, signer: Signer | None = None) -> World:
        """Open the stores that `settings` name, those on S3 with `s3` or else with AWS's standard environment.

        Certificates and checkpoints are signed by `signer`, or not at all.

        Raises ContractError for a store that ignores conditional writes.
        """
        opened = partial(open_store, allow_network_fs=settings.allow_network_fs, s3=s3)
        store = opened(settings.store)
        probe(store)
        return cls.over(
            store=store,
            references=opened(settings.reference),
            landing=opened(settings.landing),
            clock=utc_now,
            signer=signer,
        )

    @classmethod
    def over(
        cls,
        *,
        store: ObjectStore,
        references: ObjectStore,
        landing: ObjectStore,
        clock: Clock,
        signer: Signer | None = None,
    ) -> World:
        """Build a world over three opened stores."""
        return cls(
            store=store,
            slots=SlotStore(store, clock),
            journal=Journal(store, clock, signer=signer),
            references=ReferenceData(references),
            landing=Landing(landing, clock),
            clock=clock,
            signer=signer,
        )

    def at_a_glance(self, *, asset: Asset | None = None, project_id: str | None = None) -> World:
        """Return this world for a run over many partitions: one listing tells what is current in every slot.

        With an asset, or an asset and a project, in every slot of these. Projects are read once, and again when a
        partition is refreshed; their land and small source files are read again when they have changed. Each
        generation pins what was read for it.
        """
        return replace(
            self,
            slots=self.slots.at_a_glance(asset=asset, project_id=project_id),
            references=self.references.at_a_glance(),
            landing=self.landing.at_a_glance(),
        )


def utc_now() -> datetime:
    """Return the present instant; the platform's only clock."""
    return datetime.now(UTC)
