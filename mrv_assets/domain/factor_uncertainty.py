"""How uncertain a published factor or coefficient is, as its source states it: half-width, level and distribution.

What does not belong here: what uncertainty does to a figure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

from mrv_assets.domain.factor_cells import malformed

UNCERTAINTY_COLUMNS = ("rel_uncertainty", "confidence_level", "distribution")

_PLAIN = re.compile(r"[0-9]{1,40}(\.[0-9]{1,40})?")


class Distribution(StrEnum):
    """The distribution that a source says its value has."""

    NORMAL = "normal"
    LOGNORMAL = "lognormal"
    TRIANGULAR = "triangular"
    UNIFORM = "uniform"


@dataclass(frozen=True, slots=True, kw_only=True)
class Uncertainty:
    """What a source states: `rel_uncertainty` is half the width of the interval as a part of the value, 0 or more.

    `confidence_level` is the probability of the interval, between 0 and 1 and neither of them.
    """

    rel_uncertainty: Decimal
    confidence_level: Decimal
    distribution: Distribution

    @classmethod
    def parse(cls, row: Mapping[str, str], *, where: str) -> Uncertainty | None:
        """Read the three cells of a row together; None where the source states nothing and all three are empty.

        Raises FactorError naming `where` for one or two of them, a half-width that is no plain decimal of 0 or more,
        a level that does not lie between 0 and 1, and an unknown distribution.
        """
        stated = [name for name in UNCERTAINTY_COLUMNS if row[name]]
        if not stated:
            return None
        if len(stated) < len(UNCERTAINTY_COLUMNS):
            raise malformed(
                "uncertainty is stated in part",
                where=where,
                expected=f"all of {', '.join(UNCERTAINTY_COLUMNS)}, or none",
                found=f"only {' and '.join(stated)}",
            )
        return cls(
            rel_uncertainty=_plain(row["rel_uncertainty"], "rel_uncertainty", "a plain decimal of 0 or more", where),
            confidence_level=_level(row["confidence_level"], where),
            distribution=_distribution(row["distribution"], where),
        )


def _level(text: str, where: str) -> Decimal:
    expected = "a plain decimal between 0 and 1, such as 0.95"
    level = _plain(text, "confidence_level", expected, where)
    if not 0 < level < 1:
        raise malformed("confidence_level is no probability", where=where, expected=expected, found=text)
    return level


def _plain(text: str, name: str, expected: str, where: str) -> Decimal:
    if not _PLAIN.fullmatch(text):
        raise malformed(f"{name} is no plain decimal", where=where, expected=expected, found=repr(text))
    return Decimal(text)


def _distribution(text: str, where: str) -> Distribution:
    if text not in set(Distribution):
        raise malformed("distribution is unknown", where=where, expected=", ".join(Distribution), found=repr(text))
    return Distribution(text)
