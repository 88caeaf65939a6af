"""The preview of a factor bump as an asset: unpartitioned, in a group of its own, storing nothing.

What it finds is metadata of the materialisation: a Markdown table and a picture of each bump. What does not belong
here: computing it (pipeline), and how it looks, which is handed in.
"""

import base64
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from dagster import AssetsDefinition, Config, MaterializeResult, MetadataValue, asset
from dagster._core.definitions.metadata import RawMetadataValue
from pydantic import Field

from mrv_assets.domain.errors import ContractError
from mrv_assets.orchestration.remedies import remedied
from mrv_assets.orchestration.resources import RunRecorder
from mrv_assets.pipeline.impact import Impact, factor_impact
from mrv_assets.pipeline.versions import unsuperseded
from mrv_assets.storage.references import ReferenceData

ShowImpact: TypeAlias = Callable[[Impact], tuple[str, bytes]]
"""Says a preview as Markdown, and draws it as a PNG."""

_NAME = "factor_impact"


class ImpactConfig(Config):
    """Which bump to preview. Left out: for each line of releases from the one before the newest to the newest."""

    from_release: str | None = Field(
        default=None, description="The release that figures rest on now; left out with to_release: whatever is live."
    )
    to_release: str | None = Field(
        default=None, description="The release that a run would bring; left out: the newest of each line."
    )


def impact_asset(show: ShowImpact) -> AssetsDefinition:
    """Build the asset, which shows its findings with `show`."""

    @asset(
        name=_NAME,
        description="What a factor bump would do before it is run: figures touched, tonnes moved. Stores nothing.",
        group_name="preview",
        kinds={"python"},
    )
    def body(config: ImpactConfig, recorder: RunRecorder) -> MaterializeResult[None]:
        world, metadata = recorder.run.world, dict[str, RawMetadataValue]()
        with remedied(0):
            for before, after in _bumps(world.references, config):
                metadata |= _metadata(factor_impact(world, after, before=before), show)
        return MaterializeResult(metadata=metadata)

    return body


def _bumps(references: ReferenceData, config: ImpactConfig) -> Sequence[tuple[str | None, str]]:
    """Return the bumps that are asked for. Raises ContractError for one without its newer end."""
    if config.to_release is not None:
        return [(config.from_release, config.to_release)]
    if config.from_release is not None:
        raise ContractError(
            "a bump has no newer end",
            where=f"config of {_NAME}",
            expected="to_release, where there is from_release",
            found=f"from_release {config.from_release} alone",
            remedy="name both, or none for each line's newest release",
        )
    return list(_newest(references))


def _newest(references: ReferenceData) -> Iterator[tuple[str, str]]:
    """Yield the newest bump of each line. A first release bumps nothing, and a line without one newest is no bump."""
    releases = [references.factor_release(version) for version in references.factor_versions()]
    withdrawn = references.withdrawn(release.version for release in releases)
    for line in sorted({release.line for release in releases}):
        newest = unsuperseded(releases, line, withdrawn=withdrawn)
        if len(newest) == 1 and newest[0].supersedes is not None:
            yield newest[0].supersedes, newest[0].version


def _metadata(impact: Impact, show: ShowImpact) -> dict[str, RawMetadataValue]:
    markdown, picture = show(impact)
    image = f"data:image/png;base64,{base64.b64encode(picture).decode()}"
    name = impact.after
    return {
        f"{name}: figures": len(impact.partitions),
        f"{name}: table": MetadataValue.md(markdown),
        f"{name}: picture": MetadataValue.md(f"![{impact.before or 'what is live'} → {name}]({image})"),
    }
