from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import DigestMismatch, FactorError
from mrv_assets.domain.factor_chains import CHAINS, COEFFICIENTS
from mrv_assets.domain.factor_diff import differences
from mrv_assets.domain.factor_spans import spans_of
from mrv_assets.domain.factors import FactorRelease, Flux
from mrv_assets.domain.partition import Period
from mrv_assets_tests.builders import FACTORS, KEY, release
from mrv_assets_tests.chains import ALL_OF_THEM, FOREST, chained, chained_files, chains_csv, coefficient, parsed

YEAR = Period.parse("2021")


def factor_of(made: FactorRelease) -> Decimal:
    """Return the combined factor of a cubic metre of stem wood grown in 2021."""
    factor = made.combined(activity_id="forest.growth", region="US/MROW", unit="meter ** 3", epoch=YEAR)
    assert factor is not None
    assert factor.flux is Flux.REMOVAL
    return factor.ef_value


def but(name: str, /, **cells: str) -> Sequence[Mapping[str, str]]:
    """Return the coefficients of the forest, one of them changed."""
    return [{**row, **cells} if row["name"] == name else row for row in FOREST]


def test_factor_is_the_product_of_its_coefficients_rounded_once() -> None:
    """44/12 has no last decimal, so the product is kept as a fraction and rounded at the end, half to even."""
    assert factor_of(chained()) == Decimal("1.2063333333333333333333333333")
    # 300 times the rounded factor of 1 t/m3 would be 904.7500000000000000000000001.
    assert factor_of(chained(coefficients=but("wood-density", value="300"))) == Decimal("904.75")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("0.00000000000000000000000000005", "0E-28", id="half, to the even one below"),
        pytest.param("0.00000000000000000000000000015", "2E-28", id="half, to the even one above"),
        pytest.param("1/3", "0.3333333333333333333333333333", id="a third"),
        pytest.param("2/3", "0.6666666666666666666666666667", id="two thirds"),
        pytest.param("0", "0E-28", id="0"),
    ],
)
def test_the_one_rounding_is_half_to_even(value: str, expected: str) -> None:
    """To the 28 decimals that the contract holds."""
    made = chained([{"chain": "c"}], [coefficient("c", value, "t of CO2", "m3")])
    assert str(factor_of(made)) == expected


def test_mass_unit_and_potential_are_part_of_the_product() -> None:
    """A chain in kilograms of CH4 counts as one in tonnes, by the potential of the pinned set."""
    chain = [coefficient("burnt", "1/3", "kg of CH4", "m3")]
    made = chained([{"gas": "CH4", "chain": "burnt", "numerator_unit": "kg"}], chain)
    assert factor_of(made) == Decimal("0.0093")


def test_chain_and_plain_gas_combine_exactly() -> None:
    """A third by a chain and two plain tenths are rounded once, together."""
    plain = {"activity_id": "forest.growth", "denominator_unit": "m3", "flux": "removal", "numerator_unit": "t"}
    made = chained(
        [{"chain": "c"}],
        [coefficient("c", "1/3", "t of CO2", "m3")],
        factors=[{**plain, "gas": "CH4", "ef_value": "0.2"}],
    )
    assert factor_of(made) == Decimal("5.9133333333333333333333333333")
    (span,) = next(iter(spans_of(made).values()))
    assert (span.co2e, [gas.gas for gas in span.gases]) == (factor_of(made), ["CH4", "CO2"])


def test_a_row_keeps_its_coefficients_with_what_each_source_states() -> None:
    """The uncertainty of a chain is that of its links; the sources of all of them are named, in their order."""
    (row,) = chained().rows
    assert [link.name for link in row.chain] == ALL_OF_THEM.split(" * ")
    assert row.uncertainty is None
    stated = [link.uncertainty for link in row.chain]
    assert stated[0] is not None
    assert stated[0].rel_uncertainty == Decimal("0.1")
    assert stated[1:] == [None] * 4
    assert row.source.startswith("IPCC 2006 volume 4; IPCC wood-density; IPCC biomass-expansion; ")
    assert pickle.loads(pickle.dumps(row)) == row


