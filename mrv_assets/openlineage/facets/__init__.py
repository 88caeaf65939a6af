"""Our own facets, and beside this module the JSON Schema of each: outcome, digests, pins, source.

Named as the specification asks: under `mrv_outcome` stands a `MrvOutcomeRunFacet`. What does not belong here: the
facets of the specification itself.
"""

from __future__ import annotations

from attr import define
from openlineage.client.generated.base import DatasetFacet, RunFacet

from mrv_assets.openlineage.identity import schema_url


@define(kw_only=True)
class MrvOutcomeRunFacet(RunFacet):
    """What a run did with one slot and why; `outcome` is committed, skipped or refused, `entry` that of the journal.

    `idempotencyKey` and `factorVersion` are None where a commit is told later and the slot is one that factors do not
    touch.
    """

    outcome: str
    reason: str
    asset: str
    projectId: str  # noqa: N815 - the specification writes its members so
    period: str
    factorVersion: str | None  # noqa: N815
    idempotencyKey: str | None  # noqa: N815
    generation: int | None
    eventId: str  # noqa: N815
    entry: int

    @staticmethod
    def _get_schema() -> str:
        return schema_url("MrvOutcomeRunFacet")


@define(kw_only=True)
class MrvDigestsRunFacet(RunFacet):
    """The digests by which the journal knows what happened: of inputs, of the current content and of its record."""

    inputsDigest: str | None  # noqa: N815
    contentDigest: str | None  # noqa: N815
    recordSha256: str | None  # noqa: N815
    inputs: dict[str, str]

    @staticmethod
    def _get_schema() -> str:
        return schema_url("MrvDigestsRunFacet")


@define(kw_only=True)
class MrvPinsRunFacet(RunFacet):
    """The configuration that the stage ran with: contract, code, exact versions of libraries, factor release."""

    pins: dict[str, str]

    @staticmethod
    def _get_schema() -> str:
        return schema_url("MrvPinsRunFacet")


@define(kw_only=True)
class MrvSourceDatasetFacet(DatasetFacet):
    """The identity of a source file as the journal tells it: place, digest, size, version, times, STAC Item."""

    identity: dict[str, str]

    @staticmethod
    def _get_schema() -> str:
        return schema_url("MrvSourceDatasetFacet")
