"""EPA hubs, small ones: what is taken, left out and refused."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from mrv_assets.domain.errors import FactorError
from mrv_assets.importers.checked import checked
from mrv_assets.importers.draft import DraftRelease, Effect
from mrv_assets.importers.epa_hub import import_epa_hub
from mrv_assets.importers.written import factors_csv
from mrv_assets_tests.builders import gwp
from mrv_assets_tests.unit.importers.workbooks import (
    ELECTRICITY,
    HUB_HEAD,
    POTENTIALS,
    STATIONARY,
    VEHICLES,
    WASTE,
    Cells,
    freight,
    hub,
)


def imported(*tables: Cells, gwp_set: str = "ar4") -> DraftRelease:
    """Import a hub of these tables."""
    return checked(import_epa_hub(hub(*tables), where="hub.xlsx", gwp_set=gwp_set), gwp(gwp_set))


def told(draft: DraftRelease) -> set[str]:
    """Return every row in one line."""
    return {
        f"{row.activity_id} {row.region} {row.ef_value} {row.numerator_unit} {row.gas} per {row.denominator_unit}"
        for row in draft.rows
    }


def left_out(draft: DraftRelease) -> dict[str, int]:
    """Return how many values were left out by reason."""
    return {note.reason: note.count for note in draft.notes if note.effect is Effect.LEFT_OUT}


def test_electricity_is_by_subregion_and_gas() -> None:
    """Total output rates have the id that the releases have, non-baseload rates another; the average is the US."""
    draft = imported(ELECTRICITY)
    assert {
        "electricity.delivered US/MROW 1098.4 lb CO2 per MWh",
        "electricity.delivered US/PRMS 0.084 lb CH4 per MWh",
        "electricity.delivered US 0.011 lb N2O per MWh",
        "electricity.non-baseload US/MROW 1806.8 lb CO2 per MWh",
    } < told(draft)
    assert len(draft.rows) == 18
    assert draft.rows[0].source_ref.endswith("MROW (MRO West) | lb CO2 / MWh; EPA eGRID2019, February 2021")


def test_units_change_within_a_table_and_heat_contents_are_no_factors() -> None:
    """A fuel has a factor by heat and one by mass or volume; noise of binary64 is gone; biomass is noted."""
    draft = imported(STATIONARY)
    assert told(draft) == {
        "stationary-combustion/natural-gas/natural-gas US 53.06 kg CO2 per MBtu_it",
        "stationary-combustion/natural-gas/natural-gas US 1 g CH4 per MBtu_it",
        "stationary-combustion/natural-gas/natural-gas US 0.05444 kg CO2 per scf",
        "stationary-combustion/natural-gas/natural-gas US 0.00103 g CH4 per scf",
        "stationary-combustion/biomass-fuels-gaseous/landfill-gas US 52.07 kg CO2 per MBtu_it",
        "stationary-combustion/biomass-fuels-gaseous/landfill-gas US 0.022 g CH4 per MBtu_it",
        "stationary-combustion/petroleum-products/motor-gasoline US 70.22 kg CO2 per MBtu_it",
        "stationary-combustion/petroleum-products/motor-gasoline US 3 g CH4 per MBtu_it",
        "stationary-combustion/petroleum-products/motor-gasoline US 8.78 kg CO2 per US_liquid_gallon",
        "stationary-combustion/petroleum-products/motor-gasoline US 0.38 g CH4 per US_liquid_gallon",
    }
    assert left_out(draft) == {"no factor published: empty": 2}
    assert [note.count for note in draft.notes if note.effect is Effect.TAKEN] == [1]


def test_merged_labels_go_down_and_stop_at_the_next_fuel() -> None:
    """A label holds until another one stands beside or above; an explanation in brackets is none."""
    stem = "on-road-diesel-and-alternative-fuel-vehicles/light-duty-trucks"
    assert told(imported(VEHICLES)) == {
        f"{stem}/diesel/1960-1982 US 0.0011 g CH4 per mile",
        f"{stem}/diesel/1960-1982 US 0.0017 g N2O per mile",
        f"{stem}/diesel/1983 US 0.0009 g CH4 per mile",
        f"{stem}/diesel/1983 US 0 g N2O per mile",
        f"{stem}/cng US 0.123 g CH4 per mile",
        f"{stem}/cng US 0.011 g N2O per mile",
    }


def test_waste_is_weighted_already() -> None:
    """A material and a treatment make a total in CO2e; marks of footnotes go, HDPE keeps its E."""
    draft = imported(WASTE)
    assert told(draft) == {
        "waste/hdpe/recycled US 0.21 t CO2e per short_ton",
        "waste/hdpe/landfilled US 0.02 t CO2e per short_ton",
        "waste/ldpe/landfilled US 0.02 t CO2e per short_ton",
    }
    assert {row.basis for row in draft.rows} == {"CO2e:ar4"}
    assert left_out(draft) == {"no factor published: NA": 1}


def test_waste_of_another_set_is_left_out() -> None:
    """The hub of 2024 recommends AR5 and weights waste with AR4: never in one release."""
    draft = imported(STATIONARY, WASTE, gwp_set="ar5")
    assert left_out(draft)["weighted with ar4, the release is under ar5"] == 3
    assert not any(row.gas == "CO2e" for row in draft.rows)


@pytest.mark.parametrize(
    ("unit", "taken"),
    [
        ("short ton-mile", {"transportation-and-distribution/aircraft US 1.16 kg CO2 per short_ton*mile"}),
        ("ton-mile", set()),
    ],
)
def test_ton_that_does_not_say_which_is_left_out(unit: str, taken: set[str]) -> None:
    """A ton alone may be short, long or metric."""
    draft = imported(freight(unit), freight_by_mile())
    assert told(draft) - {"business-travel-and-commuting/bus US 0.05 kg CO2 per passenger*mile"} == taken
    assert bool(left_out(draft)) is not bool(taken)


def freight_by_mile() -> Cells:
    """Return a table that is always taken."""
    return (
        [None, "Table 10", "Scope 3 Category 6: Business Travel and Category 7: Employee Commuting "],
        [None, None, "Vehicle Type", "CO2 Factor \n(kg CO2 / unit)", "Units"],
        [None, None, "Bus", 0.05, "passenger-mile"],
    )


def test_tables_without_factors_are_left_out_and_named() -> None:
    """Potentials are a GWP set's matter, and a table that nobody knows is not guessed."""
    unknown: Cells = ([None, "Table 13", "Cement"], [None, None, "x", 1])
    assert left_out(imported(ELECTRICITY, POTENTIALS, unknown)) == {
        "table of global warming potentials, no factors": 1,
        "table that this importer does not know": 1,
    }


