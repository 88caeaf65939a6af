"""Serial blocks and the serial of a Verra unit."""

from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.crediting.serials import SerialBlock, VerraSerial, overlapping
from mrv_assets.domain.errors import ContractError

ROW = "12629-421604735-421689507-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0"


def block(first: int, last: int) -> SerialBlock:
    """Return a block."""
    return SerialBlock(first=first, last=last)


def test_a_registry_row_is_counted_inclusively() -> None:
    """A real row: 84 773 units, one vintage."""
    serial = VerraSerial.parse(ROW)
    assert (serial.block.count, serial.is_one_vintage) == (84_773, True)
    assert (serial.country, serial.project_type, serial.project) == ("PY", "14", "2498")
    assert (serial.vintage_first, serial.vintage_last) == (date(2020, 1, 1), date(2020, 11, 19))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "serial cannot be read", id="nothing"),
        pytest.param(ROW + "-1", "serial cannot be read", id="too-long"),
        pytest.param(ROW.replace("01012020", "31022020"), "days that exist", id="no-such-day"),
        pytest.param(ROW.replace("01012020", "01012021"), "ends on or after its first day", id="backwards"),
        pytest.param(ROW.replace("421689507", "421604734"), "runs backwards", id="empty-block"),
    ],
)
def test_a_serial_that_cannot_be_one_is_refused(text: str, message: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(ContractError, match=message):
        VerraSerial.parse(text)


def test_a_serial_of_two_years_is_read_and_told() -> None:
    """Old rows cross a year; whether that is right is for a control to say."""
    assert not VerraSerial.parse(ROW.replace("01012020", "01012019")).is_one_vintage


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        pytest.param((1, 10), (10, 20), True, id="shared-end"),
        pytest.param((10, 20), (1, 10), True, id="shared-start"),
        pytest.param((1, 10), (11, 20), False, id="side-by-side"),
        pytest.param((1, 10), (3, 4), True, id="inside"),
    ],
)
def test_blocks_overlap_when_a_number_is_in_both(
    one: tuple[int, int], other: tuple[int, int], *, expected: bool
) -> None:
    """Both ends belong to a block."""
    assert block(*one).overlaps(block(*other)) is expected


def test_overlaps_are_found_behind_a_wide_block() -> None:
    """A block inside a wider one is found, though its neighbour in order does not touch it."""
    assert overlapping([block(1, 100), block(2, 3), block(50, 60), block(200, 300)]) == [
        (block(1, 100), block(2, 3)),
        (block(1, 100), block(50, 60)),
    ]


def test_a_block_without_units_is_refused() -> None:
    """Neither as such nor as a part of a split."""
    with pytest.raises(ContractError, match="serial block is empty"):
        SerialBlock.starting(5, count=0)
    with pytest.raises(ContractError, match="serial block is empty"):
        block(1, 10).split(10)
