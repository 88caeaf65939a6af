from __future__ import annotations

from pathlib import Path

from mrv_assets_tests.unit.cli.conftest import Mrv


def test_a_written_dictionary_is_up_to_date(mrv: Mrv, tmp_path: Path) -> None:
    """What `mrv docs` has written passes `mrv docs --check`, and writing again changes nothing."""
    file = tmp_path / "data-dictionary.md"
    assert "written" in mrv(tmp_path, "docs", "--file", str(file)).stdout
    before = file.read_bytes()
    assert mrv(tmp_path, "docs", "--file", str(file), "--check").exit_code == 0
    assert "up to date" in mrv(tmp_path, "docs", "--file", str(file)).stdout
    assert file.read_bytes() == before


def test_a_stale_dictionary_is_found_and_left_alone(mrv: Mrv, tmp_path: Path) -> None:
    """`mrv docs --check` exits with 1 for an edited or missing file, names the command to run, and writes nothing."""
    file = tmp_path / "data-dictionary.md"
    missing = mrv(tmp_path, "docs", "--file", str(file), "--check")
    assert (missing.exit_code, file.exists()) == (1, False)
    mrv(tmp_path, "docs", "--file", str(file))
    file.write_text(file.read_text(encoding="utf-8").replace("t CO2e", "kg"), encoding="utf-8")
    stale = mrv(tmp_path, "docs", "--file", str(file), "--check")
    assert stale.exit_code == 1
    assert "run `mrv docs`" in stale.stderr
    assert "kg" in file.read_text(encoding="utf-8")


def test_the_committed_dictionary_says_what_the_code_says(mrv: Mrv, tmp_path: Path) -> None:
    """docs/data-dictionary.md in the checkout is not stale."""
    result = mrv(tmp_path, "docs", "--check")
    assert result.exit_code == 0, result.stderr
