"""The declared lineage of columns, against what the stages do when one cell is another one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, TypeAlias

import pyarrow as pa
import pytest
import shapely

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.contract import ACTIVITY, AGGREGATED, CANONICAL_CRS, CONTRACTS, FACTORED, NORMALIZED, saying
from mrv_assets.domain.factors import FactorRelease, GwpSet
from mrv_assets.domain.fallback import Fallback, Level
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.staged import Staged
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.certify import certify
from mrv_assets.stages.derivations import BOUNDARY, DERIVES, FACTOR_RELEASE, GWP_SET, ROWS, SOURCE, Origin
from mrv_assets.stages.factor import apply_factors
from mrv_assets.stages.normalize import normalize
from mrv_assets.stages.submit import ledger_row
from mrv_assets_tests.builders import (
    ANOKA,
    INPUTS,
    KEY,
    WHERE,
    box,
    csv_bytes,
    factors_csv,
    good_case,
    ingested,
    project,
    release_toml,
    table_of,
)
from mrv_assets_tests.regions import EAST, WEST, normalized_at, regions_parquet

Row: TypeAlias = Mapping[str, Any]
Given: TypeAlias = Mapping[Asset | str, Sequence[Row]]
"""The rows of everything that a stage reads."""

ROW_COUNT = "which rows there are"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """Another value in one row of one input; `columns` are more than one where one cannot change alone."""

    of: Asset | str
    row: int
    columns: Row

    def made(self, given: Given) -> Given:
        """Return the inputs with the change."""
        rows = [{**row, **self.columns} if n == self.row else row for n, row in enumerate(given[self.of])]
        return {**given, self.of: rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A stage with inputs that it takes, and one change for each way in which a column goes into another."""

    asset: Asset
    given: Given
    make: Callable[[Given], Staged]
    changes: Sequence[Change]


def one(of: Asset | str, row: int, **columns: Any) -> Change:
    """Return a change of one input in one row."""
    return Change(of=of, row=row, columns=columns)


# --- activity ----------------------------------------------------------------------------------------------------

ROLES = ("row_id", "activity_id", "region", "epoch", "activity_qty", "unit", "geometry")
DELIVERED = (
    {
        "row_id": "a",
        "activity_id": "electricity",
        "region": "US",
        "epoch": "2021",
        "activity_qty": "1.5",
        "unit": "MWh",
        "geometry": "POINT (-93.2 45.1)",
    },
    {
        "row_id": "c",
        "activity_id": "trees",
        "region": "US",
        "epoch": "2021",
        "activity_qty": "2",
        "unit": "ha",
        "geometry": "POINT (-93.3 45.2)",
    },
)
WKT = """
id = "anoka"
name = "Anoka"
standard = "test"
factor_line = "mrow"
publication = "latest"
[boundary]
path = "b.geojson"
id_property = "id"
id = "1"
declared_crs = "EPSG:4326"
declared_because = "test"
[source]
path = "s.csv"
format = "csv"
geometry = "wkt"
geometry_column = "geometry"
footprint = "point"
declared_crs = "EPSG:4326"
declared_because = "test"
[source.columns]
row_id = "row_id"
activity_id = "activity_id"
region = "region"
epoch = "epoch"
activity_qty = "activity_qty"
unit = "unit"
"""
QUARANTINE = '[source.quarantine]\nmax_share = "0.9"\nbecause = "test"\n'
BY_BOUNDARY = WKT.replace('"wkt"', '"boundary"').replace('geometry_column = "geometry"\nfootprint = "point"\n', "")


def ingest_of(toml: str) -> Callable[[Given], Staged]:
    """Return the stage that ingests a delivery for this project."""

    def make(given: Given) -> Staged:
        data = csv_bytes([[row[name] for name in ROLES] for row in given[SOURCE]], columns=ROLES)
        boundary = given[BOUNDARY][0]["geometry"]
        return ingested(data, of=project(toml), boundary=boundary)

    return make


DELIVERY: Given = {SOURCE: DELIVERED, BOUNDARY: [{"geometry": ANOKA}]}
CELLS = (
    one(SOURCE, 0, row_id="b"),
    one(SOURCE, 0, activity_id="heat"),
    one(SOURCE, 0, region="CA"),
    one(SOURCE, 0, epoch="2021-Q1"),
    one(SOURCE, 0, epoch="2020"),
    one(SOURCE, 0, activity_qty="1.25"),
    one(SOURCE, 0, unit="kWh"),
)

