"""Small published files for `mrv factors`, and what a deployment holds of its factors.

What does not belong here: the layout of the publishers' workbooks (unit.importers.workbooks).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrv_assets_tests.unit.importers.workbooks import ELECTRICITY, GAS, HUB_HEAD, TOTAL, WASTE, hub, uk_file

_HEAD_2024 = (HUB_HEAD[0], [*[None] * 5, "Last Modified: 5 June 2024"], *HUB_HEAD[2:])
_MROW = 5


def hub_2021(folder: Path) -> Path:
    """Write a hub with electricity and waste, one value of which is NA."""
    return _write(folder / "hub-2021.xlsx", hub(ELECTRICITY, WASTE))


def hub_2024(folder: Path) -> Path:
    """Write the hub of a later year: another rate of MROW, no rates of Puerto Rico, no waste."""
    rows = [list(row) for row in ELECTRICITY]
    rows[_MROW][3] = 936.485
    del rows[_MROW + 1]
    return _write(folder / "hub-2024.xlsx", hub(rows, head=_HEAD_2024))


def uk(folder: Path, year: int, *labels: str) -> Path:
    """Write a flat file with natural gas under these labels."""
    rows = [(*GAS[:3], label, *GAS[4:], TOTAL, 0.18) for label in labels]
    return _write(folder / f"uk-{year}.xlsx", uk_file(rows, year=year))


def imported(file: Path, version: str, *more: str, line: str = "epa", form: str = "epa-hub") -> Sequence[str]:
    """Return the arguments that import a file."""
    return (
        *("factors", "import", str(file), "--format", form, "--version", version, "--line", line),
        *("--reason", "a new edition", *more),
    )


def factor_files(folder: Path) -> dict[str, bytes]:
    """Return every file of the reference data of a deployment, by path."""
    reference = folder / "reference"
    return {str(path.relative_to(reference)): path.read_bytes() for path in reference.rglob("*") if path.is_file()}


def _write(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    return path
