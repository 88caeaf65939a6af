from __future__ import annotations

import itertools
import struct
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from mrv_assets.domain.digest import (
    ContentHasher,
    Json,
    canonical_json,
    content_digest,
    sealed_document,
    self_sealed_json,
    sha256_hex,
)
from mrv_assets.domain.errors import ContractError


def table(**columns: pa.Array) -> pa.Table:
    """Return a table keyed by `k`."""
    return pa.table({"k": pa.array(["a", "b"]), **columns})


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": 1, "a": [True, None, "x"]}, b'{"a":[true,null,"x"],"b":1}'),
        ("é", '"é"'.encode()),
        (10**30, b"1" + b"0" * 30),
        ([], b"[]"),
    ],
)
def test_json_has_one_spelling(value: Json, text: bytes) -> None:
    """Keys are sorted, nothing is padded, text is UTF-8, integers have all their digits."""
    assert canonical_json(value) == text


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (1.5, r"\$"),
        ({"a": [0, 0.1]}, r"\$\.a\[1\]"),
        ([float("nan")], r"\$\[0\]"),
        ({"d": Decimal(1)}, r"\$\.d"),
        ([b"x"], r"\$\[0\]"),
        ([date(2024, 1, 1)], r"\$\[0\]"),
    ],
    ids=["float", "nested float", "NaN", "Decimal", "bytes", "date"],
)
def test_what_has_no_one_spelling_is_refused_by_path(value: Json, path: str) -> None:
    """Floats and foreign types are refused where they stand; numbers travel as decimal text."""
    with pytest.raises(ContractError, match=rf"cannot hold this value \[{path}\]"):
        canonical_json(value)


def test_rows_that_share_a_key_have_no_digest() -> None:
    """Their order would decide the digest, so they are refused."""
    with pytest.raises(ContractError, match="expected 2 distinct keys; found 1 distinct keys"):
        content_digest(pa.table({"k": ["a", "a"]}), key=["k"])


@pytest.mark.parametrize(
    "type_",
    [pa.float32(), pa.uint8(), pa.timestamp("us"), pa.list_(pa.string()), pa.decimal256(50, 9), pa.date64()],
    ids=str,
)
def test_type_without_a_canonical_form_is_refused(type_: pa.DataType) -> None:
    """Only the types of the contracts have a digest."""
    with pytest.raises(ContractError, match="column type has no canonical form"):
        content_digest(table(v=pa.nulls(2, type_)), key=["k"])


@pytest.mark.parametrize(
    ("blank", "type_"),
    [
        ("", pa.string()),
        (b"", pa.binary()),
        (False, pa.bool_()),
        (0, pa.int8()),
        (0.0, pa.float64()),
        (date(1970, 1, 1), pa.date32()),
        (Decimal(0), pa.decimal128(38, 9)),
    ],
    ids=["text", "binary", "boolean", "integer", "float", "date", "decimal"],
)
def test_null_is_a_value_of_its_own_in_every_type(blank: object, type_: pa.DataType) -> None:
    """Null differs from the blank that stands in its buffer."""
    digests = {content_digest(table(v=pa.array([value, blank], type_)), key=["k"]) for value in (None, blank)}
    assert len(digests) == 2


def test_digest_is_stable_across_releases() -> None:
    """The digest of one small table is fixed: a change of it is a change of every stored record."""
    fixed = table(v=pa.array([0.5, None]), d=pa.array([Decimal("1.5"), Decimal(2)], pa.decimal128(38, 9)))
    assert content_digest(fixed, key=["k"]) == "75c9e6eeccff221057e46637f01d6652e3a45d3b0eeba0be056d4d458ffdde42"


def doubles(*bits: int) -> pa.Array:
    """Return float64 values of these bits."""
    return pa.Array.from_buffers(pa.float64(), len(bits), [None, pa.py_buffer(struct.pack(f"<{len(bits)}Q", *bits))])


