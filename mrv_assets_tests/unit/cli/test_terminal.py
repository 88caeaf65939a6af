from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mrv_assets.cli.terminal import print_error, print_json
from mrv_assets.domain.errors import (
    BrokenChain,
    CommitStateUnknown,
    ContractError,
    DigestMismatch,
    GateError,
    MrvError,
    StoreUnavailable,
)
from mrv_assets_tests.unit.cli.conftest import Mrv

PARTS = {"where": "here", "expected": "[bold]this[/bold]", "found": "that", "remedy": "do so"}
COMMANDS = ("init", "source", "factors", "run", "ledger", "show", "status", "data-docs", "demo", "docs")
SLOW = ("dagster", "geopandas", "great_expectations", "jinja2", "matplotlib", "pandas", "polars", "pyarrow", "shapely")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ContractError("wrong", **PARTS), 1),
        (GateError("wrong", gate="g", **PARTS), 1),
        (StoreUnavailable("wrong", **PARTS), 75),
        (CommitStateUnknown("wrong", **PARTS), 75),
        (DigestMismatch("wrong", **PARTS), 70),
        (BrokenChain("wrong", **PARTS), 70),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, MrvError) else str(value),
)
def test_each_family_of_errors_has_its_exit_code(
    capsys: pytest.CaptureFixture[str], error: MrvError, code: int
) -> None:
    """A refusal exits with 1, the world's fault with 75, the record's with 70; all five parts are printed."""
    assert print_error(error) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    for part in ("wrong", *PARTS.values()):
        assert part in shown.err


def test_a_refusal_shows_no_traceback(mrv: Mrv, fresh_folder: Path) -> None:
    """A refusal is a panel on stderr: nothing on stdout, no traceback."""
    result = mrv(fresh_folder, "run", "metc-nobody", "2021")
    assert result.exit_code == 1
    assert "Traceback" not in result.stderr
    assert "remedy" in result.stderr
    assert result.stdout == ""


def test_json_refuses_what_it_cannot_say(capsys: pytest.CaptureFixture[str]) -> None:
    """A value without a JSON form here raises instead of being printed somehow."""
    with pytest.raises(TypeError, match="set has no JSON form here"):
        print_json({"a": {1}})
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    "arguments", [["ledger"], ["ledger", "--history"], ["status"], ["show", "certificate", "metc-anoka", "2021"]]
)
def test_there_are_no_control_codes_without_a_terminal(mrv: Mrv, folder: Path, arguments: list[str]) -> None:
    """Output into a file or pipe holds no escape sequence."""
    result = mrv(folder, *arguments)
    assert "\x1b" not in result.stdout
    assert "\r" not in result.stdout


@pytest.mark.parametrize("command", COMMANDS)
def test_every_help_text_has_an_example(mrv: Mrv, tmp_path: Path, command: str) -> None:
    """`mrv COMMAND --help` shows an example of that command."""
    result = mrv(tmp_path, command, "--help")
    assert result.exit_code == 0
    example = " ".join(result.stdout.partition("Example:")[2].split())
    assert f"mrv {command}" in example


def test_help_documents_the_exit_codes(mrv: Mrv, tmp_path: Path) -> None:
    """`mrv --help` lists every command and what each exit code means."""
    text = " ".join(mrv(tmp_path, "--help").stdout.split())
    assert all(f" {command} " in text for command in COMMANDS)
    for words in ("1 refused", "2 wrong usage", "70 the record is at fault", "75 the world is at fault"):
        assert words in text


def test_help_imports_nothing_slow() -> None:
    """What `mrv --help` needs imports neither Dagster nor any library of data, maps or charts."""
    code = f"import sys, mrv_assets.cli.app; print([m for m in {SLOW!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
