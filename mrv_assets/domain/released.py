"""The lists of what was released: the digests of both files of every factor release, and of every GWP set.

`release.toml` pins `factors.csv`; nothing in the folder pins `release.toml`, so an edit of both would not show, and a
GWP set is only named by it. These lists, in files of their own, pin both.
What does not belong here: where the list and the files are (storage), and what a release means (factors).
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import checked_id

RELEASED = "RELEASED.toml"
"""The name of the list of releases, beside their folders, and of that of GWP sets, beside their files."""

HEAD, FACTORS = "release.toml", "factors.csv"
"""The files of a release that the list names; the first of them pins the others."""

_FILES = (HEAD, FACTORS)

_HEADER = """\
# The sha256 of both files of every factor release, in the order in which they were released. `mrv factors import` adds
# to it. A line is never changed: a correction is a new release that supersedes the old one.
"""
_SET = ".csv"
_RELEASES = '["version"] with "release.toml" and "factors.csv", each'
_SETS = '"set.csv" = for every GWP set,'
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedDigests:
    """The sha256 of each file of a release, by file name."""

    files: Mapping[str, str]

    @classmethod
    def of(cls, *, release_toml: bytes, factors_csv: bytes) -> ReleasedDigests:
        """Return the digests of the two files."""
        return cls(files={HEAD: sha256_hex(release_toml), FACTORS: sha256_hex(factors_csv)})


def parse_released(data: bytes, *, where: str) -> Mapping[str, ReleasedDigests]:
    """Read the list, in its order. Raises ContractError or IdentityError for anything but two digests by version."""
    return {
        checked_id(version, what="factor_version"): _digests(version, entry, where)
        for version, entry in _document(data, where, _RELEASES).items()
    }


def parse_released_sets(data: bytes, *, where: str) -> Mapping[str, str]:
    """Read the list of GWP sets: the sha256 of each file by the name of the set.

    Raises ContractError for anything but digests by file name, IdentityError for a set whose name is no id.
    """
    digests: dict[str, str] = {}
    for file, digest in _document(data, where, _SETS).items():
        if not file.endswith(_SET) or not isinstance(digest, str) or not _SHA256.fullmatch(digest):
            raise _malformed(where, f"{file} = {digest!r}", _SETS)
        digests[checked_id(file.removesuffix(_SET), what="GWP set")] = digest
    return digests


def appended(data: bytes | None, *, version: str, digests: ReleasedDigests) -> bytes:
    """Return the list with one more release at its end; every byte that is there stays. None is a list to begin."""
    lines = [f'["{checked_id(version, what="factor_version")}"]']
    lines += [f'"{name}" = "{digests.files[name]}"' for name in _FILES]
    before = _HEADER.encode() if data is None else data
    return before + b"\n" * (2 - before.endswith(b"\n")) + "\n".join([*lines, ""]).encode()


def _document(data: bytes, where: str, expected: str) -> Mapping[str, object]:
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _malformed(where, str(error), expected) from error


def _digests(version: str, entry: object, where: str) -> ReleasedDigests:
    if not isinstance(entry, dict) or set(entry) != set(_FILES):
        raise _malformed(f"{where}, {version}", "other keys, or none", _RELEASES)
    for name in _FILES:
        if not isinstance(entry[name], str) or not _SHA256.fullmatch(entry[name]):
            raise _malformed(f"{where}, {version}", f"{name} = {entry[name]!r}", _RELEASES)
    return ReleasedDigests(files={name: entry[name] for name in _FILES})


def _malformed(where: str, found: str, expected: str) -> ContractError:
    return ContractError(
        "list of released files is malformed",
        where=where,
        expected=f"{expected} a sha256 of 64 hexadecimal digits",
        found=found,
        remedy="restore the list from version control; releases and sets are added to it",
    )
