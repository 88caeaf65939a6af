"""Keys on the disk and in the environment: how they begin and end, and that nothing gives a private one away."""

from __future__ import annotations

import copy
import json
import os
import pickle
import stat
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat

from mrv_assets import telemetry
from mrv_assets.domain.dsse import IN_TOTO, Signer
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import Trust, TrustedKey
from mrv_assets.storage.key_folder import instant_text
from mrv_assets.storage.private_keys import write_private_key
from mrv_assets.storage.signing import SIGNING_KEY, KeyFolder, signer_from
from mrv_assets.verify.signatures import verify_signatures
from mrv_assets_tests.signing import FIRST, PAYLOAD, SECOND, STRANGER, TRUST, key_folder_of, key_id, pem_of, trusted

NOW = datetime(2026, 3, 1, tzinfo=UTC)
LATER = NOW + timedelta(days=1)
ONE = Trust(keys=(trusted(FIRST),))


def at(instant: datetime) -> Callable[[], datetime]:
    """Return a clock that stands still."""
    return lambda: instant


def signer_of(folder: Path, instant: datetime = NOW, **env: str) -> Signer:
    """Return who signs; there must be one."""
    signer = signer_from(env, folder, clock=at(instant))
    assert signer is not None
    return signer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where keys will be."""
    return tmp_path / "home" / "keys"


def test_without_a_key_nobody_signs(folder: Path) -> None:
    """And looking makes no folder."""
    assert signer_from({}, folder) is None
    assert signer_from({SIGNING_KEY: ""}, folder) is None
    assert KeyFolder(folder).trust().keys == ()
    assert not folder.parent.exists()


def test_a_first_key_is_made_for_its_owner_alone(folder: Path) -> None:
    """Folder and private key are for one user, the public half is listed from now on."""
    key = KeyFolder(folder).init("Met Council", NOW)
    [private] = folder.glob("*.pem")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert private.stat().st_nlink == 1
    assert private.name == f"{key.key_id[:16]}.pem"
    assert sorted(path.name for path in folder.iterdir()) == [private.name, "trust.toml"]
    assert KeyFolder(folder).trust().keys == (key,)
    assert (key.owner, key.valid_from_utc, key.valid_until_utc) == ("Met Council", "2026-03-01T00:00:00.000000Z", None)


@pytest.mark.parametrize("mask", [0o000, 0o077, 0o777])
def test_the_mode_does_not_depend_on_the_umask(folder: Path, mask: int) -> None:
    """Whatever the shell says, the private key is for its owner and can be read by its owner."""
    folder.mkdir(parents=True, mode=0o700)
    before = os.umask(mask)
    try:
        write_private_key(folder, FIRST)
    finally:
        os.umask(before)
    [private] = folder.glob("*.pem")
    assert stat.S_IMODE(private.stat().st_mode) == 0o600


def test_a_private_key_is_never_written_over(folder: Path) -> None:
    """The file of a key is created once."""
    folder.mkdir(parents=True, mode=0o700)
    write_private_key(folder, FIRST)
    with pytest.raises(FileExistsError, match="pem"):
        write_private_key(folder, FIRST)
    assert [path.suffix for path in folder.iterdir()] == [".pem"]


def test_what_it_signs_is_verified_by_the_trust_file(folder: Path) -> None:
    """From the first key to a signature that holds."""
    key = KeyFolder(folder).init("Met Council", NOW)
    signer = signer_of(folder)
    envelope = signer.sign(IN_TOTO, PAYLOAD)
    assert signer.key_id == key.key_id
    assert verify_signatures(
        envelope, KeyFolder(folder).trust(), since_utc=instant_text(NOW), until_utc=instant_text(NOW), where="x"
    ) == (key,)


def test_beginning_again_changes_nothing(folder: Path) -> None:
    """The key that is there is returned, also under another owner."""
    first = KeyFolder(folder).init("Met Council", NOW)
    before = {path: path.read_bytes() for path in folder.iterdir()}
    assert KeyFolder(folder).init("Somebody", LATER) == first
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_two_that_begin_at_once_get_one_key(folder: Path) -> None:
    """The folder is held alone while it is changed."""
    with ThreadPoolExecutor(4) as threads:
        keys = set(threads.map(lambda _: KeyFolder(folder).init("Met Council", NOW).key_id, range(4)))
    assert len(keys) == len(list(folder.glob("*.pem"))) == 1


def test_a_rotation_ends_one_key_as_another_begins(folder: Path) -> None:
    """At that instant exactly the new one counts; the old file stays and is not used."""
    old = KeyFolder(folder).init("Met Council", NOW)
    sealed = signer_of(folder).sign(IN_TOTO, PAYLOAD)
    new = KeyFolder(folder).rotate(None, LATER)
    trust = KeyFolder(folder).trust()
    assert [(key.key_id, key.valid_until_utc) for key in trust.keys] == [
        (old.key_id, new.valid_from_utc),
        (new.key_id, None),
    ]
    assert (new.owner, new.valid_from_utc) == ("Met Council", instant_text(LATER))
    assert [key.is_valid_at(instant_text(LATER)) for key in trust.keys] == [False, True]
    assert len(list(folder.glob("*.pem"))) == 2
    assert signer_of(folder, LATER).key_id == new.key_id
    assert (
        verify_signatures(sealed, trust, since_utc=instant_text(NOW), until_utc=instant_text(NOW), where="x")[0].key_id
        == old.key_id
    )


def test_a_signer_stops_when_its_key_has_ended(folder: Path) -> None:
    """A run that is under way during a rotation does not seal what nobody would accept."""
    KeyFolder(folder).init("Met Council", NOW)
    running = signer_from({}, folder, clock=at(LATER))
    assert running is not None
    KeyFolder(folder).rotate(None, LATER)
    with pytest.raises(ContractError, match=r"signing key has ended.*mrv keys rotate"):
        running.sign(IN_TOTO, PAYLOAD)


def test_a_new_owner_may_be_said_and_keys_of_others_stay(tmp_path: Path) -> None:
    """Only the keys whose private half is here are ended."""
    other = trusted(SECOND, until=None, owner="Auditor")
    folder = key_folder_of(tmp_path / "k", FIRST, trust=Trust(keys=(trusted(FIRST, until=None), other)))
    new = KeyFolder(folder).rotate("Council", NOW)
    trust = KeyFolder(folder).trust()
    assert trust.key(key_id(SECOND)) == other
    assert [key.valid_until_utc for key in trust.keys if key.key_id == key_id(FIRST)] == [instant_text(NOW)]
    assert new.owner == "Council"


def test_a_key_of_the_environment_is_rotated_by_its_owner(tmp_path: Path) -> None:
    """Where no private key is here the listed keys of the owner end, and the new one is in the folder."""
    folder = key_folder_of(tmp_path / "k", trust=Trust(keys=(trusted(FIRST, until=None),)))
    new = KeyFolder(folder).rotate(None, NOW)
    assert signer_of(folder, LATER).key_id == new.key_id
    with pytest.raises(ContractError, match="signing key has ended"):
        signer_from({SIGNING_KEY: pem_of(FIRST)}, folder, clock=at(LATER))


@pytest.mark.parametrize(
    ("make", "words"),
    [
        pytest.param(lambda keys: keys.rotate(None, NOW), "mrv keys init", id="nothing to rotate"),
        pytest.param(lambda keys: keys.init(" ", NOW), "owner with a letter", id="nameless owner"),
        pytest.param(lambda keys: keys.init("a\x1b[2Kb", NOW), r"U\+001B", id="owner with an escape"),
    ],
)
def test_what_cannot_be_done_leaves_no_key(folder: Path, make: Callable[[KeyFolder], object], words: str) -> None:
    """It is refused by name, before anything is written."""
    with pytest.raises(ContractError, match=words):
        make(KeyFolder(folder))
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("instant", [NOW, NOW - timedelta(days=1)], ids=["the same instant", "before"])
def test_a_clock_that_is_behind_rotates_nothing(folder: Path, instant: datetime) -> None:
    """The old key would end before it began."""
    KeyFolder(folder).init("Met Council", NOW)
    before = (folder / "trust.toml").read_bytes()
    with pytest.raises(ContractError, match="clock"):
        KeyFolder(folder).rotate(None, instant)
    assert (folder / "trust.toml").read_bytes() == before
    assert len(list(folder.glob("*.pem"))) == 1


def test_two_owners_are_not_guessed_between(tmp_path: Path) -> None:
    """Whose the new key is has to be said."""
    keys = (trusted(FIRST, until=None), trusted(SECOND, until=None, owner="Auditor"))
    folder = key_folder_of(tmp_path / "k", trust=Trust(keys=keys))
    with pytest.raises(ContractError, match="--owner"):
        KeyFolder(folder).rotate(None, NOW)


@pytest.mark.parametrize(
    ("keys", "trust"),
    [
        pytest.param((), ONE, id="no private key"),
        pytest.param((SECOND,), ONE, id="another private key"),
        pytest.param((FIRST,), Trust(keys=(trusted(FIRST, until="2026-02-01T00:00:00Z"),)), id="ended"),
    ],
)
def test_a_folder_that_has_begun_is_not_begun_again(
    tmp_path: Path, keys: tuple[Ed25519PrivateKey, ...], trust: Trust
) -> None:
    """A lost or ended key is not replaced by `init`, which would hide it; the remedy is named."""
    folder = key_folder_of(tmp_path / "k", *keys, trust=trust)
    with pytest.raises(ContractError, match="mrv keys rotate"):
        KeyFolder(folder).init("Met Council", NOW)


def test_a_crash_before_the_key_was_listed_is_healed_by_the_same_command(folder: Path) -> None:
    """`init` and `rotate` take up the private key that is there, and left-overs of a dead writer go."""
    folder.mkdir(parents=True, mode=0o700)
    write_private_key(folder, FIRST)
    (folder / ".tmp-half").write_text("half of a key", encoding="utf-8")
    with pytest.raises(ContractError, match=r"signing key is not in the trust file.*mrv keys init"):
        signer_from({}, folder, clock=at(NOW))
    assert KeyFolder(folder).unlisted() == [folder / f"{key_id(FIRST)[:16]}.pem"]
    assert KeyFolder(folder).init("Met Council", NOW).key_id == key_id(FIRST)
    write_private_key(folder, SECOND)
    assert signer_of(folder).key_id == key_id(FIRST)
    assert KeyFolder(folder).rotate(None, LATER).key_id == key_id(SECOND)
    assert KeyFolder(folder).unlisted() == []
    assert not list(folder.glob(".tmp-*"))


def test_two_unlisted_keys_are_not_chosen_between(folder: Path) -> None:
    """One of them was put there by somebody."""
    folder.mkdir(parents=True, mode=0o700)
    for key in (FIRST, SECOND):
        write_private_key(folder, key)
    with pytest.raises(ContractError, match="at most one private key"):
        KeyFolder(folder).init("Met Council", NOW)


def test_the_environment_comes_first(tmp_path: Path) -> None:
    """The key of the environment signs, though one in the folder could; the trust file must list it."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=TRUST)
    assert signer_of(folder).key_id == key_id(FIRST)
    assert signer_of(folder, MRV_SIGNING_KEY=pem_of(SECOND)).key_id == key_id(SECOND)
    with pytest.raises(ContractError, match="signing key is not in the trust file"):
        signer_from({SIGNING_KEY: pem_of(STRANGER)}, folder, clock=at(NOW))


