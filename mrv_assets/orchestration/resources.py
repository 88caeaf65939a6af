"""What a Dagster run is given: the world it works on, and the one run that remembers everything it did.

The recorder opens a pipeline run when the Dagster run starts and appends its journal entry when it ends, whether it
ended well or not. Under the in-process executor all steps share it; under the multiprocess executor each step is a
process with an entry of its own.
"""

import os
from pathlib import Path

from dagster import ConfigurableResource, DagsterRun, InitResourceContext, ResourceDependency
from dagster._config.pythonic_config.resource import PartialResource
from dagster._core.storage.tags import BACKFILL_ID_TAG
from dagster_aws.s3 import S3Resource
from pydantic import PrivateAttr

from mrv_assets.domain.journal_entry import Parent, ParentKind
from mrv_assets.orchestration.s3 import s3_access
from mrv_assets.pipeline.run import Run
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings
from mrv_assets.storage.signing import signer_from


class RunRecorder(ConfigurableResource["RunRecorder"]):
    """The pipeline run behind a Dagster run. Locations are URIs without credentials; those of S3 come with `s3`."""

    s3: ResourceDependency[S3Resource]
    home: str
    store: str
    reference: str
    landing: str
    key_folder: str  # not `keys`, by which Dagster would take the resource for a mapping
    alerts: str
    allow_network_fs: bool

    _run: Run | None = PrivateAttr(default=None)
    _glance: World | None = PrivateAttr(default=None)

    @classmethod
    def of(cls, settings: Settings, s3: S3Resource) -> "PartialResource[RunRecorder]":
        """Return the resource for these settings, built anew for each Dagster run.

        A resource that is configured at launch is one instance for the assets and the IO manager of a run; one that is
        passed twice ready-made is set up twice, and would write two journal entries. `s3` is a ready-made part of it
        all the same: as a resource of its own Dagster would make a client of it in every run and hand us that instead.
        """
        return cls.configure_at_launch(
            s3=s3,
            home=str(settings.home),
            store=settings.store,
            reference=settings.reference,
            landing=settings.landing,
            key_folder=str(settings.keys),
            alerts=str(settings.alerts),
            allow_network_fs=settings.allow_network_fs,
        )

    @property
    def run(self) -> Run:
        """The run of this Dagster run. Raises RuntimeError outside one."""
        if self._run is None:
            raise RuntimeError("the recorder has no run: it was not set up by Dagster")
        return self._run

    @property
    def glance(self) -> World:
        """The world for work over many partitions: listed once in this process, when it is first asked for.

        What others commit meanwhile shows as a conflict, which is looked at anew.
        """
        if self._glance is None:
            self._glance = self.run.world.at_a_glance()
        return self._glance

    def run_over(self, world: World) -> Run:
        """Begin another pipeline run under the same id, with a journal entry of its own; close it."""
        return Run(world, run_id=self.run.run_id, parent=self.run.parent)

    def setup_for_execution(self, context: InitResourceContext) -> None:
        """Open the world and start the run under Dagster's run id.

        Raises what `World.open` and `signer_from` raise: a key that may not sign is told before anything is computed.
        """
        settings = Settings(
            home=Path(self.home),
            store=self.store,
            reference=self.reference,
            landing=self.landing,
            keys=Path(self.key_folder),
            alerts=Path(self.alerts),
            allow_network_fs=self.allow_network_fs,
            dagster_yaml=None,  # this process has its instance already
        )
        # The key is looked for here and nowhere in the configuration, which Dagster shows.
        world = World.open(
            settings,
            s3=s3_access(self.s3) if "s3" in settings.schemes else None,
            signer=signer_from(os.environ, settings.keys),
        )
        self._run = Run(
            world,
            run_id=context.run.run_id if context.run else "no-dagster-run",
            parent=_parent(context.run) if context.run else None,
        )

    def teardown_after_execution(self, context: InitResourceContext) -> None:  # noqa: ARG002 - Dagster's signature
        """Append the journal entry of the run."""
        self.run.close()


def _parent(run: DagsterRun) -> Parent | None:
    """Return the backfill that asked for a run, or the run that it is executed again from."""
    backfill = run.tags.get(BACKFILL_ID_TAG)
    if backfill:
        return Parent(kind=ParentKind.BACKFILL, id=backfill)
    return Parent(kind=ParentKind.RUN, id=run.parent_run_id) if run.parent_run_id else None
