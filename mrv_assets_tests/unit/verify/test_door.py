"""`python -m mrv_assets.verify` as an auditor runs it: what it loads, what it says, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.consistency import ConsistencyProof
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.trust import Trust
from mrv_assets.verify.__main__ import HELD, NOT_TRUSTED, TAMPERED, main
from mrv_assets_tests import altering
from mrv_assets_tests.handed_out import Shown, place, whole
from mrv_assets_tests.signing import FIRST, STRANGER, trusted
from mrv_assets_tests.world import ROOT

# Nothing else may be imported: where a finder refuses everything else, the check still runs.
ALONE = """
import sys
before = set(sys.modules)
ALLOWED = {"mrv_assets", "pyarrow", "cryptography", "cffi", "_cffi_backend"}
def top(name): return name.partition(".")[0]
def known(name): return top(name) in ALLOWED | set(sys.stdlib_module_names) or top(name).startswith("_sysconfigdata")
class Refusing:
    def find_spec(self, name, path=None, target=None):
        if not known(name):
            raise ModuleNotFoundError(name, name=name)
sys.meta_path.insert(0, Refusing())
from mrv_assets.verify.__main__ import main
code = main(sys.argv[1:])
places = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items() if name not in before}
print(sorted({top(name) for name, file in places.items() if "site-packages" in file}))
raise SystemExit(code)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """What the operator hands out: the certificate, the keys, a published checkpoint and the tables."""
    origin = whole()
    bundle = origin.bundle()
    (tmp_path / "anoka.mrv.json").write_bytes(bundle.to_bytes())
    (tmp_path / "trust.toml").write_bytes(Trust(keys=(trusted(FIRST, until=None),)).to_toml())
    earlier = origin.rolled_back(to=2).checkpoint()
    (tmp_path / "checkpoint.json").write_bytes(earlier.to_bytes())
    nodes = origin.growth(2, 3) or ()
    (tmp_path / "proof.json").write_bytes(ConsistencyProof(first=2, second=3, nodes=nodes).to_bytes() + b"\n")
    for key in origin.world.store.list("blobs/"):
        file = tmp_path / key
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(origin.world.store.get(key) or b"")
    return tmp_path


def everything(folder: Path) -> list[str]:
    """Return the arguments with all that there is."""
    given = {"--trust": "trust.toml", "--blobs": "blobs", "--checkpoint": "checkpoint.json", "--proof": "proof.json"}
    return [
        str(folder / "anoka.mrv.json"),
        *(part for name, file in given.items() for part in (name, str(folder / file))),
    ]


def test_it_needs_cryptography_and_pyarrow_and_nothing_else(folder: Path) -> None:
    """Every other package is refused to it, and the whole check runs, tables included."""
    program = [sys.executable, "-W", "ignore", "-c", ALONE, *everything(folder)]
    env = {"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]}
    done = subprocess.run(program, capture_output=True, text=True, check=False, cwd=folder, env=env)
    assert (done.returncode, done.stderr) == (HELD, "")
    *lines, loaded = done.stdout.splitlines()
    assert set(json.loads(loaded.replace("'", '"'))) <= {"_cffi_backend", "cffi", "cryptography", "pyarrow"}
    assert [line for line in lines if "not checked" in line or "unsigned" in line] == []


def test_everything_at_hand_holds(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 0, a line for each check, and no control codes where there is no terminal."""
    assert main(everything(folder)) == HELD
    text = capsys.readouterr().out
    assert "signature" in text
    assert "what happened to the journal from 2 to 3 entries is only appending" in text
    assert "\033" not in text


def _forged(shown: Shown, folder: Path) -> None:
    (folder / "anoka.mrv.json").write_bytes(shown.bundle.to_bytes())


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        pytest.param(["--trust", "trust.toml"], HELD, "held", id="with keys"),
        pytest.param([], NOT_TRUSTED, "no trust file was given", id="without keys"),
        pytest.param(["--allow-unsigned"], HELD, "NOBODY IS TRUSTED", id="digests alone"),
        pytest.param(["--trust", "strangers.toml"], NOT_TRUSTED, "nobody whom this trust file knows", id="other keys"),
        pytest.param(["--trust", "nowhere.toml"], NOT_TRUSTED, "file cannot be used", id="missing file"),
        pytest.param(["--trust", "anoka.mrv.json"], NOT_TRUSTED, "trust in keys is malformed", id="another file"),
        pytest.param(["--trust", "trust.toml", "--blobs", "nowhere"], NOT_TRUSTED, "file cannot be used", id="folder"),
        pytest.param(
            ["--trust", "trust.toml", "--checkpoint", "trust.toml"],
            TAMPERED,
            "envelope cannot be read",
            id="checkpoint",
        ),
    ],
)
def test_the_exit_code_says_how_it_ended(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: Sequence[str],
    code: int,
    words: str,
) -> None:
    """0 for what holds, 1 for what is not to be trusted, 70 for what was altered."""
    monkeypatch.chdir(folder)
    Path("strangers.toml").write_bytes(Trust(keys=(trusted(STRANGER),)).to_toml())
    assert main(["anoka.mrv.json", *given]) == code
    assert words in capsys.readouterr().out


def test_what_was_altered_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 70, with the leaf, for people and for scripts."""
    _forged(altering.record(Asset.FACTORED, "rows", 9)(whole().shown()), folder)
    arguments = [str(folder / "anoka.mrv.json"), "--trust", str(folder / "trust.toml")]
    assert main(arguments) == TAMPERED
    assert "record factored generation 1: rows" in capsys.readouterr().out
    assert main([*arguments, "--json"]) == TAMPERED
    document = json.loads(capsys.readouterr().out)
    assert (document["is_held"], document["error"]) == (False, "DigestMismatch")


def test_an_unsigned_certificate_is_refused_unless_it_is_asked_for(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 1, which is no alarm; with the explicit choice it is said in so many words."""
    (folder / "anoka.mrv.json").write_bytes(place(None).bundle().to_bytes())
    arguments = [str(folder / "anoka.mrv.json"), "--trust", str(folder / "trust.toml")]
    assert main(arguments) == NOT_TRUSTED
    assert "nobody has signed this" in capsys.readouterr().out
    assert main([*arguments, "--allow-unsigned", "--json"]) == HELD
    states = {check["check"]: check["state"] for check in json.loads(capsys.readouterr().out)["checks"]}
    assert (states["signature"], states["ledger"]) == ("unsigned", "held")


def test_a_file_of_something_else_is_no_tampering(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody has named the wrong file; a certificate that is cut off is damaged."""
    file = folder / "anoka.mrv.json"
    data = file.read_bytes()
    file.write_bytes(b"{}")
    assert main([str(file), "--allow-unsigned"]) == NOT_TRUSTED
    file.write_bytes(data[:-1])
    assert main([str(file), "--allow-unsigned"]) == TAMPERED
    assert "bundle cannot be read" in capsys.readouterr().out


def test_a_nested_file_ends_no_check_with_an_accident(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Somebody who nests a hundred thousand lists gets the same answer as for other damage."""
    file = folder / "anoka.mrv.json"
    file.write_bytes(b'{"schema":"mrv-bundle-1","records":' + b"[" * 100_000)
    assert main([str(file), "--allow-unsigned"]) == TAMPERED
    assert "bundle cannot be read" in capsys.readouterr().out


def test_a_bundle_is_one_file_that_reads_back() -> None:
    """What is handed out is what the check reads."""
    data = whole().bundle().to_bytes()
    assert Bundle.from_bytes(data, where="file").to_bytes() == data
