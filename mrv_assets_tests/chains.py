"""Factor releases with chains: the biomass of a forest from its stem wood, as the IPCC guidelines multiply it.

What does not belong here: releases of plain factors (builders).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.factor_chains import CHAINS, COEFFICIENT_COLUMNS, COEFFICIENTS
from mrv_assets.domain.factors import CHAIN_COLUMNS, FACTOR_COLUMNS, FactorRelease, factor_basis
from mrv_assets_tests.builders import KEY, factors_csv, gwp, release_toml

ALL_OF_THEM = "wood-density * biomass-expansion * one-plus-root-shoot * carbon-fraction * carbon-to-co2"
NO_FACTORS = (",".join(FACTOR_COLUMNS) + "\n").encode()


def coefficient(name: str, value: str, numerator: str, denominator: str, **cells: str) -> Mapping[str, str]:
    """Return one row of `coefficients.csv`."""
    units = {"numerator_unit": numerator, "denominator_unit": denominator}
    return {"name": name, "value": value, **units, "source": f"IPCC {name}", "source_ref": "table 4", **cells}


FOREST: Sequence[Mapping[str, str]] = (
    coefficient("carbon-to-co2", "44/12", "t of CO2", "t of C"),
    coefficient("carbon-fraction", "0.47", "t of C", "t of biomass"),
    coefficient(
        "wood-density",
        "0.4",
        "t of stems",
        "m3 of stem wood",
        rel_uncertainty="0.1",
        confidence_level="0.95",
        distribution="normal",
    ),
    coefficient("biomass-expansion", "1.4", "t of shoots", "t of stems"),
    coefficient("one-plus-root-shoot", "1.25", "t of biomass", "t of shoots"),
)


def coefficients_csv(rows: Sequence[Mapping[str, str]] = FOREST) -> bytes:
    """Return the file of coefficients."""
    return _csv(COEFFICIENT_COLUMNS, rows)


def chains_csv(rows: Sequence[Mapping[str, str]] = ({},), *, gwp_set: str = "ar6") -> bytes:
    """Return a file of chains; a row says only in what it differs from CO2 removed by stem wood grown in 2021."""
    usual = {
        "activity_id": "forest.growth",
        "region": "US/MROW",
        "gas": "CO2",
        "flux": "removal",
        "chain": ALL_OF_THEM,
        "numerator_unit": "t",
        "denominator_unit": "m3",
        "valid_from": "2021-01-01",
        "valid_to": "2021-12-31",
        "source": "IPCC 2006 volume 4",
        "source_ref": "equation 2.10",
    }
    filled = [{"basis": factor_basis(row.get("gas", "CO2"), gwp_set), **usual, **row} for row in rows]
    return _csv(CHAIN_COLUMNS, filled)


def _csv(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> bytes:
    lines = (columns, *([row.get(name, "") for name in columns] for row in rows))
    return "".join(",".join(line) + "\n" for line in lines).encode()


def chained_files(
    chains: Sequence[Mapping[str, str]] = ({},),
    coefficients: Sequence[Mapping[str, str]] = FOREST,
    *,
    factors: Sequence[Mapping[str, str]] = (),
    version: str = KEY.factor_version,
    gwp_set: str = "ar6",
) -> dict[str, bytes]:
    """Return the four files of a release by name."""
    plain = factors_csv(factors, gwp_set=gwp_set) if factors else NO_FACTORS
    beside = {CHAINS: chains_csv(chains, gwp_set=gwp_set), COEFFICIENTS: coefficients_csv(coefficients)}
    head = release_toml(plain, version=version, gwp_set=gwp_set)
    for name, data in beside.items():
        head += f'{name.removesuffix(".csv")}_sha256 = "{sha256_hex(data)}"\n'.encode()
    return {"release.toml": head, "factors.csv": plain, **beside}


def parsed(files: Mapping[str, bytes], *, version: str = KEY.factor_version, gwp_set: str = "ar6") -> FactorRelease:
    """Read the files of a release, by name."""
    return FactorRelease.parse(
        version,
        release_toml=files["release.toml"],
        factors_csv=files["factors.csv"],
        gwp=gwp(gwp_set),
        beside={name: data for name, data in files.items() if name not in ("release.toml", "factors.csv")},
    )


def chained(
    chains: Sequence[Mapping[str, str]] = ({},),
    coefficients: Sequence[Mapping[str, str]] = FOREST,
    *,
    factors: Sequence[Mapping[str, str]] = (),
) -> FactorRelease:
    """Return a parsed release of these chains, coefficients and plain factors."""
    return parsed(chained_files(chains, coefficients, factors=factors))
