"""A journal that was cut, rewritten or exchanged does not come to the checkpoints that others keep."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import pytest

from mrv_assets.domain.checkpoint import TreeHead
from mrv_assets.domain.errors import BrokenChain, ContractError, StoreUnavailable
from mrv_assets.pipeline.witnessing import hold_against, publish_checkpoint
from mrv_assets.pipeline.world import World
from mrv_assets.storage.journal import CHECKPOINT, entry_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.witness import GitWitness, HttpWitness, StoreWitness, Witness, open_witness
from mrv_assets_tests.unit.storage.drafts import event
from mrv_assets_tests.world import memory_store, world_over


def world(store: ObjectStore | None = None, *, runs: int = 0, name: str = "run") -> World:
    """Return a world whose journal tells of some runs."""
    found = world_over(memory_store() if store is None else store)
    append(found, runs, name=name)
    return found


def append(place: World, runs: int, *, name: str = "run") -> None:
    """Tell of so many runs more."""
    for number in range(runs):
        place.journal.append(f"{name}-{number}", [event(f"{name}-{number}")])


def copied(place: World) -> ObjectStore:
    """Return a copy of a world's store, as whoever restores it from a replica has."""
    return memory_store({key: place.store.get(key) or b"" for key in place.store.list("")})


def without_memory(store: ObjectStore, size: int) -> ObjectStore:
    """Return a copy of a store that knows nothing of the entries behind `size`, checkpoint included."""
    left = {key: store.get(key) or b"" for key in store.list("") if key != CHECKPOINT and key <= entry_key(size)}
    return memory_store(left)


class Shelf(BaseHTTPRequestHandler):
    """A resource that answers with what was put, and after `refused` is set only with 503."""

    kept: ClassVar[list[bytes]] = []
    refused: ClassVar[bool] = False

    def do_GET(self) -> None:
        body = self.kept[-1] if self.kept else b""
        self.send_response(503 if Shelf.refused else 200 if body else 404)
        self.end_headers()
        self.wfile.write(body)

    def do_PUT(self) -> None:
        self.kept.append(self.rfile.read(int(self.headers["Content-Length"])))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def shelf() -> Iterator[str]:
    """Serve one resource on loopback."""
    Shelf.kept, Shelf.refused = [], False
    with HTTPServer(("127.0.0.1", 0), Shelf) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/checkpoint"
        server.shutdown()
        thread.join()


def repository(folder: Path) -> GitWitness:
    """Make a git repository."""
    subprocess.run(["git", "init", "--quiet", str(folder)], check=True)
    for name, value in (("user.name", "Witness"), ("user.email", "witness@example.org")):
        subprocess.run(["git", "-C", str(folder), "config", name, value], check=True)
    return GitWitness(folder)


@contextmanager
def witness(kind: str, folder: Path) -> Iterator[Witness]:
    """Open a witness of each kind."""
    if kind == "url":
        with shelf() as url:
            yield HttpWitness(url)
    else:
        yield repository(folder) if kind == "git" else StoreWitness(memory_store())


KINDS = pytest.mark.parametrize("kind", ["folder", "git", "url"])


@KINDS
def test_a_checkpoint_is_kept_once_for_each_size(kind: str, tmp_path: Path) -> None:
    """Publishing it again adds nothing; a longer journal adds one, and every one is come to."""
    place = world(runs=2)
    with witness(kind, tmp_path) as outside:
        assert [publish_checkpoint(place, outside)[1] for _ in range(2)] == [True, False]
        append(place, 3)
        published, is_new = publish_checkpoint(place, outside)
        assert (TreeHead.from_bytes(published.payload, where="").size, is_new) == (5, True)
        sizes = [found.head.size for found in hold_against(place, outside.checkpoints())]
        assert sizes == ([5] if kind == "url" else [2, 5])


@KINDS
def test_a_journal_that_was_rolled_back_is_caught(kind: str, tmp_path: Path) -> None:
    """The end is gone, and the store's own checkpoint with it: only the outside knows."""
    place = world(runs=4)
    with witness(kind, tmp_path) as outside:
        publish_checkpoint(place, outside)
        cut = world(without_memory(place.store, 3))
        with pytest.raises(BrokenChain, match=r"journal was rolled back.*expected 4 entries at least.*found 3 entries"):
            publish_checkpoint(cut, outside)


@KINDS
def test_a_journal_that_was_rewritten_is_caught(kind: str, tmp_path: Path) -> None:
    """Another history after the same first entry has another root, however long it has grown."""
    place = world(runs=4)
    with witness(kind, tmp_path) as outside:
        publish_checkpoint(place, outside)
        other = world(without_memory(place.store, 1), runs=6, name="forged")
        with pytest.raises(BrokenChain, match="journal was rewritten"):
            hold_against(other, outside.checkpoints())
        with pytest.raises(BrokenChain, match="journal was rewritten"):
            publish_checkpoint(other, outside)


def test_another_journal_is_told_from_a_rewritten_one() -> None:
    """It begins with another entry."""
    place, outside = world(runs=2), StoreWitness(memory_store())
    publish_checkpoint(place, outside)
    with pytest.raises(BrokenChain, match="checkpoint of another journal"):
        hold_against(world(runs=3, name="other"), outside.checkpoints())


def test_two_journals_do_not_share_a_place_unseen() -> None:
    """Who was second is told, whatever was cleaned up before."""
    place, store = world(runs=2), memory_store()
    publish_checkpoint(place, StoreWitness(store))
    twin = world(without_memory(place.store, 1), runs=1, name="twin")
    head = twin.journal.present().envelope
    assert head is not None
    with pytest.raises(BrokenChain, match="two trees of one size"):
        StoreWitness(store).keep(head)


def test_an_empty_journal_has_no_checkpoint_to_publish() -> None:
    """It is refused with what to do."""
    with pytest.raises(ContractError, match=r"journal is empty.*run a partition first"):
        publish_checkpoint(world(), StoreWitness(memory_store()))


def test_what_is_no_checkpoint_is_named() -> None:
    """Bytes at the witness that nobody of us wrote stop the comparison."""
    store = memory_store({"0123456789abcdef/000000000001.json": b"{}"})
    with pytest.raises(BrokenChain, match="envelope cannot be read"):
        hold_against(world(runs=1), StoreWitness(store).checkpoints())


def test_a_witness_that_does_not_answer_is_no_tampering() -> None:
    """Nothing was compared and nothing published; it is to be tried again."""
    with shelf() as url:
        Shelf.refused = True
        with pytest.raises(StoreUnavailable, match=r"witness does not answer.*status 503"):
            publish_checkpoint(world(runs=1), HttpWitness(url))
        assert Shelf.kept == []
    with pytest.raises(StoreUnavailable, match=r"witness does not answer.*ConnectError"):
        publish_checkpoint(world(runs=1), HttpWitness(url))


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    """Git says what is wrong."""
    with pytest.raises(ContractError, match=r"cannot be kept in the git repository.*not a git repository"):
        open_witness(f"git+{tmp_path}")


def test_credentials_of_a_url_are_not_shown() -> None:
    """Neither a user nor a query, which may be a signature, is in the name of the place."""
    assert open_witness("https://user:secret@example.org/a?sig=secret").place == "https://example.org/a"
