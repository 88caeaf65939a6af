from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.trust import Trust
from mrv_assets_tests.signing import FIRST, TRUST, key_folder_of, key_id, pem_of, trusted
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which there is nothing, and no key in the environment."""
    monkeypatch.delenv("MRV_SIGNING_KEY", raising=False)
    monkeypatch.delenv("MRV_KEYS", raising=False)
    return tmp_path


def _folder(home: Path) -> Path:
    return home / "home" / "keys"


def _given(home: Path, trust: Trust) -> Path:
    (home / "home").mkdir()
    return key_folder_of(_folder(home), FIRST, trust=trust)


def test_without_a_key_it_says_that_certificates_are_unsigned(mrv: Mrv, home: Path) -> None:
    """And how to change that; looking makes no folder."""
    assert "UNSIGNED. `mrv keys init`" in mrv(home, "keys", "list").stdout
    assert parsed(mrv(home, "keys", "list", "--json"))["keys"] == []
    assert not _folder(home).exists()


def test_a_first_key_is_made_and_told_where_it_is(mrv: Mrv, home: Path) -> None:
    """What is said: the id, the private file, what comes next; never what the private key is."""
    result = mrv(home, "keys", "init", "--owner", "Met Council")
    [private] = _folder(home).glob("*.pem")
    assert result.exit_code == 0
    assert f"Key is made: {private.stem} of Met Council" in result.stdout
    assert str(private) in result.stdout
    assert "Next: " in result.stdout
    assert private.read_text(encoding="utf-8").splitlines()[1] not in result.stdout + result.stderr


def test_beginning_again_says_that_nothing_was_changed(mrv: Mrv, home: Path) -> None:
    """The exit code is 0 and the key is the same."""
    first = parsed(mrv(home, "keys", "init", "--json"))
    again = parsed(mrv(home, "keys", "init", "--owner", "Somebody", "--json"))
    assert (first["is_new"], again["is_new"]) == (True, False)
    assert first["key"] == again["key"]
    assert "There is a key already, and nothing was changed" in mrv(home, "keys", "init").stdout


def test_a_rotation_says_what_to_destroy(mrv: Mrv, home: Path) -> None:
    """The old key is ended, its file is named with the command, and the new one signs."""
    old = parsed(mrv(home, "keys", "init", "--json"))["key"]
    text = mrv(home, "keys", "rotate").stdout
    states = {key["key_id"]: key["state"] for key in parsed(mrv(home, "keys", "list", "--json"))["keys"]}
    assert f"shred -u {old['private_file']}" in text
    assert states.pop(old["key_id"]) == "ended, destroy"
    assert list(states.values()) == ["signs"]
    Path(old["private_file"]).unlink()
    assert "ended, destroy" not in mrv(home, "keys", "list").stdout


def test_a_rotation_as_json_names_both_keys(mrv: Mrv, home: Path) -> None:
    """The new one and the ended ones."""
    old = parsed(mrv(home, "keys", "init", "--json"))["key"]
    document = parsed(mrv(home, "keys", "rotate", "--json"))
    assert [key["key_id"] for key in document["ended"]] == [old["key_id"]]
    assert document["key"]["state"] == "signs"


def test_the_list_fits_100_columns(mrv: Mrv, home: Path) -> None:
    """Also with an owner of many words."""
    key = trusted(FIRST, owner="Metropolitan Council of the Twin Cities, " * 4)
    folder = _given(home, Trust(keys=(key,)))
    lines = mrv(home, "keys", "list").stdout.splitlines()
    assert max(len(line) for line in lines if str(folder) not in line) <= 100
    assert key_id(FIRST)[:16] in "".join(lines)


def test_an_unlisted_private_key_is_named(mrv: Mrv, home: Path) -> None:
    """With the command that takes it up."""
    folder = _given(home, Trust())
    text = mrv(home, "keys", "list").stdout
    assert f"{folder / key_id(FIRST)[:16]}.pem; `mrv keys init` takes it up" in text


def test_a_key_of_the_environment_is_told_of(mrv: Mrv, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """That it signs, on stderr, and not what it is."""
    _given(home, TRUST)
    monkeypatch.setenv("MRV_SIGNING_KEY", pem_of(FIRST))
    result = mrv(home, "keys", "list")
    assert "MRV_SIGNING_KEY is set" in result.stderr
    assert pem_of(FIRST).splitlines()[1] not in result.stdout + result.stderr
    assert parsed(mrv(home, "keys", "list", "--json"))["signing_key_is_set"] is True


def test_public_keys_are_given_out(mrv: Mrv, home: Path, tmp_path: Path) -> None:
    """The trust file on stdout, or in a new file with the ids to tell by another way."""
    _given(home, TRUST)
    out = tmp_path / "for-auditor.toml"
    result = mrv(home, "keys", "trust", "--out", str(out))
    assert key_id(FIRST) in result.stdout
    assert out.read_bytes() == TRUST.to_toml()
    assert mrv(home, "keys", "trust").stdout.encode() == TRUST.to_toml()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        pytest.param(["trust"], "there is no key to trust", id="no key to give out"),
        pytest.param(["rotate"], "mrv keys init", id="no key to rotate"),
        pytest.param(["init", "--owner", " - "], "owner with a letter", id="nameless owner"),
    ],
)
def test_what_cannot_be_done_is_refused(mrv: Mrv, home: Path, arguments: list[str], words: str) -> None:
    """In a panel, with exit code 1."""
    result = mrv(home, "keys", *arguments)
    assert result.exit_code == 1
    assert words in " ".join(result.stderr.replace("│", " ").split())


def test_a_file_that_is_there_is_not_written_over(mrv: Mrv, home: Path, tmp_path: Path) -> None:
    """It might be another trust file."""
    _given(home, TRUST)
    (tmp_path / "out.toml").write_text("mine", encoding="utf-8")
    assert mrv(home, "keys", "trust", "--out", str(tmp_path / "out.toml")).exit_code == 1
    assert (tmp_path / "out.toml").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("command", ["init", "rotate", "list", "trust"])
def test_every_command_has_an_example(mrv: Mrv, home: Path, command: str) -> None:
    """In its help."""
    assert "Example:" in mrv(home, "keys", command, "--help").stdout
