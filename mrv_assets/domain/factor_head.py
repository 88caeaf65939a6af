"""What `release.toml` says: which release this is, its GWP set, and the digests of its files.

What does not belong here: the factors (factors).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from typing import Any

from mrv_assets.domain.factor_cells import malformed
from mrv_assets.domain.factor_chains import CHAINS, COEFFICIENTS

_FIELDS: Mapping[str, type] = {
    "version": str,
    "line": str,
    "title": str,
    "published": date,
    "gwp_set": str,
    "supersedes": str,
    "sha256": str,
    "reason": str,
}
REGIONS = "regions.parquet"
"""The file of a release that knows where its regions are."""

_CHAINED: Mapping[str, str] = {"chains_sha256": CHAINS, "coefficients_sha256": COEFFICIENTS}
"""Fields that only a release with chained factors has, both of them, and the file that each pins."""

_BESIDE: Mapping[str, str] = {**_CHAINED, "regions_sha256": REGIONS}
BESIDE = tuple(_BESIDE.values())
"""The files that a release may have beside `factors.csv`."""


def read_head(release_toml: bytes, *, version: str) -> dict[str, Any]:
    """Return the fields of the description. Raises FactorError when one is missing, unknown or of another release."""
    where = f"factor release {version}, release.toml"
    try:
        head = tomllib.loads(release_toml.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise malformed(
            "release description cannot be read", where=where, expected="UTF-8 TOML", found=str(error)
        ) from error
    is_chained = any(name in head for name in _CHAINED)
    beside = [name for name in _BESIDE if name in head or (is_chained and name in _CHAINED)]
    fields = {**_FIELDS, **dict.fromkeys(beside, str)}
    for name, kind in fields.items():
        if not isinstance(head.get(name), kind):
            raise malformed(
                "release description is incomplete",
                where=where,
                expected=f"{name} ({kind.__name__})",
                found=repr(head.get(name)),
            )
    if set(head) != set(fields):
        raise malformed(
            "release description has unknown fields",
            where=where,
            expected=", ".join(fields),
            found=", ".join(head),
        )
    if head["version"] != version:
        raise malformed("release is in the wrong folder", where=where, expected=version, found=head["version"])
    return head


def gwp_set_name(release_toml: bytes, *, version: str) -> str:
    """Return the GWP set that a release pins, so that it can be fetched before the release is parsed."""
    return str(read_head(release_toml, version=version)["gwp_set"])


def pinned_beside(release_toml: bytes, *, version: str) -> Mapping[str, str]:
    """Return the sha256 of the files that a release pins beside `factors.csv`, by file name; mostly there are none."""
    head = read_head(release_toml, version=version)
    return {name: head[key] for key, name in _BESIDE.items() if key in head}
