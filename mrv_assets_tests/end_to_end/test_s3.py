"""The whole platform with its store on a real S3 server: launched runs, the command line, a second run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from mrv_assets.domain.errors import Refusal, Transient
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.orchestration.launch import launcher
from mrv_assets.settings import Settings
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets_tests.end_to_end.command import mrv_json
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.unit.pipeline.bumps import FIRST, LINE, WRONG
from mrv_assets_tests.unit.pipeline.landings import committed, projects, rows
from mrv_assets_tests.world import TWIN_CITIES, committed_references

pytestmark = [pytest.mark.slow, pytest.mark.server]

KEYS = [
    PartitionKey(project_id=project, period="2021", factor_version="mrow-2025.05.20")
    for project in ("metc-anoka", "metc-pierce")
]


@pytest.fixture
def environment(s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> Mapping[str, str]:
    """The standard variables by which every process finds the server, and the store on it."""
    variables = {**s3.environment, "MRV_STORE": s3.new_store_uri()}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return variables


@pytest.fixture
def store(s3: S3Server, environment: Mapping[str, str]) -> ObjectStore:
    """The store, as the test looks at it."""
    return open_store(environment["MRV_STORE"], s3=s3.access())


def _kept(store: ObjectStore) -> dict[str, bytes | None]:
    return {key: store.get(key) for key in store.list("") if not key.startswith(("journal/", "probe/"))}


def _mrv(environment: Mapping[str, str], *arguments: str) -> Any:
    """Run a command with these variables in a process of its own, and return its JSON."""
    done = subprocess.run(
        [sys.executable, "-c", "from mrv_assets.cli import main; main()", *arguments, "--json"],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_two_partitions_run_side_by_side_on_s3_and_again_are_skipped(
    tmp_path: Path, environment: Mapping[str, str], store: ObjectStore
) -> None:
    """Worker processes find the bucket by themselves; the second run adds nothing but its journal entries."""
    landing = (TWIN_CITIES / "landing/2025-05-20/electricity.csv").read_bytes()
    home = Home.create(tmp_path, references=committed_references(), landing={"electricity.csv": landing})
    settings = Settings.from_env({**home.environment, **environment})
    with launcher(settings, processes=2, log=settings.logs / "test.jsonl", force=False) as launch:
        first = list(launch(KEYS))
        kept = _kept(store)
        second = list(launch(KEYS))
    assert [run.error for run in first] == [None, None]
    assert {result.outcome for run in first for result in run.assets} == {Outcome.COMMITTED}
    assert len([key for key in kept if key.startswith("commits/")]) == len(KEYS) * len(Asset)
    assert len([key for key in kept if key.startswith("published/")]) == len(KEYS)
    assert [run.error for run in second] == [None, None]
    assert {result.outcome for run in second for result in run.assets} == {Outcome.SKIPPED}
    assert _kept(store) == kept


def test_the_command_line_reads_what_is_on_s3(
    tmp_path: Path, environment: Mapping[str, str], store: ObjectStore
) -> None:
    """`mrv run`, `ledger` and `status` need nothing but the standard variables; looking leaves no trace."""
    home = Home.create(tmp_path, references=references(), landing={"source.csv": SOUND_SOURCE})
    mrv = partial(_mrv, {**home.environment, **environment})
    assert mrv("run", KEY.project_id, KEY.period, KEY.factor_version)["is_success"] is True
    before = list(store.list(""))
    figures = mrv("ledger")["figures"]
    assert [figure["factor_version"] for figure in figures] == [KEY.factor_version]
    assert mrv("status")["places"]["store"] == environment["MRV_STORE"]
    assert list(store.list("")) == before


def test_releases_and_approvals_on_s3(tmp_path: Path, s3: S3Server, environment: Mapping[str, str]) -> None:
    """`MRV_REFERENCE` may be a bucket: factors are listed, compared, previewed and run; an approval is kept on S3."""
    uri = s3.new_store_uri()
    bucket = open_store(uri, s3=s3.access())
    for key, data in (committed() | projects("anoka", publication="approve", pins={"2021": WRONG})).items():
        bucket.replace(key, data)
    home = Home.create(tmp_path, references={}, landing={"source.csv": rows("anoka 2021 7")})
    run = partial(mrv_json, {**home.environment, **environment, "MRV_REFERENCE": uri})
    assert [one["version"] for one in run("factors", "list", "--line", "mrow")["releases"]] == list(LINE)
    assert run("factors", "diff", FIRST, WRONG)["counts"]["changed"] > 0
    bucket.replace("projects/anoka.toml", projects("anoka", publication="approve")["projects/anoka.toml"])
    run("run", "anoka", "2021", FIRST)
    [previewed] = run("factors", "impact", WRONG)["partitions"]
    run("run", "anoka", "2021", WRONG)
    pinned = projects("anoka", publication="approve", pins={"2021": WRONG})["projects/anoka.toml"]
    bucket.replace("projects/anoka.toml", pinned)
    run("run", "anoka", "2021", WRONG)
    [pending] = run("ledger", "pending")["pending"]
    assert pending["new_net_tco2e"] == previewed["after_tco2e"]["net"]
    run("ledger", "approve", "anoka", "2021", "--by", "R. Reviewer", "--reason", "as published")
    [figure] = run("ledger")["figures"]
    assert figure["net_tco2e"] == pending["new_net_tco2e"]
    assert run("fsck")["breaches"] == []


@pytest.mark.parametrize(
    ("variable", "value", "family", "words"),
    [
        pytest.param("MRV_STORE", "s3://test-no-such-bucket/x", Refusal, "bucket does not exist", id="no bucket"),
        pytest.param("AWS_SECRET_ACCESS_KEY", "wrong-and-private", Transient, "HTTP 403", id="wrong secret"),
        pytest.param("AWS_ENDPOINT_URL", "http://127.0.0.1:1", Transient, "no connection", id="nobody there"),
    ],
)
def test_a_store_on_s3_that_cannot_be_used_is_told_in_its_own_words(
    tmp_path: Path,
    environment: Mapping[str, str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    family: type[Exception],
    words: str,
) -> None:
    """The run ends before its first step with what the store said, and no secret."""
    monkeypatch.setenv(variable, value)
    home = Home.create(tmp_path, references=references(), landing={"source.csv": SOUND_SOURCE})
    settings = Settings.from_env({**home.environment, **environment, variable: value})
    with launcher(settings, processes=1, log=settings.logs / "test.jsonl", force=False) as launch:
        (run,) = launch([KEY])
    assert isinstance(run.error, family)
    assert words in str(run.error)
    assert "private" not in str(run.error)
