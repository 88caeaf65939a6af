"""From which columns each column is made: the lineage of columns, declared once beside the stages.

The stages do not read it, so it is no part of their code; `unit/stages/test_derivations.py` changes one input column
at a time and holds it against what the stages do. What does not belong here: which datasets a run has read (the
journal).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from mrv_assets.domain.partition import Asset


class Kind(StrEnum):
    """How a column goes into another one, by the names that OpenLineage has for it."""

    IDENTITY = "IDENTITY"
    TRANSFORMATION = "TRANSFORMATION"
    AGGREGATION = "AGGREGATION"
    JOIN = "JOIN"
    GROUP_BY = "GROUP_BY"
    FILTER = "FILTER"

    @property
    def is_direct(self) -> bool:
        """Whether values are made from values; else the column only decides which rows or values there are."""
        return self in (Kind.IDENTITY, Kind.TRANSFORMATION, Kind.AGGREGATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What the evidence of a record has to say under `name` for a derivation to hold; no `values`: any text."""

    name: str
    values: tuple[str, ...] = ()

    def holds(self, evidence: Mapping[str, str]) -> bool:
        """Tell whether the evidence says so."""
        text = evidence.get(self.name, "")
        return text in self.values if self.values else bool(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A column of something that a stage reads: of an asset, or of an input from outside by its kind.

    `description` says what is done where the kind alone does not. `masking` is for values that cannot be had back.
    """

    of: Asset | str
    column: str
    kind: Kind
    description: str = ""
    when: Said | None = None
    masking: bool = False


Origins: TypeAlias = tuple[Origin, ...]

FACTOR_RELEASE, GWP_SET, SOURCE, BOUNDARY = "factor_release", "gwp_set", "source", "boundary"
_MAPPED = "the column that the project names for it"
_LOCATED = Said(name="located_rows")
_SETS_ASIDE = Said(name="quarantine_because")


def _same(of: Asset | str, *columns: str) -> dict[str, Origins]:
    return {column: (Origin(of=of, column=column, kind=Kind.IDENTITY),) for column in columns}


def _from(of: Asset | str, kind: Kind, *columns: str, description: str = "", when: Said | None = None) -> Origins:
    return tuple(Origin(of=of, column=column, kind=kind, description=description, when=when) for column in columns)


def _delivered(kind: Kind, *columns: str) -> dict[str, Origins]:
    return {column: _from(SOURCE, kind, column, description=_MAPPED) for column in columns}


_LAND = _from(Asset.NORMALIZED, Kind.JOIN, "geometry", description="the region where it lies", when=_LOCATED)
_CHOICE = (
    *_from(Asset.NORMALIZED, Kind.JOIN, "activity_id", "unit", "epoch"),
    Origin(of=Asset.NORMALIZED, column="region", kind=Kind.JOIN),
    *_LAND,
    *_from(FACTOR_RELEASE, Kind.JOIN, "activity_id", "region", "denominator_unit", "valid_from", "valid_to"),
)
"""What decides which factor a row has."""

_COMBINED = (
    *_from(FACTOR_RELEASE, Kind.TRANSFORMATION, "ef_value", "numerator_unit", description="t CO2e per unit"),
    *_from(FACTOR_RELEASE, Kind.JOIN, "gas"),
    *_from(GWP_SET, Kind.TRANSFORMATION, "gwp100", description="t CO2e per unit"),
)
"""What a combined factor is made of."""

_TONNES = (
    *_from(Asset.NORMALIZED, Kind.TRANSFORMATION, "activity_qty", description="quantity x factor, rounded to 1e-9 t"),
    *_COMBINED,
    *_from(FACTOR_RELEASE, Kind.FILTER, "flux", description="0 for the other flux"),
    *_CHOICE,
)
_STRATUM = ("activity_id", "region", "epoch")
_IDENTITY_OF_FIGURE = ("project_id", "period", "factor_version")
_FIGURE = ("emissions_tco2e", "removals_tco2e", "net_tco2e", "activity_rows")

DERIVES: Mapping[Asset, Mapping[str, Origins]] = {
    Asset.ACTIVITY: {
        **_delivered(Kind.IDENTITY, "row_id", "activity_id", "region", "epoch", "unit"),
        **_delivered(Kind.TRANSFORMATION, "activity_qty"),
        "geometry": (
            *_from(
                SOURCE,
                Kind.TRANSFORMATION,
                "geometry",
                description="as ISO WKB",
                when=Said(name="geometry", values=("wkt", "lonlat", "record")),
            ),
            *_from(
                BOUNDARY,
                Kind.TRANSFORMATION,
                "geometry",
                description="as ISO WKB",
                when=Said(name="geometry", values=("boundary",)),
            ),
        ),
    },
    Asset.NORMALIZED: {
        **_same(Asset.ACTIVITY, "row_id", "activity_id", "region", "epoch", "activity_qty"),
        "unit": _from(Asset.ACTIVITY, Kind.TRANSFORMATION, "unit", description="canonical name"),
        "geometry": _from(Asset.ACTIVITY, Kind.TRANSFORMATION, "geometry", description="to the equal-area CRS"),
        "area_ha": _from(Asset.ACTIVITY, Kind.TRANSFORMATION, "geometry", description="planar area"),
    },
    Asset.FACTORED: {
        **_same(Asset.NORMALIZED, "row_id", "activity_id", "epoch", "activity_qty", "unit"),
        "region": (Origin(of=Asset.NORMALIZED, column="region", kind=Kind.IDENTITY), *_LAND),
        "ef_value": (*_COMBINED, *_CHOICE),
        "flux": (*_same(FACTOR_RELEASE, "flux")["flux"], *_CHOICE),
        "factor_region": _CHOICE,
        "factor_level": _CHOICE,
        "emissions_tco2e": _TONNES,
        "removals_tco2e": _TONNES,
    },
    Asset.AGGREGATED: {
        **_same(Asset.FACTORED, *_STRATUM),
        "rows": _from(Asset.FACTORED, Kind.GROUP_BY, *_STRATUM, description="count of rows"),
        "emissions_tco2e": _from(Asset.FACTORED, Kind.AGGREGATION, "emissions_tco2e", description="exact sum"),
        "removals_tco2e": _from(Asset.FACTORED, Kind.AGGREGATION, "removals_tco2e", description="exact sum"),
    },
    Asset.CERTIFICATE: {
        **dict.fromkeys(_IDENTITY_OF_FIGURE, ()),
        "emissions_tco2e": _from(Asset.AGGREGATED, Kind.AGGREGATION, "emissions_tco2e", description="exact sum"),
        "removals_tco2e": _from(Asset.AGGREGATED, Kind.AGGREGATION, "removals_tco2e", description="exact sum"),
        "net_tco2e": _from(
            Asset.AGGREGATED,
            Kind.AGGREGATION,
            "emissions_tco2e",
            "removals_tco2e",
            description="sum of emissions minus sum of removals",
        ),
        "activity_rows": _from(Asset.AGGREGATED, Kind.AGGREGATION, "rows", description="sum"),
    },
    Asset.LEDGER: {
        **_same(Asset.CERTIFICATE, *_IDENTITY_OF_FIGURE, *_FIGURE),
        "certificate_sha256": tuple(
            Origin(
                of=Asset.CERTIFICATE,
                column=column,
                kind=Kind.TRANSFORMATION,
                description="sha256 of the whole certificate",
                masking=True,
            )
            for column in (*_IDENTITY_OF_FIGURE, *_FIGURE)
        ),
    },
}
"""Of each asset every column with its origins; a certificate, which is no table, by the figures that it states."""

ROWS: Mapping[Asset, Origins] = {
    Asset.ACTIVITY: (
        *_from(SOURCE, Kind.FILTER, "epoch", description="rows of the period"),
        *_from(
            SOURCE,
            Kind.FILTER,
            *("row_id", "activity_id", "region", "activity_qty", "unit", "geometry"),
            description="rows set aside",
            when=_SETS_ASIDE,
        ),
    ),
    Asset.NORMALIZED: _from(
        Asset.ACTIVITY, Kind.FILTER, "unit", "geometry", description="rows set aside", when=_SETS_ASIDE
    ),
    Asset.FACTORED: (),
    Asset.AGGREGATED: _from(Asset.FACTORED, Kind.GROUP_BY, *_STRATUM),
    Asset.CERTIFICATE: (),
    Asset.LEDGER: (),
}
"""What decides which rows there are."""
