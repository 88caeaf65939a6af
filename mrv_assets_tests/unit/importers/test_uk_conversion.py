"""UK flat files, small ones: what is taken, left out and refused."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mrv_assets.domain.errors import FactorError
from mrv_assets.importers.checked import checked
from mrv_assets.importers.draft import DraftRelease, Effect, Validity
from mrv_assets.importers.uk_conversion import import_uk_conversion
from mrv_assets.importers.uk_totals import MISSED
from mrv_assets.importers.written import factors_csv
from mrv_assets_tests.builders import gwp
from mrv_assets_tests.unit.importers.workbooks import (
    AR4,
    CH4,
    CO2,
    GAS,
    HEADER_2022,
    METHANE,
    N2O,
    NITROUS,
    TOTAL,
    Cells,
    uk_file,
    workbook,
)

PARTS = ((*GAS, TOTAL, 0.18396), (*GAS, CO2, 0.18362), (*GAS, CH4, 0.00024), (*GAS, N2O, 0.0001))


def imported(rows: Cells, **given: object) -> DraftRelease:
    """Import a flat file of these rows."""
    return checked(import_uk_conversion(uk_file(rows, **given), where="uk.xlsx"), gwp("ar4"))  # type: ignore[arg-type]


def left_out(draft: DraftRelease) -> dict[str, int]:
    """Return how many rows were left out by reason."""
    return {note.reason: note.count for note in draft.notes if note.effect is Effect.LEFT_OUT}


def test_total_becomes_one_row_and_its_parts_none() -> None:
    """Natural gas per kWh gross: the published total in CO2e, with the set it was weighted with."""
    draft = imported(PARTS)
    (gas,) = [row for row in draft.rows if row.activity_id.startswith("fuels")]
    assert gas.activity_id == "fuels/gaseous-fuels/natural-gas/gross-cv"
    assert (gas.region, gas.gas, gas.basis, gas.ef_value) == ("GB", "CO2e", "CO2e:ar4", "0.18396")
    assert (gas.numerator_unit, gas.denominator_unit) == ("kg", "kWh")
    assert Validity(first=gas.valid_from, last=gas.valid_to) == Validity.of_year(2022)
    assert left_out(draft) == {"part of a total: checked against it, no factor of its own": 3}


@pytest.mark.parametrize(
    ("ghgs", "header"),
    [
        pytest.param(("kg CO2e", "kg CO2", "kg CH4", "kg N2O"), [*HEADER_2022[:-1], "GHG"], id="2016"),
        pytest.param((TOTAL, CO2, CH4, N2O), HEADER_2022, id="2022"),
        pytest.param([TOTAL, *(f"{ghg} per unit" for ghg in (CO2, CH4, N2O))], HEADER_2022, id="2023"),
    ],
)
def test_labels_of_gases_by_year_mean_the_same(ghgs: Sequence[str], header: Sequence[str]) -> None:
    """A part is a part whatever it is called that year."""
    rows = [(*row[:-2], ghg, row[-1]) for row, ghg in zip(PARTS, ghgs, strict=True)]
    assert factors_csv(imported(rows, header=header)) == factors_csv(imported(PARTS))


def test_columns_are_found_by_name() -> None:
    """An id in front, a simple unit and a lookup change nothing."""
    header = ["ID", *HEADER_2022[:6], "UOM (simple)", "UOM", "GHG", "Lookup"]
    rows = [("1_1", *row[:6], "kWh", *row[6:8], "x", row[8]) for row in PARTS]
    potentials = [("1_1", *row[:6], "kg", *row[6:8], "x", row[8]) for row in AR4]
    assert factors_csv(imported(rows, header=header, potentials=potentials)) == factors_csv(imported(PARTS))


@settings(max_examples=15, deadline=None)
@given(seed=st.integers())
def test_order_of_rows_does_not_matter(seed: int) -> None:
    """Shuffled rows give the same bytes and the same notes."""
    rows = [*PARTS, (*GAS[:3], "LPG", *GAS[4:], TOTAL, 0.2), (*GAS[:3], "Oil", *GAS[4:], TOTAL, "< 1")]
    shuffled = imported(random.Random(seed).sample(rows, len(rows)))
    straight = imported(rows)
    assert factors_csv(shuffled) == factors_csv(straight)
    assert shuffled.notes == straight.notes


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ((*GAS, TOTAL, "< 1"), "total without a number: '< 1'"),
        ((*GAS, TOTAL, None), "total without a value"),
        ((*GAS, "`", 0.3), "greenhouse gas label '`' says no gas"),
        ((*GAS, None, None), "greenhouse gas label '' says no gas"),
        ((*GAS, "kWh (Net CV)", 3.1), "energy in kWh, no greenhouse gas"),
        ((*GAS, CO2, 3.1), "part of a total that is not listed or has no value"),
        (("Outside of Scopes", *GAS[1:], CO2, 3.1), "biogenic CO2 outside of scopes, reported apart from every total"),
        ((None, "END", *[None] * 7), "mark of the end"),
    ],
)
def test_what_is_no_total_is_left_out_and_counted(row: Sequence[object], reason: str) -> None:
    """Nothing is guessed: the row is named with its reason."""
    assert left_out(imported([row])) == {reason: 1}


@pytest.mark.parametrize(
    ("total", "is_noted"), [("0.18398", False), ("0.18402", True)], ids=["rounding", "more than rounding"]
)
def test_miss_of_the_publisher_is_named_and_taken(total: str, is_noted: bool) -> None:  # noqa: FBT001
    """Up to 0.00003 kg is rounding; up to 0.1 % the total is taken as published, and named."""
    draft = imported([(*GAS, TOTAL, float(total)), *PARTS[1:]])
    assert [note.reason for note in draft.notes if note.effect is Effect.TAKEN] == [MISSED] * is_noted
    assert total in [row.ef_value for row in draft.rows]


def test_total_without_all_parts_is_taken_and_named() -> None:
    """A total cannot be checked against a blank part."""
    notes = imported([PARTS[0], (*GAS, CO2, None)]).notes
    assert [note.count for note in notes if note.reason.startswith("not all parts")] == [1]


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        pytest.param(
            [(*GAS, TOTAL, 0.19), *PARTS[1:]], r"parts do not sum to their total.*row 6.*CH4 0.00024", id="sum"
        ),
        pytest.param([(*GAS[:-1], "furlong", TOTAL, 1)], r"unit is unknown.*row 6.*'furlong'", id="unit"),
        pytest.param([PARTS[0], PARTS[0]], r"key is there twice.*row 7.*Natural gas", id="key twice"),
        pytest.param([*PARTS, PARTS[1]], "part is there twice", id="part twice"),
        pytest.param(
            [PARTS[0], (*GAS[:3], "Natural-Gas", *GAS[4:], TOTAL, 1)],
            r"two labels make one.*row 6.*row 7",
            id="collision",
        ),
        pytest.param([PARTS[0], ("Scope 3", *GAS[1:], TOTAL, 1)], r"two factors.*row 6.*row 7", id="two scopes"),
        pytest.param([(*GAS, TOTAL, -1)], "factor is negative.*row 6", id="negative"),
    ],
)
def test_unsound_rows_are_refused_by_their_place(rows: Cells, says: str) -> None:
    """A refusal names the row, and both where there are two."""
    with pytest.raises(FactorError, match=says):
        imported(rows)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        pytest.param(b"PK", "source file cannot be read", id="no workbook"),
        pytest.param(workbook({"S": [["Year:", 2022]]}), "no sheet has the flat file's header", id="no header"),
        pytest.param(workbook({"S": [["a"]]}), "front page has no year", id="no front page"),
        pytest.param(uk_file([], header=HEADER_2022[:-1]), "column is missing.*ghg", id="no gas column"),
        pytest.param(uk_file([], header=[*HEADER_2022, "GHG"]), "column is there twice", id="two gas columns"),
        pytest.param(
            uk_file([], potentials=[(*METHANE, 28), (*NITROUS, 298)]), r"mixed GWP.*\(28, 298\)", id="no known set"
        ),
        pytest.param(uk_file([], potentials=[(*METHANE, 28)]), r"mixed GWP.*\(28, none\)", id="no potentials"),
    ],
)
def test_file_that_is_no_flat_file_is_refused(data: bytes, says: str) -> None:
    """The layout is known, or the file is refused."""
    with pytest.raises(FactorError, match=says):
        import_uk_conversion(data, where="uk.xlsx")


def test_factors_are_not_released_under_another_set() -> None:
    """Totals are weighted already."""
    with pytest.raises(FactorError, match=r"mixed GWP.*expected ar4; found ar6"):
        import_uk_conversion(uk_file(PARTS), where="uk.xlsx", gwp_set="ar6")
