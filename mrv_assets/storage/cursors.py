"""How far a target has been told a numbered history: a small file for each target in the home, moved on after delivery.

A cursor is a hint that saves repetition and never the truth: that is the history, such as the journal. What does not
belong here: reading the history and sending (pipeline/outbox).
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError, Transient
from mrv_assets.storage.posix_files import Files
from mrv_assets.storage.small_file import replace_file

_SCHEMA = "mrv-cursor-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The last entry of a history that a target has taken, and what it is recognised by; 0 and None before the first.

    `store` names the history: for the journal the URI of its store. `head` is the sha256 of a journal entry.
    """

    store: str
    target: str
    delivered: int
    head: str | None

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the cursor."""
        return canonical_json(
            {
                "schema": _SCHEMA,
                "store": self.store,
                "target": self.target,
                "delivered": self.delivered,
                "head": self.head,
            }
        )


class Cursors:
    """The cursors of one history, in one folder, which is made when the first is written."""

    def __init__(self, folder: Path, *, store: str, files: Files | None = None) -> None:
        self._folder = folder
        self._store = store
        self._files = files or Files()

    @contextmanager
    def held(self, target: str) -> Iterator[None]:
        """Keep every other delivery to this target away, also one of another process, until the end or a death.

        Raises Transient when another one is at work.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._path(target).with_suffix(".lock").open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise Transient(
                    "another delivery to this target is at work",
                    where=target,
                    expected="one delivery to a target at a time",
                    found=f"{lock.name} held by another process",
                    remedy="wait for it to end; what it delivers need not be delivered again",
                ) from None
            yield

    def read(self, target: str) -> Cursor:
        """Return the cursor of a target. Raises ContractError when its file cannot be read."""
        path = self._path(target)
        if not path.exists():
            return Cursor(store=self._store, target=target, delivered=0, head=None)
        return _parsed(path)

    def write(self, cursor: Cursor) -> None:
        """Keep a cursor: after this returns it is on the disk; before, a crash leaves the one of before."""
        replace_file(self._path(cursor.target), cursor.to_bytes(), self._files)

    def all(self) -> tuple[Cursor, ...]:
        """Return every cursor of this history, by target. Raises ContractError when a file cannot be read."""
        found = (_parsed(path) for path in self._folder.glob("*.json"))
        return tuple(sorted((c for c in found if c.store == self._store), key=lambda cursor: cursor.target))

    def _path(self, target: str) -> Path:
        return self._folder / f"{sha256_hex(canonical_json([self._store, target]))[:16]}.json"


def _parsed(path: Path) -> Cursor:
    data = path.read_bytes()
    try:
        d = json.loads(data)
        cursor = Cursor(store=d["store"], target=d["target"], delivered=int(d["delivered"]), head=d["head"])
    except (ValueError, KeyError, TypeError) as error:
        raise _unreadable(path, f"{type(error).__name__}: {error}") from error
    if cursor.to_bytes() != data:
        raise _unreadable(path, "other text, or the same in another spelling")
    return cursor


def _unreadable(path: Path, found: str) -> ContractError:
    return ContractError(
        "cursor of a target cannot be read",
        where=str(path),
        expected=f"a {_SCHEMA} document as the platform writes it",
        found=found,
        remedy="remove the file; everything is then delivered again, under the same ids",
    )
