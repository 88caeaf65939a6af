"""How sure a figure is: the 95 % half-widths of its gross emissions, gross removals and net, and what a project says.

What does not belong here: computing it (uncertainty, pipeline) and what is deducted for it (crediting).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mrv_assets.domain.digest import Json, canonical_json, sha256_hex
from mrv_assets.domain.factor_uncertainty import UNCERTAINTY_COLUMNS, Uncertainty

MAX_RELATIVE = Decimal("0.15")
"""The largest 95 % half-width, as a share, of a figure whose project and rule sets say nothing else."""

_KEYS = {"max_relative", "draws", "because", "quantities", "sources"}


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredUncertainty:
    """What a project says of the uncertainty of its figures.

    `quantities` are those of its activity quantities by activity, `sources` what factor releases do not state, by the
    name of the source; both with the reason `because`. `draws` is how many times to simulate, None for not at all.
    `digest` is of all that is said.
    """

    max_relative: Decimal
    draws: int | None
    because: str
    quantities: Mapping[str, Uncertainty]
    sources: Mapping[str, Uncertainty]
    digest: str

    @classmethod
    def parse(cls, d: Mapping[str, Any]) -> DeclaredUncertainty:
        """Read `[uncertainty]` of a project. Raises ValueError, KeyError, TypeError or FactorError when malformed."""
        unknown = sorted(set(d) - _KEYS)
        if unknown:
            raise ValueError(f"[uncertainty] has unknown keys {', '.join(unknown)}")
        share = d.get("max_relative", str(MAX_RELATIVE))
        if not isinstance(share, str) or not Decimal(share).is_finite() or Decimal(share) <= 0:
            raise ValueError(f'max_relative is a share as text, such as "0.15", not {share!r}')
        draws, because = d.get("draws"), d["because"]
        if draws is not None and (type(draws) is not int or draws < 1):
            raise ValueError(f"draws is a whole number of 1 or more, not {draws!r}")
        if not isinstance(because, str) or not because.strip():
            raise ValueError("because says where these uncertainties come from")
        return cls(
            max_relative=Decimal(share),
            draws=draws,
            because=because,
            quantities=_stated(d.get("quantities", {}), "quantities"),
            sources=_stated(d.get("sources", {}), "sources"),
            digest=sha256_hex(canonical_json({**d})),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Spread:
    """A part of a figure, t CO2e, and its relative 95 % half-width; None for 0 t, of which nothing is a share."""

    tco2e: Decimal
    half_width_95: Decimal | None

    def to_json(self) -> dict[str, Json]:
        """Return canonical-JSON-ready values, decimals as text."""
        share = None if self.half_width_95 is None else format(self.half_width_95, "f")
        return {"tco2e": format(self.tco2e, "f"), "half_width_95": share}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Spread:
        """Read it back. Raises KeyError, TypeError or ArithmeticError on a malformed one."""
        share = d["half_width_95"]
        return cls(tco2e=Decimal(d["tco2e"]), half_width_95=None if share is None else Decimal(share))


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureUncertainty:
    """Gross emissions, gross removals and net by IPCC approach 1, and percentiles of net by approach 2 if simulated.

    Rows that share a factor, a coefficient or an activity's quantity share its error. `simulated` are numbers by name
    as text, empty when nothing was simulated.
    """

    emissions: Spread
    removals: Spread
    net: Spread
    because: str
    simulated: Mapping[str, str]

    def to_json(self) -> dict[str, Json]:
        """Return canonical-JSON-ready values."""
        return {
            "method": "IPCC approach 1",
            "emissions": self.emissions.to_json(),
            "removals": self.removals.to_json(),
            "net": self.net.to_json(),
            "because": self.because,
            "simulated": dict(sorted(self.simulated.items())),
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> FigureUncertainty:
        """Read it back. Raises KeyError, TypeError or ArithmeticError on a malformed one."""
        return cls(
            emissions=Spread.from_json(d["emissions"]),
            removals=Spread.from_json(d["removals"]),
            net=Spread.from_json(d["net"]),
            because=d["because"],
            simulated=d["simulated"],
        )


def _stated(d: object, name: str) -> dict[str, Uncertainty]:
    if not isinstance(d, Mapping):
        raise TypeError(f"[uncertainty.{name}] is a table")
    return {key: _one(value, f"[uncertainty.{name}] {key}") for key, value in d.items()}


def _one(cells: object, where: str) -> Uncertainty:
    if not isinstance(cells, Sequence) or isinstance(cells, str) or len(cells) != len(UNCERTAINTY_COLUMNS):
        raise ValueError(f'{where} is half-width, level and distribution, such as ["0.05", "0.95", "normal"]')
    if not all(isinstance(cell, str) for cell in cells):
        raise ValueError(f"{where} is three texts: a number of TOML is a binary fraction that nobody typed")
    stated = Uncertainty.parse(dict(zip(UNCERTAINTY_COLUMNS, cells, strict=True)), where=where)
    if stated is None:
        raise ValueError(f"{where} says nothing")
    return stated
