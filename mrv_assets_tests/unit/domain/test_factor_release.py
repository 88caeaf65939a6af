from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError, DigestMismatch, FactorError
from mrv_assets.domain.factor_head import gwp_set_name
from mrv_assets.domain.factors import CombinedFactor, FactorRelease, Flux, GwpSet
from mrv_assets.domain.partition import Period
from mrv_assets_tests.builders import FACTORS, KEY, factors_csv, gwp, release, release_toml

YEAR = Period.parse("2021")


def combined(rows: Sequence[Mapping[str, str]], *, gwp_set: str = "ar6", epoch: Period = YEAR) -> CombinedFactor | None:
    """Combine the factors of these rows for a MWh delivered."""
    return release(rows, gwp_set=gwp_set).combined(
        activity_id="electricity.delivered", region="US/MROW", unit="megawatt_hour", epoch=epoch
    )


def test_gases_combine_exactly() -> None:
    """The factor of a row is the exact sum over gases of factor, potential and mass unit."""
    rows = [
        {"gas": "CO2", "ef_value": "995.8"},
        {"gas": "CH4", "ef_value": "0.107"},
        {"gas": "N2O", "ef_value": "0.015"},
    ]
    factor = combined(rows)
    pounds = Decimal("995.8") + Decimal("0.107") * Decimal("27.9") + Decimal("0.015") * 273
    assert factor == CombinedFactor(ef_value=pounds * Decimal("0.00045359237"), flux=Flux.EMISSION)


@pytest.mark.parametrize(("gwp_set", "expected"), [("ar4", "25"), ("ar5", "28"), ("ar6", "27.9")])
def test_methane_counts_by_the_pinned_set(gwp_set: str, expected: str) -> None:
    """A tonne of CH4 is 25, 28 or 27.9 t CO2e by the set that the release pins."""
    factor = combined([{"gas": "CH4", "ef_value": "1", "numerator_unit": "t"}], gwp_set=gwp_set)
    assert factor is not None
    assert factor.ef_value == Decimal(expected)


def test_release_refuses_a_set_that_it_does_not_pin() -> None:
    """Factors released under AR5 are not combined with the potentials of AR6."""
    factors = factors_csv()
    with pytest.raises(FactorError, match=r"GWP set is not the pinned one.*expected ar5; found ar6"):
        FactorRelease.parse(
            KEY.factor_version,
            release_toml=release_toml(factors, gwp_set="ar5"),
            factors_csv=factors,
            gwp=gwp("ar6"),
        )


def test_pinned_set_changes_the_release_digest() -> None:
    """Two releases of the same factors under two sets are two contents."""
    assert release(gwp_set="ar5").digest != release(gwp_set="ar6").digest
    assert gwp_set_name(release_toml(factors_csv(), gwp_set="ar5"), version=KEY.factor_version) == "ar5"


@pytest.mark.parametrize("basis", ["CO2e", "CO2e:ar4", "CO2", "CO2e:AR6", "CO2e:ar6 "])
def test_total_that_is_weighted_with_another_set_is_refused(basis: str) -> None:
    """A row in CO2e names the set of its release, so that two sets are never summed; its line is named."""
    with pytest.raises(FactorError, match=r"mixed GWP.*line 2.*expected CO2e:ar6"):
        release([{"gas": "CO2e", "basis": basis}])


def test_total_in_co2e_is_not_weighted_again() -> None:
    """A kilogram of CO2e is a kilogram, also under a set that does not list it."""
    factors = factors_csv([{"gas": "CO2e", "ef_value": "0.41205", "numerator_unit": "kg"}], gwp_set="bare")
    bare = GwpSet.parse("bare", b"gas,gwp100,source,source_ref\nCO2,1,IPCC,table\n")
    parsed = FactorRelease.parse(
        KEY.factor_version, release_toml=release_toml(factors, gwp_set="bare"), factors_csv=factors, gwp=bare
    )
    assert parsed.rows[0].tonnes_co2e_per_unit(bare) == Decimal("0.00041205")


