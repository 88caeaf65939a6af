from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from typer.testing import CliRunner, Result

from mrv_assets import telemetry
from mrv_assets.cli.app import app
from mrv_assets.cli.demo_text import Demonstrated
from mrv_assets_tests.unit.cli.small_replay import environment, make_folder, replayed

Mrv = Callable[..., Result]


@pytest.fixture(scope="session")
def demonstrated(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Demonstrated]:
    """The small replay, done once; only for reading."""
    folder = make_folder(tmp_path_factory.mktemp("replay") / "small")
    telemetry.configure(folder / "home" / "logs" / "mrv.jsonl")
    try:
        return folder, replayed(folder)
    finally:
        structlog.reset_defaults()


@pytest.fixture(autouse=True)
def _quiet_afterwards() -> Iterator[None]:
    """Undo what a command says about telemetry, which holds for the whole process."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def folder(demonstrated: tuple[Path, Demonstrated]) -> Path:
    """The deployment of the small replay; only for reading."""
    return demonstrated[0]


@pytest.fixture
def own_folder(folder: Path, tmp_path: Path) -> Path:
    """A copy of the deployment that a test may change."""
    return Path(shutil.copytree(folder, tmp_path / "own"))


@pytest.fixture
def fresh_folder(tmp_path: Path) -> Path:
    """A deployment in which nothing has been run."""
    return make_folder(tmp_path / "fresh")


@pytest.fixture
def mrv(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run `mrv` with these arguments on the deployment in a folder, 100 columns wide and without a terminal."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def run(folder: Path, *arguments: str) -> Result:
        env = {**environment(folder), "COLUMNS": "100", "TERM": "xterm-256color"}
        return CliRunner().invoke(app, arguments, env=env, catch_exceptions=False)

    return run


def parsed(result: Result) -> Any:
    """Return the one JSON document on standard output."""
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)