# --- normalized --------------------------------------------------------------------------------------------------

LAND = shapely.to_wkb(shapely.box(-93.5, 45.0, -93.4, 45.1))
ACTIVITY_ROWS = tuple({**row, "activity_qty": float(row["activity_qty"]), "geometry": LAND} for row in DELIVERED)


def normalize_of(toml: str) -> Callable[[Given], Staged]:
    """Return the stage that normalises activity for this project."""

    def make(given: Given) -> Staged:
        table = saying(table_of(Asset.ACTIVITY, given[Asset.ACTIVITY]), {"crs": "EPSG:4326"})
        of = project(toml)
        return normalize(table, source=of.source, policy=of.crs, land=None, where=WHERE)

    return make


ACTIVITY_CELLS = (
    one(Asset.ACTIVITY, 0, row_id="b"),
    one(Asset.ACTIVITY, 0, activity_id="heat"),
    one(Asset.ACTIVITY, 0, region="CA"),
    one(Asset.ACTIVITY, 0, epoch="2021-Q1"),
    one(Asset.ACTIVITY, 0, activity_qty=1.25),
    one(Asset.ACTIVITY, 0, unit="kWh"),
    one(Asset.ACTIVITY, 0, geometry=shapely.to_wkb(shapely.box(-93.5, 45.0, -93.3, 45.1))),
)
SET_ASIDE = (
    one(Asset.ACTIVITY, 0, unit="furlong of straw"),
    one(Asset.ACTIVITY, 0, geometry=None),
)

# --- factored ----------------------------------------------------------------------------------------------------

SITE = "US/MN/a"
USUAL = {
    "activity_id": "electricity",
    "region": SITE,
    "gas": "CH4",
    "flux": "emission",
    "ef_value": "1",
    "numerator_unit": "t",
    "denominator_unit": "MWh",
    "valid_from": "2020-06-01",
    "valid_to": "2022-12-31",
    "source": "test",
}
FACTORS: tuple[Row, ...] = (
    USUAL,
    {**USUAL, "activity_id": "trees", "region": "US", "flux": "removal", "ef_value": "2"},
    {**USUAL, "region": "US/MN", "flux": "removal", "ef_value": "3"},
    {**USUAL, "region": "GLOBAL", "denominator_unit": "kWh", "flux": "removal", "ef_value": "4"},
    {**USUAL, "region": "US", "flux": "removal", "ef_value": "5", "valid_from": "2019-01-01", "valid_to": "2019-12-31"},
)
GASES = ({"gas": "CO2", "gwp100": "1"}, {"gas": "CH4", "gwp100": "28"}, {"gas": "N2O", "gwp100": "265"})
EVERYWHERE = Fallback(levels=(Level.STATE, Level.COUNTRY, Level.GLOBAL), max_share=Decimal(1), because="test")
NORMALIZED_ROWS = tuple(
    {
        "row_id": row_id,
        "activity_id": activity,
        "region": SITE,
        "epoch": "2021",
        "activity_qty": 2.0,
        "unit": "megawatt_hour",
        "geometry": LAND,
        "area_ha": 1.0,
    }
    for row_id, activity in (("a", "electricity"), ("c", "trees"))
)


def release_of(given: Given, *, regions: bytes | None = None) -> FactorRelease:
    """Return the factor release of these cells."""
    lines = [f"{row['gas']},{row['gwp100']},IPCC,table" for row in given[GWP_SET]]
    gwp = GwpSet.parse("ar5", ("\n".join(["gas,gwp100,source,source_ref", *lines]) + "\n").encode())
    factors = factors_csv(given[FACTOR_RELEASE], gwp_set="ar5")
    toml = release_toml(factors, gwp_set="ar5")
    made = FactorRelease.parse(KEY.factor_version, release_toml=toml, factors_csv=factors, gwp=gwp)
    return replace(made, regions=regions)


def factor(given: Given) -> Staged:
    """Apply the factors where rows say their region."""
    table = table_of(Asset.NORMALIZED, given[Asset.NORMALIZED])
    return apply_factors(table, release=release_of(given), where=WHERE, fallback=EVERYWHERE)