@pytest.mark.parametrize("gases", [("CO2e", "CH4"), ("CO2", "CO2e")])
def test_total_beside_a_gas_that_it_counts_is_refused(gases: tuple[str, str]) -> None:
    """A total and a part of it on one activity row would count the part twice."""
    with pytest.raises(FactorError, match=r"two factors could apply.*lines 2 and 3.*CO2e alone"):
        release([{"gas": gas} for gas in gases])


def test_changed_factor_file_is_tampering() -> None:
    """A released file that no longer has its sha256 stops everything, and is no matter of correcting an input."""
    factors = factors_csv()
    with pytest.raises(DigestMismatch, match="a released factor file was changed"):
        FactorRelease.parse(
            KEY.factor_version,
            release_toml=release_toml(factors),
            factors_csv=factors.replace(b"995.8", b"995.9"),
            gwp=gwp(),
        )


@pytest.mark.parametrize(
    "other",
    [
        {"source": "another source"},
        {"ef_value": "2", "valid_from": "2021-12-31", "valid_to": "2022-12-31"},
        {"gas": "CH4", "flux": "removal"},
        {"denominator_unit": "megawatt_hour"},
    ],
    ids=["same but for the source", "one shared day", "both fluxes", "same unit by another name"],
)
def test_two_factors_for_one_row_are_refused_by_their_lines(other: Mapping[str, str]) -> None:
    """Ambiguous factors are refused when the release is read, both lines named; one row never becomes two."""
    with pytest.raises(FactorError, match=r"two factors could apply to one activity row.*lines 2 and 3"):
        release([{}, other])


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ({"ef_value": "-5"}, "flux = removal"),
        ({"ef_value": "-0"}, "not negative"),
        ({"ef_value": "NaN"}, "finite"),
        ({"ef_value": "inf"}, "finite"),
        ({"ef_value": ""}, "ef_value is not a decimal"),
        ({"ef_value": "1.5kg"}, "ef_value is not a decimal"),
        ({"flux": "storage"}, "emission or removal"),
        ({"basis": "C"}, "substance basis is not the gas"),
        ({"gas": "HFC-23"}, "gas has no potential in the pinned GWP set"),
        ({"region": " "}, "expected a region"),
        ({"source_ref": ""}, "expected a source_ref"),
        ({"valid_from": "2021-02-30"}, "validity is not a date"),
        ({"valid_from": "2022-01-01"}, "validity runs backwards"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else None,
)
def test_malformed_factor_is_refused_with_its_line(row: Mapping[str, str], says: str) -> None:
    """A factor that is negative, not finite, without source or out of time is refused."""
    with pytest.raises(FactorError, match=says) as caught:
        release([row])
    assert "line 2" in str(caught.value)


@pytest.mark.parametrize("unit", ["ton", "MWh"])
def test_mass_unit_is_a_mass_without_doubt(unit: str) -> None:
    """The numerator is a mass by an unambiguous name."""
    with pytest.raises(ContractError, match="unit is refused"):
        release([{"numerator_unit": unit}])


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda data: data.replace(b"activity_id,", b"activity,", 1), "header is not the declared one"),
        (lambda data: data.replace(b",table 1\n", b"\n", 1), "row is ragged.*line 2"),
        (lambda data: data.splitlines()[0] + b"\n", "file has no rows"),
        (lambda data: data.replace(b"eGRID", "é".encode("latin-1")), "file cannot be read"),
    ],
    ids=["header", "ragged", "no rows", "Latin-1"],
)
def test_file_that_is_no_factor_table_is_refused(change: object, says: str) -> None:
    """The factors file has exactly its columns, in UTF-8, and at least one row."""
    assert callable(change)
    factors = change(factors_csv())
    with pytest.raises(FactorError, match=says):
        FactorRelease.parse(KEY.factor_version, release_toml=release_toml(factors), factors_csv=factors, gwp=gwp())


