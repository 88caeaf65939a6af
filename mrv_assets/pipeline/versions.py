"""Which factor version is meant when none is named: the project's pin, else the newest release of its line.

Nothing is meant that was withdrawn: a line falls back on what stands before a withdrawn release, a pin on one is
refused. What does not belong here: whether the ledger may move to a version (succession).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache

from mrv_assets.domain.errors import FactorError, Refusal
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.partition import Period
from mrv_assets.domain.project import Project, Publication
from mrv_assets.storage.references import ReferenceData


class Versions:
    """The versions that are meant, for a look over many partitions: each line and each withdrawal is read once."""

    def __init__(self, references: ReferenceData) -> None:
        self._references = references
        self._newest = cache(self._look_for_newest)
        self._withdrawal = cache(references.withdrawal)

    def to_run(self, project: Project, period: str) -> str:
        """Return the pin of the period, else the newest release of the project's line.

        Raises as `newest_release`, and FactorError for a pin on a release that was withdrawn.
        """
        pinned = project.pins.get(Period.parse(period).text)
        if pinned is not None:
            return self._not_withdrawn(pinned, project, period)
        newest = self._newest(project.factor_line)
        if isinstance(newest, Refusal):
            raise newest.with_traceback(None)
        return newest.version

    def to_report(self, project: Project, period: str) -> str | None:
        """Return the version that the ledger of a period should show; None when the project pins none and must.

        Raises as `to_run`.
        """
        if project.publication is Publication.PINNED and period not in project.pins:
            return None
        return self.to_run(project, period)

    def _look_for_newest(self, line: str) -> FactorRelease | Refusal:
        """Keep a refusal as well: a thousand periods of a line that has no newest release look for it once."""
        try:
            return newest_release(self._references, line)
        except Refusal as refusal:
            return refusal

    def _not_withdrawn(self, pinned: str, project: Project, period: str) -> str:
        withdrawal = self._withdrawal(pinned)
        if withdrawal is None:
            return pinned
        raise withdrawal.refusal(
            "pinned factor release was withdrawn",
            where=f"project {project.id}, pin of {period}",
            remedy=f"pin another release, or remove the pin so that the period follows the line {project.factor_line}",
        )


def newest_release(references: ReferenceData, line: str) -> FactorRelease:
    """Return the one release of `line` that was not withdrawn and that no other such release of the line supersedes.

    What a withdrawn release superseded is superseded by whatever supersedes the withdrawn one, and by nothing when
    that is nothing. Raises FactorError when there is none or more than one: nothing is guessed from names or dates;
    also what reading a release of the line raises, all of them being read whole, and what `factor_line` raises of any.
    """
    of_line = [
        references.factor_release(version)
        for version in sorted({*references.factor_versions(), *references.released()})  # one that is gone is told
        if references.factor_line(version) == line
    ]
    withdrawn = references.withdrawn(release.version for release in of_line)
    newest = unsuperseded(of_line, line, withdrawn=withdrawn)
    if len(newest) == 1:
        return newest[0]
    raise FactorError(
        "factor line has no single newest release",
        where=f"factor line {line}",
        expected="exactly one release that was not withdrawn and that no other such release of the line supersedes",
        found=", ".join(release.version for release in newest) or _why_none(of_line, withdrawn),
        remedy="name the factor version, pin it in the project file, or release one that supersedes the others",
    )


def version_to_run(references: ReferenceData, project: Project, period: str) -> str:
    """Return the version to run for one period. Raises as `Versions.to_run`."""
    return Versions(references).to_run(project, period)


def unsuperseded(
    releases: Iterable[FactorRelease], line: str, *, withdrawn: Collection[str]
) -> Sequence[FactorRelease]:
    """Return the releases of `line` that count and that no other of them supersedes: one, when the line is sound."""
    of_line = {release.version: release for release in releases if release.line == line}
    valid = [release for release in of_line.values() if release.version not in withdrawn]
    superseded = {older for release in valid for older in _superseded_by(release, of_line)}
    return [release for release in valid if release.version not in superseded]


def _superseded_by(release: FactorRelease, of_line: Mapping[str, FactorRelease]) -> Iterator[str]:
    """Yield every release of the line that this one supersedes, directly or through others."""
    walked = {release.version}
    step = release.supersedes
    while step is not None and step in of_line and step not in walked:
        yield step
        walked.add(step)
        step = of_line[step].supersedes


def _why_none(of_line: Iterable[FactorRelease], withdrawn: Collection[str]) -> str:
    valid = [release.version for release in of_line if release.version not in withdrawn]
    if valid:
        return f"releases that supersede one another: {', '.join(valid)}"
    return f"withdrawn releases only: {', '.join(sorted(withdrawn))}" if withdrawn else "no release of this line"