def factor_located(given: Given) -> Staged:
    """Apply the factors where footprints decide the region."""
    table = normalized_at(*(row["geometry"] for row in given[Asset.NORMALIZED]))
    regions = regions_parquet({SITE: WEST, "US/MN/b": EAST})
    electricity = pa.array(["electricity"] * table.num_rows)
    table = table.set_column(table.column_names.index("activity_id"), "activity_id", electricity)
    table = saying(table, {"crs": CANONICAL_CRS, "crs_source": "EPSG:4326"})
    release = release_of(given, regions=regions)
    return apply_factors(table, release=release, where=WHERE, fallback=EVERYWHERE, spatial=project().crs)


FACTOR_CELLS = (
    one(Asset.NORMALIZED, 0, row_id="b"),
    one(Asset.NORMALIZED, 0, activity_id="trees"),
    one(Asset.NORMALIZED, 0, region="US/MN/b"),
    one(Asset.NORMALIZED, 0, epoch="2019"),
    one(Asset.NORMALIZED, 0, unit="kilowatt_hour"),
    one(Asset.NORMALIZED, 0, activity_qty=3.0),
    one(Asset.NORMALIZED, 1, activity_qty=3.0),
    one(Asset.NORMALIZED, 0, geometry=None),
    one(Asset.NORMALIZED, 0, area_ha=2.0),
    *(one(FACTOR_RELEASE, row, ef_value="7") for row in (0, 1)),
    *(one(FACTOR_RELEASE, row, numerator_unit="kg") for row in (0, 1)),
    *(one(FACTOR_RELEASE, row, gas="N2O") for row in (0, 1)),
    one(FACTOR_RELEASE, 0, flux="removal"),
    one(FACTOR_RELEASE, 0, activity_id="heat"),
    one(FACTOR_RELEASE, 0, region="US/MN/z"),
    one(FACTOR_RELEASE, 0, denominator_unit="kWh"),
    one(FACTOR_RELEASE, 0, valid_from="2022-01-01"),
    one(FACTOR_RELEASE, 0, valid_to="2020-12-31"),
    one(FACTOR_RELEASE, 0, source="another"),
    one(GWP_SET, 1, gwp100="30"),
)

# --- aggregated, certificate, ledger -----------------------------------------------------------------------------

FACTORED_ROWS = tuple(
    {
        "row_id": row_id,
        "activity_id": "electricity",
        "region": "US",
        "epoch": "2021",
        "activity_qty": 2.0,
        "unit": "megawatt_hour",
        "ef_value": Decimal(1),
        "flux": "emission",
        "factor_region": "US",
        "factor_level": "own",
        "emissions_tco2e": Decimal(emissions),
        "removals_tco2e": Decimal(3),
    }
    for row_id, emissions in (("a", 1), ("c", 2))
)
STRATA = tuple(
    {
        "activity_id": activity,
        "region": "US",
        "epoch": "2021",
        "rows": 2,
        "emissions_tco2e": Decimal(5),
        "removals_tco2e": Decimal(3),
    }
    for activity in ("electricity", "trees")
)
FIGURE = {
    "project_id": "anoka",
    "period": "2021",
    "factor_version": "v1",
    "emissions_tco2e": Decimal("5.000000000"),
    "removals_tco2e": Decimal("3.000000000"),
    "net_tco2e": None,  # follows from the two
    "activity_rows": 4,
}


def certified(strata: Sequence[Row]) -> Certificate:
    """Return the certificate over these strata."""
    subjects = Certificate.from_bytes(good_case(Asset.CERTIFICATE).staged.document, where=WHERE).subjects
    table = table_of(Asset.AGGREGATED, strata)
    return certify(table, key=KEY, standard="test", inputs=INPUTS, subjects=subjects)


def figures(given: Given) -> Staged:
    """Certify, and return what the certificate states as a table."""
    found = certified(given[Asset.AGGREGATED])
    row = {
        **{name: getattr(found.key, name) for name in ("project_id", "period", "factor_version")},
        **{name: getattr(found.totals, name) for name in ("emissions_tco2e", "removals_tco2e", "net_tco2e")},
        "activity_rows": found.totals.activity_rows,
    }
    return Staged(content=pa.Table.from_pylist([row]), evidence={})


def submitted(given: Given) -> Staged:
    """Submit a certificate that states these figures."""
    [figure] = given[Asset.CERTIFICATE]
    key = replace(KEY, **{name: figure[name] for name in ("project_id", "period", "factor_version")})
    totals = Totals(**{name: figure[name] for name in ("emissions_tco2e", "removals_tco2e", "activity_rows")})
    return ledger_row(replace(certified(STRATA), key=key, totals=totals))


