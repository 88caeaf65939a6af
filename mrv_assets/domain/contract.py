"""The canonical schema contract: exact columns, types, units and keys of every table that crosses a stage boundary.

A contract is versioned; changing one is a dated event, never a drift. The data dictionary in `docs/` is
generated from this module. What does not belong here: how a table is made (stages), judged (compliance) or
kept (storage).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

import pyarrow as pa

from mrv_assets.domain.digest import (
    ContentHasher,
    ContentSummary,
    canonical_json,
    content_summary,
    in_key_order,
    sha256_hex,
    sorted_by,
)
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset

CANONICAL_CRS = "EPSG:6933"
_ABOUT = "mrv."  # prefix of the schema metadata that is ours
TONNES = pa.decimal128(38, 9)
EMISSION_FACTOR = pa.decimal128(38, 28)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column: name, logical type, unit (empty where it has none), whether null is a value, and what it means.

    A value is at least `minimum`, matches the whole of `pattern` and is one of `values`, where they are given.
    """

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""
    nullable: bool = False
    minimum: Decimal | None = None
    pattern: str | None = None
    values: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The shape of a table: grain in words, columns in order, and the key that tells rows apart."""

    version: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]

    @property
    def schema(self) -> pa.Schema:
        """The Arrow schema of the table, columns in contract order."""
        return pa.schema([pa.field(c.name, c.type, nullable=c.nullable) for c in self.columns])

    def conform(self, table: pa.Table, *, where: str) -> pa.Table:
        """Return `table` in contract order and types, rows sorted by the key; what it says of itself is kept.

        Raises ContractError naming `where` when a column is missing, unknown, or does not cast without loss. Nulls
        and repeated keys are left for the gates to judge.
        """
        self._check_names(table, where)
        columns = []
        for column in self.columns:
            try:
                columns.append(table.column(column.name).cast(column.type))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                raise ContractError(
                    "column does not have the type of its contract",
                    where=f"{where}, column {column.name}",
                    expected=f"{column.type} ({self.version})",
                    found=f"{table.column(column.name).type}: {error}",
                    remedy="correct the source or its mapping; nothing is converted with loss",
                ) from error
        # Nullability is judged by gates, so the staged table must be able to hold the nulls they report.
        fields = [pa.field(c.name, c.type) for c in self.columns]
        conformed = saying(pa.table(columns, schema=pa.schema(fields)), about(table))
        try:
            return in_key_order(conformed, self.key)
        except ContractError:  # a repeated key, which is for the gates to name
            return sorted_by(conformed, self.key)

    def _check_names(self, table: pa.Table, where: str) -> None:
        expected, found = [c.name for c in self.columns], list(table.column_names)
        if sorted(expected) != sorted(found):
            missing = sorted(set(expected) - set(found))
            unknown = sorted(set(found) - set(expected))
            raise ContractError(
                "table does not have the columns of its contract",
                where=where,
                expected=f"the columns of {self.version}",
                found=f"missing {missing or 'none'}, unknown {unknown or 'none'}",
                remedy="map the source columns in the project's [source.columns]",
            )

    def digest(self, table: pa.Table) -> str:
        """Return the content digest of a conforming table. Raises ContractError when the key is not unique."""
        return self.summary(table).sha256

    def summary(self, table: pa.Table) -> ContentSummary:
        """Return what the content digest of a conforming table is taken of. Raises ContractError where that does."""
        return content_summary(table.select([c.name for c in self.columns]), key=self.key, about=about(table))

    def digest_of(self, pieces: Iterable[pa.Table]) -> str:
        """Return the content digest of a table that arrives in pieces, at least one, in the order of its key.

        Raises ContractError when a key does not rise.
        """
        hasher: ContentHasher | None = None
        for piece in pieces:
            ordered = piece.select([c.name for c in self.columns])
            if hasher is None:
                hasher = ContentHasher(ordered.schema, key=self.key, about=about(piece))
            hasher.update(ordered)
        if hasher is None:
            raise ValueError("a table has at least one piece, be it without rows")
        return hasher.hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract(Shape):
    """The shape of one asset's table."""

    asset: Asset
    crs: str | None = None


def about(table: pa.Table) -> dict[str, str]:
    """Return what a table says of itself as a whole, such as its CRS: the metadata that is part of its content."""
    metadata = {name.decode(): text.decode() for name, text in (table.schema.metadata or {}).items()}
    return {name.removeprefix(_ABOUT): text for name, text in metadata.items() if name.startswith(_ABOUT)}


