from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mrv_assets.stages.quantities import changed, mixed_marks, quantities

Value = float | None


def of(*cells: object, mark: str = ".", kind: pa.DataType | None = None) -> tuple[list[Value], list[bool]]:
    """Return the quantities of a column and which of them are no number."""
    column = pa.array(cells, pa.string() if kind is None else kind)
    values, is_wrong = quantities(column, decimal_mark=mark)
    assert values.type == pa.float64()
    assert is_wrong.dtype == np.bool_
    return values.to_pylist(), is_wrong.tolist()


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("4437787.2208569858", 4437787.2208569858, id="seventeen digits"),
        pytest.param("0042", 42.0, id="leading zeros"),
        pytest.param("1e-7", 1e-7, id="exponent"),
        pytest.param("1E+05", 1e5, id="spreadsheet exponent"),
        pytest.param("+.5", 0.5, id="no digit before"),
        pytest.param("5.", 5.0, id="no digit after"),
        pytest.param("-5", -5.0, id="negative"),
        pytest.param("9007199254740992", 2.0**53, id="largest whole"),
        pytest.param("9007199254740994", 2.0**53 + 2, id="a whole beyond that is one"),
        pytest.param("1e22", 1e22, id="few digits beyond"),
        pytest.param("1e23", 1e23, id="few digits, nearest"),
        pytest.param("1.152921504606847e+18", 2.0**60, id="as a program prints it"),
        pytest.param("9007199254740991.7", 2.0**53, id="a fraction below, nearest"),
        pytest.param("0.1000000000000000055511151231257827", 0.1, id="a long fraction, nearest"),
        pytest.param("5e-324", 5e-324, id="the least"),
        pytest.param("1.7976931348623157e308", 1.7976931348623157e308, id="the largest"),
        pytest.param("-0.00e5", -0.0, id="a long nought"),
        pytest.param("0e99999999999999999999", 0.0, id="nought of a large exponent"),
        pytest.param("inf", math.inf, id="inf"),
        pytest.param("-Infinity", -math.inf, id="infinity"),
        pytest.param("", None, id="empty"),
        pytest.param("NA", None, id="NA"),
    ],
)
def test_text_becomes_the_nearest_binary64(text: str, value: Value) -> None:
    """A number is read as given; the empty cell and NA are null; infinities pass on to the gate."""
    assert of(text) == ([value], [False])


CHANGED = [
    pytest.param("9007199254740993", id="a whole beyond 2**53"),
    pytest.param("-9007199254740993", id="negative"),
    pytest.param("9007199254740993.0", id="with a nought behind"),
    pytest.param("9.007199254740993e15", id="with an exponent"),
    pytest.param("9007199254740992.5", id="a fraction beyond"),
    pytest.param("1152921504606846976", id="of which a factor would multiply another decimal"),
    pytest.param("1e400", id="too large"),
    pytest.param("-1e400", id="too large, negative"),
    pytest.param("1e99999999999999999999", id="far too large"),
    pytest.param("1e-400", id="too small"),
    pytest.param("0.0001e-400", id="too small, with noughts"),
    pytest.param("-1e-400", id="too small, negative"),
]


@pytest.mark.parametrize("text", CHANGED)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())])
def test_text_that_a_binary64_would_change_is_marked_as_such(text: str, kind: pa.DataType) -> None:
    """A number that is not kept is told from text that is none, with either decimal mark."""
    for mark in ".,":
        cells = pa.array([text.replace(".", mark), "1", "x", None], kind)
        values, is_marked = quantities(cells, decimal_mark=mark)
        assert values.to_pylist() == [None, 1.0, None, None]
        assert is_marked.tolist() == [True, False, True, False]
        assert changed(cells, is_marked, decimal_mark=mark).tolist() == [True, False, False, False]


@pytest.mark.parametrize(
    ("kind", "value", "is_changed"),
    [
        pytest.param(pa.int64(), 2**53 + 1, True, id="whole"),
        pytest.param(pa.decimal128(38, 9), Decimal("12345678901.123456789"), True, id="decimal"),
        pytest.param(pa.bool_(), True, False, id="boolean"),
    ],
)
def test_marked_cells_of_other_types_are_numbers_or_not(kind: pa.DataType, value: object, is_changed: bool) -> None:  # noqa: FBT001
    """A whole number and a decimal are numbers; a truth value is none."""
    cells = pa.array([value, None], kind)
    values, is_marked = quantities(cells, decimal_mark=".")
    assert values.to_pylist() == [None, None]
    assert changed(cells, is_marked, decimal_mark=".").tolist() == [is_changed, False]