BENCHES = {
    "a source with footprints of its own": Bench(
        asset=Asset.ACTIVITY,
        given=DELIVERY,
        make=ingest_of(WKT),
        changes=(
            *CELLS,
            one(SOURCE, 0, geometry="POINT (-93.25 45.1)"),
            one(BOUNDARY, 0, geometry=box(-94, 45, -93, 46)),
        ),
    ),
    "a source with the boundary": Bench(
        asset=Asset.ACTIVITY,
        given=DELIVERY,
        make=ingest_of(BY_BOUNDARY),
        changes=(*CELLS, one(SOURCE, 0, geometry="POINT EMPTY"), one(BOUNDARY, 0, geometry=box(-94, 45, -93, 46))),
    ),
    "a source with quarantine": Bench(
        asset=Asset.ACTIVITY,
        given=DELIVERY,
        make=ingest_of(WKT + QUARANTINE),
        changes=(
            *CELLS,
            one(SOURCE, 0, row_id=""),
            one(SOURCE, 0, activity_id=""),
            one(SOURCE, 0, region=""),
            one(SOURCE, 0, activity_qty="many"),
            one(SOURCE, 0, unit=""),
            one(SOURCE, 0, geometry="POINT (-93.25 45.1)"),
            one(SOURCE, 0, geometry=""),
            one(BOUNDARY, 0, geometry=box(-94, 45, -93, 46)),
        ),
    ),
    "activity": Bench(
        asset=Asset.NORMALIZED,
        given={Asset.ACTIVITY: ACTIVITY_ROWS},
        make=normalize_of(BY_BOUNDARY),
        changes=ACTIVITY_CELLS,
    ),
    "activity with quarantine": Bench(
        asset=Asset.NORMALIZED,
        given={Asset.ACTIVITY: ACTIVITY_ROWS},
        make=normalize_of(BY_BOUNDARY + QUARANTINE),
        changes=(*ACTIVITY_CELLS, *SET_ASIDE),
    ),
    "normalized": Bench(
        asset=Asset.FACTORED,
        given={Asset.NORMALIZED: NORMALIZED_ROWS, FACTOR_RELEASE: FACTORS, GWP_SET: GASES},
        make=factor,
        changes=FACTOR_CELLS,
    ),
    "normalized with located rows": Bench(
        asset=Asset.FACTORED,
        given={
            Asset.NORMALIZED: [{"geometry": "POINT (0.5 0.5)"}, {"geometry": "POINT (0.4 0.5)"}],
            FACTOR_RELEASE: FACTORS,
            GWP_SET: GASES,
        },
        make=factor_located,
        changes=(one(Asset.NORMALIZED, 0, geometry="POINT (1.5 0.5)"),),
    ),
    "factored": Bench(
        asset=Asset.AGGREGATED,
        given={Asset.FACTORED: FACTORED_ROWS},
        make=lambda given: aggregate(table_of(Asset.FACTORED, given[Asset.FACTORED])),
        changes=tuple(
            one(Asset.FACTORED, 0, **{name: value})
            for name, value in (
                ("row_id", "b"),
                ("activity_id", "trees"),
                ("region", "CA"),
                ("epoch", "2021-Q1"),
                ("activity_qty", 3.0),
                ("unit", "hectare"),
                ("ef_value", Decimal(2)),
                ("flux", "removal"),
                ("factor_region", "GLOBAL"),
                ("factor_level", "global"),
                ("emissions_tco2e", Decimal(7)),
                ("removals_tco2e", Decimal(7)),
            )
        ),
    ),
    "aggregated": Bench(
        asset=Asset.CERTIFICATE,
        given={Asset.AGGREGATED: STRATA},
        make=figures,
        changes=tuple(
            one(Asset.AGGREGATED, 0, **{name: value})
            for name, value in (
                ("activity_id", "heat"),
                ("region", "CA"),
                ("epoch", "2021-Q1"),
                ("rows", 3),
                ("emissions_tco2e", Decimal(7)),
                ("removals_tco2e", Decimal(7)),
            )
        ),
    ),
    "certificate": Bench(
        asset=Asset.LEDGER,
        given={Asset.CERTIFICATE: [FIGURE]},
        make=submitted,
        changes=(
            one(Asset.CERTIFICATE, 0, project_id="ramsey"),
            one(Asset.CERTIFICATE, 0, period="2022"),
            one(Asset.CERTIFICATE, 0, factor_version="v2"),
            one(Asset.CERTIFICATE, 0, emissions_tco2e=Decimal(7), net_tco2e=None),
            one(Asset.CERTIFICATE, 0, removals_tco2e=Decimal(7), net_tco2e=None),
            one(Asset.CERTIFICATE, 0, activity_rows=5),
        ),
    ),
}
EVERY_INPUT_COLUMN = {
    Asset.ACTIVITY: {(SOURCE, name) for name in ROLES} | {(BOUNDARY, "geometry")},
    Asset.NORMALIZED: {(Asset.ACTIVITY, column.name) for column in ACTIVITY.columns},
    Asset.FACTORED: {(Asset.NORMALIZED, column.name) for column in NORMALIZED.columns}
    | {(FACTOR_RELEASE, name) for name in USUAL}
    | {(GWP_SET, "gwp100")},
    Asset.AGGREGATED: {(Asset.FACTORED, column.name) for column in FACTORED.columns},
    Asset.CERTIFICATE: {(Asset.AGGREGATED, column.name) for column in AGGREGATED.columns},
    Asset.LEDGER: {(Asset.CERTIFICATE, name) for name in FIGURE},
}


