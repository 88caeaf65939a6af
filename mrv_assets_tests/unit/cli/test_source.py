"""`mrv source`: what is shown of a source file, how refusals look, and that nothing is left behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.world import TWIN_CITIES

SOUND = (TWIN_CITIES / "landing" / "2025-05-20" / "electricity.csv").read_text(encoding="utf-8")
ANOKA = "metc-anoka"
ROW_2021 = next(line for line in SOUND.splitlines() if line.startswith("27003-2021-"))
QUARANTINE = '\n[source.quarantine]\nmax_share = "0.9"\nbecause = "the sender corrects it next year"\n'
SCREEN = 24
"""Lines of a small terminal."""


def deliver(folder: Path, text: str = SOUND) -> str:
    """Put a source file into the landing folder and return its digest."""
    landing = folder / "home" / "landing"
    landing.mkdir(parents=True, exist_ok=True)
    (landing / "electricity.csv").write_text(text, encoding="utf-8")
    return sha256_hex(text.encode())


def with_row(row: str) -> str:
    """Return the source with another row of Anoka in 2021."""
    assert SOUND.count(ROW_2021) == 1
    return SOUND.replace(ROW_2021, row)


def changed(row_id: str, quantity: str) -> str:
    """Return the source whose row of Anoka in 2021 has another id and quantity."""
    return with_row(f"{row_id},27003,Anoka,Minnesota,2021,{quantity},Utility report")


def several_bad(count: int) -> str:
    """Return the source with negative quantities beside the row of Anoka in 2021."""
    bad = [f"bad-{number},27003,Anoka,Minnesota,2021,-{number},Utility report" for number in range(1, count + 1)]
    return with_row("\n".join([ROW_2021, *bad]))


def all_files(folder: Path) -> dict[str, bytes]:
    """Return every file of the deployment but its logs, by path."""
    files = (path for path in folder.rglob("*") if path.is_file() and "logs" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_a_file_is_shown_with_what_it_holds(mrv: Mrv, fresh_folder: Path) -> None:
    """Identity, format, records, mapped and unused columns, CRS and periods are shown, within 100 columns."""
    digest = deliver(fresh_folder)
    result = mrv(fresh_folder, "source", ANOKA)
    assert (result.exit_code, result.stderr) == (0, "")
    shown = [" ".join(line.split()) for line in result.stdout.splitlines()]
    for line in (
        f"sha256 {digest}",
        f"size {len(SOUND.encode()):,} bytes of text/csv",
        "STAC Item none beside it",
        "records 44, from line 2 on",
        "rows of the project 4, where county_fips = '27003'",
        "record_id row_id",
        "county_fips where",
        'constant "MWh" unit',
        "not used: county, state, data_source",
        "2021 1 whole",
    ):
        assert line in shown
    assert "CRS declared EPSG:4269, because the file is untagged" in " ".join(shown)
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_a_period_is_shown_as_far_as_normalized(mrv: Mrv, fresh_folder: Path) -> None:
    """With a period every gate of both assets is shown, rows, footprints, areas and the CRS operation."""
    deliver(fresh_folder)
    result = mrv(fresh_folder, "source", ANOKA, "2021")
    assert (result.exit_code, result.stderr) == (0, "")
    text = " ".join(result.stdout.split())
    gates = [
        gate
        for stage in parsed(mrv(fresh_folder, "source", ANOKA, "2021", "--json"))["stages"]
        for gate in stage["gates"]
    ]
    assert len(gates) >= 18
    for words in (
        "Would become activity metc-anoka 2021",
        "Would become normalized metc-anoka 2021",
        "rows in 1 rows staged 1 rows set aside 0",
        "CRS EPSG:4269 to EPSG:6933",
        "accuracy 4.0 m",
        "area on the plane 115,580.1638 ha",
        "the first of its slot",
        *(f"{gate['gate']} passed" for gate in gates),
    ):
        assert words in text
    assert max(map(len, result.stdout.splitlines())) <= 100


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        pytest.param(
            changed("27003-2021", "4.437.787"),
            ("gate quantity_valid", "landing/electricity.csv", "4.437.787", "27003-2021", "row 4"),
            id="no number",
        ),
        pytest.param(
            changed("8.91E+05", "1"),
            ("gate row_ids_unique", "landing/electricity.csv", "mangled '8.91E+05'", "export ids as text"),
            id="mangled id",
        ),
        pytest.param(
            SOUND.replace("mwh_delivered", "mwh"),
            ("gate columns_present", "electricity.csv", "missing mwh_delivered", "[source.columns]"),
            id="a column is missing",
        ),
        pytest.param(
            SOUND[:1000],
            ("gate columns_present", "electricity.csv, line 13", "7 cells, as the header has", "cut short"),
            id="cut off",
        ),
    ],
)
def test_a_refusal_is_one_panel_on_one_screen(mrv: Mrv, fresh_folder: Path, text: str, parts: tuple[str, ...]) -> None:
    """A refusal exits with 1 and says in one panel which gate, file and row, what was found and what to do."""
    deliver(fresh_folder, text)
    result = mrv(fresh_folder, "source", ANOKA, "2021")
    assert result.exit_code == 1
    lines = result.stderr.splitlines()
    assert len(lines) <= SCREEN
    assert max(map(len, lines)) <= 100
    # A long path goes over the end of a line, so blanks do not count.
    said = "".join("".join(line.strip("│") for line in lines).split())
    for part in ("file", "gate", "what", "where", "expected", "found", "remedy", *parts):
        assert part.replace(" ", "") in said
    assert "Would be refused: activity metc-anoka 2021" in result.stdout
    assert "Nothing was kept" in result.stdout


@pytest.mark.parametrize("text", [SOUND, several_bad(1), SOUND[:1000]], ids=["sound", "red gate", "cannot be read"])
@pytest.mark.parametrize("arguments", [(), ("2021",), ("2021", "--json")], ids=" ".join)
def test_nothing_is_kept(mrv: Mrv, fresh_folder: Path, text: str, arguments: tuple[str, ...]) -> None:
    """No object, no journal entry and no other file comes, goes or changes, whether the file is good or refused."""
    deliver(fresh_folder, text)
    before = all_files(fresh_folder)
    mrv(fresh_folder, "source", ANOKA, *arguments)
    assert all_files(fresh_folder) == before
    assert not (fresh_folder / "home" / "store").exists()


def test_nothing_is_kept_beside_what_is_there(mrv: Mrv, own_folder: Path) -> None:
    """In a store that holds figures, looking at a file that would move them leaves every object as it was."""
    deliver(own_folder, changed("27003-2021", "5"))
    before = all_files(own_folder)
    result = mrv(own_folder, "source", ANOKA, "2021")
    assert "another than that of generation" in result.stdout
    assert all_files(own_folder) == before


def test_json_is_the_whole_of_it(mrv: Mrv, fresh_folder: Path) -> None:
    """--json has the identity, the mapping, the periods, every gate with its numbers, and the evidence."""
    digest = deliver(fresh_folder)
    document = parsed(mrv(fresh_folder, "source", ANOKA, "2021", "--json"))
    assert document["file"]["source_sha256"] == digest
    assert document["columns"]["unused"] == ["county", "state", "data_source"]
    assert document["reading"]["periods"][0] == {"period": "2019", "rows": 1, "is_whole": True}
    assert document["crs"]["used"]["crs"] == "EPSG:4269"
    assert document["refusal"] is None
    activity, normalized = document["stages"]
    assert (activity["asset"], activity["rows"], activity["is_new"]) == ("activity", 1, True)
    assert normalized["evidence"]["crs_target"] == "EPSG:6933"
    assert all(gate["passed"] for gate in normalized["gates"])


def test_json_of_a_refusal_is_a_document_and_exit_code_1(mrv: Mrv, fresh_folder: Path) -> None:
    """A refusal in JSON has the parts of the panel and the gate, beside what was found out before."""
    deliver(fresh_folder, SOUND.replace("mwh_delivered", "mwh"))
    result = mrv(fresh_folder, "source", ANOKA, "2021", "--json")
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document["refusal"]["gate"] == "columns_present"
    assert set(document["refusal"]) == {"family", "gate", "what", "where", "expected", "found", "remedy"}
    assert document["columns"]["missing"] == ["mwh_delivered"]
    assert "mwh" in document["columns"]["unused"]
    assert document["reading"] is None


def test_rows_set_aside_are_shown_first_and_told_all(mrv: Mrv, fresh_folder: Path) -> None:
    """The first rows that would be set aside are shown with their reasons; --json has all of them."""
    project = fresh_folder / "reference" / "projects" / f"{ANOKA}.toml"
    project.write_text(project.read_text(encoding="utf-8") + QUARANTINE, encoding="utf-8")
    deliver(fresh_folder, several_bad(7))
    result = mrv(fresh_folder, "source", ANOKA, "2021")
    assert result.exit_code == 0, result.stderr
    assert "Set aside: 7 row(s) of 8 (87.50%), the first 5" in result.stdout
    assert "bad-5" in result.stdout
    assert "bad-6" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100
    activity = parsed(mrv(fresh_folder, "source", ANOKA, "2021", "--json"))["stages"][0]
    assert [row["row_id"] for row in activity["quarantine"]] == [f"bad-{number}" for number in range(1, 8)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("metc-nobody",), "reference file is missing", id="no project"),
        pytest.param((ANOKA,), "source file is missing", id="no file"),
        pytest.param((ANOKA, "21"), "period is not in canonical form", id="bad period"),
    ],
)
def test_what_does_not_exist_cannot_be_shown(
    mrv: Mrv, fresh_folder: Path, arguments: tuple[str, ...], message: str
) -> None:
    """A project, file or period that there is not is refused with exit code 1, and nothing is printed."""
    result = mrv(fresh_folder, "source", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert message in result.stderr


def test_the_help_has_examples(mrv: Mrv, tmp_path: Path) -> None:
    """`mrv source --help` shows the command with and without a period, and `mrv --help` lists it."""
    text = " ".join(mrv(tmp_path, "source", "--help").stdout.split())
    assert "mrv source metc-anoka`" in text
    assert "mrv source metc-anoka 2021`" in text
    assert " source " in mrv(tmp_path, "--help").stdout
