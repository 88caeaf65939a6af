"""From a published file to a checked draft, and from a draft to the release that it makes.

What does not belong here: reading a publisher's layout (importers) and writing a release (factors_write).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.importers.checked import checked
from mrv_assets.importers.draft import DraftRelease, Validity
from mrv_assets.importers.epa_hub import import_epa_hub
from mrv_assets.importers.plain_csv import import_plain_csv
from mrv_assets.importers.uk_conversion import import_uk_conversion
from mrv_assets.importers.written import ReleaseHead, factors_csv, release_toml
from mrv_assets.storage.references import ReferenceData

_WORKBOOKS: Mapping[str, Callable[..., DraftRelease]] = {
    "epa-hub": import_epa_hub,
    "uk-conversion": import_uk_conversion,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A release as it would be: the draft, the bytes of its two files, and what they read back as."""

    draft: DraftRelease
    release_toml: bytes
    factors_csv: bytes
    release: FactorRelease


def read_draft(
    file: Path, form: str, references: ReferenceData, *, gwp_set: str | None, valid: Validity | None, title: str | None
) -> DraftRelease:
    """Return the checked draft of a published file.

    Raises FactorError as the importers do, ContractError for a file that cannot be opened and for options that its
    format needs or has no use for.
    """
    try:
        data = file.read_bytes()
    except OSError as error:
        raise asked_wrongly(
            "file cannot be read", where=str(file), expected="a published file", found=str(error)
        ) from error
    if form in _WORKBOOKS:
        draft = _WORKBOOKS[form](data, where=file.name, gwp_set=gwp_set, valid=valid)
    else:
        if gwp_set is None or title is None:
            raise asked_wrongly(
                "a CSV does not say what it is",
                where=file.name,
                expected="--gwp-set and --title",
                found="no --gwp-set" if gwp_set is None else "no --title",
            )
        if valid is not None:
            raise asked_wrongly(
                "a CSV says for each row when it holds", where="--valid", expected="no --valid", found="one"
            )
        draft = import_plain_csv(data, where=file.name, gwp_set=gwp_set, title=title)
    return checked(draft, references.gwp(draft.gwp_set))


def made(draft: DraftRelease, head: ReleaseHead, references: ReferenceData) -> Made:
    """Return the release that a draft makes under this head. Raises as `FactorRelease.parse` does."""
    factors = factors_csv(draft)
    toml = release_toml(head, factors=factors)
    release = FactorRelease.parse(
        head.version, release_toml=toml, factors_csv=factors, gwp=references.gwp(head.gwp_set)
    )
    return Made(draft=draft, release_toml=toml, factors_csv=factors, release=release)


def day(text: str, *, option: str) -> date:
    """Read YYYY-MM-DD. Raises ContractError naming the option."""
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise asked_wrongly("day cannot be read", where=option, expected="YYYY-MM-DD", found=repr(text)) from error


def validity(text: str) -> Validity:
    """Read `2021-01-01..2021-12-31`, both days inclusive. Raises ContractError for anything else."""
    first, _, last = text.partition("..")
    days = Validity(first=day(first, option="--valid"), last=day(last, option="--valid"))
    if days.last < days.first:
        raise asked_wrongly(
            "validity runs backwards", where="--valid", expected=f"a day on or after {first}", found=last
        )
    return days


def asked_wrongly(what: str, *, where: str, expected: str, found: str) -> ContractError:
    """Return the refusal of an option."""
    remedy = "correct the options; --help has an example"
    return ContractError(what, where=where, expected=expected, found=found, remedy=remedy)