@pytest.mark.parametrize("text", ["NaN", "nan", "-nan"])
def test_nan_spelled_out_is_passed_on(text: str) -> None:
    """NaN is no missing value: it stays NaN for the gate to find."""
    (value,), is_wrong = of(text)
    assert value is not None
    assert math.isnan(value)
    assert is_wrong == [False]


@pytest.mark.parametrize(
    "text",
    [
        *("1,5", "1,000", "1.234,5", "1,234.5", "1 000", "1\u00a0000", "1'000", "1_000", "1.2.3", "\u0967\u0968"),
        *(
            " 1",
            "1 ",
            "1\n",
            "\ufeff1",
            "12 MWh",
            "50%",
            "$5",
            "(5)",
            "0x10",
            "--1",
            "+-1",
            "1e",
            "e5",
            "1e5.0",
            ".",
            "-",
        ),
        *("null", "n/a", "na", "#REF!", "infinite"),
    ],
)
def test_text_that_is_no_number_is_marked(text: str) -> None:
    """Separators, units, spaces, the other mark and foreign digits are never cleaned away."""
    assert of(text) == ([None], [True])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("1,5", 1.5, id="comma"),
        pytest.param("-,5e-3", -0.0005, id="exponent"),
        pytest.param("1,234", 1.234, id="three digits behind"),
        pytest.param("15", 15.0, id="whole"),
        pytest.param("", None, id="empty"),
    ],
)
def test_declared_comma_is_the_decimal_mark(text: str, value: Value) -> None:
    """Under a decimal comma a comma stands before the fraction, whatever follows it."""
    assert of(text, mark=",") == ([value], [False])


@pytest.mark.parametrize("text", ["1.5", "1.234", "1.234,5", "1,234,5", "1.234.567"])
def test_point_is_no_number_under_a_declared_comma(text: str) -> None:
    """A point under a decimal comma may be a thousands separator or a slip: it is marked, not guessed."""
    assert of(text, mark=",") == ([None], [True])


def test_every_cell_is_judged_by_itself() -> None:
    """Numbers, missing and wrong cells of one column, null among them, keep their places."""
    assert of("1", None, "x", "", "2.5") == ([1.0, None, None, None, 2.5], [False, False, True, False, False])


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        pytest.param(pa.int64(), 2**53, ([float(2**53)], [False]), id="largest whole"),
        pytest.param(pa.int64(), -(2**53), ([-float(2**53)], [False]), id="smallest whole"),
        pytest.param(pa.int64(), 2**53 + 1, ([None], [True]), id="whole beyond"),
        pytest.param(pa.int64(), -(2**53) - 1, ([None], [True]), id="negative beyond"),
        pytest.param(pa.uint64(), 2**64 - 1, ([None], [True]), id="unsigned beyond"),
        pytest.param(pa.uint64(), 7, ([7.0], [False]), id="unsigned"),
        pytest.param(pa.int8(), -7, ([-7.0], [False]), id="short"),
        pytest.param(pa.int64(), None, ([None], [False]), id="no whole"),
        pytest.param(pa.float64(), 0.1, ([0.1], [False]), id="binary64"),
        pytest.param(pa.float64(), math.inf, ([math.inf], [False]), id="infinite"),
        pytest.param(pa.float32(), 0.5, ([0.5], [False]), id="binary32"),
        pytest.param(pa.decimal128(10, 2), Decimal("0.10"), ([0.1], [False]), id="short decimal"),
        pytest.param(pa.decimal128(38, 9), Decimal("4437787.220856985"), ([4437787.220856985], [False]), id="decimal"),
        pytest.param(pa.decimal128(38, 9), Decimal("12345678901.123456789"), ([None], [True]), id="long decimal"),
        pytest.param(pa.decimal128(38, 0), Decimal(2**53 + 1), ([None], [True]), id="whole decimal beyond"),
        pytest.param(pa.decimal128(38, 9), None, ([None], [False]), id="no decimal"),
        pytest.param(pa.null(), None, ([None], [False]), id="nothing"),
        pytest.param(pa.bool_(), True, ([None], [True]), id="boolean"),
        pytest.param(pa.date32(), 1, ([None], [True]), id="date"),
        pytest.param(pa.date32(), None, ([None], [False]), id="no date"),
        pytest.param(pa.large_string(), "1.5", ([1.5], [False]), id="large text"),
        pytest.param(pa.dictionary(pa.int8(), pa.string()), "1.5", ([1.5], [False]), id="dictionary"),
    ],
)
def test_numbers_are_taken_exactly_or_marked(
    kind: pa.DataType, value: object, expected: tuple[list[Value], list[bool]]
) -> None:
    """A typed number keeps its value to the last digit, or is marked; what is neither text nor number is marked."""
    assert of(value, kind=kind) == expected