def test_chain_behaves_like_the_number_that_it_comes_to() -> None:
    """Spans and differences see no change between a chain and a plain factor of the same value."""
    chain = chained(coefficients=but("wood-density", value="0.3"))
    plain = release(
        [
            {
                "activity_id": "forest.growth",
                "denominator_unit": "m3",
                "flux": "removal",
                "ef_value": "0.90475",
                "numerator_unit": "t",
            }
        ]
    )
    assert [factor.key.activity_id for factor in differences(chain, plain).unchanged] == ["forest.growth"]
    (changed,) = differences(plain, chained(coefficients=but("wood-density", value="0.33"))).changed
    assert changed.steps[0].change == Fraction(1, 10)


def test_change_of_a_coefficient_is_a_change_of_the_factor() -> None:
    """Both without a last decimal; the difference is taken of what the platform would multiply with."""
    (changed,) = differences(chained(), chained(coefficients=but("wood-density", value="0.5"))).changed
    (step,) = changed.steps
    assert step.change is not None
    assert abs(step.change - Fraction(1, 4)) < Fraction(1, 10**27)


@pytest.mark.parametrize(
    ("after", "moved"),
    [
        pytest.param(
            chained(coefficients=but("wood-density", value="0.5")),
            [("wood-density", Fraction(2, 5), Fraction(1, 2))],
            id="another value",
        ),
        pytest.param(
            chained(
                [{"chain": ALL_OF_THEM.replace(" * one-plus-root-shoot", "")}],
                coefficients=but("biomass-expansion", numerator_unit="t of biomass"),
            ),
            [("biomass-expansion", Fraction(7, 5), Fraction(7, 5)), ("one-plus-root-shoot", Fraction(5, 4), None)],
            id="one less, and the unit of another",
        ),
        pytest.param(chained(factors=[{}]), [], id="none"),
    ],
)
def test_difference_names_the_coefficients_that_moved_a_chain(
    after: FactorRelease, moved: list[tuple[str, Fraction, Fraction | None]]
) -> None:
    """In the order of the chain, with both values; also those that only one of the chains has."""
    found = [
        (one.name, one.before and one.before.value, one.after and one.after.value)
        for factor in differences(chained(), after).changed
        for step in factor.steps
        for gas in step.gases
        for one in gas.coefficients
    ]
    assert found == moved


def test_difference_between_a_chain_and_a_number_names_no_coefficient() -> None:
    """There is nothing to compare a coefficient with."""
    plain = release([{"activity_id": "forest.growth", "denominator_unit": "m3", "flux": "removal", "ef_value": "1"}])
    (changed,) = differences(chained(), plain).changed
    assert [gas.coefficients for gas in changed.steps[0].gases] == [()]


def test_release_without_chains_has_the_digest_it_always_had() -> None:
    """It is of version, description, factors and GWP set; the two other files are in it by the description alone."""
    assert release().digest == "8a8656a7e780544d7c97c36f8de30e5ceca4684551a2f9229f9f3b6132e96adc"
    digests = {
        made.digest
        for made in (chained(), chained([{"region": "US/CAMX"}]), chained(coefficients=but("wood-density", value="1")))
    }
    assert len(digests) == 3


@pytest.mark.parametrize(
    ("chain", "says"),
    [
        pytest.param("", "chain names no coefficient.*found ''", id="empty"),
        pytest.param("wood-density*carbon-fraction", r"joined by ' \* '.*found 'wood-density\*carbon", id="no blanks"),
        pytest.param("wood-density * carbon", "found 'carbon'", id="unknown"),
        pytest.param("wood-density * 44/12", "found '44/12'", id="a number"),
        pytest.param("carbon-to-co2 * carbon-to-co2", "chain multiplies twice", id="twice"),
        pytest.param(
            "wood-density * carbon-fraction * carbon-to-co2",
            "carbon-fraction per metric_ton of stems, which wood-density ends in; found wood-density in metric_ton of "
            "stems per meter .. 3 of stem wood, then carbon-fraction in metric_ton of C per metric_ton of biomass",
            id="expansion left out",
        ),
        pytest.param(
            ALL_OF_THEM.replace(" * carbon-to-co2", ""),
            "does not end in the mass of the gas.*carbon-fraction in metric_ton of CO2; found .* metric_ton of C",
            id="carbon for CO2",
        ),
        pytest.param(
            "carbon-fraction * carbon-to-co2",
            "does not begin with the unit of the activity.*per meter .. 3; found carbon-fraction per metric_ton of bio",
            id="biomass for wood",
        ),
        pytest.param("carbon-to-co2 * carbon-fraction", "units along the chain do not cancel", id="order"),
    ],
)
def test_chain_that_does_not_hang_together_is_refused_with_its_line(chain: str, says: str) -> None:
    """Names are known, each once, and units lead from the activity to the gas."""
    with pytest.raises(FactorError, match=says) as caught:
        chained([{}, {"region": "US/CAMX", "chain": chain}])
    assert "chains.csv line 3" in caught.value.where