def handed_on(table: pa.Table) -> dict[str, str]:
    """Return what the next table says of the way there.

    That is the CRS its footprints came in, all rows set aside so far, and by which declaration rows fell back to the
    factors of other regions. So another CRS, quarantine or fallback makes another figure to certify, even when no
    coordinate and no tonne moves.
    """
    said = about(table)
    source = said.get("crs_source", said.get("crs"))
    fallback = {name: said[name] for name in ("fallback",) if name in said}
    return {**({} if source is None else {"crs_source": source}), **fallback, **_set_aside(said)}


def _set_aside(said: Mapping[str, str]) -> dict[str, str]:
    digests = [said[name] for name in ("quarantine_before", "quarantine") if name in said]
    if not digests:
        return {}
    rows = sum(int(said.get(name, "0")) for name in ("rows_quarantined_before", "rows_quarantined"))
    digest = digests[0] if len(digests) == 1 else sha256_hex(canonical_json(digests))
    return {"quarantine_before": digest, "rows_quarantined_before": str(rows)}


def saying(table: pa.Table, said: Mapping[str, str]) -> pa.Table:
    """Return `table` saying `said` of itself, and no other metadata."""
    return table.replace_schema_metadata({f"{_ABOUT}{name}": text for name, text in said.items()} or None)


_ZERO = Decimal(0)
_SAYS_SOMETHING = r"(?s:.*\S.*)"
_DIGEST = r"[0-9a-f]{64}"

_ROW_ID = Column(
    name="row_id",
    type=pa.string(),
    meaning="Identity of the activity row, unique in the partition.",
    pattern=_SAYS_SOMETHING,
)
_ACTIVITY_ID = Column(
    name="activity_id",
    type=pa.string(),
    meaning="What was done; the key into the factor release.",
    pattern=_SAYS_SOMETHING,
)
_REGION = Column(
    name="region",
    type=pa.string(),
    meaning="Region of the activity, the second key into the factor release; `spatial` until factored decides it.",
    pattern=_SAYS_SOMETHING,
)
_EPOCH = Column(
    name="epoch",
    type=pa.string(),
    meaning="Canonical period, inside the partition's period, that the quantity refers to.",
    pattern=r"[0-9]{4}(?:-Q[1-4]|-[0-9]{2}|-[0-9]{2}-[0-9]{2}_[0-9]{4}-[0-9]{2}-[0-9]{2})?",
)
_QTY = Column(
    name="activity_qty",
    type=pa.float64(),
    unit="as in column unit",
    meaning="Quantity as given: the binary64 nearest to the source text. Finite, not negative.",
    minimum=_ZERO,
)
_EMISSIONS = Column(
    name="emissions_tco2e",
    type=TONNES,
    unit="t CO2e",
    meaning="Gross emissions, not negative.",
    minimum=_ZERO,
)
_REMOVALS = Column(
    name="removals_tco2e",
    type=TONNES,
    unit="t CO2e",
    meaning="Gross removals, not negative; never netted here.",
    minimum=_ZERO,
)

ACTIVITY = Contract(
    asset=Asset.ACTIVITY,
    version="mrv-activity-1.1.0",
    grain="one row per activity record of the source, for one project and period",
    key=("row_id",),
    columns=(
        _ROW_ID,
        _ACTIVITY_ID,
        _REGION,
        _EPOCH,
        _QTY,
        Column(
            name="unit",
            type=pa.string(),
            meaning="Unit of the quantity as declared by the project.",
            pattern=_SAYS_SOMETHING,
        ),
        Column(
            name="geometry",
            type=pa.binary(),
            unit="source CRS",
            meaning="Footprint, ISO WKB, CRS as declared in the record; null where the project has none.",
            nullable=True,
        ),
    ),
)

NORMALIZED = Contract(
    asset=Asset.NORMALIZED,
    version="mrv-normalized-1.1.0",
    grain="one row per activity row",
    key=("row_id",),
    crs=CANONICAL_CRS,
    columns=(
        _ROW_ID,
        _ACTIVITY_ID,
        _REGION,
        _EPOCH,
        _QTY,
        Column(
            name="unit",
            type=pa.string(),
            meaning="Canonical unit name; ambiguous units were refused.",
            pattern=_SAYS_SOMETHING,
        ),
        Column(
            name="geometry",
            type=pa.binary(),
            unit=f"m, {CANONICAL_CRS} or as in the record",
            meaning="Valid 2-D footprint in the equal-area CRS, normalised ISO WKB; null where the project has none.",
            nullable=True,
        ),
        Column(
            name="area_ha",
            type=pa.float64(),
            unit="ha",
            meaning="Planar area of the footprint in the equal-area CRS; 0 for a point, null without a footprint.",
            nullable=True,
            minimum=_ZERO,
        ),
    ),
)

