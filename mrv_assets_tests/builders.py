"""Small, real things to test with: projects, sources, factor releases, and one partition carried through all stages.

Everything is made by the platform's own code from text that a person could have written. What does not belong
here: random values (strategies), stores and whole worlds (world).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pyarrow as pa

from mrv_assets.compliance.case import Case
from mrv_assets.compliance.gates import GATE_NAMES
from mrv_assets.compliance.judge import judge_all
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.factors import FACTOR_COLUMNS, FactorRelease, GwpSet, factor_basis
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot
from mrv_assets.domain.project import Project
from mrv_assets.domain.source import DeclaredCrs, GeometrySource
from mrv_assets.domain.staged import Staged
from mrv_assets.domain.subject import Subject
from mrv_assets.stages.aggregate import aggregate
from mrv_assets.stages.certify import certify, stated
from mrv_assets.stages.factor import apply_factors
from mrv_assets.stages.ingest import ingest
from mrv_assets.stages.normalize import normalize
from mrv_assets.stages.submit import ledger_row

KEY = PartitionKey(project_id="metc-anoka", period="2021", factor_version="mrow-2025.05.20")
PERIOD = Period.parse(KEY.period)
WHERE = "metc-anoka 2021"
DIGEST = "0" * 64

PROJECT_TOML = """
id = "metc-anoka"
name = "Anoka County, Minnesota"
standard = "GHG Protocol corporate/community inventory"
factor_line = "mrow"
publication = "latest"

[boundary]
path = "boundaries/counties.geojson"
id_property = "geoid"
id = "27003"
declared_crs = "EPSG:4269"
declared_because = "the publisher's other files are NAD83"

[source]
path = "electricity.csv"
format = "csv"
geometry = "boundary"

[source.where]
county_fips = "27003"

[source.columns]
row_id = "record_id"
activity_id = "activity"
epoch = "year"
activity_qty = "quantity"
unit = "unit"

