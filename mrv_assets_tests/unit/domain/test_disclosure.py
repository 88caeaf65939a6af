from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from mrv_assets.domain.contract import AGGREGATED, NORMALIZED, Shape, saying
from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.disclosure import Disclosed, verify_disclosed, withhold
from mrv_assets.domain.errors import ContractError, DigestMismatch
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.parquet import read_parquet, to_parquet
from mrv_assets_tests.builders import good_case

TABLE = good_case(Asset.NORMALIZED).staged.table
SEALED = NORMALIZED.digest(TABLE)
DISCLOSED = withhold(TABLE, NORMALIZED, ["geometry"])
SHOWN = DISCLOSED.shown_of(TABLE)


def test_what_is_shown_is_the_rest_of_the_table() -> None:
    """Without the withheld column, with everything else, and proven to be part of the sealed table."""
    assert SHOWN.equals(TABLE.drop_columns(["geometry"]))
    assert SHOWN.schema.metadata == TABLE.schema.metadata
    verify_disclosed(SHOWN, DISCLOSED, content_digest=SEALED, where="under test")


def test_the_shown_file_has_no_word_of_the_geometry() -> None:
    """It still says its CRS, which is part of the digest; GeoParquet metadata may tell the extent of the footprints."""
    assert b"geometry_types" in to_parquet(TABLE)
    data = to_parquet(DISCLOSED.shown_of(TABLE.replace_schema_metadata({**TABLE.schema.metadata, "geo": "{}"})))
    assert b"geometry" not in data
    shown = read_parquet(data)
    assert shown.schema.metadata[b"mrv.crs"] == b"EPSG:6933"
    verify_disclosed(shown, DISCLOSED, content_digest=SEALED, where="under test")


def test_a_disclosure_reads_back_as_it_was_written() -> None:
    """Reading and writing gives the same bytes."""
    data = canonical_json(DISCLOSED.to_json())
    read = Disclosed.from_json(json.loads(data), where="under test")
    assert (read, canonical_json(read.to_json())) == (DISCLOSED, data)


@pytest.mark.parametrize(
    ("contract", "asset", "columns", "message"),
    [
        pytest.param(NORMALIZED, Asset.NORMALIZED, ["row_id"], "key that are withheld.*found 'row_id'", id="the key"),
        pytest.param(
            AGGREGATED, Asset.AGGREGATED, ["region"], "key that are withheld.*found 'region'", id="part of it"
        ),
        pytest.param(NORMALIZED, Asset.NORMALIZED, ["geom"], "does not have.*found 'geom'", id="no such column"),
    ],
)
def test_what_cannot_be_withheld_is_refused(contract: Shape, asset: Asset, columns: list[str], message: str) -> None:
    """Rows are told apart and ordered by their key, and a misspelled column would be shown."""
    with pytest.raises(ContractError, match=message):
        withhold(good_case(asset).staged.table, contract, columns)


def edited(edit: Callable[[dict[str, Any]], object]) -> Any:
    """Return the document after an edit."""
    document = json.loads(canonical_json(DISCLOSED.to_json()))
    edit(document)
    return document


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(None, id="null"),
        pytest.param([], id="a list"),
        pytest.param({}, id="nothing"),
        pytest.param(edited(lambda d: d.update(schema="mrv-disclosed-2")), id="other schema"),
        pytest.param(edited(lambda d: d.update(note="x")), id="a member more"),
        pytest.param(edited(lambda d: d.pop("about")), id="a member less"),
        pytest.param(edited(lambda d: d.update(rows=True)), id="a row count that is none"),
        pytest.param(edited(lambda d: d.update(rows=1.5)), id="half a row"),
        pytest.param(edited(lambda d: d.update(key="row_id")), id="text for the key"),
        pytest.param(edited(lambda d: d["about"].update(crs=1)), id="a number for text"),
        pytest.param(edited(lambda d: d.update(about=[])), id="a list for what it says"),
        pytest.param(edited(lambda d: d["columns"][0].update(name=None)), id="no name"),
        pytest.param(edited(lambda d: d["columns"][0].update(salt="x")), id="a member more of a column"),
        pytest.param(edited(lambda d: d["columns"].append(d["columns"][0])), id="a column twice"),
        pytest.param(edited(lambda d: d["withheld"].append("row_id")), id="the key withheld"),
        pytest.param(edited(lambda d: d["withheld"].append("geometry")), id="withheld twice"),
        pytest.param(edited(lambda d: d["withheld"].append({})), id="withheld, no name"),
    ],
)
def test_a_document_that_is_no_disclosure_is_refused(document: Any) -> None:
    """Nothing is read into it that it does not say."""
    with pytest.raises(ContractError, match=r"disclosure cannot be read \[kit\.json\]"):
        Disclosed.from_json(document, where="kit.json")


AREA = pa.array([0.0] * SHOWN.num_rows)
_AREA_AT = SHOWN.column_names.index("area_ha")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        pytest.param(SHOWN.set_column(_AREA_AT, "area_ha", AREA), r"column area_ha \(values\) is not", id="a value"),
        pytest.param(
            SHOWN.set_column(_AREA_AT, "area_ha", pa.nulls(SHOWN.num_rows, pa.float64())),
            r"column area_ha \(present\) is not",
            id="nulls",
        ),
        pytest.param(
            SHOWN.set_column(_AREA_AT, "area_ha", AREA.cast(pa.int64())),
            r"area_ha \(type\) is not .*expected double; found int64",
            id="a type",
        ),
        pytest.param(
            SHOWN.set_column(_AREA_AT, "area_ha", AREA.cast(pa.float32())),
            r"column area_ha \(type\) is not .*found float",
            id="a type that no digest has",
        ),
        pytest.param(SHOWN.rename_columns({"area_ha": "area"}), "columns of the table is not .*'area'", id="a name"),
        pytest.param(SHOWN.drop_columns(["area_ha"]), "columns of the table is not", id="a column less"),
        pytest.param(TABLE, "columns of the table is not .*'geometry'", id="a column that is said to be withheld"),
        pytest.param(SHOWN.slice(1), "number of rows is not", id="a row less"),
        pytest.param(
            pa.concat_tables([SHOWN.slice(1), SHOWN.slice(0, 1)]), r"column row_id \(.*\) is not", id="the order"
        ),
        pytest.param(saying(SHOWN, {"crs": "EPSG:4326"}), "table says of itself is not .*EPSG:4326", id="the CRS"),
    ],
)
def test_another_table_is_named_where_it_differs(table: pa.Table, message: str) -> None:
    """The summaries of the shown columns travel too, so the first that differs is named, and how it does."""
    with pytest.raises(DigestMismatch, match=message) as refused:
        verify_disclosed(table, DISCLOSED, content_digest=SEALED, where="kit/normalized")
    assert refused.value.where == "kit/normalized"


def test_a_summary_that_was_changed_with_its_column_is_noticed() -> None:
    """Somebody who changes both is betrayed by the sealed digest."""
    other = TABLE.set_column(TABLE.column_names.index("area_ha"), "area_ha", AREA)
    disclosed = withhold(other, NORMALIZED, ["geometry"])
    forged = replace(DISCLOSED, summary=replace(DISCLOSED.summary, columns=disclosed.summary.columns))
    with pytest.raises(DigestMismatch, match=f"with what it leaves out is not .*expected content {SEALED}"):
        verify_disclosed(disclosed.shown_of(other), forged, content_digest=SEALED, where="under test")