@pytest.mark.parametrize(
    ("before", "after", "says"),
    [
        (b'version = "mrow-2025.05.20"', b'version = "mrow-2025.5.20"', "release is in the wrong folder"),
        (b'reason = "first"', b"", "expected reason"),
        (b'reason = "first"', b'reason = "first"\nnote = "x"', "unknown fields"),
        (b"published = 2025-05-20", b'published = "2025-05-20"', "expected published"),
        (b'line = "mrow"', b"line = ", "UTF-8 TOML"),
    ],
    ids=["other version", "no reason", "a field more", "date as text", "no TOML"],
)
def test_malformed_description_is_refused(before: bytes, after: bytes, says: str) -> None:
    """The description has exactly its fields and belongs to its folder."""
    factors = factors_csv()
    with pytest.raises(FactorError, match=says):
        FactorRelease.parse(
            KEY.factor_version,
            release_toml=release_toml(factors).replace(before, after),
            factors_csv=factors,
            gwp=gwp(),
        )


def test_epoch_has_to_lie_in_the_validity() -> None:
    """A factor of 2021 says nothing about a span that goes on into 2022."""
    assert combined([{}], epoch=Period.parse("2021-Q3")) is not None
    assert combined([{}], epoch=Period.parse("2021-07-01_2022-06-30")) is None


def test_gas_that_covers_a_part_of_the_epoch_is_refused() -> None:
    """A sum over gases of which one ends half-way would be too small without a word."""
    rows = [FACTORS[0], {**FACTORS[1], "valid_to": "2021-06-30"}]
    with pytest.raises(FactorError, match=r"line 3.*all of 2021 or none of it, as line 2 does"):
        combined(rows)
    assert combined(rows, epoch=Period.parse("2021-Q1")) is not None
    assert combined(rows, epoch=Period.parse("2021-Q4")) is not None


def test_factor_is_held_to_28_decimals() -> None:
    """The exact sum is rounded once, half to even, to the 28 decimals of the contract."""
    factor = combined([{"ef_value": "0." + "0" * 27 + "25", "numerator_unit": "t"}])
    assert factor is not None
    assert str(factor.ef_value) == "2E-28"


def test_factor_that_does_not_fit_is_refused() -> None:
    """A combined factor has at most 10 digits before its decimals; what is larger is refused, not cut."""
    with pytest.raises(FactorError, match="larger than the contract holds"):
        combined([{"ef_value": "1" + "0" * 10, "numerator_unit": "t"}])


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("CH4,25,a,b\nCH4,28,a,b\n", "gas appears twice"),
        ("CH4,NaN,a,b\n", "finite"),
        ("CH4,-25,a,b\n", "not negative"),
        ("CH4,,a,b\n", "gwp100 is not a decimal"),
        ("", "file has no rows"),
    ],
    ids=["twice", "NaN", "negative", "empty", "no rows"],
)
def test_malformed_gwp_set_is_refused(body: str, says: str) -> None:
    """A set has one finite potential per gas."""
    with pytest.raises(FactorError, match=says):
        GwpSet.parse("ar9", f"gas,gwp100,source,source_ref\n{body}".encode())


def test_rows_are_found_by_what_an_activity_row_must_equal() -> None:
    """The index holds every row once, under its key, and does not make two equal releases unequal."""
    rows = [{}, {"gas": "CH4"}, {"region": "US/CAMX"}]
    made = release(rows)
    assert {key: [row.line for row in found] for key, found in made.by_key.items()} == {
        ("electricity.delivered", "US/MROW", "megawatt_hour"): [2, 3],
        ("electricity.delivered", "US/CAMX", "megawatt_hour"): [4],
    }
    assert made == release(rows)
    assert pickle.loads(pickle.dumps(made)).by_key == made.by_key