def test_a_folder_with_keys_and_none_to_sign_is_not_silently_unsigned(tmp_path: Path) -> None:
    """A private key that is lost is told, not worked around."""
    folder = key_folder_of(tmp_path / "k", trust=ONE)
    with pytest.raises(ContractError, match="unsigned from now on"):
        signer_from({}, folder, clock=at(NOW))


@pytest.mark.parametrize(
    ("instant", "words"),
    [
        pytest.param(datetime(2025, 12, 31, tzinfo=UTC), "signing key does not count yet", id="not yet"),
        pytest.param(datetime(2026, 7, 1, tzinfo=UTC), "signing key has ended", id="ended"),
    ],
)
@pytest.mark.parametrize("env", [{}, {SIGNING_KEY: pem_of(FIRST)}], ids=["folder", "environment"])
def test_a_key_that_does_not_count_does_not_sign(
    tmp_path: Path, env: dict[str, str], instant: datetime, words: str
) -> None:
    """From wherever it comes."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=ONE)
    with pytest.raises(ContractError, match=words):
        signer_from(env, folder, clock=at(instant))


def _private(folder: Path) -> Path:
    return folder / f"{key_id(FIRST)[:16]}.pem"


def _linked(folder: Path) -> None:
    _private(folder).rename(folder.parent / "elsewhere.pem")
    _private(folder).symlink_to(folder.parent / "elsewhere.pem")


def _a_folder(folder: Path) -> None:
    _private(folder).unlink()
    _private(folder).mkdir(mode=0o700)


def _a_pipe(folder: Path) -> None:
    _private(folder).unlink()
    os.mkfifo(_private(folder), mode=0o600)


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        pytest.param(lambda f: _private(f).chmod(0o640), "mode 640.*chmod 600", id="group reads"),
        pytest.param(lambda f: _private(f).chmod(0o604), "mode 604.*chmod 600", id="others read"),
        pytest.param(lambda f: _private(f).chmod(0o620), "mode 620.*chmod 600", id="group writes"),
        pytest.param(lambda f: f.chmod(0o755), "mode 755.*chmod 700", id="open folder"),
        pytest.param(_linked, "a link to elsewhere", id="link"),
        pytest.param(_a_folder, "expected a file; found something else", id="folder"),
        pytest.param(_a_pipe, "expected a file; found something else", id="pipe"),
        pytest.param(lambda f: _private(f).write_text(""), "private key cannot be read", id="empty"),
        pytest.param(lambda f: _private(f).write_text(pem_of(FIRST)[:-40]), "private key cannot be read", id="cut"),
        pytest.param(lambda f: _private(f).write_text(pem_of(SECOND)), "found the key", id="another key"),
    ],
)
def test_a_key_file_that_is_not_private_or_not_the_key_is_refused(
    tmp_path: Path, damage: Callable[[Path], object], words: str
) -> None:
    """By name, with the remedy."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=ONE)
    damage(folder)
    with pytest.raises(ContractError, match=words):
        signer_from({}, folder, clock=at(NOW))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
