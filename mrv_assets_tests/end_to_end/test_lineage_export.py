"""The sensor that exports lineage, as Dagster evaluates it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from dagster import DefaultSensorStatus

from mrv_assets.domain.errors import Tampering
from mrv_assets.orchestration.lineage_export import lineage_export
from mrv_assets.storage.cursors import Cursor, Cursors
from mrv_assets_tests.end_to_end.daemon import daemon
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import run_partition


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    """A deployment with one run, without any configuration of OpenLineage."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    made = Home.create(tmp_path, references=committed() | projects("anoka"), landing={})
    made.land("source.csv", rows("anoka 2021 7"))
    run_partition(made.world(), key("anoka", "2021"))
    return made


def test_it_waits_to_be_started() -> None:
    """Nothing leaves a deployment that nobody asked to tell."""
    assert lineage_export.default_status is DefaultSensorStatus.STOPPED


def test_it_says_why_it_delivers_nothing_and_delivers_once_it_may(home: Home, tmp_path: Path) -> None:
    """It starts no run and leaves no entry in the journal."""
    with daemon(home.settings, lineage_export) as dagster:
        assert "OpenLineage names no transport" in str(dagster.look().skip_message)
        transport = {"type": "file", "log_file_path": str(tmp_path / "events.jsonl"), "append": True}
        Path("openlineage.yml").write_text(json.dumps({"transport": transport}))
        assert "1 entries delivered, up to 1 of 1" in str(dagster.look().skip_message)
        assert "0 entries delivered, up to 1 of 1" in str(dagster.look().skip_message)
    assert len((tmp_path / "events.jsonl").read_text().splitlines()) == 14
    assert home.world().journal.size() == 1


def test_a_journal_that_is_shorter_than_what_was_delivered_fails_the_tick(home: Home, tmp_path: Path) -> None:
    """A person has to look: the cursor is a hint, and the journal the truth that went missing."""
    file = tmp_path / "events.jsonl"
    transport = {"type": "file", "log_file_path": str(file), "append": True}
    Path("openlineage.yml").write_text(json.dumps({"transport": transport}))
    folder = home.settings.openlineage
    folder.mkdir(parents=True)
    store = home.world().store.uri
    Cursors(folder, store=store).write(Cursor(store=store, target=file.resolve().as_uri(), delivered=7, head="0" * 64))
    says = "expected at least 7 entries; found 1 entries"
    with daemon(home.settings, lineage_export) as dagster, pytest.raises(Tampering, match=says):
        dagster.look()
