"""Activity ids out of published labels: readable, plain ASCII, the same for the same labels wherever they stand.

What does not belong here: which labels a publisher has.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SIGNS = {
    "%": " pct ",
    "&": " and ",
    "+": " plus ",
    "<=": " up to ",
    "≤": " up to ",
    ">=": " from ",
    "≥": " from ",
    "<": " under ",
    ">": " over ",
    "–": "-",
}


def activity_id(labels: Sequence[str]) -> str:
    """Return the id that labels make: `Fuels`, ``, `Natural gas` → `fuels/natural-gas`.

    Letter case, space, accents and punctuation do not count, so that a publisher who writes `Evs` for `EVs` renames
    nothing; `%`, `&`, `+`, `<`, `>` are spelled out, since they tell labels apart. Empty labels are left out.
    """
    return "/".join(part for part in map(_slug, labels) if part)


def _slug(label: str) -> str:
    for sign, spelled in _SIGNS.items():
        label = label.replace(sign, spelled)
    plain = unicodedata.normalize("NFKD", label).encode("ascii", "ignore").decode().casefold()
    return re.sub(r"[^a-z0-9.]+", "-", plain).strip("-.")
