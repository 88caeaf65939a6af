"""Which regions may lend a row their factor when its own region has none: the levels that a project declares.

Regions are paths, `country/state/site`. What does not belong here: looking factors up (stages).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import canonical_json, sha256_hex

GLOBAL_REGION = "GLOBAL"
"""The region of factors that hold everywhere."""


class Level(StrEnum):
    """Whose factor a row has: that of its own region, or of a region around it, the nearest first."""

    OWN = "own"
    STATE = "state"
    COUNTRY = "country"
    GLOBAL = "global"


_PARTS: Mapping[Level, int] = {Level.STATE: 2, Level.COUNTRY: 1}
_DECLARABLE = tuple(level for level in Level if level is not Level.OWN)
_KEYS = ("fallback", "max_share", "because")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """That rows may fall back to the factors of wider regions: of which levels, up to which share, and why.

    `max_share` is above 0 and at most 1, of the rows as well as of their tonnes.
    """

    levels: Sequence[Level]
    max_share: Decimal
    because: str

    @property
    def digest(self) -> str:
        """Digest of all that is declared, so that another declaration is another input."""
        return sha256_hex(canonical_json([*self.levels, str(self.max_share), self.because]))

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> Fallback:
        """Read the `[factors]` table of a project. Raises KeyError, ValueError or TypeError when it is malformed."""
        if unknown := sorted(set(d) - set(_KEYS)):
            raise ValueError(f"[factors] does not know {', '.join(unknown)}; it knows {', '.join(_KEYS)}")
        because = d["because"]
        if not isinstance(because, str) or not because.strip():
            raise ValueError(f"because {because!r} is not text that says something")
        return cls(levels=_levels(d["fallback"]), max_share=_share(d["max_share"]), because=because)


def regions_tried(region: str, levels: Sequence[Level]) -> Sequence[tuple[Level, str]]:
    """Return the regions whose factor a row of `region` may have, with their levels, the nearest first.

    The row's own region always comes first and no region comes twice. A path with a blank part has no regions
    around it.
    """
    tried = {region: Level.OWN}
    parts = region.split("/")
    if all(part.strip() for part in parts):
        for level in levels:
            size = _PARTS.get(level)
            if size is None:
                tried.setdefault(GLOBAL_REGION, level)
            elif size < len(parts):
                tried.setdefault("/".join(parts[:size]), level)
    return [(level, name) for name, level in tried.items()]


def _levels(given: object) -> Sequence[Level]:
    if not isinstance(given, list) or not given:
        raise ValueError(f"fallback {given!r} is not a list of {', '.join(_DECLARABLE)}")
    levels = tuple(Level(name) for name in given)
    if levels != tuple(level for level in _DECLARABLE if level in levels):
        raise ValueError(f"fallback {given} is not {', '.join(_DECLARABLE)} in this order, each at most once")
    return levels


def _share(text: object) -> Decimal:
    if not isinstance(text, str):
        raise ValueError(f'max_share {text!r} is no decimal text such as "0.2"')
    try:
        share = Decimal(text)
    except InvalidOperation as error:
        raise ValueError(f"max_share {text!r} is no decimal text") from error
    if not (share.is_finite() and 0 < share <= 1):
        raise ValueError(f"max_share {text} is not above 0 and at most 1")
    return share
