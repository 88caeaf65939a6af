from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from mrv_assets.domain.contract import (
    ACTIVITY,
    AGGREGATED,
    CONTRACTS,
    FACTORED,
    QUARANTINE,
    Contract,
    about,
    handed_on,
    saying,
)
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case

STRATA = saying(good_case(Asset.AGGREGATED).staged.table, {})


def with_column(name: str, values: pa.Array) -> pa.Table:
    """Return the good strata with one column exchanged."""
    return STRATA.set_column(STRATA.column_names.index(name), name, values)


def test_table_comes_out_in_contract_order_sorted_by_its_key() -> None:
    """Column order, row order and text encodings of the input do not matter."""
    mixed = STRATA.select(list(reversed(STRATA.column_names))).take([2, 0, 1])
    mixed = mixed.set_column(0, mixed.column_names[0], mixed.column(0))
    dictionary = mixed.set_column(
        mixed.column_names.index("region"), "region", mixed.column("region").dictionary_encode()
    )
    assert AGGREGATED.conform(dictionary, where="here").equals(STRATA)


@pytest.mark.parametrize(
    ("table", "says"),
    [
        (STRATA.drop_columns(["rows"]), r"missing \['rows'\], unknown none"),
        (STRATA.append_column("note", pa.array(["x"] * 3)), r"missing none, unknown \['note'\]"),
        (STRATA.append_column("rows", pa.array([1, 1, 1])), "missing none, unknown none"),
        (with_column("rows", pa.array([0.5, 1.0, 1.0])), "column rows.*truncated"),
        (with_column("rows", pa.array(["x", "1", "1"])), "column rows.*expected int64"),
        (with_column("emissions_tco2e", pa.array(["1.2345678901"] * 3)), "column emissions_tco2e"),
        (
            with_column("emissions_tco2e", pa.array([Decimal("0.0000000001")] * 3, pa.decimal128(38, 10))),
            "column emissions_tco2e.*decimal128",
        ),
        (with_column("emissions_tco2e", pa.array([Decimal(10) ** 30] * 3, pa.decimal256(50, 0))), "emissions_tco2e"),
    ],
    ids=[
        "column missing",
        "column unknown",
        "column twice",
        "half a row",
        "text for a number",
        "decimal text with too many decimals",
        "tenth decimal",
        "wider than 38 digits",
    ],
)
def test_table_that_does_not_fit_without_loss_is_refused(table: pa.Table, says: str) -> None:
    """Nothing is dropped, truncated or rounded into a contract."""
    with pytest.raises(ContractError, match=rf"here.*{says}"):
        AGGREGATED.conform(table, where="here")


def test_large_decimals_keep_all_their_digits() -> None:
    """A tonnage with 38 digits and a factor with 28 decimals go in and out unchanged."""
    widest = Decimal("9" * 29 + "." + "9" * 9)
    conformed = AGGREGATED.conform(
        with_column("emissions_tco2e", pa.array([widest] * 3, pa.decimal128(38, 9))), where="here"
    )
    assert conformed.column("emissions_tco2e").to_pylist() == [widest] * 3
    finest = Decimal("0." + "0" * 27 + "1")
    assert pa.array([finest], FACTORED.schema.field("ef_value").type).to_pylist() == [finest]


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda contract: str(contract.asset))
def test_contract_describes_itself_in_full(contract: Contract) -> None:
    """Every column has a meaning, the key is made of columns, and the version names the asset."""
    names = [column.name for column in contract.columns]
    assert len(set(names)) == len(names)
    assert set(contract.key) <= set(names)
    assert all(column.meaning for column in contract.columns)
    assert contract.version.startswith(f"mrv-{contract.asset}-")
    assert contract.schema.names == names