@pytest.mark.parametrize("is_folder", [True, False], ids=["folder", "file"])
def test_a_key_of_another_user_is_refused(tmp_path: Path, *, is_folder: bool) -> None:
    """Who could write it knows it."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=ONE)
    os.chown(folder if is_folder else _private(folder), 12345, -1)
    with pytest.raises(ContractError, match="user 12345"):
        signer_from({}, folder, clock=at(NOW))


def test_a_folder_that_others_may_look_into_gets_no_key(tmp_path: Path) -> None:
    """It is refused before a key is made."""
    (tmp_path / "k").mkdir(mode=0o755)
    with pytest.raises(ContractError, match=r"chmod 700"):
        KeyFolder(tmp_path / "k").init("Met Council", NOW)
    assert list((tmp_path / "k").iterdir()) == []


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    """In words, not as a traceback."""
    (tmp_path / "k").touch()
    with pytest.raises(ContractError, match="folder of keys is refused"):
        KeyFolder(tmp_path / "k").init("Met Council", NOW)


def _pem(key: Ed25519PrivateKey, password: bytes) -> str:
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(password))
    return locked.decode()


_ELLIPTIC = generate_private_key(SECP256R1()).private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()
SECRET = pem_of(FIRST).splitlines()[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(SECRET, "found text that is none", id="without its frame"),
        pytest.param(pem_of(FIRST)[:-40], "found text that is none", id="cut"),
        pytest.param(_pem(FIRST, b"x"), "locked with a password", id="locked"),
        pytest.param(_ELLIPTIC, "a key of another kind", id="another kind"),
        pytest.param("\udcff", "found text that is none", id="no UTF-8"),
    ],
)
def test_a_key_that_cannot_be_read_is_refused_and_not_repeated(tmp_path: Path, text: str, words: str) -> None:
    """The message names the variable, the fault and the remedy, and not a piece of the text."""
    folder = key_folder_of(tmp_path / "k", trust=ONE)
    with pytest.raises(ContractError, match=rf"private key cannot be read \[MRV_SIGNING_KEY\].*{words}") as caught:
        signer_from({SIGNING_KEY: text}, folder, clock=at(NOW))
    told = "".join(traceback.format_exception(caught.value))
    assert not any(line in told for line in text.splitlines() if len(line) > 8 and "---" not in line)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


def test_a_signer_shows_its_public_name_only(tmp_path: Path) -> None:
    """`repr` and `str` have the begin of the key id, and there is no dictionary of attributes."""
    signer = signer_of(key_folder_of(tmp_path / "k", FIRST, trust=ONE))
    assert repr(signer) == str(signer) == f"<signer with key {key_id(FIRST)[:16]}>"
    assert not hasattr(signer, "__dict__")
    assert FIRST.private_bytes_raw().hex() not in repr(KeyFolder(tmp_path / "k"))


@pytest.mark.parametrize(
    "take", [pickle.dumps, copy.copy, copy.deepcopy, *(lambda s, p=p: pickle.dumps(s, p) for p in range(6))]
)
def test_a_signer_does_not_leave_its_process(tmp_path: Path, take: Callable[[object], object]) -> None:
    """It is neither pickled nor copied."""
    signer = signer_of(key_folder_of(tmp_path / "k", FIRST, trust=ONE))
    with pytest.raises(TypeError, match="does not leave its process"):
        take(signer)


def test_no_frame_of_the_file_reader_holds_the_text(tmp_path: Path) -> None:
    """Not even a traceback with the values of variables gives a broken key file away."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=ONE)
    _private(folder).write_text(pem_of(FIRST)[:-40], encoding="utf-8")
    with pytest.raises(ContractError, match="private key cannot be read") as caught:
        signer_from({}, folder, clock=at(NOW))
    shown = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    assert SECRET not in "".join(shown.format())