_NEGATIVE_ZERO, _INFINITY = 0x8000000000000000, 0x7FF0000000000000
_NANS = (0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8DEAD0000BEEF, 0x7FF0000000000001)  # also one that signals
_BINARIES = [b"", b"longer than twelve bytes", None, b"\xff\xfe", b"\0", b"b"]
_DATES = [date(1970, 1, 1), date(1, 1, 1), None, date(9999, 12, 31), date(2024, 2, 29), date(1969, 12, 31)]
_LARGE = Decimal("12345678901234567890123456789.123456789")
EVERY_TYPE = pa.table(
    {
        "k": pa.array(["a", "b", "c", "d", "e", "f"]),
        "text": pa.array(["", "\u00e9", None, "a\0b", "\U0001f333", ""]),
        "large_text": pa.array(["x", None, "y" * 100, "", "z", "zz"], pa.large_string()),
        "text_view": pa.array(["short", "longer than twelve bytes", None, "", "x", "y"], pa.string_view()),
        "binary": pa.array(_BINARIES),
        "large_binary": pa.array(_BINARIES, pa.large_binary()),
        "binary_view": pa.array(_BINARIES, pa.binary_view()),
        "code": pa.array(["emission", None, "removal", "emission", "", ""]).dictionary_encode(),
        "flag": pa.array([True, False, None, True, True, False]),
        "int8": pa.array([-128, 127, None, 0, 1, 2], pa.int8()),
        "int64": pa.array([-(2**63), 2**63 - 1, None, 0, 1, 2], pa.int64()),
        "bits": doubles(_NEGATIVE_ZERO, *_NANS, _INFINITY),
        "number": pa.array([None, float("nan"), -0.0, 5e-324, -1.5, float("-inf")]),
        "day": pa.array(_DATES),
        "cents": pa.array([Decimal("-0.01"), Decimal("1.23"), None, *map(Decimal, range(3))], pa.decimal128(5, 2)),
        "tonnes": pa.array([_LARGE, Decimal(-1), None, *map(Decimal, range(3))], pa.decimal128(38, 9)),
    }
)


@pytest.mark.parametrize(
    "laid_out",
    [
        pytest.param(EVERY_TYPE, id="as built"),
        pytest.param(pa.concat_tables([EVERY_TYPE, EVERY_TYPE]).slice(6), id="a slice of a longer table"),
        pytest.param(pa.concat_tables([EVERY_TYPE, EVERY_TYPE]).combine_chunks().slice(6), id="a slice of a chunk"),
        pytest.param(pa.concat_tables([EVERY_TYPE.slice(row, 1) for row in range(6)]), id="a chunk for each row"),
        pytest.param(pa.concat_tables([EVERY_TYPE.slice(0, 0), EVERY_TYPE]), id="an empty chunk"),
        pytest.param(pa.concat_tables([EVERY_TYPE.slice(3), EVERY_TYPE.slice(0, 3)]), id="rows in another order"),
    ],
)
def test_digest_of_every_type_is_stable_across_releases(laid_out: pa.Table) -> None:
    """Fixed, however the table lies in memory: -0.0, NaNs with other bits, nulls in every type, views, dictionaries."""
    found = content_digest(laid_out, key=["k"], about={"crs": "EPSG:6933"})
    assert found == "2c1c585f4a256c93cdba878b82bf1324582749fb242fd6fe3000cbfa4ce2cd8a"


def test_what_a_table_says_of_itself_is_part_of_its_content() -> None:
    """The same rows in another CRS are another content, and so are rows that say nothing."""
    rows = table(v=pa.array([1.0, 2.0]))
    about: list[dict[str, str]] = [{}, {"crs": "EPSG:4269"}, {"crs": "EPSG:4326"}, {"CRS": "EPSG:4269"}]
    assert len({content_digest(rows, key=["k"], about=said) for said in about}) == 4


