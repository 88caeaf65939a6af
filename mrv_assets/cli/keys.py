"""`mrv keys`: what was done to the keys, where the private one is, and what to do next. Never what it is."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from mrv_assets.cli.deployment import enter
from mrv_assets.cli.terminal import plain_table, print_json, stderr, stdout
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.trust import TrustedKey
from mrv_assets.pipeline.world import utc_now
from mrv_assets.storage.key_folder import TRUST, instant_text
from mrv_assets.storage.signing import SIGNING_KEY, KeyFolder

_SHOWN = 16


def init_keys(owner: str | None, *, as_json: bool) -> None:
    """Make the first key and say where it is. Raises ContractError as `KeyFolder.init`."""
    folder, now = KeyFolder(enter().keys), utc_now()
    known = {key.key_id for key in folder.trust().keys}
    key = folder.init(owner or platform.node() or "unnamed", now)
    is_new = key.key_id not in known
    if as_json:
        print_json({"is_new": is_new, "key": _json(folder, key, now), "folder": folder.path})
        return
    what = "Key is made" if is_new else "There is a key already, and nothing was changed"
    _say(f"{what}: {key.key_id[:_SHOWN]} of {key.owner}", folder, key)
    _say_next("keep a copy of the private key where nobody else can read it; verifiers need `mrv keys trust`.")


def rotate_keys(owner: str | None, *, as_json: bool) -> None:
    """Make the next key, and say which ones have ended. Raises ContractError as `KeyFolder.rotate`."""
    folder, now = KeyFolder(enter().keys), utc_now()
    key = folder.rotate(owner, now)
    ended = [one for one in folder.trust().keys if one.valid_until_utc == key.valid_from_utc]
    if as_json:
        shown = [_json(folder, one, now) for one in ended]
        print_json({"key": _json(folder, key, now), "ended": shown, "folder": folder.path})
        return
    _say(f"Key is made: {key.key_id[:_SHOWN]} of {key.owner}", folder, key)
    for one in ended:
        _line(f"  ended        {one.key_id[:_SHOWN]}: what it has signed stays valid")
        if folder.has_private(one):
            _line(f"  destroy it   shred -u {folder.private_path(one)}    (it is never used again)")
    _say_next("destroy what has ended, copies too, and hand `mrv keys trust --out FILE` to verifiers again.")


def list_keys(*, as_json: bool) -> None:
    """Show every listed key, and private keys that are not listed. Raises ContractError for a malformed trust file."""
    folder, now = KeyFolder(enter().keys), utc_now()
    listed, stray = folder.trust().keys, folder.unlisted()
    if as_json:
        is_set = bool(os.environ.get(SIGNING_KEY))
        shown = [_json(folder, key, now) for key in listed]
        print_json({"folder": folder.path, "keys": shown, "unlisted": list(stray), "signing_key_is_set": is_set})
        return
    if listed:
        _print_table(folder, listed, now)
    else:
        stdout().print("There is no key: certificates are UNSIGNED. `mrv keys init` makes one.", style="bold red")
    _line(f"  folder       {folder.path}")
    for path in stray:
        _line(f"  not in {TRUST}: {path}; `mrv keys {'rotate' if listed else 'init'}` takes it up")
    _warn_of_environment()


def give_trust(out: Path | None) -> None:
    """Write the trust file out. Raises ContractError without a key, and for a file that is there or cannot be made."""
    folder = KeyFolder(enter().keys)
    trust = folder.trust()
    if not trust.keys:
        raise _no_key(folder.path)
    if out is None:
        sys.stdout.write(trust.to_toml().decode())
        return
    try:
        with out.open("xb") as file:
            file.write(trust.to_toml())
    except OSError as error:
        raise _not_written(out, error) from error
    _line(f"Public keys are written: {out}")
    for key in trust.keys:
        _line(f"  {key.key_id}  {key.owner}")
    _say_next("send it, and tell the ids by another way, such as by telephone: whoever can swap both is believed.")


def _say(title: str, folder: KeyFolder, key: TrustedKey) -> None:
    _line(title)
    _line(f"  id           {key.key_id}")
    _line(f"  valid from   {key.valid_from_utc}")
    _line(f"  private key  {folder.private_path(key)} (for this user alone; never in a backup of the store)")
    _line(f"  public keys  {folder.path / TRUST}")
    _warn_of_environment()


def _say_next(text: str) -> None:
    stdout().print(f"Next: {text}")


def _line(text: str) -> None:
    stdout().print(text, soft_wrap=True)


def _warn_of_environment() -> None:
    if os.environ.get(SIGNING_KEY):
        stderr().print(f"{SIGNING_KEY} is set: the key in it signs, not one of the folder.", style="yellow")


def _print_table(folder: KeyFolder, keys: Sequence[TrustedKey], now: datetime) -> None:
    table = plain_table(title="Keys, instants in UTC")
    table.add_column("key", no_wrap=True)
    table.add_column("owner", overflow="fold")
    for name in ("valid from", "until", "state"):
        table.add_column(name, no_wrap=True)
    for key in keys:
        begin, end = _second(key.valid_from_utc), _second(key.valid_until_utc)
        table.add_row(key.key_id[:_SHOWN], key.owner, begin, end, _state(folder, key, now))
    stdout().print(table)


def _second(utc: str | None) -> str:
    return f"{utc[:19]}Z" if utc else ""


def _state(folder: KeyFolder, key: TrustedKey, now: datetime) -> str:
    current = folder.current(folder.trust(), now)
    if key.is_ended(instant_text(now)):
        return "ended, destroy" if folder.has_private(key) else "ended"
    if key.is_before(instant_text(now)):
        return "not yet"
    if current is not None and current.key_id == key.key_id:
        return "signs"
    return "verifies"


def _json(folder: KeyFolder, key: TrustedKey, now: datetime) -> dict[str, object]:
    return {
        "key_id": key.key_id,
        "owner": key.owner,
        "valid_from_utc": key.valid_from_utc,
        "valid_until_utc": key.valid_until_utc,
        "state": _state(folder, key, now),
        "private_file": folder.private_path(key) if folder.has_private(key) else None,
    }


def _no_key(where: Path) -> ContractError:
    return ContractError(
        "there is no key to trust",
        where=str(where),
        expected=f"at least one key in {TRUST}",
        found="none",
        remedy="`mrv keys init` makes one; without it certificates are unsigned",
    )


def _not_written(out: Path, error: OSError) -> ContractError:
    return ContractError(
        "public keys are not written",
        where=str(out),
        expected="a file that is not there yet, in a folder that may be written to",
        found=str(error.strerror or error),
        remedy="name another file, or remove the old one first",
    )