@pytest.fixture
def _quiet_afterwards() -> Iterator[None]:
    """Undo what is said about telemetry, which holds for the whole process."""
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("_quiet_afterwards")
def test_the_log_of_a_refused_key_does_not_hold_it(tmp_path: Path) -> None:
    """An event with a traceback tells of frames and not of the environment that is a variable in them."""
    telemetry.configure(tmp_path / "mrv.jsonl")
    env = {SIGNING_KEY: pem_of(FIRST)[:-40]}
    try:
        signer_from(env, key_folder_of(tmp_path / "k", trust=ONE))
    except ContractError:
        structlog.get_logger("mrv").exception("sign.refused")
    text = (tmp_path / "mrv.jsonl").read_text(encoding="utf-8")
    assert "private key cannot be read" in json.loads(text)["exception"][0]["exc_value"]
    assert SECRET not in text


def test_a_key_that_signs_is_told_by_its_public_half(tmp_path: Path) -> None:
    """What a refusal prints of a key is what the trust file says."""
    folder = key_folder_of(tmp_path / "k", FIRST, trust=ONE)
    with pytest.raises(ContractError, match=f"key {key_id(FIRST)[:16]} of Met Council") as caught:
        signer_from({}, folder, clock=at(datetime(2027, 1, 1, tzinfo=UTC)))
    assert isinstance(KeyFolder(folder).trust().keys[0], TrustedKey)
    assert SECRET not in "".join(traceback.format_exception(caught.value))