def test_content_that_arrives_in_pieces_has_the_digest_of_the_whole() -> None:
    """Pieces may be cut anywhere, empty ones included."""
    whole = pa.table({"k": ["a", "b", "c"], "n": pa.array(["", None, "x"])})
    for cuts in ([0, 3], [0, 1, 2, 3], [0, 0, 2, 2, 3, 3]):
        hasher = ContentHasher(whole.schema, key=["k"], about={"crs": "EPSG:4326"})
        for start, end in itertools.pairwise(cuts):
            hasher.update(whole.slice(start, end - start))
        assert hasher.hexdigest() == content_digest(whole, key=["k"], about={"crs": "EPSG:4326"})


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param([["b", "a"]], id="within a piece"),
        pytest.param([["a", "b"], ["a"]], id="from piece to piece"),
        pytest.param([["a"], [], ["a"]], id="the same again, after an empty piece"),
        pytest.param([["a"], [None]], id="null"),
    ],
)
def test_pieces_out_of_order_have_no_digest(keys: list[list[str | None]]) -> None:
    """A key that does not rise is refused: the digest would depend on the order of the pieces."""
    schema = pa.schema({"k": pa.string()})
    hasher = ContentHasher(schema, key=["k"], about={})
    pieces = [pa.table({"k": pa.array(piece, pa.string())}) for piece in keys]
    for piece in pieces[:-1]:
        hasher.update(piece)
    with pytest.raises(ContractError, match="expected rows in strictly rising order; found a row out of order"):
        hasher.update(pieces[-1])


def test_no_rows_of_two_schemas_differ() -> None:
    """An empty table still says which columns it has."""
    empty = [pa.table({name: pa.array([], pa.string())}) for name in ("k", "l")]
    assert content_digest(empty[0], key=["k"]) != content_digest(empty[1], key=["l"])


DOCUMENTS: tuple[dict[str, Json], ...] = (
    {"schema": "s", "text": 'a \u2192 "self_sha256":"x",', "nested": {"list": [1, None, True, ["b"]]}},
    {"a": 1},
    {"z": 1},
    {"self": {"self_sha256": "0" * 64}, "z": ""},
)


@pytest.mark.parametrize("document", DOCUMENTS, ids=range(len(DOCUMENTS)))
def test_a_seal_is_of_the_rest_of_the_document(document: dict[str, Json]) -> None:
    """The sealed bytes are canonical, and hold the sha256 of the canonical bytes without it."""
    data = self_sealed_json(document)
    sealed = {**document, "self_sha256": sha256_hex(canonical_json(document))}
    assert data == canonical_json(sealed)
    if max(document) > "self_sha256":
        assert sealed_document(data) == sealed


@pytest.mark.parametrize(
    "spoil",
    [
        pytest.param(lambda data: data.replace(b'"s"', b'"t"'), id="a value"),
        pytest.param(lambda data: data[:-1], id="cut"),
        pytest.param(lambda data: data + b" ", id="longer"),
        pytest.param(lambda data: data.replace(b"self_sha256", b"self_sha512"), id="no seal"),
        pytest.param(lambda _: b"[]", id="a list"),
        pytest.param(lambda _: b"\xff", id="no text"),
        pytest.param(lambda _: b'{"self_sha256":1,"z":1}', id="a seal that is none"),
    ],
)
def test_a_broken_seal_shows(spoil: Callable[[bytes], bytes]) -> None:
    """Bytes that were not sealed as they are have no document."""
    assert sealed_document(spoil(self_sealed_json(DOCUMENTS[0]))) is None


@pytest.mark.parametrize("value", [{"a": [1.5]}, {"a": {"b": (1, object())}}, {"a": {1, 2}}])
def test_a_value_without_canonical_form_is_named(value: Any) -> None:
    """Wherever it is, sealed or not."""
    for write in (canonical_json, self_sealed_json):
        with pytest.raises(ContractError, match=r"canonical JSON cannot hold this value \[\$\.a"):
            write(value)
