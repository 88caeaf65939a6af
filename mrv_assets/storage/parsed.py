"""Factor releases and GWP sets that this process has parsed already, found again by all the bytes of their files.

A sensor looks every half minute, each time from nothing: the files are read and held against their digests every time,
and only what their text means is not found out again. What is malformed is not kept, so it is told every time.
What does not belong here: reading and verifying the files (references).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from mrv_assets.domain.factors import FactorRelease, GwpSet

_KEPT = 64
"""Releases and sets that are kept, those that were asked for last."""


def parsed_release(
    version: str, *, release_toml: bytes, factors_csv: bytes, gwp: GwpSet, beside: Mapping[str, bytes]
) -> FactorRelease:
    """Return what `FactorRelease.parse` returns, the same object for the same bytes. Raises what it raises."""
    return _release(
        _Files(
            version=version,
            release_toml=release_toml,
            factors_csv=factors_csv,
            gwp_digest=gwp.digest,
            beside=tuple(sorted(beside.items())),
            gwp=gwp,
        )
    )


@lru_cache(maxsize=_KEPT)
def parsed_gwp_set(name: str, data: bytes) -> GwpSet:
    """Return what `GwpSet.parse` returns, the same object for the same bytes. Raises what it raises."""
    return GwpSet.parse(name, data)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Files:
    """The name and all bytes of a release. A GWP set is told apart by name, which the description has, and digest."""

    version: str
    release_toml: bytes
    factors_csv: bytes
    gwp_digest: str
    beside: tuple[tuple[str, bytes], ...]
    gwp: GwpSet = field(compare=False)


@lru_cache(maxsize=_KEPT)
def _release(files: _Files) -> FactorRelease:
    return FactorRelease.parse(
        files.version,
        release_toml=files.release_toml,
        factors_csv=files.factors_csv,
        gwp=files.gwp,
        beside=dict(files.beside),
    )
