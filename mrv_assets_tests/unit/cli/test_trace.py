"""`mrv trace` and `mrv doctor` on the planted forest, as a person and a script see them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.registered import block
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.test_registry import EXAMPLE, planted
from mrv_assets_tests.unit.pipeline.damages import flip
from mrv_assets_tests.unit.pipeline.small_store import files

__all__ = ["planted"]
SERIAL = block(900_000_001, 900_001_000).text


def record_of(folder: Path, asset: str) -> Path:
    """Return the file of the only record of an asset."""
    [path] = (folder / "home" / "store" / "commits" / asset).rglob("*.json")
    return path


def test_a_retirement_is_shown_as_a_tree(mrv: Mrv, planted: Path) -> None:
    """Down to the source file, with what was checked, within 100 columns, and nothing is written to the store."""
    assert mrv(planted, "registry", "attach", str(EXAMPLE)).exit_code == 0
    before = files(planted / "home" / "store")
    shown = mrv(planted, "trace", SERIAL)
    assert shown.exit_code == 0
    told = ["retired: 1,000 credits", "A made-up company", "retires issuance: 3,473 credits", "issued on certificate"]
    told += ["reported by ledger", "pins rule set vm0047-area@1.1", "pins source plots.csv", "run run: wrote 6"]
    told += ["stored bytes have the sealed sha256 (6×)"]
    assert [text for text in told if text not in shown.stdout] == []
    assert all(len(line) <= 100 for line in shown.stdout.splitlines())
    assert files(planted / "home" / "store") == before


def test_the_json_has_whole_digests(mrv: Mrv, planted: Path) -> None:
    """Nodes and edges, the same every time; the words may be one argument or several."""
    document = parsed(mrv(planted, "trace", "planted-forest", "2025", "--json"))
    assert document == parsed(mrv(planted, "trace", "planted-forest 2025", "--json"))
    assert {len(node["digest"]) for node in document["nodes"] if node["digest"]} == {64}
    assert document["is_sound"] is True


@pytest.mark.parametrize(("kind", "begin"), [(".svg", b"<?xml"), (".png", b"\x89PNG")])
def test_the_picture_is_the_same_every_time(mrv: Mrv, planted: Path, tmp_path: Path, kind: str, begin: bytes) -> None:
    """Byte for byte, of the kind that the name says."""
    drawn = [tmp_path / f"{name}{kind}" for name in ("one", "two")]
    for path in drawn:
        assert mrv(planted, "trace", "planted-forest", "2025", "--plot", str(path)).exit_code == 0
    assert drawn[0].read_bytes().startswith(begin)
    assert drawn[0].read_bytes() == drawn[1].read_bytes()


def test_a_break_shows_the_tree_and_exits_with_70(mrv: Mrv, planted: Path, tmp_path: Path) -> None:
    """The place is named, what is sound is shown, and the picture is drawn as well."""
    changed = record_of(planted, "normalized")
    flip(changed)
    shown = mrv(planted, "trace", "planted-forest", "2025", "--plot", str(tmp_path / "broken.svg"))
    assert shown.exit_code == 70
    assert "normalized planted-forest 2025  BROKEN" in " ".join(shown.stdout.split(" "))
    assert "net -5835.086775000 t CO2e" in shown.stdout
    assert "project_id=planted-forest/period=2025/000000000001.json" in "".join(shown.stderr.split())
    assert (tmp_path / "broken.svg").exists()
    asked = mrv(planted, "trace", "planted-forest", "2025", "--json")
    assert (asked.exit_code, json.loads(asked.stdout)["is_sound"]) == (70, False)


def test_an_input_that_is_gone_is_shown_as_not_here(mrv: Mrv, planted: Path) -> None:
    """No error; the doctor says what to do about it and exits with 1."""
    (planted / "home" / "landing" / "plots.csv").unlink()
    shown = mrv(planted, "trace", "planted-forest", "2025")
    assert shown.exit_code == 0
    assert "source plots.csv  not here" in shown.stdout
    told = mrv(planted, "doctor")
    assert told.exit_code == 1
    assert "reference_gone" in told.stdout
    assert "mrv run PROJECT PERIOD" in " ".join(told.stdout.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(("planted-forest", "2024"), "there is nothing to trace", id="nothing there"),
        pytest.param(("nonsense",), "nothing is known by this name", id="nonsense"),
        pytest.param(("planted-forest", "2025", "--plot", "x.pdf"), "picture is of no known kind", id="picture"),
    ],
)
def test_what_cannot_be_traced_is_refused(mrv: Mrv, planted: Path, words: tuple[str, ...], message: str) -> None:
    """Exit code 1 and a panel."""
    result = mrv(planted, "trace", *words)
    assert result.exit_code == 1
    assert message in result.stderr


def test_the_doctor_says_healthy(mrv: Mrv, planted: Path) -> None:
    """Every family is named, also those without a finding, and what is out of reach."""
    shown = mrv(planted, "doctor")
    assert shown.exit_code == 0
    assert "Healthy: nothing is to be done." in shown.stdout
    assert shown.stdout.count("nothing found") == 5
    assert "Dagster's run history" in " ".join(shown.stdout.split())
    document = parsed(mrv(planted, "doctor", "--json"))
    assert document["is_healthy"] is True
    assert set(document["families"]) == {
        "dropped_parent_run", "unversioned_reference_read", "gap_in_the_chain", "missing_event", "stale_certificate",
    }  # fmt: skip


def test_the_doctor_says_stop(mrv: Mrv, planted: Path) -> None:
    """Exit code 70 when a record was changed, and what cannot be rebuilt."""
    flip(record_of(planted, "activity"))
    shown = mrv(planted, "doctor")
    assert shown.exit_code == 70
    said = " ".join(shown.stdout.split())
    assert "record_unreadable" in said
    assert "cannot be rebuilt: only a replica has it" in said
    assert forest.KEY.project_id in said
