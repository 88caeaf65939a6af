"""Documents that are numbered from 1, each naming the one before it by digest: `<folder><n, 12 digits>.json`.

Created once each, by create-if-absent of the next number after everything before it was read, so all writers agree on
who was first. What does not belong here: what a document says, and what may be said beside others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Generic, Protocol, TypeVar

from mrv_assets.domain.errors import BrokenChain, CommitConflict
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

_ROUNDS = 10
_NAME = re.compile(r"([0-9]{12})\.json")


class Link(Protocol):
    """One document of a chain: its place from 1, the digest of the one before (None for the first), and its own."""

    @property
    def number(self) -> int: ...  # noqa: D102

    @property
    def prev(self) -> str | None: ...  # noqa: D102

    @property
    def sha256(self) -> str: ...  # noqa: D102

    def to_bytes(self) -> bytes: ...  # noqa: D102


L = TypeVar("L", bound=Link)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(Generic[L]):
    """All documents of one folder. `name` and `document` are the words for the chain and for one of it.

    `read` reads the bytes of one under a key, and raises BrokenChain naming the key when they are none.
    """

    folder: str
    name: str
    document: str
    read: Callable[[bytes, str], L]

    def key(self, number: int) -> str:
        """Return the key of one document; twelve digits, so that keys sort as numbers do."""
        return f"{self.folder}{number:012d}.json"

    def is_key(self, key: str) -> bool:
        """Tell whether an object of this key is meant to be a document of the chain."""
        return key.startswith(self.folder) and _NAME.fullmatch(key, len(self.folder)) is not None

    def read_all(self, store: ObjectStore) -> tuple[L, ...]:
        """Return all documents, oldest first.

        Raises BrokenChain when one is gone, unreadable, or does not continue the one before it.
        """
        listed = [int(key[len(self.folder) :][:12]) for key in store.list(self.folder) if self.is_key(key)]
        links: list[L] = []
        prev: str | None = None
        for number in range(1, max(listed, default=0) + 1):
            key = self.key(number)
            data = store.get(key)
            if data is None:
                raise self._broken(key, expected=f"its {self.document}, because later ones exist", found="no object")
            link = self.read(data, key)
            if (link.number, link.prev) != (number, prev):
                found = f"number {link.number} with prev {link.prev}"
                raise self._broken(key, expected=f"number {number} with prev {prev}", found=found)
            links.append(link)
            prev = link.sha256
        return tuple(links)

    def keep(self, store: ObjectStore, draft: Callable[[tuple[L, ...]], Sequence[L]], *, pause: Pause) -> tuple[L, ...]:
        """Create the documents that `draft` makes of those that exist, in order, and return the ones that were created.

        When another writer takes a number, `draft` is asked again with what is there then, what was created of it
        before included. Raises CommitStateUnknown when the store does not say whether a document landed, CommitConflict
        when others took the next number ten times in a row.
        """
        kept: list[L] = []
        lost = 0
        while lost < _ROUNDS:
            drafted = draft(self.read_all(store))
            created = list(takewhile(lambda link: self._create(store, link, pause), drafted))
            kept += created
            if len(created) == len(drafted):
                return tuple(kept)
            lost = 0 if created else lost + 1
        raise CommitConflict(
            f"other writers kept taking the next number of the {self.name}",
            where=f"{store.uri}/{self.folder}",
            expected=f"a free number within {_ROUNDS} attempts",
            found=f"{_ROUNDS} {self.document}s of others",
            remedy="run again when fewer are under way; what was created stays, and is not created again",
        )

    def _create(self, store: ObjectStore, link: L, pause: Pause) -> bool:
        data = link.to_bytes()
        return settle(store, self.key(link.number), data, pause=pause) == data

    def _broken(self, key: str, *, expected: str, found: str) -> BrokenChain:
        return BrokenChain(
            f"history of {self.name} is not whole",
            where=key,
            expected=expected,
            found=found,
            remedy=f"stop, keep the store as it is and restore the {self.document} from a replica",
        )