@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_does_not_matter(seed: int) -> None:
    """Subregions and tables in another order give the same bytes."""
    rows = list(ELECTRICITY[5:8])
    shuffled = [*ELECTRICITY[:5], *random.Random(seed).sample(rows, len(rows)), *ELECTRICITY[8:]]
    assert factors_csv(imported(STATIONARY, shuffled)) == factors_csv(imported(ELECTRICITY, STATIONARY))


@pytest.mark.parametrize(
    ("tables", "head", "says"),
    [
        pytest.param([freight("furlong")], HUB_HEAD, r"unit is unknown.*row 8.*'furlong'", id="unit"),
        pytest.param([STATIONARY, STATIONARY], HUB_HEAD, "key is there twice.*row 23", id="table twice"),
        pytest.param([[*ELECTRICITY[:5], [None, None, "Oz", 1]]], HUB_HEAD, "place.*row 11.*Oz", id="place"),
        pytest.param([STATIONARY[:3]], HUB_HEAD, "table has no factors", id="no rows"),
        pytest.param([WASTE[:3]], HUB_HEAD, r"mixed GWP.*AR4 GWPs", id="waste without a set"),
        pytest.param([[*WASTE[:2], WASTE[-1]]], HUB_HEAD, "waste table is laid out otherwise", id="no waste"),
        pytest.param([STATIONARY], [], "no sheet is an EPA hub", id="no hub"),
        pytest.param([STATIONARY], HUB_HEAD[:1], "edition is unknown", id="no day"),
        pytest.param([STATIONARY], HUB_HEAD[:4], r"mixed GWP.*\(25, none\)", id="no potentials"),
    ],
)  # fmt: skip
def test_unsound_hub_is_refused(tables: Sequence[Cells], head: Cells, says: str) -> None:
    """A refusal says where."""
    with pytest.raises(FactorError, match=says):
        import_epa_hub(hub(*tables, head=head), where="hub.xlsx")


def test_day_of_the_edition_is_read_either_way() -> None:
    """15 September 2021 and June 5, 2024; no other day is made up."""
    for said, day in (("June 5, 2024", "2024-06-05"), ("15 September 2021", "2021-09-15")):
        head = [HUB_HEAD[0], [None, f"Last Modified: {said}"], *HUB_HEAD[2:]]
        assert str(import_epa_hub(hub(STATIONARY, head=head), where="hub.xlsx").published) == day
    with pytest.raises(FactorError, match="edition is unknown"):
        import_epa_hub(hub(STATIONARY, head=[HUB_HEAD[0], ["Last Modified: 31 June 2024"]]), where="hub.xlsx")