@pytest.mark.parametrize(
    ("change", "says"),
    [
        pytest.param({"numerator_unit": "kg"}, "in kilogram of CO2; found .* metric_ton of CO2", id="other mass"),
        pytest.param({"gas": "CH4"}, "in metric_ton of CH4; found .* metric_ton of CO2", id="other gas"),
        pytest.param(
            {"denominator_unit": "km3"}, "per kilometer .. 3; found wood-density per meter", id="other volume"
        ),
        pytest.param({"flux": "storage"}, "emission or removal", id="what holds of every factor"),
    ],
)
def test_row_that_is_not_what_its_chain_comes_to_is_refused(change: Mapping[str, str], says: str) -> None:
    """Nothing is converted to make the ends fit."""
    with pytest.raises(FactorError, match=says) as caught:
        chained([change])
    assert "chains.csv line 2" in caught.value.where


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        pytest.param({"value": "44 / 12"}, "coefficient is no number.*such as 44/12", id="blanks"),
        pytest.param({"value": "44/0"}, "coefficient is no number", id="by 0"),
        pytest.param({"value": "44/12.01"}, "coefficient is no number", id="fraction of decimals"),
        pytest.param({"value": "-0.4"}, "of 0 or more", id="negative"),
        pytest.param({"value": "1e9"}, "coefficient is no number", id="exponent"),
        pytest.param({"value": "NaN"}, "coefficient is no number", id="NaN"),
        pytest.param({"value": "0,4"}, "coefficient is no number", id="comma"),
        pytest.param({"value": "9" * 41}, "coefficient is no number", id="41 digits"),
        pytest.param({"value": ""}, "coefficient is no number", id="nothing"),
        pytest.param({"name": "1+R * 2"}, "no name that a chain can hold", id="name with a product"),
        pytest.param({"name": "wood-density"}, "appears twice.*coefficients.csv lines 4 and 5", id="name twice"),
        pytest.param({"numerator_unit": "ton of shoots"}, "unit is refused.*t .metric.*unit 'ton'", id="ambiguous ton"),
        pytest.param({"numerator_unit": " of shoots"}, "unit is refused", id="no unit"),
        pytest.param({"source": " "}, "expected a source", id="no source"),
        pytest.param({"source_ref": ""}, "expected a source_ref", id="no reference"),
        pytest.param({"distribution": "normal"}, "uncertainty is stated in part", id="uncertainty in part"),
    ],
)
def test_malformed_coefficient_is_refused_with_its_line(cells: Mapping[str, str], says: str) -> None:
    """A coefficient is one positive number with units, a name and a source."""
    rows = but("biomass-expansion", **cells)
    if "," in cells.get("value", ""):
        rows = but("biomass-expansion", value='"0,4"')
    with pytest.raises(FactorError, match=says) as caught:
        chained(coefficients=rows)
    assert "coefficients.csv line" in caught.value.where
    assert " 5" in caught.value.where


def test_chain_and_factor_for_one_row_are_refused_by_their_places() -> None:
    """A chain is a factor like any other: the two would count the gas twice."""
    plain = {"activity_id": "forest.growth", "denominator_unit": "m3", "flux": "removal"}
    with pytest.raises(FactorError, match=r"two factors could apply.*line 2 and chains\.csv line 2"):
        chained(factors=[plain])
    with pytest.raises(FactorError, match=r"two factors could apply.*chains\.csv line 2 and chains\.csv line 3"):
        chained([{}, {}])
    assert len(chained(factors=FACTORS).rows) == 4


