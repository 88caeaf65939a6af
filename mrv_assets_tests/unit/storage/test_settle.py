"""The commit point: one create, whatever answers are lost."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import CommitStateUnknown, StoreUnavailable
from mrv_assets.storage.settle import ATTEMPTS, backoff, settle
from mrv_assets_tests.unit.storage.drafts import no_pause
from mrv_assets_tests.unit.storage.faulty_store import FaultyStore

KEY = "commits/x"


def test_a_free_key_is_ours(store: FaultyStore) -> None:
    """Without a fault it takes one request."""
    assert settle(store, KEY, b"ours", pause=no_pause) == b"ours"
    assert store.calls == [("put_if_absent", KEY)]


def test_a_lost_answer_is_recognised_as_ours(store: FaultyStore) -> None:
    """The put landed, its answer did not: the retry is refused, and the bytes that are there are our own."""
    store.lose_answer("put_if_absent", prefix=KEY)
    assert settle(store, KEY, b"ours", pause=no_pause) == b"ours"
    assert store.count("put_if_absent") == 2


def test_a_lost_request_is_sent_again(store: FaultyStore) -> None:
    """The put did not land: the retry creates the object."""
    store.lose_request("put_if_absent", prefix=KEY)
    assert settle(store, KEY, b"ours", pause=no_pause) == b"ours"
    assert store.inner.get(KEY) == b"ours"


def test_another_writers_bytes_are_returned(store: FaultyStore) -> None:
    """Who was first stays, and the caller learns what is there."""
    store.inner.put_if_absent(KEY, b"theirs")
    assert settle(store, KEY, b"ours", pause=no_pause) == b"theirs"
    assert store.inner.get(KEY) == b"theirs"


def test_another_writers_bytes_are_final_also_without_an_answer(store: FaultyStore) -> None:
    """When no put is answered but the key holds other bytes, ours have certainly lost."""
    store.inner.put_if_absent(KEY, b"theirs")
    store.lose_request("put_if_absent", prefix=KEY, times=ATTEMPTS)
    assert settle(store, KEY, b"ours", pause=no_pause) == b"theirs"


def test_a_store_that_is_away_is_unavailable(store: FaultyStore) -> None:
    """When nothing can have landed it is not called unknown."""
    store.refuse("put_if_absent", prefix=KEY, times=ATTEMPTS)
    with pytest.raises(StoreUnavailable, match="store is away"):
        settle(store, KEY, b"ours", pause=no_pause)
    assert store.count("put_if_absent") == ATTEMPTS


@pytest.mark.parametrize("has_landed", [True, False], ids=["landed", "not landed"])
def test_a_write_that_cannot_be_read_back_is_unknown(store: FaultyStore, has_landed: bool) -> None:  # noqa: FBT001
    """No answer to the put and none to the question: the platform says so and deletes nothing."""
    lose = store.lose_answer if has_landed else store.lose_request
    lose("put_if_absent", prefix=KEY, times=ATTEMPTS)
    store.refuse("get", prefix=KEY, times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="nothing was deleted"):
        settle(store, KEY, b"ours", pause=no_pause)
    assert store.inner.get(KEY) == (b"ours" if has_landed else None)


def test_an_absent_write_without_any_answer_is_unknown(store: FaultyStore) -> None:
    """A request without an answer may still be on its way, so an absent object is not yet a failed write."""
    store.lose_request("put_if_absent", prefix=KEY, times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="nothing there yet"):
        settle(store, KEY, b"ours", pause=no_pause)


def test_a_write_that_is_visible_but_never_confirmed_is_unknown(store: FaultyStore) -> None:
    """On a disk whose sync fails again and again a visible name is not a durable one."""
    store.lose_answer("put_if_absent", prefix=KEY, times=ATTEMPTS)
    with pytest.raises(CommitStateUnknown, match="our bytes, never confirmed"):
        settle(store, KEY, b"ours", pause=no_pause)


def test_a_read_back_is_tried_again(store: FaultyStore) -> None:
    """A single failing read does not leave the write unknown."""
    store.lose_answer("put_if_absent", prefix=KEY)
    store.refuse("get", prefix=KEY, times=ATTEMPTS - 1)
    assert settle(store, KEY, b"ours", pause=no_pause) == b"ours"


def test_waiting_doubles_with_jitter(store: FaultyStore) -> None:
    """Between attempts there is a growing pause, and none before the first."""
    pauses: list[float] = []
    store.lose_request("put_if_absent", prefix=KEY, times=2)
    settle(store, KEY, b"ours", pause=pauses.append)
    assert len(pauses) == 2
    assert 0.025 <= pauses[0] <= 0.075
    assert 0.05 <= pauses[1] <= 0.15
    assert backoff(3) <= 0.3
