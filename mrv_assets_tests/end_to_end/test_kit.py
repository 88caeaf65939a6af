"""A kit on a stranger's machine: unpacked anywhere, run as a process of its own without anything of ours around it."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.end_to_end.command import mrv
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.world import run_partition

CHANGED = (b"emission,0.005,t,kg", b"emission,0.006,t,kg")
RELEASE = f"reference/factors/{forest.KEY.factor_version}"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """The planted forest, run once; only for reading."""
    folder = tmp_path_factory.mktemp("forest")
    home = Home.create(folder, references=forest.references(), landing=forest.landing())
    run_partition(home.world(), forest.KEY)
    return home


@pytest.fixture(scope="module")
def kit(home: Home, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its kit, unpacked; only for reading."""
    folder = tmp_path_factory.mktemp("stranger")
    mrv(home.environment, "kit", "planted-forest", "2025", "--out", str(folder / "kit.zip"))
    with zipfile.ZipFile(folder / "kit.zip") as archive:
        archive.extractall(folder / "kit")
    return folder / "kit"


def run(kit: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a kit in another folder, isolated, with nothing in its environment."""
    command = [sys.executable, "-I", "-W", "ignore", str(kit / "reperform.py"), *arguments]
    env = {"COLUMNS": "200", "PATH": os.defpath}
    return subprocess.run(command, cwd=kit.parent, env=env, capture_output=True, text=True, check=False, timeout=600)


def own(kit: Path, folder: Path) -> Path:
    """Return a copy that a test may change."""
    return Path(shutil.copytree(kit, folder / "kit"))


def edit(path: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of a file."""
    path.write_bytes(change(path.read_bytes()))


def test_the_figure_is_made_again_and_nothing_is_written(kit: Path) -> None:
    """Every asset is equal, in a process that has the locked libraries and this folder."""
    before = {path: path.stat().st_mtime_ns for path in kit.rglob("*")}
    done = run(kit)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("equal") == 6
    assert "The same figure" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in kit.rglob("*")} == before


def test_the_code_is_that_of_the_kit(kit: Path, tmp_path: Path) -> None:
    """Whatever else is installed: a change of it shows, and is not run."""
    mine = own(kit, tmp_path)
    edit(mine / "code/mrv_assets/stages/factor.py", lambda data: data + b"raise SystemExit(9)\n")
    done = run(mine)
    assert done.returncode == 70
    assert "code/mrv_assets/stages/factor.py" in done.stderr
    assert "Nothing was run" in done.stderr


@pytest.mark.parametrize(
    "path",
    [
        "manifest.json",
        "reperform.py",
        "README.md",
        "inputs.json",
        "certificate/statement.json",
        "certificate/ledger.parquet",
        "landing/plots.csv",
        f"{RELEASE}/factors.csv",
    ],
)
def test_one_byte_of_any_member_is_named(kit: Path, tmp_path: Path, path: str) -> None:
    """The last one, here; unit tests take every member."""
    mine = own(kit, tmp_path)
    edit(mine / path, lambda data: data[:-1] + (b"#" if path.endswith(".py") else b" "))
    done = run(mine)
    assert done.returncode == 70
    assert path in done.stderr


def test_a_factor_that_was_changed_shows_its_rows(kit: Path, tmp_path: Path) -> None:
    """Pinned anew by its release, so that it can be read: what it would change is printed row by row, in tonnes."""
    mine = own(kit, tmp_path)
    factors = mine / RELEASE / "factors.csv"
    old = hashlib.sha256(factors.read_bytes()).hexdigest()
    edit(factors, lambda data: data.replace(*CHANGED))
    new = hashlib.sha256(factors.read_bytes()).hexdigest()
    assert old != new
    edit(mine / RELEASE / "release.toml", lambda data: data.replace(old.encode(), new.encode()))
    done = run(mine, "--json")
    assert done.returncode == 70
    assert f"{RELEASE}/factors.csv" in done.stderr
    found = json.loads(done.stdout)
    assert [pin["kind"] for pin in found["inputs"] if pin["here"] != pin["digest"]] == ["factor_release"]
    [factored] = [one for one in found["assets"] if one["asset"] == "factored"]
    assert {cell["column"] for cell in factored["difference"]["cells"]} == {"ef_value", "emissions_tco2e"}
    assert factored["difference"]["tonnes"] != "0.000000000"
    assert found["totals"]["sealed"] != found["totals"]["recomputed"]


def test_without_geometry_and_inputs_the_script_still_proves_areas_and_totals(home: Home, tmp_path: Path) -> None:
    """What is shown is what was sealed, and what follows from it is made again; nothing else is claimed."""
    options = ("--without-inputs", "--without-geometry", "--out", str(tmp_path / "kit.zip"))
    written = mrv(home.environment, "kit", "planted-forest", "2025", *options)
    assert "geometry of activity and normalized: withheld" in written.stdout
    with zipfile.ZipFile(tmp_path / "kit.zip") as archive:
        archive.extractall(tmp_path / "kit")
    done = run(tmp_path / "kit", "--json")
    assert done.returncode == 0, done.stderr
    states = [one["state"] for one in json.loads(done.stdout)["assets"]]
    assert states == ["not recomputed", "not recomputed", "equal", "equal", "not recomputed"]


def test_in_place_it_is_the_same(home: Home) -> None:
    """`mrv reperform` compares the same things and writes nothing to the store."""
    before = home.stored()
    done = mrv(home.environment, "reperform", "planted-forest", "2025", "--json")
    assert done.exit_code == 0
    found = json.loads(done.stdout)
    assert found["verdict"] == "same"
    assert [one["state"] for one in found["assets"]] == ["equal"] * 5
    assert home.stored() == before
    assert mrv(home.environment, "reperform", found["certificate"][:8]).exit_code == 0


def test_a_kit_is_written_once(home: Home, tmp_path: Path) -> None:
    """The same kit may be there already; another file is not written over."""
    first = mrv(home.environment, "kit", "planted-forest", "2025", "--out", str(tmp_path / "kit.zip"), "--json")
    again = mrv(home.environment, "kit", "planted-forest", "2025", "--out", str(tmp_path / "kit.zip"), "--json")
    assert (first.exit_code, again.exit_code) == (0, 0)
    assert first.stdout == again.stdout
    (tmp_path / "kit.zip").write_bytes(b"mine")
    refused = mrv(home.environment, "kit", "planted-forest", "2025", "--out", str(tmp_path / "kit.zip"))
    assert refused.exit_code == 1
    assert (tmp_path / "kit.zip").read_bytes() == b"mine"


def test_other_reference_data_are_refused_and_can_be_named(home: Home, tmp_path: Path) -> None:
    """`--reference` points at a checkout of the time of the certificate."""
    others = forest.replaced(forest.references(), forest.PROJECT, 'name = "', 'name = "The ')
    changed = Home.create(tmp_path, references=others, landing={}).environment["MRV_REFERENCE"]
    refused = mrv(home.environment, "reperform", "planted-forest", "2025", "--reference", changed)
    assert refused.exit_code == 1
    assert "project planted-forest" in refused.stderr
