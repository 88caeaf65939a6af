"""`mrv lineage`: exporting the journal of a deployment and saying how far it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mrv_assets.cli.terminal import REFUSED, TAMPERED, TRY_AGAIN, USAGE
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import PARTITIONS
from mrv_assets_tests.unit.openlineage.endpoint import endpoint


@pytest.fixture(autouse=True)
def _configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Look for the standard configuration in an empty folder, and ask loopback without a proxy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def test_an_export_to_a_file_is_told_in_json(mrv: Mrv, own_folder: Path, tmp_path: Path) -> None:
    """One line for each event; again only what is new, unless it is asked for."""
    file = tmp_path / "events.jsonl"
    [done] = parsed(mrv(own_folder, "lineage", "export", "--file", str(file), "--json"))["delivered"]
    assert (done["entries"], done["delivered"], done["behind"]) == (PARTITIONS, PARTITIONS, 0)
    assert len(file.read_text().splitlines()) == done["events"]
    assert "nothing new; delivered up to" in mrv(own_folder, "lineage", "export", "--file", str(file)).stdout
    repeated = mrv(own_folder, "lineage", "export", "--file", str(file), "--again").stdout
    assert f"{PARTITIONS} entries, {done['events']} events" in repeated


def test_the_status_names_every_target_and_how_far_it_is(mrv: Mrv, own_folder: Path, tmp_path: Path) -> None:
    """Those that were delivered to, and the configured one that was not."""
    assert "Nothing was exported yet" in mrv(own_folder, "lineage", "status").stdout
    mrv(own_folder, "lineage", "export", "--file", str(tmp_path / "events.jsonl"))
    other = {"type": "file", "log_file_path": str(tmp_path / "other.jsonl"), "append": True}
    Path("openlineage.yml").write_text(json.dumps({"transport": other}))
    targets = parsed(mrv(own_folder, "lineage", "status", "--json"))["targets"]
    assert [(one["target"].rpartition("/")[2], one["behind"]) for one in targets] == [
        ("events.jsonl", 0),
        ("other.jsonl", PARTITIONS),
    ]
    assert "delivered up to" in mrv(own_folder, "lineage", "status").stdout


def test_an_export_to_an_endpoint_posts_every_event(mrv: Mrv, own_folder: Path) -> None:
    """To the path that lineage is taken at."""
    with endpoint() as server:
        [done] = parsed(mrv(own_folder, "lineage", "export", "--url", server.url, "--json"))["delivered"]
        assert len(server.taken) == done["events"]
    assert done["target"] == f"{server.url}/api/v1/lineage"


def test_exports_that_cannot_be_say_why(mrv: Mrv, own_folder: Path) -> None:
    """No target, two targets, and a target that is away, each with its exit code."""
    nowhere = mrv(own_folder, "lineage", "export")
    assert nowhere.exit_code == REFUSED
    assert "nothing says where lineage goes" in nowhere.stderr
    assert mrv(own_folder, "lineage", "export", "--file", "x", "--url", "http://host").exit_code == USAGE
    with endpoint() as gone:
        url = gone.url
    away = {"type": "http", "url": url, "retry": {"total": 0}}
    Path("openlineage.yml").write_text(json.dumps({"transport": away}))
    result = mrv(own_folder, "lineage", "export")
    assert result.exit_code == TRY_AGAIN
    assert "lineage could not be delivered" in result.stderr


def test_a_journal_that_was_rolled_back_stops_the_export(mrv: Mrv, own_folder: Path, tmp_path: Path) -> None:
    """With the exit code of tampering."""
    file = str(tmp_path / "events.jsonl")
    mrv(own_folder, "lineage", "export", "--file", file)
    journal = own_folder / "home" / "store" / "journal"
    max((journal / "entries").iterdir()).unlink()
    (journal / "checkpoint.json").unlink()
    result = mrv(own_folder, "lineage", "export", "--file", file)
    assert result.exit_code == TAMPERED
    assert "journal is not the one that was delivered" in result.stderr