def test_column_in_pieces_gives_one_array() -> None:
    """A column of several chunks, or of none, is as good as a column of one."""
    values, is_wrong = quantities(pa.chunked_array([["1"], [], ["x", "3"]], pa.string()), decimal_mark=".")
    assert (values.to_pylist(), is_wrong.tolist()) == ([1.0, None, 3.0], [False, True, False])
    values, is_wrong = quantities(pa.chunked_array([], pa.string()), decimal_mark=".")
    assert (len(values), len(is_wrong)) == (0, 0)


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        pytest.param(["1", "1.5", "2,5"], "'1.5' has a point, '2,5' a comma", id="both"),
        pytest.param(["1,000", "2.5"], "'2.5' has a point, '1,000' a comma", id="thousands"),
        pytest.param(["1", "1.5", "x", ""], None, id="points"),
        pytest.param(["1", "1,5", "1,000"], None, id="commas"),
        pytest.param(["1.234,5", "1.5"], None, id="both in one cell"),
        pytest.param([], None, id="no cell"),
    ],
)
def test_mixed_decimal_marks_are_told(cells: list[str], says: str | None) -> None:
    """A column that needs both marks to be read says which cells show it."""
    sentence = mixed_marks(pa.chunked_array([cells], pa.string()))
    assert sentence == (None if says is None else f"the column mixes decimal marks: {says}")


def test_numbers_have_no_decimal_mark() -> None:
    """A typed column mixes nothing."""
    assert mixed_marks(pa.array([1.5])) is None


SPELLINGS = st.from_regex(r"[+-]?([0-9]{1,25}\.?[0-9]{0,25}|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?", fullmatch=True)


@given(text=st.floats().map(repr) | SPELLINGS)
@example(text="2.4703282292062328e-324")  # the smallest number that does not become 0
@example(text="2.4703282292062327e-324")  # the largest that does
@example(text="9007199254740993")  # halfway between two neighbours
@example(text="9007199254740991.5")  # becomes the largest whole
@example(text="1." + "3" * 900)
@example(text="0" * 400 + "1")
def test_text_is_read_as_python_reads_it(text: str) -> None:
    """Every spelling of a number is the binary64 that `float` makes of it, bit for bit, or a number it would change."""
    nearest = float(text)
    for mark in ".,":
        (value,), is_wrong = of(text.replace(".", mark), mark=mark)
        assert is_wrong == [is_another(text, nearest)]
        assert repr(value) == ("None" if is_wrong[0] else repr(nearest))


def is_another(text: str, nearest: float) -> bool:
    """Tell whether a binary64 is another amount than the text spells, by exact arithmetic alone."""
    if "n" in text:  # nan and inf
        return False
    given = Decimal(text)
    if math.isinf(nearest) or not nearest:
        return bool(given)
    return abs(given) > 2**53 and Decimal(repr(nearest)) != given


@given(value=st.floats(allow_nan=False))
def test_what_a_program_writes_is_never_changed(value: float) -> None:
    """The shortest decimal of any binary64, whatever its size, is that binary64."""
    assert of(repr(value)) == ([value], [False])


@given(value=st.integers(-(10**20), 10**20))
def test_a_whole_number_keeps_its_digits_or_is_marked(value: int) -> None:
    """Up to 2**53 each is kept; beyond, one that passes comes back with the same digits, and 15 always do."""
    (number,), is_wrong = of(str(value))
    assert is_wrong == [number is None]
    assert number is None or Decimal(repr(number)) == value
    is_short = len(str(abs(value)).rstrip("0")) <= 15
    assert number is not None or (abs(value) > 2**53 and not is_short)


@given(text=st.text("0123456789.,eE+- nainfy\n", max_size=8))
def test_what_python_does_not_read_is_no_number(text: str) -> None:
    """No text is taken for a number that `float` refuses."""
    (value,), is_wrong = of(text)
    if is_wrong == [False] and text:
        assert repr(value) == repr(float(text))


@given(value=st.decimals(-(10**17), 10**17, places=6))
def test_decimal_is_its_digits_or_marked(value: Decimal) -> None:
    """A decimal that passes comes back from its binary64 with the same digits."""
    (number,), is_wrong = of(value, kind=pa.decimal128(38, 6))
    assert is_wrong == [number is None]
    assert number is None or Decimal(repr(number)) == value
