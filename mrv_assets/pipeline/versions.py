"""Which factor version is meant when none is named: the project's pin, else the newest release of its line.

What does not belong here: whether the ledger may move to it (succession).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project, Publication
from mrv_assets.storage.references import ReferenceData


def unsuperseded(releases: Iterable[FactorRelease], line: str) -> Sequence[FactorRelease]:
    """Return the releases of `line` that no other of them supersedes: one, when the line is sound."""
    of_line = [release for release in releases if release.line == line]
    superseded = {release.supersedes for release in of_line}
    return [release for release in of_line if release.version not in superseded]


def newest_release(references: ReferenceData, line: str) -> FactorRelease:
    """Return the one release of `line` that no other release of the line supersedes.

    Raises FactorError when there is none or more than one: nothing is guessed from names or dates.
    """
    newest = unsuperseded(map(references.factor_release, references.factor_versions()), line)
    if len(newest) == 1:
        return newest[0]
    raise FactorError(
        "factor line has no single newest release",
        where=f"factor line {line}",
        expected="exactly one release that no other release of the line supersedes",
        found=", ".join(release.version for release in newest) or "no release of this line",
        remedy="name the factor version, pin it in the project file, or release one that supersedes the others",
    )


def version_to_run(references: ReferenceData, project: Project, period: str) -> str:
    """Return the pin of the period, else the newest release of the project's line. Raises as `newest_release`."""
    return project.pins.get(Period.parse(period).text) or newest_release(references, project.factor_line).version


def version_to_report(references: ReferenceData, project: Project, period: str) -> str | None:
    """Return the factor version that the ledger of a period should show; None when the project pins none and must."""
    if project.publication is Publication.PINNED:
        return project.pins.get(period)
    return version_to_run(references, project, period)
