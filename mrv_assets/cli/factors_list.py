"""`mrv factors list`: every release, which of them are the newest of their lines, and who uses them.

What does not belong here: what a release holds (factors_show).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.table import Table

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.factors_text import head_json
from mrv_assets.cli.terminal import DONE, REFUSED, TAMPERED, parts, plain_table, print_json, print_panel, stdout
from mrv_assets.domain.errors import FactorError, MrvError, Refusal, Tampering
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.domain.project import Project, Publication
from mrv_assets.domain.withdrawal import Withdrawal
from mrv_assets.pipeline.versions import unsuperseded
from mrv_assets.storage.references import ReferenceData

_NAMED, _WIDE = 2, 18


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Everything there is: releases that can be read, what is wrong with what cannot, and the projects that use them.

    `newest` are the releases that nothing supersedes, by line: one for each, when the line is sound. A release that was
    withdrawn is none of them.
    """

    releases: Sequence[FactorRelease]
    withdrawn: Mapping[str, Withdrawal]
    broken: Mapping[str, MrvError]
    newest: Mapping[str, Sequence[str]]
    projects: Sequence[Project]

    def by_line(self, release: FactorRelease) -> Sequence[str]:
        """Return the projects that follow the line of which this is the newest release."""
        if self.newest[release.line] != [release.version]:
            return []
        return [
            project.id
            for project in self.projects
            if project.factor_line == release.line and project.publication is not Publication.PINNED
        ]

    def by_pin(self, release: FactorRelease) -> Mapping[str, Sequence[str]]:
        """Return the periods that are pinned to this release, by project."""
        pinned = {
            project.id: sorted(period for period, version in project.pins.items() if version == release.version)
            for project in self.projects
        }
        return {project: periods for project, periods in pinned.items() if periods}


def show_list(line: str | None, *, as_json: bool) -> int:
    """Print every release, of one line or of all, and return the exit code: not 0 when something cannot be read.

    What cannot be read is shown whatever its line, because it may be of any. Raises FactorError for a line without a
    release.
    """
    listed = _listed(open_references(enter()))
    releases = [release for release in listed.releases if line in (None, release.line)]
    if line is not None and not releases and not listed.broken:
        raise FactorError(
            "factor line is unknown",
            where=f"factor line {line}",
            expected=f"one of {', '.join(sorted(listed.newest)) or 'no line at all'}",
            found=line,
            remedy="correct --line; `mrv factors list` shows every line",
        )
    if as_json:
        print_json(_json(listed, releases))
    else:
        _print(listed, releases)
    if any(isinstance(error, Tampering) for error in listed.broken.values()):
        return TAMPERED
    return REFUSED if listed.broken else DONE


def _listed(references: ReferenceData) -> Listed:
    releases, projects = [], []
    withdrawn: dict[str, Withdrawal] = {}
    broken: dict[str, MrvError] = {}
    for version in sorted({*references.factor_versions(), *references.released()}):
        try:
            releases.append(references.factor_release(version))
            if (withdrawal := references.withdrawal(version)) is not None:
                withdrawn[version] = withdrawal
        except (Refusal, Tampering) as error:
            broken[f"release {version}"] = error
    for project_id in references.project_ids():
        try:
            projects.append(references.project(project_id))
        except Refusal as error:
            broken[f"project {project_id}"] = error
    releases.sort(key=lambda release: (release.line, release.published, release.version))
    newest = {
        line: [one.version for one in unsuperseded(releases, line, withdrawn=withdrawn)]
        for line in {release.line for release in releases}
    }
    return Listed(releases=releases, withdrawn=withdrawn, broken=broken, newest=newest, projects=projects)


def _json(listed: Listed, releases: Sequence[FactorRelease]) -> dict[str, object]:
    return {
        "releases": [
            {
                **head_json(release),
                "withdrawn": str(listed.withdrawn[release.version]) if release.version in listed.withdrawn else None,
                "is_newest": listed.newest[release.line] == [release.version],
                "used_by_line": list(listed.by_line(release)),
                "used_by_pin": {project: list(periods) for project, periods in listed.by_pin(release).items()},
            }
            for release in releases
        ],
        "broken": {name: {"family": error.family, **parts(error)} for name, error in listed.broken.items()},
    }


def _print(listed: Listed, releases: Sequence[FactorRelease]) -> None:
    console = stdout()
    if releases:
        console.print(_table(listed, releases))
        console.print("* the newest of its line", style="dim")
        for release in releases:
            if release.version in listed.withdrawn:
                console.print(f"x {listed.withdrawn[release.version]}", style="dim")
    elif not listed.broken:
        console.print("There is no factor release yet. `mrv factors import --help` shows how one is made.")
    for line in sorted({release.line for release in releases}):
        if len(newest := listed.newest[line]) != 1:
            found = ", ".join(newest) or "none"
            console.print(f"Line {line} has no single newest release: {found}. A run has to name its version.")
    for name, error in listed.broken.items():
        print_panel(f"Cannot be read: {name}", parts(error))


def _table(listed: Listed, releases: Sequence[FactorRelease]) -> Table:
    table = plain_table()
    table.add_column("", no_wrap=True)
    wide = min(max(len(release.version) for release in releases), _WIDE)
    table.add_column("version", overflow="fold", min_width=wide)
    table.add_column("line", overflow="fold")
    for name in ("published", "GWP"):
        table.add_column(name, no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("supersedes", overflow="fold", min_width=wide)
    table.add_column("used by", overflow="fold")
    for release in releases:
        is_newest = listed.newest[release.line] == [release.version]
        table.add_row(
            "x" if release.version in listed.withdrawn else "*" if is_newest else "",
            release.version,
            release.line,
            release.published.isoformat(),
            release.gwp.name,
            f"{len(release.rows):,}",
            release.supersedes or "-",
            _users(listed, release),
            style="bold" if is_newest else None,
        )
    return table


def _users(listed: Listed, release: FactorRelease) -> str:
    by_line, by_pin = listed.by_line(release), listed.by_pin(release)
    pins = [f"{project} {', '.join(periods)}" for project, periods in by_pin.items()]
    told = [_few(by_line, "project(s) by line"), _few(pins, "project(s) by pin")]
    return "; ".join(filter(None, told)) or "-"


def _few(names: Sequence[str], many: str) -> str:
    return ", ".join(names) if len(names) <= _NAMED else f"{len(names)} {many}"