[source.constants]
region = "US/MROW"
"""

SOURCE_COLUMNS = ("record_id", "county_fips", "activity", "year", "quantity", "unit")
SOURCE_ROWS: tuple[tuple[str, ...], ...] = (
    ("a-2020", "27003", "electricity.delivered", "2020", "9.5", "MWh"),
    ("a-2021", "27003", "electricity.delivered", "2021", "2.5", "MWh"),
    ("b-2021", "27003", "electricity.delivered", "2021-Q1", "0.1", "megawatt_hour"),
    ("c-2021", "27003", "land_cover.tree", "2021", "3", "km2"),
    ("d-2021", "27019", "electricity.delivered", "2021", "7", "MWh"),
)

FACTORS: tuple[Mapping[str, str], ...] = (
    {"gas": "CO2", "ef_value": "995.8"},
    {"gas": "CH4", "ef_value": "0.107"},
    {
        "activity_id": "land_cover.tree",
        "gas": "CO2e",
        "flux": "removal",
        "ef_value": "329.074827018",
        "numerator_unit": "t",
        "denominator_unit": "km2",
    },
)
GWP100: Mapping[str, Mapping[str, str]] = {
    "ar4": {"CO2": "1", "CO2e": "1", "CH4": "25", "N2O": "298"},
    "ar5": {"CO2": "1", "CO2e": "1", "CH4": "28", "N2O": "265"},
    "ar6": {"CO2": "1", "CO2e": "1", "CH4": "27.9", "N2O": "273"},
}


def project(toml: str = PROJECT_TOML) -> Project:
    """Return the project of the TOML text."""
    return Project.parse(toml.encode(), where="project under test")


def wkt_project(*, crs: str | None) -> Project:
    """Return a project whose rows bring their own WKT in the column `outline`."""
    declared = DeclaredCrs(crs=crs, because="the sender says so") if crs else None
    base = project()
    source = replace(
        base.source, geometry=GeometrySource.WKT, geometry_columns=("outline",), declared=declared, path="plots.csv"
    )
    return replace(base, source=source)


def csv_bytes(rows: Sequence[Sequence[str]] = SOURCE_ROWS, *, columns: Sequence[str] = SOURCE_COLUMNS) -> bytes:
    """Return a CSV file of these cells; cells with a comma are quoted."""
    lines = [",".join(f'"{cell}"' if "," in cell else cell for cell in row) for row in (columns, *rows)]
    return ("\n".join(lines) + "\n").encode()


def box(west: float, south: float, east: float, north: float) -> dict[str, Any]:
    """Return a GeoJSON polygon of the box."""
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


ANOKA = box(-93.5, 45.0, -93.0, 45.4)


def ingested(
    data: bytes | None = None,
    *,
    of: Project | None = None,
    period: str = "2021",
    boundary: Mapping[str, Any] = ANOKA,
    boundary_crs: str | None = None,
) -> Staged:
    """Ingest a source, by default the small one of this module."""
    return ingest(
        csv_bytes() if data is None else data,
        project=of or project(),
        period=Period.parse(period),
        boundary=boundary,
        boundary_crs=boundary_crs,
    )


def gwp(name: str = "ar6") -> GwpSet:
    """Return one of the three GWP sets, with the gases that the tests use."""
    lines = [f"{gas},{value},IPCC,table" for gas, value in GWP100[name].items()]
    return GwpSet.parse(name, ("\n".join(["gas,gwp100,source,source_ref", *lines]) + "\n").encode())


def factors_csv(rows: Sequence[Mapping[str, str]] = FACTORS, *, gwp_set: str = "ar6") -> bytes:
    """Return a factors file; a row says only in what it differs from pounds of CO2 per MWh delivered in 2021."""
    cells = (FACTOR_COLUMNS, *(_factor_cells(row, gwp_set) for row in rows))
    return "".join(",".join(line) + "\n" for line in cells).encode()


def _factor_cells(row: Mapping[str, str], gwp_set: str) -> list[str]:
    usual = {
        "activity_id": "electricity.delivered",
        "region": "US/MROW",
        "gas": "CO2",
        "flux": "emission",
        "ef_value": "1",
        "numerator_unit": "lb",
        "denominator_unit": "MWh",
        "basis": factor_basis(row.get("gas", "CO2"), gwp_set),
        "valid_from": "2021-01-01",
        "valid_to": "2021-12-31",
        "source": "eGRID",
        "source_ref": "table 1",
    }
    cells = {**dict.fromkeys(FACTOR_COLUMNS, ""), **usual, **row}
    return [cells[name] for name in FACTOR_COLUMNS]


def release_toml(factors: bytes, *, version: str = KEY.factor_version, gwp_set: str = "ar6") -> bytes:
    """Return the description that pins a factors file."""
    return (
        f'version = "{version}"\nline = "mrow"\ntitle = "Electricity"\npublished = 2025-05-20\n'
        f'gwp_set = "{gwp_set}"\nsupersedes = ""\nsha256 = "{sha256_hex(factors)}"\nreason = "first"\n'
    ).encode()


def release(
    rows: Sequence[Mapping[str, str]] = FACTORS, *, version: str = KEY.factor_version, gwp_set: str = "ar6"
) -> FactorRelease:
    """Return a parsed factor release of these rows."""
    factors = factors_csv(rows, gwp_set=gwp_set)
    return FactorRelease.parse(
        version,
        release_toml=release_toml(factors, version=version, gwp_set=gwp_set),
        factors_csv=factors,
        gwp=gwp(gwp_set),
    )


def table_of(asset: Asset, rows: Sequence[Mapping[str, object]]) -> pa.Table:
    """Return a table in the contract of `asset`; columns that a row does not name are null."""
    contract = next(contract for contract in CONTRACTS if contract.asset is asset)
    arrays = {c.name: pa.array([row.get(c.name) for row in rows], c.type) for c in contract.columns}
    return contract.conform(pa.table(arrays), where=f"{asset} under test")


def record(
    asset: Asset = Asset.ACTIVITY,
    *,
    gates: Sequence[GateOutcome] = (),
    evidence: Mapping[str, str] | None = None,
    generation: int = 1,
    prev: str | None = None,
) -> GenerationRecord:
    """Return a generation record of the partition under test."""
    return GenerationRecord(
        slot=Slot.of(asset, KEY),
        generation=generation,
        prev=prev,
        blob=BlobRef(sha256=DIGEST, size=1, media_type="application/vnd.apache.parquet"),
        content_digest=DIGEST,
        rows=1,
        inputs_digest=DIGEST,
        inputs=(InputRef(kind="source", name="electricity.csv", digest=DIGEST),),
        upstream=(),
        pins={"contract": "mrv-activity-1.0.0"},
        evidence=evidence or {},
        gates=gates,
        reason="first content of the slot",
        run_id="run-1",
        write_id="write-1",
        written_utc="2026-01-02T03:04:05+00:00",
    )


INPUTS = tuple(
    InputRef(kind=kind, name=name, digest=sha256_hex(name.encode()))
    for kind, name in (
        ("project", "metc-anoka"),
        ("boundary", "boundaries/counties.geojson"),
        ("source", "electricity.csv"),
        ("factor_release", KEY.factor_version),
        ("gwp_set", "ar6"),
    )
)


def _case(staged: Staged, upstream: Mapping[Asset, pa.Table | bytes]) -> Case:
    return Case(
        key=KEY,
        period=PERIOD,
        staged=staged,
        upstream=upstream,
        upstream_gates={},
        expected_gates=GATE_NAMES,
        previous=None,
        live={},
        rival=None,
    )


@cache
def good_case(asset: Asset) -> Case:
    """Return the partition under test as it reaches the gates of `asset`, made by the stages from the small source."""
    return _GOOD[asset]()


def _activity() -> Case:
    return _case(ingested(), {})


def _normalized() -> Case:
    activity = good_case(Asset.ACTIVITY).staged
    staged = normalize(activity.table, source=project().source, policy=project().crs, land=None, where=WHERE)
    return _case(staged, {Asset.ACTIVITY: activity.table})


def _factored() -> Case:
    normalized = good_case(Asset.NORMALIZED).staged.table
    return _case(apply_factors(normalized, release=release(), where=WHERE), {Asset.NORMALIZED: normalized})


def _aggregated() -> Case:
    factored = good_case(Asset.FACTORED).staged.table
    return _case(aggregate(factored), {Asset.FACTORED: factored})


def _certificate() -> Case:
    chain = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)
    gates = {asset: judge_all(asset, good_case(asset)) for asset in chain}
    subjects = [subject(asset, gates[asset], rows=good_case(asset).staged.rows) for asset in chain]
    aggregated = good_case(Asset.AGGREGATED).staged.table
    made = certify(aggregated, key=KEY, standard=project().standard, inputs=INPUTS, subjects=subjects)
    return replace(_case(stated(made), {Asset.AGGREGATED: aggregated}), upstream_gates=gates)


def subject(
    asset: Asset, gates: Sequence[GateOutcome], *, rows: int = 1, pins: Mapping[str, str] | None = None
) -> Subject:
    """Return what a certificate says of a content whose digests are all zeros."""
    return Subject(
        asset=asset,
        record_sha256=DIGEST,
        content_digest=DIGEST,
        rows=rows,
        blob=BlobRef(sha256=DIGEST, size=1, media_type="application/vnd.apache.parquet"),
        quarantine=None,
        pins=pins or {"code": DIGEST},
        measured={},
        gates=tuple(gates),
    )


def _ledger() -> Case:
    document = good_case(Asset.CERTIFICATE).staged.document
    staged = ledger_row(Certificate.from_bytes(document, where=WHERE))
    return replace(_case(staged, {Asset.CERTIFICATE: document}), live={"2020": "mrow-2025.05.20"})


_GOOD: Mapping[Asset, Callable[[], Case]] = {
    Asset.ACTIVITY: _activity,
    Asset.NORMALIZED: _normalized,
    Asset.FACTORED: _factored,
    Asset.AGGREGATED: _aggregated,
    Asset.CERTIFICATE: _certificate,
    Asset.LEDGER: _ledger,
}


def tonnes(text: str) -> Decimal:
    """Return tonnes as the tables hold them: nine decimals."""
    return Decimal(text).quantize(Decimal("1e-9"))
