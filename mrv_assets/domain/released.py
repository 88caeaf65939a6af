"""The list of what was released: the digests of both files of every factor release, so that editing both is noticed.

`release.toml` pins `factors.csv`; nothing in the folder pins `release.toml`, so this list, in a file of its own, does.
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
"""The name of the list, beside the folders of the releases."""

_HEADER = """\
# The sha256 of both files of every factor release, in the order in which they were released. `mrv factors import` adds
# to it. A line is never changed: a correction is a new release that supersedes the old one.
"""
_FILES = ("release.toml", "factors.csv")
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleasedDigests:
    """The sha256 of each file of a release, by file name."""

    files: Mapping[str, str]

    @classmethod
    def of(cls, *, release_toml: bytes, factors_csv: bytes) -> ReleasedDigests:
        """Return the digests of the two files."""
        return cls(files={"release.toml": sha256_hex(release_toml), "factors.csv": sha256_hex(factors_csv)})


def parse_released(data: bytes, *, where: str) -> Mapping[str, ReleasedDigests]:
    """Read the list, in its order. Raises ContractError or IdentityError for anything but two digests by version."""
    try:
        document = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _malformed(where, str(error)) from error
    return {
        checked_id(version, what="factor_version"): _digests(version, entry, where)
        for version, entry in document.items()
    }


def appended(data: bytes | None, *, version: str, digests: ReleasedDigests) -> bytes:
    """Return the list with one more release at its end; every byte that is there stays. None is a list to begin."""
    lines = [f'["{checked_id(version, what="factor_version")}"]']
    lines += [f'"{name}" = "{digests.files[name]}"' for name in _FILES]
    before = _HEADER.encode() if data is None else data
    return before + b"\n" * (2 - before.endswith(b"\n")) + "\n".join([*lines, ""]).encode()


def _digests(version: str, entry: object, where: str) -> ReleasedDigests:
    if not isinstance(entry, dict) or set(entry) != set(_FILES):
        raise _malformed(f"{where}, {version}", "other keys, or none")
    for name in _FILES:
        if not isinstance(entry[name], str) or not _SHA256.fullmatch(entry[name]):
            raise _malformed(f"{where}, {version}", f"{name} = {entry[name]!r}")
    return ReleasedDigests(files={name: entry[name] for name in _FILES})


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "list of released files is malformed",
        where=where,
        expected='["version"] with "release.toml" and "factors.csv", each a sha256 of 64 hexadecimal digits',
        found=found,
        remedy="restore the list from version control; `mrv factors import` adds to it",
    )
