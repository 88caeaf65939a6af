"""Reading a monitoring package."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.stages.monitoring_package import read_package, table_files

PACKAGE = b"""
[quantities]
leakage_tco2e = "150"
[facts]
approach = "area"
[tables]
plots = "plots.csv"
"""


def test_a_package_is_quantities_facts_and_tables() -> None:
    """Everything as the text that it was given as, tables by column."""
    assert table_files(PACKAGE, where="here") == {"plots": "plots.csv"}
    found = read_package(PACKAGE, {"plots": b"\xef\xbb\xbfid,volume\np1,4.40\n"}, where="here")
    assert found.quantities == {"leakage_tco2e": "150"}
    assert found.facts == {"approach": "area"}
    assert found.tables == {"plots": ({"id": "p1", "volume": "4.40"},)}


def test_what_an_office_program_writes_is_read() -> None:
    """A byte order mark and line ends of two characters, in both kinds of file."""
    package = b"\xef\xbb\xbf" + PACKAGE.replace(b"\n", b"\r\n")
    assert read_package(package, {"plots": b"\xef\xbb\xbfid\r\np1\r\n"}, where="here").tables == {
        "plots": ({"id": "p1"},)
    }


def test_a_boundary_is_one_cell() -> None:
    """However many vertices it has."""
    outline = f"POLYGON (({', '.join(f'{n} 0' for n in range(50_000))}))"
    [row] = read_package(b"", {"areas": f'wkt\n"{outline}"\n'.encode()}, where="here").tables["areas"]
    assert row["wkt"] == outline


@pytest.mark.parametrize(
    ("package", "table", "words"),
    [
        pytest.param(b"\xff", b"id\n", "UTF-8 TOML", id="not text"),
        pytest.param(b"[facts]\na = " + b"9" * 5000, b"id\n", "UTF-8 TOML", id="a number without end"),
        pytest.param(b"a = " + b"[" * 5000, b"id\n", "UTF-8 TOML", id="brackets without end"),
        pytest.param(b"[answers]\na = '1'", b"id\n", "found answers", id="unknown section"),
        pytest.param(b"[quantities]\na = 0.1", b"id\n", "text for a of", id="a binary number"),
        pytest.param(b"facts = 'x'", b"id\n", "a table \\[facts\\]", id="no table"),
        pytest.param(b"", b"", "no header", id="empty CSV"),
        pytest.param(b"", b"id,id\n", "names every column once", id="a column twice"),
        pytest.param(b"", b"id,\n", "names every column once", id="a column without a name"),
        pytest.param(b"", b"id,a\np1\n", "row 1.*2 cells; found 1 cells", id="ragged"),
        pytest.param(b"", b"id\n\xff\n", "UTF-8 CSV", id="CSV not text"),
        pytest.param(b"", b'id\n"p1\n', "UTF-8 CSV", id="open quote"),
    ],
)
def test_a_malformed_package_is_refused(package: bytes, table: bytes, words: str) -> None:
    """With the file and what was expected."""
    with pytest.raises(ContractError, match=words):
        read_package(package, {"plots": table}, where="here")


@pytest.mark.parametrize("file", ["../plots.csv", "sub/plots.csv", "plots.xlsx", "/plots.csv", ""])
def test_a_table_lies_beside_the_package(file: str) -> None:
    """No path leads anywhere else."""
    with pytest.raises(ContractError, match=r"a file name such as plots\.csv"):
        table_files(f'[tables]\nplots = "{file}"'.encode(), where="here")
