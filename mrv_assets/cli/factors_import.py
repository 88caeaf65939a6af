"""`mrv factors import`: a release out of a published file, compared with the one that it supersedes.

What does not belong here: reading the file (importers), writing (factors_write) and how it looks (factors_import_text).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.factors_comparison import Comparison, Side, comparison_json
from mrv_assets.cli.factors_files import Made, asked_wrongly, day, made, read_draft, validity
from mrv_assets.cli.factors_import_text import changelog_entry, print_import
from mrv_assets.cli.factors_text import head_json
from mrv_assets.cli.factors_write import local_folder, refuse_released, write_release
from mrv_assets.cli.terminal import print_json
from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.partition import checked_id
from mrv_assets.importers.written import ReleaseHead
from mrv_assets.pipeline.versions import unsuperseded
from mrv_assets.storage.references import ReferenceData


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the command was asked for, as text; None is left out."""

    file: Path
    form: str
    version: str
    line: str
    reason: str
    title: str | None
    published: str | None
    gwp_set: str | None
    supersedes: str | None
    valid: str | None


def run_import(asked: Asked, *, is_dry_run: bool, as_json: bool) -> None:
    """Print what a release of the file is, leaves out and changes, and write it unless it is a dry run.

    Raises FactorError for a file that makes no release, for a version that is there, and for a place in its line that
    would leave the line without one newest release; ContractError for options that cannot be, and, unless it is a dry
    run, for reference data in an object store.
    """
    settings = enter()
    references = open_references(settings)
    root = None if is_dry_run else local_folder(settings.reference)
    refuse_released(references, checked_id(asked.version, what="factor_version"))
    _refuse_fork(references, asked)
    release = _made(asked, references)
    comparison = _compared(asked, release, references)
    written: Sequence[Path] = ()
    if root is not None:
        written = write_release(root, asked.version, release_toml=release.release_toml, factors_csv=release.factors_csv)
    if as_json:
        print_json(_json(asked, release, comparison, written))
    else:
        changelog = "the CHANGELOG.md of the reference data" if root is None else str(root / "CHANGELOG.md")
        print_import(asked.file, release, comparison, written, changelog=changelog)


def _refuse_fork(references: ReferenceData, asked: Asked) -> None:
    """Refuse what would leave the line with two newest releases, which every run without a version would refuse."""
    line = checked_id(asked.line, what="factor line")
    releases = [references.factor_release(version) for version in references.factor_versions()]
    withdrawn = references.withdrawn(release.version for release in releases)
    # A withdrawn release may be superseded as well as the one that stands in its place.
    ends = (unsuperseded(releases, line, withdrawn=withdrawn), unsuperseded(releases, line, withdrawn=()))
    newest = sorted({release.version for end in ends for release in end})
    if asked.supersedes is not None:
        references.factor_release(asked.supersedes)
    if all(len(end) <= 1 for end in ends) and (asked.supersedes in newest if newest else asked.supersedes is None):
        return
    raise FactorError(
        "release does not continue its line",
        where=f"factor line {line}",
        expected=f"--supersedes {' or '.join(newest)}" if newest else "no --supersedes: it is the first of its line",
        found=f"--supersedes {asked.supersedes}" if asked.supersedes else "no --supersedes",
        remedy="name the newest release of the line (`mrv factors list`), or another --line",
    )


def _made(asked: Asked, references: ReferenceData) -> Made:
    if not asked.reason.strip():
        raise asked_wrongly("reason is empty", where="--reason", expected="why there is a new release", found="nothing")
    valid = None if asked.valid is None else validity(asked.valid)
    draft = read_draft(asked.file, asked.form, references, gwp_set=asked.gwp_set, valid=valid, title=asked.title)
    published = draft.published if asked.published is None else day(asked.published, option="--published")
    if published is None:
        raise asked_wrongly(
            "file does not say when it was published", where=asked.file.name, expected="--published", found="none"
        )
    head = ReleaseHead(
        version=asked.version,
        line=asked.line,
        title=asked.title or draft.title,
        published=published,
        gwp_set=draft.gwp_set,
        supersedes=asked.supersedes or "",
        reason=asked.reason,
    )
    return made(draft, head, references)


def _compared(asked: Asked, release: Made, references: ReferenceData) -> Comparison | None:
    if asked.supersedes is None:
        return None
    before = references.factor_release(asked.supersedes)
    return Comparison.of(Side(name=before.version, release=before), Side(name=asked.version, release=release.release))


def _json(asked: Asked, release: Made, comparison: Comparison | None, written: Sequence[Path]) -> dict[str, object]:
    return {
        "file": asked.file,
        "format": asked.form,
        "release": head_json(release.release),
        "taken": len(release.draft.rows),
        "notes": [
            {"effect": note.effect, "reason": note.reason, "count": note.count, "labels": list(note.labels)}
            for note in release.draft.notes
        ],
        "comparison": None if comparison is None else comparison_json(comparison),
        "changelog_entry": changelog_entry(release.release, comparison),
        "written": list(written),
    }
