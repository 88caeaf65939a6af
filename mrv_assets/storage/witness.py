"""Places outside a store where checkpoints are kept, so that who rewrites the journal has to reach them as well.

A folder or bucket, a git repository, or a URL. What does not belong here: what a checkpoint says (domain) and comparing
the journal with one (pipeline).
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import httpx2

from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import BrokenChain, ContractError, StoreUnavailable
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.posix_store import PosixStore
from mrv_assets.storage.settle import settle

_TIMEOUT_S = 30.0
_NOT_FOUND = 404
_GIT = "git+"


class Witness(Protocol):
    """A place that keeps checkpoints of journals. `place` names it, without credentials."""

    place: str

    def checkpoints(self) -> Iterator[tuple[str, Envelope]]:
        """Yield what is kept there, each with its name. Raises BrokenChain for what is no envelope."""
        ...

    def keep(self, checkpoint: Envelope) -> bool:
        """Keep a checkpoint, or leave the one of the same tree that is there; tell whether it was new."""
        ...


def open_witness(place: str) -> Witness:
    """Return the witness at `place`: `https://…`, `git+` and the folder of a repository, or a location of a store.

    Raises ContractError for a place that is none.
    """
    if place.startswith(("https://", "http://")):
        return HttpWitness(place)
    if place.startswith(_GIT):
        return GitWitness(Path(place.removeprefix(_GIT)))
    return StoreWitness(open_store(place, allow_network_fs=True))


class StoreWitness:
    """A folder or bucket with an object for each checkpoint: `<first entry, 16 digits>/<size, 12 digits>.json`."""

    def __init__(self, store: ObjectStore) -> None:
        self._store = store
        self.place = store.uri

    def checkpoints(self) -> Iterator[tuple[str, Envelope]]:
        """Yield every object of the place."""
        for key in self._store.list(""):
            if key.endswith(".json"):
                yield f"{self.place}/{key}", Envelope.from_bytes(self._store.get(key) or b"", where=key)

    def keep(self, checkpoint: Envelope) -> bool:
        """Create the object. Raises BrokenChain when there is another tree of the same size."""
        head = TreeHead.from_bytes(checkpoint.payload, where=self.place)
        key, data = witness_key(head), checkpoint.to_bytes()
        is_new = self._store.head(key) is None
        there = Envelope.from_bytes(settle(self._store, key, data, pause=time.sleep), where=f"{self.place}/{key}")
        if there.payload != checkpoint.payload:
            raise _two_trees(f"{self.place}/{key}", head, there)
        return is_new


class GitWitness:
    """A git repository whose working tree holds the checkpoints; each is a commit. Pushing it is left to its owner."""

    def __init__(self, folder: Path) -> None:
        self.place = f"{_GIT}{folder}"
        self._folder = folder
        self._git("rev-parse", "--git-dir")
        self._kept = StoreWitness(PosixStore(folder / "checkpoints", allow_network_fs=True))

    def checkpoints(self) -> Iterator[tuple[str, Envelope]]:
        """Yield what the working tree holds."""
        return self._kept.checkpoints()

    def keep(self, checkpoint: Envelope) -> bool:
        """Write the file and commit it alone. Raises ContractError when git refuses."""
        is_new = self._kept.keep(checkpoint)
        head = TreeHead.from_bytes(checkpoint.payload, where=self.place)
        path = f"checkpoints/{witness_key(head)}"
        self._git("add", "--", path)
        if self._git("status", "--porcelain", "--", path):
            self._git("commit", "--quiet", "-m", f"Witness journal checkpoint {head.size}", "--", path)
        return is_new

    def _git(self, *arguments: str) -> str:
        command = ["git", "-C", str(self._folder), *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=True)
        except FileNotFoundError as error:
            raise self._refused("git is not installed") from error
        except subprocess.CalledProcessError as error:
            raise self._refused(str(error.stderr).strip() or f"exit code {error.returncode}") from error
        return done.stdout

    def _refused(self, found: str) -> ContractError:
        return ContractError(
            "checkpoint cannot be kept in the git repository",
            where=self.place,
            expected="a git repository that takes commits, with user.name and user.email configured",
            found=found,
            remedy="make or mend the repository, then publish again; nothing of the journal was changed",
        )


class HttpWitness:
    """A URL that answers GET with the newest checkpoint, or 404, and takes a newer one by PUT."""

    def __init__(self, url: str) -> None:
        self._url = url
        self.place = str(httpx2.URL(url).copy_with(userinfo=b"", query=None))

    def checkpoints(self) -> Iterator[tuple[str, Envelope]]:
        """Yield the one that is there."""
        answer = self._ask("GET", None)
        if answer.status_code != _NOT_FOUND:
            yield self.place, Envelope.from_bytes(self._expected(answer).content, where=self.place)

    def keep(self, checkpoint: Envelope) -> bool:
        """Put the checkpoint in the place of an older one, unless it is the one that is there."""
        if any(there.payload == checkpoint.payload for _, there in self.checkpoints()):
            return False
        self._expected(self._ask("PUT", checkpoint.to_bytes()))
        return True

    def _ask(self, method: str, body: bytes | None) -> httpx2.Response:
        try:
            return httpx2.request(method, self._url, content=body, timeout=_TIMEOUT_S)
        except httpx2.HTTPError as error:
            raise self._unavailable(type(error).__name__) from error

    def _expected(self, answer: httpx2.Response) -> httpx2.Response:
        if not answer.is_success:
            raise self._unavailable(f"status {answer.status_code}")
        return answer

    def _unavailable(self, found: str) -> StoreUnavailable:
        return StoreUnavailable(
            "witness does not answer",
            where=self.place,
            expected="an answer with a status of success",
            found=found,
            remedy="publish again later; nothing of the journal was changed",
        )


def witness_key(head: TreeHead) -> str:
    """Return the key under which a folder or bucket keeps a checkpoint."""
    return f"{head.origin.rpartition('/')[2][:16]}/{head.size:012d}.json"


def _two_trees(where: str, ours: TreeHead, theirs: Envelope) -> BrokenChain:
    return BrokenChain(
        "two trees of one size",
        where=where,
        expected=f"root {ours.root} of {ours.size} entries, as the journal has it",
        found=theirs.payload.decode(errors="replace"),
        remedy="stop and keep both: one of the two journals was rewritten; compare the store with a replica",
    )
