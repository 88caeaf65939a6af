"""`make kit-check`: a kit in a fresh virtual environment that has the locked libraries and nothing else.

The kit is of a figure of the demo, or of a small run where the demo has not been run. What does not belong here: what
a kit holds (unit tests), and running its script in this environment (end to end).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import structlog

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.figures import ledger_slots, upstream_record
from mrv_assets.pipeline.kit import Kit, make_kit
from mrv_assets.pipeline.kit_archive import zipped
from mrv_assets.pipeline.world import World
from mrv_assets.settings import Settings
from mrv_assets_tests import planted_forest
from mrv_assets_tests.world import run_partition


def main(home: str, *words: str) -> int:
    """Make a kit, an environment from its lock file, and run its script there; return the script's exit code."""
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    kit = _kit(Path(home), " ".join(words))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "kit.zip").write_bytes(zipped(kit.files))
        with ZipFile(folder / "kit.zip") as archive:
            archive.extractall(folder / "kit")
        size = (folder / "kit.zip").stat().st_size
        _say(f"Kit of {kit.sealed.certificate.key}: {len(kit.files)} files, {size:,} bytes")
        for each in kit.left_out:
            _say(f"Left out: {each}")
        python = _environment(folder / "venv", folder / "kit" / "code" / "requirements.lock")
        started = time.perf_counter()
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        script = str(folder / "kit" / "reperform.py")
        env = {"PATH": os.defpath, "COLUMNS": "120"}
        code = subprocess.run([python, "-I", script], cwd=elsewhere, env=env, check=False).returncode
        _say(f"Exit code {code} after {time.perf_counter() - started:.1f} s")
        return code


def _kit(home: Path, words: str) -> Kit:
    """Return the kit that `words` ask for, else of the first reported figure whose source is still at hand."""
    if not (home / "store").is_dir():
        _say("No demo has been run here: a kit of the planted forest, run in memory")
        world = planted_forest.opened()
        run_partition(world, planted_forest.KEY)
    else:
        world = World.open(Settings.from_env({"MRV_HOME": str(home)}))
    if words:
        return make_kit(world, find_certificate(world.slots, words))
    kits = [make_kit(world, record) for record in _reported(world)]
    return next((kit for kit in kits if not any(path.startswith("source ") for path in kit.left_out)), kits[0])


def _reported(world: World) -> Iterator[GenerationRecord]:
    for slot in ledger_slots(world.slots, project_id=None, period=None):
        live = world.slots.current(slot)
        if live is not None:
            yield upstream_record(world.slots, live, Asset.CERTIFICATE)


def _environment(folder: Path, lock: Path) -> str:
    """Make a virtual environment with what the lock file names and nothing else; return its interpreter."""
    started = time.perf_counter()
    venv.create(folder, with_pip=True)
    python = str(folder / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*install, "--require-hashes", "--requirement", str(lock)], check=True)
    _say(f"Environment from the lock file alone after {time.perf_counter() - started:.0f} s")
    return python


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
