from __future__ import annotations

from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.report.dictionary import data_dictionary

TEXT = data_dictionary(CONTRACTS, GATES)


def test_every_column_is_in_the_dictionary() -> None:
    """Each column of each contract has its row with type, unit and meaning."""
    for contract in CONTRACTS:
        for column in contract.columns:
            unit = column.unit.replace("|", "\\|")
            assert f"| `{column.name}` | {column.type} | {unit} |" in TEXT


def test_every_gate_is_in_the_dictionary() -> None:
    """Each gate of each asset has its row with its question."""
    for gates in GATES.values():
        for gate in gates:
            assert f"| `{gate.name}` | {gate.question} |" in TEXT


def test_no_cell_breaks_its_table() -> None:
    """Every row of a table has as many cells as its head."""
    width = 0
    for line in TEXT.splitlines():
        cells = line.replace("\\|", "").count("|") if line.startswith("|") else 0
        assert cells in (0, width) or width == 0
        width = cells
