"""What a project and an inventory are: who reports what, from which source, on which land, under which policy.

Both are read from reviewed TOML files in `reference_data/`. What does not belong here: fetching the files
(storage) and reading the sources they describe (stages).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Any

from mrv_assets.domain.crs import CrsPolicy
from mrv_assets.domain.declared_standards import DeclaredStandards, parse_standards
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError, FactorError
from mrv_assets.domain.fallback import Fallback
from mrv_assets.domain.figure_uncertainty import DeclaredUncertainty
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.reporting import Reporting, ReportingDue
from mrv_assets.domain.source import DeclaredCrs, Source, declared

MATERIALITY = Decimal("0.05")
"""The share of a net figure above which a change counts as a restatement, where a project names none."""


class Publication(StrEnum):
    """How the ledger of a project moves from one figure to another.

    `latest` follows the line forward, `pinned` reports only what is pinned, `approve` follows the line and holds a
    change above the project's materiality until a person approves it.
    """

    LATEST = "latest"
    PINNED = "pinned"
    APPROVE = "approve"


@dataclass(frozen=True, slots=True, kw_only=True)
class Boundary:
    """The feature of a boundary file, under the reference data, that is this project's land."""

    path: str
    id_property: str
    id: str
    declared: DeclaredCrs | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """One reporting project. `pins` are factor versions by period; `digest` is of the whole file.

    `fallback` says which wider regions may lend rows their factor, None where only the row's own region counts.
    `materiality` is the share of a net figure above which a change of it is a restatement: above 0, at most 1.
    `standards` are the rule sets by monitoring period. `uncertainty` is what the project says of that of its figures,
    None where nothing is said and nothing is computed. `reporting_due` says when figures are due, if anything does.
    """

    id: str
    name: str
    standard: str
    factor_line: str
    reporting: Reporting
    publication: Publication
    pins: Mapping[str, str]
    boundary: Boundary
    source: Source
    crs: CrsPolicy
    fallback: Fallback | None
    digest: str
    materiality: Decimal = MATERIALITY
    standards: Sequence[DeclaredStandards] = ()
    uncertainty: DeclaredUncertainty | None = None
    reporting_due: ReportingDue | None = None

    def declared_for(self, period: Period) -> DeclaredStandards | None:
        """Return the rule sets that the project declares for a period, None where it declares none for any day of it.

        Raises ContractError for a period of which only a part lies in a window: it is assessed whole or not at all.
        """
        touched = [one for one in self.standards if one.window.touches(period)]
        if not touched:
            return None
        [first, *others] = touched
        if not others and first.covers(period):
            return first
        raise ContractError(
            "rule sets are declared for a part of the period only",
            where=f"project {self.id}, {period}",
            expected="one window of [[standards]] that holds every day of the period, or none that holds any",
            found=" and ".join(str(one.window) for one in touched),
            remedy="give the period a window of its own, such as 2021-04-01_2022-12-31, and shorten the others",
        )

    @property
    def normalization_digest(self) -> str:
        """Digest of what the project decides about normalising, so that another decision is another input."""
        source, crs, land = self.source, self.crs, self.boundary
        quarantine = source.quarantine
        return sha256_hex(
            canonical_json(
                [
                    *(source.footprint, source.geometry, source.overlaps_because),
                    *((str(quarantine.max_share), quarantine.because) if quarantine else ()),
                    *(crs.equal_area, str(crs.max_accuracy_m), crs.without_best_grid, crs.waived_because),
                    *(land.id_property, land.id, land.declared.crs if land.declared else None),
                ]
            )
        )

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Project:
        """Read a project file. Raises ContractError or IdentityError naming `where` when it is malformed."""
        d = _toml(data, where)
        try:
            return cls(
                id=checked_id(d["id"], what="project_id"),
                name=d["name"],
                standard=d["standard"],
                factor_line=checked_id(d["factor_line"], what="factor line"),
                reporting=Reporting(d.get("reporting", Reporting.YEAR)),
                publication=Publication(d["publication"]),
                pins={Period.parse(p).text: checked_id(v, what="factor_version") for p, v in d.get("pins", {}).items()},
                boundary=_boundary(d["boundary"]),
                source=Source.parse(d["source"]),
                crs=CrsPolicy.parse(d.get("crs", {})),
                fallback=Fallback.parse(d["factors"]) if "factors" in d else None,
                digest=sha256_hex(data),
                materiality=_materiality(d.get("materiality", str(MATERIALITY))),
                standards=parse_standards(d.get("standards", [])),
                uncertainty=DeclaredUncertainty.parse(d["uncertainty"]) if "uncertainty" in d else None,
                reporting_due=ReportingDue.parse(d["reporting_due"]) if "reporting_due" in d else None,
            )
        except (KeyError, ValueError, TypeError, AttributeError, ArithmeticError, FactorError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Inventory:
    """Projects that are reported together, and the periods for which their total must be complete."""

    id: str
    title: str
    projects: Sequence[str]
    periods: Sequence[str]

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Inventory:
        """Read an inventory file. Raises ContractError or IdentityError naming `where` when it is malformed."""
        d = _toml(data, where)
        try:
            return cls(
                id=checked_id(d["id"], what="inventory id"),
                title=d["title"],
                projects=tuple(checked_id(p, what="project_id") for p in d["projects"]),
                periods=tuple(Period.parse(p).text for p in d["periods"]),
            )
        except (KeyError, ValueError, TypeError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error


def _materiality(text: object) -> Decimal:
    """Read a share above 0 and up to 1. A number of TOML is refused: it is a binary fraction that nobody typed."""
    try:
        share = Decimal(text) if isinstance(text, str) else Decimal("NaN")
    except InvalidOperation:
        share = Decimal("NaN")
    if not (share.is_finite() and 0 < share <= 1):
        raise ValueError(f'materiality is a share as text, above 0 and at most 1, such as "0.05", not {text!r}')
    return share


def _boundary(d: Mapping[str, Any]) -> Boundary:
    return Boundary(path=d["path"], id_property=d["id_property"], id=d["id"], declared=declared(d))


def _toml(data: bytes, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError) as error:
        raise _malformed(where, str(error)) from error


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "project or inventory file is malformed",
        where=where,
        expected="the fields described in docs/projects.md",
        found=found,
        remedy="correct the file; see reference_data/projects for examples",
    )