def test_chain_that_ends_within_the_epoch_is_named() -> None:
    """As a plain factor is, by its file."""
    plain = {"activity_id": "forest.growth", "denominator_unit": "m3", "flux": "removal", "gas": "CH4"}
    made = chained([{"valid_to": "2021-06-30"}], factors=[plain])
    with pytest.raises(FactorError, match=r"chains\.csv line 2.*as line 2 does"):
        factor_of(made)


@pytest.mark.parametrize("name", [CHAINS, COEFFICIENTS])
def test_changed_file_is_tampering(name: str) -> None:
    """Both files are pinned by the description as the factors are."""
    files = chained_files()
    with pytest.raises(DigestMismatch, match=f"a released factor file was changed.*{name}"):
        parsed({**files, name: files[name].replace(b"2", b"3")})


@pytest.mark.parametrize("name", [CHAINS, COEFFICIENTS])
def test_files_are_those_that_the_description_pins(name: str) -> None:
    """A file that is missing, and one that stands beside a release that does not pin it, are refused."""
    files = chained_files()
    with pytest.raises(FactorError, match=f"not those that it pins.*expected .*{name}"):
        parsed({key: data for key, data in files.items() if key != name})
    plain = {key: data for key, data in files.items() if key not in (CHAINS, COEFFICIENTS)}
    half = b"".join(line for line in files["release.toml"].splitlines(True) if b"sha256" not in line[:20])
    with pytest.raises(FactorError, match=r"release description is incomplete.*expected (sha256|chains_sha256)"):
        parsed({**plain, "release.toml": half + f'{name.removesuffix(".csv")}_sha256 = "x"\n'.encode()})
    unpinned = release_files_without_chains()
    with pytest.raises(FactorError, match=f"not those that it pins.*found factors.csv, {name}"):
        parsed({**unpinned, name: files[name]})


def release_files_without_chains() -> dict[str, bytes]:
    """Return the two files of a release of plain factors."""
    files = chained_files(factors=FACTORS)
    head = b"".join(line for line in files["release.toml"].splitlines(True) if b"s_sha256" not in line)
    return {"release.toml": head, "factors.csv": files["factors.csv"]}


def test_release_of_chains_needs_no_plain_factor() -> None:
    """Its `factors.csv` has the header alone, which no other release may have."""
    assert [row.line for row in chained().rows] == [2]
    head = release_files_without_chains()
    assert parsed(head, version=KEY.factor_version).rows


def test_columns_of_a_chain_are_those_of_a_factor() -> None:
    """But for value and uncertainty, which are those of the coefficients."""
    header = chains_csv().splitlines()[0]
    files = chained_files()
    assert header.startswith(b"activity_id,region,gas,flux,chain,numerator_unit,denominator_unit,basis,valid_from")
    other = files[CHAINS].replace(b"chain,", b"ef_value,", 1)
    pinned = files["release.toml"].replace(_sha(files[CHAINS]), _sha(other))
    with pytest.raises(FactorError, match=r"header is not the declared one.*chains\.csv"):
        parsed({**files, CHAINS: other, "release.toml": pinned})


def _sha(data: bytes) -> bytes:
    return sha256_hex(data).encode()


def test_regions_are_pinned_like_the_other_files() -> None:
    """With or without chains; they are kept as they are, and the description alone brings them into the digest."""
    for files in (release_files_without_chains(), chained_files()):
        head = files["release.toml"] + f'regions_sha256 = "{_sha(b"PAR1").decode()}"\n'.encode()
        made = parsed({**files, "release.toml": head, "regions.parquet": b"PAR1"})
        assert made.regions == b"PAR1"
        assert made.digest != parsed(files).digest
        assert parsed(files).regions is None
        with pytest.raises(DigestMismatch, match=r"a released factor file was changed.*regions\.parquet"):
            parsed({**files, "release.toml": head, "regions.parquet": b"PAR2"})
        with pytest.raises(FactorError, match=r"not those that it pins.*found factors.*regions\.parquet"):
            parsed({**files, "regions.parquet": b"PAR1"})