FACTORED = Contract(
    asset=Asset.FACTORED,
    version="mrv-factored-1.1.0",
    grain="one row per activity row",
    key=("row_id",),
    columns=(
        _ROW_ID,
        _ACTIVITY_ID,
        _REGION,
        _EPOCH,
        _QTY,
        Column(
            name="unit",
            type=pa.string(),
            meaning="Canonical unit name, equal to the factor's denominator.",
            pattern=_SAYS_SOMETHING,
        ),
        Column(
            name="ef_value",
            type=EMISSION_FACTOR,
            unit="t CO2e per unit",
            meaning="Combined factor: sum over gases of factor x GWP x mass conversion, rounded once to 1e-28.",
            minimum=_ZERO,
        ),
        Column(
            name="flux",
            type=pa.string(),
            meaning="emission or removal, as the factor declares.",
            values=("emission", "removal"),
        ),
        Column(
            name="factor_region",
            type=pa.string(),
            meaning="Region that the factor is published for: the row's own, or one around it.",
            pattern=_SAYS_SOMETHING,
        ),
        Column(
            name="factor_level",
            type=pa.string(),
            meaning="own when the factor is that of the row's region, else the level of the region that lent it.",
            values=("own", "state", "country", "global"),
        ),
        _EMISSIONS,
        _REMOVALS,
    ),
)

AGGREGATED = Contract(
    asset=Asset.AGGREGATED,
    version="mrv-aggregated-1.0.0",
    grain="one row per reporting stratum: activity, region and epoch",
    key=("activity_id", "region", "epoch"),
    columns=(
        _ACTIVITY_ID,
        _REGION,
        _EPOCH,
        Column(
            name="rows",
            type=pa.int64(),
            meaning="Activity rows summed in this stratum, at least 1.",
            minimum=Decimal(1),
        ),
        _EMISSIONS,
        _REMOVALS,
    ),
)

LEDGER = Contract(
    asset=Asset.LEDGER,
    version="mrv-ledger-1.0.0",
    grain="one row: the reported figure of one project and period",
    key=("project_id", "period"),
    columns=(
        Column(name="project_id", type=pa.string(), meaning="Project that reports.", pattern=_SAYS_SOMETHING),
        Column(
            name="period",
            type=pa.string(),
            meaning="Period that is reported, canonical form.",
            pattern=_EPOCH.pattern,
        ),
        Column(
            name="factor_version",
            type=pa.string(),
            meaning="Factor release behind the figure.",
            pattern=_SAYS_SOMETHING,
        ),
        _EMISSIONS,
        _REMOVALS,
        Column(
            name="net_tco2e",
            type=TONNES,
            unit="t CO2e",
            meaning="Emissions minus removals; negative is a net removal.",
        ),
        Column(
            name="activity_rows",
            type=pa.int64(),
            meaning="Activity rows behind the figure.",
            minimum=Decimal(1),
        ),
        Column(
            name="certificate_sha256",
            type=pa.string(),
            meaning="Digest of the certificate that seals the figure.",
            pattern=_DIGEST,
        ),
    ),
)

CONTRACTS: tuple[Contract, ...] = (ACTIVITY, NORMALIZED, FACTORED, AGGREGATED, LEDGER)

_FACTORED_1_0 = replace(
    FACTORED,
    version="mrv-factored-1.0.0",
    columns=tuple(c for c in FACTORED.columns if c.name not in ("factor_region", "factor_level")),
)
_BY_ASSET = {contract.asset: contract for contract in CONTRACTS}
_EARLIER = {contract.version: contract for contract in (_FACTORED_1_0,)}
"""Contracts that had other columns; what was stored under them is read by them for ever."""


def contract_of(asset: Asset, version: str | None) -> Contract:
    """Return the contract that a stored table of `asset` keeps, by the contract version in the pins of its record.

    Versions that differ in other things than their columns are read by the contract of today.
    """
    return _EARLIER.get(version or "", _BY_ASSET[asset])


QUARANTINE = Shape(
    version="mrv-quarantine-1.0.0",
    grain="one row per row that a stage set aside",
    key=("row",),
    columns=(
        Column(name="row", type=pa.int64(), meaning="Number of the row where it came from, as a person counts it."),
        Column(name="row_id", type=pa.string(), meaning="Identity of the row as given.", nullable=True),
        Column(name="gate", type=pa.string(), meaning="Gate that the row would have turned red."),
        Column(name="reason", type=pa.string(), meaning="What is wrong with the row and what was expected of it."),
        Column(name="given", type=pa.string(), meaning="Values of the row as given, without its geometry."),
    ),
)
