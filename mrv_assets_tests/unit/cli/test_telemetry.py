from __future__ import annotations

import json
from pathlib import Path

import pytest
import structlog

from mrv_assets import telemetry


def test_events_are_json_lines_in_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each event is one JSON object on a line of its own, with level and instant; nothing reaches stdout."""
    path = tmp_path / "logs" / "mrv.jsonl"
    telemetry.configure(path)
    structlog.get_logger("mrv").info("stage.started", asset="activity", text="two\nlines")
    structlog.get_logger("mrv").error("stage.refused", where=Path("x"))
    first, second = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    assert (first["event"], first["level"], first["text"]) == ("stage.started", "info", "two\nlines")
    assert first["occurred_utc"].endswith("Z")
    assert (second["event"], second["level"], second["where"]) == ("stage.refused", "error", "x")
    assert capsys.readouterr().out == ""


def test_without_a_path_events_go_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """A process without a log file writes its events to stderr and keeps stdout free."""
    telemetry.configure(None)
    structlog.get_logger("mrv").info("stage.started")
    shown = capsys.readouterr()
    assert json.loads(shown.err)["event"] == "stage.started"
    assert shown.out == ""


def test_a_file_is_made_by_its_first_event(tmp_path: Path) -> None:
    """Configuring alone creates nothing."""
    telemetry.configure(tmp_path / "logs" / "mrv.jsonl")
    assert not (tmp_path / "logs").exists()
