"""Small workbooks laid out as the publishers lay theirs out."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from openpyxl import Workbook

Cells = Sequence[Sequence[object]]

TOTAL, CO2, CH4, N2O = "kg CO2e", "kg CO2e of CO2", "kg CO2e of CH4", "kg CO2e of N2O"
GAS = ("Scope 1", "Fuels", "Gaseous fuels", "Natural gas", None, None, "kWh (Gross CV)")
METHANE = ("Scope 1", "Refrigerant & other", "Kyoto protocol - standard", "Methane", None, None, "kg", TOTAL)
NITROUS = ("Scope 1", "Refrigerant & other", "Kyoto protocol - standard", "Nitrous oxide", None, None, "kg", TOTAL)
AR4 = ((*METHANE, 25), (*NITROUS, 298))
HEADER_2022 = ("Scope", "Level 1", "Level 2", "Level 3", "Level 4", "Column Text", "UOM", "GHG/Unit")


def workbook(sheets: Mapping[str, Cells]) -> bytes:
    """Return an XLSX workbook of these cells."""
    book = Workbook()
    book.remove(book.active)
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(list(row))
    held = io.BytesIO()
    book.save(held)
    return held.getvalue()


def uk_file(rows: Cells, *, year: int = 2022, header: Sequence[str] = HEADER_2022, potentials: Cells = AR4) -> bytes:
    """Return a flat file of these rows, with the refrigerants that say how it is weighted."""
    front: Cells = [
        ["UK Government GHG Conversion Factors"],
        [None, "Version:", 3, "Year:", year],
        [None, "Updated:", "2022-09-08"],
    ]
    top: Cells = [["Factors by Category"], [None, "Category"], [*header, f"GHG Conversion Factor {year}"]]
    return workbook({"Front page": front, "Factors by Category": [*top, *potentials, *rows]})


HUB_HEAD: Cells = (
    [None, None, "Emission Factors for Greenhouse Gas Inventories"],
    [None, None, None, None, None, "Last Modified: 15 September 2021"],
    [None, None, None, "Gas", "100-Year GWP"],
    [None, None, None, "CH4", 25],
    [None, None, None, "N2O", 298],
)


def hub(*tables: Cells, head: Cells = HUB_HEAD) -> bytes:
    """Return an EPA hub of these tables."""
    return workbook({"Emission Factors Hub": [*head, *(row for table in tables for row in table)]})


ELECTRICITY: Cells = (
    [None, "Table 6", "   Electricity"],
    [],
    [None, None, None, "Total Output Emission Factors", None, None, "Non-Baseload Emission Factors"],
    [None, None, "eGRID Subregion", *("CO2 Factor", "CH4 Factor", "N2O Factor") * 2],
    [None, None, None, *("(lb / MWh)",) * 6],
    [None, None, "MROW (MRO West)", 1098.4, 0.119, 0.017, 1806.8, 0.188, 0.027],
    [None, "New Region", "PRMS (Puerto Rico Miscellaneous)", 1537.3, 0.084, 0.013, 1587.9, 0.055, 0.01],
    [None, None, "US Average", 884.2, 0.075, 0.011, 1420.2, 0.114, 0.016],
    [None, None, "Source: EPA eGRID2019, February 2021"],
)
STATIONARY: Cells = (
    [None, "Table 1", "   Stationary Combustion"],
    [],
    [None, None, "Fuel Type", "Heat Content (HHV)", "CO2 Factor", "CH4 Factor", "CO2 Factor", "CH4 Factor"],
    [None, None, None, "mmBtu per scf", "kg CO2 per mmBtu", "g CH4 per mmBtu", "kg CO2 per scf", "g CH4 per scf"],
    [None, None, "Natural Gas"],
    [None, None, "Natural Gas", 0.001026, 53.06, 1, 0.05444, 0.00103],
    [None, None, "Biomass Fuels - Gaseous"],
    [None, None, "Landfill Gas", 0.000485, 52.07, 0.022000000000000002, None, None],
    [
        None,
        None,
        None,
        "mmBtu per gallon",
        "kg CO2 per mmBtu",
        "g CH4 per mmBtu",
        "kg CO2 per gallon",
        "g CH4 per gallon",
    ],
    [None, None, "Petroleum Products"],
    [None, None, "Motor Gasoline", 0.125, 70.22, 3, 8.78, 0.38],
    [None, None, "Source:"],
)
VEHICLES: Cells = (
    [None, "Table 4", "Mobile Combustion CH4 and N2O for On-Road Diesel and Alternative Fuel Vehicles"],
    [None, None, "Vehicle Type", "Fuel Type", "Model Year", "CH4 Factor \n(g / mile)", "N2O Factor \n(g / mile)"],
    [None, None, "Light-Duty Trucks", "Diesel", "1960-1982", 0.0011, 0.0017],
    [None, None, "(Vans, Pickup Trucks, SUVs)", None, 1983, 0.0009, "0 "],
    [None, None, None, "CNG", None, 0.123, 0.011],
    [None, None, "Notes: "],
)
WASTE: Cells = (
    [None, "Table 9", "Scope 3 Category 5: Waste Generated in Operations"],
    [None, None, "These factors are intended for use in the average-data method."],
    [None, None, None, "Metric Tons CO2e / Short Ton Material"],
    [None, None, "Material", "RecycledA", "LandfilledB"],
    [None, None, "HDPE", 0.21, 0.02],
    [None, None, "LDPE", "NA", 0.02],
    [
        None,
        None,
        "Notes: AR4 GWPs are used to convert all waste emission factors.\nA Recycling.\nB Landfilling.\nE Else.",
    ],
)
POTENTIALS: Cells = ([None, "Table 11", "Global Warming Potentials (GWPs)"], [None, None, "Gas", "100-Year GWP"])


def freight(unit: str) -> Cells:
    """Return a table of freight by this unit."""
    return (
        [None, "Table 8", "Scope 3 Category 4: Upstream Transportation and Distribution"],
        [None, None, "Vehicle Type", "CO2 Factor \n(kg / unit)", "Units"],
        [None, None, "AircraftC", 1.16, unit],
        [None, None, "Notes: \nC Aircraft: updates due to a methodology change."],
    )