def test_what_a_table_says_of_itself_is_kept_by_its_contract() -> None:
    """Conforming sorts rows and casts columns, and what is said of the whole table stays; other metadata goes."""
    mixed = saying(STRATA.select(list(reversed(STRATA.column_names))).take([2, 0, 1]), {"crs": "EPSG:6933"})
    foreign = mixed.replace_schema_metadata({**(mixed.schema.metadata or {}), b"pandas": b"{}"})
    conformed = AGGREGATED.conform(foreign, where="here")
    assert conformed.equals(STRATA)
    assert conformed.schema.metadata == {b"mrv.crs": b"EPSG:6933"}
    assert about(conformed) == {"crs": "EPSG:6933"}


def test_a_table_says_what_it_was_last_told_to_say() -> None:
    """Saying something else forgets what was said before, and saying nothing forgets all."""
    table = saying(saying(STRATA, {"crs": "EPSG:6933", "rows_quarantined": "1"}), {"crs": "EPSG:4326"})
    assert about(table) == {"crs": "EPSG:4326"}
    assert saying(table, {}).schema.metadata is None
    assert about(STRATA) == {}


def test_digest_covers_what_a_table_says_of_itself() -> None:
    """The CRS of footprints and the rows that were set aside are content, foreign metadata is not."""
    digests = {
        AGGREGATED.digest(table)
        for table in (
            STRATA,
            saying(STRATA, {"crs": "EPSG:6933"}),
            saying(STRATA, {"crs": "EPSG:4326"}),
            saying(STRATA, {"quarantine": "0" * 64}),
        )
    }
    assert len(digests) == 4
    assert AGGREGATED.digest(STRATA.replace_schema_metadata({"pandas": "{}"})) == AGGREGATED.digest(STRATA)


def test_the_crs_that_footprints_came_in_is_handed_on() -> None:
    """The first table says it as its own, the second beside its own, and those without footprints by itself."""
    first = saying(STRATA, {"crs": "EPSG:4269", "quarantine": "ab", "rows_quarantined": "1"})
    aside = {"quarantine_before": "ab", "rows_quarantined_before": "1"}
    assert handed_on(first) == {"crs_source": "EPSG:4269", **aside}
    second = saying(STRATA, {**handed_on(first), "crs": "EPSG:6933"})
    third = saying(STRATA, handed_on(second))
    assert about(third) == handed_on(third) == {"crs_source": "EPSG:4269", **aside}
    assert handed_on(STRATA) == {}


def test_digest_of_pieces_is_that_of_the_whole() -> None:
    """A large table is digested as it is read, piece by piece."""
    table = saying(STRATA, {"crs": "EPSG:6933"})
    assert AGGREGATED.digest_of([table.slice(0, 1), table.slice(1)]) == AGGREGATED.digest(table)
    assert AGGREGATED.digest_of([table.slice(0, 0)]) == AGGREGATED.digest(table.slice(0, 0))
    with pytest.raises(ContractError, match="a row out of order"):
        AGGREGATED.digest_of([table.slice(1), table.slice(0, 1)])
    with pytest.raises(ValueError, match="at least one piece"):
        AGGREGATED.digest_of([])


def test_rows_set_aside_have_a_shape_of_their_own() -> None:
    """One row per row set aside, told apart by its number, since its id may be missing or be that of another row."""
    assert QUARANTINE.key == ("row",)
    assert [c.name for c in QUARANTINE.columns if c.nullable] == ["row_id"]
    rows = {"row": [9, 2], "row_id": [None, None], "gate": ["g", "g"], "reason": ["r", "r"], "given": ["x", "y"]}
    conformed = QUARANTINE.conform(pa.table(rows), where="here")
    assert conformed.column("row").to_pylist() == [2, 9]
    assert QUARANTINE.digest(conformed) == QUARANTINE.digest(conformed.take([1, 0]))


def test_rows_that_share_a_key_conform_in_the_order_of_their_keys() -> None:
    """They stay, for the gate that names them."""
    doubled = pa.concat_tables([good_case(Asset.ACTIVITY).staged.table] * 2)
    ids = ACTIVITY.conform(doubled, where="here").column("row_id").to_pylist()
    assert ids == ["a-2021", "a-2021", "b-2021", "b-2021", "c-2021", "c-2021"]
