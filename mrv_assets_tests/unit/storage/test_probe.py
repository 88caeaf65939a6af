"""The start-up probe."""

from __future__ import annotations

import uuid

import pytest

from mrv_assets.domain.errors import ContractError, StoreUnavailable
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.probe import probe
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore


def memory() -> ObjectStore:
    """Return an empty memory store."""
    return open_store(f"memory://{uuid.uuid4().hex}")


class IgnoresConditions(FaultyStore):
    """Accepts the condition of a put and overwrites all the same, as some services do."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        self.inner.replace(key, data)
        return True


class RefusesAndOverwrites(FaultyStore):
    """Answers rightly and overwrites behind the answer."""

    def put_if_absent(self, key: str, data: bytes) -> bool:
        is_free = self.inner.head(key) is None
        self.inner.replace(key, data)
        return is_free


@pytest.mark.parametrize("lying", [IgnoresConditions, RefusesAndOverwrites])
def test_a_store_that_ignores_conditions_is_refused(lying: type[FaultyStore]) -> None:
    """A second create that is accepted, or that changes the bytes, is the end of the start-up."""
    with pytest.raises(ContractError, match=r"does not refuse to create a key twice.*If-None-Match"):
        probe(lying(memory()))


def test_a_refused_store_is_asked_again() -> None:
    """Only an honest answer is remembered."""
    store = IgnoresConditions(memory())
    for _ in range(2):
        with pytest.raises(ContractError, match="create a key twice"):
            probe(store)


def test_a_store_that_is_away_is_not_called_a_liar() -> None:
    """No answer is StoreUnavailable, and the next start asks again."""
    store = FaultyStore(memory())
    store.refuse("put_if_absent", prefix="probe/")
    with pytest.raises(StoreUnavailable, match="store is away"):
        probe(store)
    probe(store)


def test_the_probe_touches_nothing_that_readers_see() -> None:
    """Its one key is under `probe/`."""
    store = FaultyStore(memory())
    probe(store)
    assert {key.split("/")[0] for _, key in store.calls} == {"probe"}
