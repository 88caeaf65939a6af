"""`mrv factors diff`: two releases, or two published files, side by side.

What does not belong here: the comparison (domain.factor_diff) and how it looks (factors_comparison_text).
"""

from __future__ import annotations

from pathlib import Path

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.factors_comparison import Comparison, Side, comparison_json
from mrv_assets.cli.factors_comparison_text import print_comparison
from mrv_assets.cli.factors_files import Made, asked_wrongly, made, read_draft
from mrv_assets.cli.terminal import print_json
from mrv_assets.domain.errors import GateError
from mrv_assets.importers.comparison import compared
from mrv_assets.importers.written import ReleaseHead
from mrv_assets.storage.references import ReferenceData


def show_diff(before: str, after: str, *, form: str | None, gwp_set: str | None, is_all: bool, as_json: bool) -> None:
    """Print how two releases differ, or with `form` two published files.

    Raises FactorError for an unknown or malformed release and a file that makes none; ContractError for a file that is
    not there; GateError for regions that cannot be read, after all else has been shown.
    """
    references = open_references(enter())
    if form is not None:
        comparison = _of_files(Path(before), Path(after), form, references, gwp_set)
    else:
        comparison = _of_releases(before, after, references, gwp_set)
    if as_json:
        print_json(comparison_json(comparison))
    else:
        print_comparison(comparison, is_all=is_all, how="--all shows them, --json has every value")
    if isinstance(comparison.regions, GateError):
        raise comparison.regions


def _of_releases(before: str, after: str, references: ReferenceData, gwp_set: str | None) -> Comparison:
    if gwp_set is not None:
        raise asked_wrongly(
            "a release has its GWP set", where="--gwp-set", expected="no --gwp-set without --format", found=gwp_set
        )
    for name in (before, after):
        if name not in references.factor_versions() and Path(name).is_file():
            raise asked_wrongly("a file is no release", where=name, expected="--format for files", found="no --format")
    old, new = references.factor_release(before), references.factor_release(after)
    return Comparison.of(Side(name=before, release=old), Side(name=after, release=new))


def _of_files(before: Path, after: Path, form: str, references: ReferenceData, gwp_set: str | None) -> Comparison:
    old, new = (_release(file, form, references, gwp_set) for file in (before, after))
    return Comparison.of(
        Side(name=before.name, release=old.release),
        Side(name=after.name, release=new.release),
        published=compared(old.draft, new.draft),
    )


def _release(file: Path, form: str, references: ReferenceData, gwp_set: str | None) -> Made:
    """Return the release that a file would make; its version and line are nobody's."""
    draft = read_draft(file, form, references, gwp_set=gwp_set, valid=None, title=file.name)
    return made(draft, ReleaseHead.on_trial(draft, "file"), references)