def declared(bench: Bench) -> set[tuple[Asset | str, str, str]]:
    """Return each declared way from an input column to an output column, or to which rows there are."""
    evidence = bench.make(bench.given).evidence
    said = {**DERIVES[bench.asset], ROW_COUNT: ROWS[bench.asset]}
    return {(o.of, o.column, name) for name, origins in said.items() for o in origins if _holds(o, evidence)}


def _holds(origin: Origin, evidence: Mapping[str, str]) -> bool:
    return origin.when is None or origin.when.holds(evidence)


def changed(bench: Bench, change: Change) -> set[str]:
    """Return the output columns that a change moves; of other rows only that they are others."""
    before, after = (bench.make(given).table.to_pydict() for given in (bench.given, change.made(bench.given)))
    moved = {name for name in before if before[name] != after[name]}
    keys = {Asset.AGGREGATED: ("activity_id", "region", "epoch")}.get(bench.asset, ())
    is_regrouped = any(before[name] != after[name] for name in keys)
    if is_regrouped:
        return moved | {ROW_COUNT}
    is_shorter = len(next(iter(before.values()))) != len(next(iter(after.values())))
    return {ROW_COUNT} if is_shorter else moved


@pytest.mark.parametrize("name", BENCHES)
def test_a_cell_moves_what_is_declared_and_nothing_else(name: str) -> None:
    """Whatever one cell of an input changes was declared to be made of its column; other rows may say anything."""
    bench = BENCHES[name]
    ways = declared(bench)
    for change in bench.changes:
        allowed = {to for of, column, to in ways if of == change.of and column in change.columns}
        moved = changed(bench, change)
        assert (moved & {ROW_COUNT} or moved) <= allowed, change


@pytest.mark.parametrize("name", BENCHES)
def test_every_declared_way_is_one(name: str) -> None:
    """Each declared dependency shows: some cell of the column moves the column that is made of it."""
    bench = BENCHES[name]
    perturbed = {(change.of, column) for change in bench.changes for column in change.columns}
    shown = {(c.of, column, to) for c in bench.changes for to in changed(bench, c) for column in c.columns}
    assert {way for way in declared(bench) if way[:2] in perturbed} <= shown


@pytest.mark.parametrize("asset", Asset, ids=str)
def test_every_input_column_is_tried(asset: Asset) -> None:
    """So no dependency is left out because nobody looked."""
    tried = {(c.of, name) for b in BENCHES.values() if b.asset is asset for c in b.changes for name in c.columns}
    assert tried == EVERY_INPUT_COLUMN[asset]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: contract.version)
def test_every_column_of_a_contract_is_declared(contract: Any) -> None:
    """In the order of the contract or not, all of them and no other."""
    assert set(DERIVES[contract.asset]) == {column.name for column in contract.columns}


def test_every_declared_origin_is_a_column_of_what_it_names() -> None:
    """Of the contract of an asset, or of the figures of a certificate."""
    columns = {contract.asset: {c.name for c in contract.columns} for contract in CONTRACTS}
    columns[Asset.CERTIFICATE] = set(DERIVES[Asset.CERTIFICATE])
    for asset in Asset:
        for origin in (o for origins in (*DERIVES[asset].values(), ROWS[asset]) for o in origins):
            if isinstance(origin.of, Asset):
                assert origin.column in columns[origin.of]
