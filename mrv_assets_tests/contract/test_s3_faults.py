"""A real S3 server behind a network that loses answers, refuses, stalls and lies."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from mrv_assets.domain.errors import CommitStateUnknown, ContractError, StoreUnavailable, Transient
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.storage.buckets import Patience
from mrv_assets.storage.journal import Journal, entry_key
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.probe import probe
from mrv_assets.storage.s3 import open_s3
from mrv_assets.storage.settle import ATTEMPTS, settle
from mrv_assets.storage.slot_paths import COMMITS, record_key
from mrv_assets.storage.slots import Committed
from mrv_assets_tests.s3_proxy import PASS, Answer, Proxy, s3_proxy
from mrv_assets_tests.s3_server import S3Server
from mrv_assets_tests.unit.storage.drafts import SLOT, clock, draft, event, no_pause, slot_store

pytestmark = pytest.mark.server

KEY = "commits/x"
IMPATIENT = Patience(
    connect=timedelta(seconds=1), request=timedelta(seconds=1), read_retries=2, retrying=timedelta(seconds=5)
)
LOST = Answer(has_landed=True)
BUSY = Answer(status=503, code="SlowDown")


@pytest.fixture
def proxy(s3: S3Server) -> Iterator[Proxy]:
    """A network before the server that does as it is told."""
    with s3_proxy(s3) as proxy:
        yield proxy


@pytest.fixture
def uri(s3: S3Server) -> str:
    """An empty place on the server."""
    return s3.new_store_uri()


@pytest.fixture
def store(s3: S3Server, proxy: Proxy, uri: str) -> ObjectStore:
    """The place as it is seen over that network."""
    return open_s3(uri, s3.access(endpoint_url=proxy.endpoint_url), patience=IMPATIENT)


@pytest.fixture
def patient(s3: S3Server, proxy: Proxy, uri: str) -> ObjectStore:
    """The same, by somebody who waits as long as in earnest: many writers on a busy machine take their time."""
    return open_s3(uri, s3.access(endpoint_url=proxy.endpoint_url))


@pytest.fixture
def behind(s3: S3Server, uri: str) -> ObjectStore:
    """The same place without the network between."""
    return open_store(uri, s3=s3.access())


def _commit(store: ObjectStore, value: str = "first", *, after: GenerationRecord | None = None) -> Committed:
    return slot_store(store).commit(draft(value, expected=after))


# --- one answer ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "error", "found"),
    [
        pytest.param(BUSY, CommitStateUnknown, "HTTP 503 SlowDown", id="503"),
        pytest.param(Answer(status=500, code="InternalError"), CommitStateUnknown, "HTTP 500 InternalError", id="500"),
        pytest.param(Answer(status=408, code="RequestTimeout"), CommitStateUnknown, "HTTP 408", id="408"),
        pytest.param(Answer(), CommitStateUnknown, "connection broken off", id="broken connection"),
        pytest.param(Answer(hangs=True), CommitStateUnknown, "no answer in time", id="timeout"),
        pytest.param(Answer(status=429, code="TooMany"), StoreUnavailable, "HTTP 429 TooMany", id="429"),
        pytest.param(Answer(status=403, code="AccessDenied"), StoreUnavailable, "HTTP 403 AccessDenied", id="403"),
        pytest.param(Answer(status=400, code="ExpiredToken"), StoreUnavailable, "HTTP 400 ExpiredToken", id="400"),
        pytest.param(Answer(status=409, code="ConditionalRequestConflict"), StoreUnavailable, "try again", id="409"),
        pytest.param(Answer(status=501, code="NotImplemented"), ContractError, "conditional writes", id="501"),
        pytest.param(Answer(status=404, code="NoSuchBucket"), ContractError, "bucket does not exist", id="404"),
    ],
)
def test_a_create_is_sent_once_and_its_answer_says_what_is_known(
    store: ObjectStore, proxy: Proxy, answer: Answer, error: type[Exception], found: str
) -> None:
    """No answer is repeated behind our back, and only a request that was certainly not taken is not called unknown."""
    proxy.always(answer, methods=("PUT",))
    with pytest.raises(error, match=found):
        store.put_if_absent(KEY, b"ours")
    assert proxy.count("PUT") == 1


def test_a_server_that_is_not_there_has_certainly_taken_nothing(s3: S3Server, uri: str) -> None:
    """A connection that was never made is no doubt: the store is unavailable."""
    away = open_s3(uri, s3.access(endpoint_url="http://127.0.0.1:1"), patience=IMPATIENT)
    for call in (
        lambda: away.put_if_absent(KEY, b"1"),
        lambda: away.replace(KEY, b"1"),
        lambda: away.get(KEY),
        lambda: list(away.list("")),
    ):
        with pytest.raises(StoreUnavailable, match="no connection"):
            call()


def test_a_conflict_with_an_object_in_place_is_a_refused_create(
    store: ObjectStore, behind: ObjectStore, proxy: Proxy
) -> None:
    """409 says that another request was under way; when its object is there, ours has lost."""
    behind.put_if_absent(KEY, b"theirs")
    proxy.first(1, Answer(status=409, code="ConditionalRequestConflict"), method="PUT")
    assert store.put_if_absent(KEY, b"ours") is False
    assert behind.get(KEY) == b"theirs"


@pytest.mark.parametrize("answer", [BUSY, Answer(), Answer(hangs=True)], ids=["503", "broken connection", "timeout"])
def test_a_read_is_repeated_a_bounded_number_of_times(
    store: ObjectStore, behind: ObjectStore, proxy: Proxy, answer: Answer
) -> None:
    """Two bad answers are waited out; when they do not end the store is unavailable, never the object absent."""
    behind.put_if_absent(KEY, b"there")
    proxy.first(2, answer, method="GET")
    assert store.get(KEY) == b"there"
    proxy.requests.clear()
    proxy.always(answer, methods=("GET",))
    with pytest.raises(StoreUnavailable, match=r"HTTP 503|no answer in time|connection broken off"):
        store.get(KEY)
    assert proxy.count("GET") == 1 + IMPATIENT.read_retries


def test_no_read_takes_an_error_for_absence(store: ObjectStore, proxy: Proxy) -> None:
    """A server that is busy for ever has not said that there is nothing."""
    proxy.always(BUSY, methods=("GET", "HEAD"))
    for call in (
        lambda: store.get(KEY),
        lambda: store.get_range(KEY, 0, 1),
        lambda: store.head(KEY),
        lambda: list(store.list("commits/")),
    ):
        with pytest.raises(StoreUnavailable, match="HTTP 503"):
            call()


# --- one commit ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("times", "answer"),
    [
        pytest.param(1, LOST, id="lost response"),
        pytest.param(3, LOST, id="three lost responses"),
        pytest.param(1, Answer(has_landed=True, status=500, code="InternalError"), id="landed, but 500"),
        pytest.param(1, Answer(has_landed=True, hangs=True), id="landed, but timeout"),
        pytest.param(1, Answer(), id="lost request"),
        pytest.param(3, BUSY, id="three times 503"),
        pytest.param(3, Answer(status=409, code="ConditionalRequestConflict"), id="three times 409"),
    ],
)
def test_a_bad_answer_to_the_commit_gives_one_commit_that_is_ours(
    store: ObjectStore, behind: ObjectStore, proxy: Proxy, times: int, answer: Answer
) -> None:
    """Whatever becomes of the first answers: one record, our own write id, and the run goes on."""
    proxy.first(times, answer, method="PUT", key=record_key(SLOT, 1))
    committed = _commit(store)
    assert committed.is_ours
    assert list(behind.list(COMMITS)) == [record_key(SLOT, 1)]
    assert slot_store(behind).current(SLOT) == committed.record


def test_five_times_503_is_unknown_and_the_next_attempt_settles_it(
    store: ObjectStore, behind: ObjectStore, proxy: Proxy
) -> None:
    """Four attempts are made, then the platform says that it does not know; asked again it commits once."""
    proxy.first(5, BUSY, method="PUT", key=record_key(SLOT, 1))
    with pytest.raises(CommitStateUnknown, match="nothing was deleted"):
        _commit(store)
    assert _commit(store).is_ours
    assert proxy.count("PUT", record_key(SLOT, 1)) == ATTEMPTS + 2
    assert list(behind.list(COMMITS)) == [record_key(SLOT, 1)]


def test_503_for_ever_is_said_in_bounded_time_and_leaves_what_was_there(
    store: ObjectStore, behind: ObjectStore, proxy: Proxy
) -> None:
    """The store takes nothing any more: generation 1 stays current, and its content readable."""
    first = _commit(store).record
    proxy.always(BUSY, methods=("PUT",))
    begin = time.monotonic()
    with pytest.raises(Transient, match="HTTP 503 SlowDown"):
        _commit(store, "second", after=first)
    assert time.monotonic() - begin < 60  # left to itself, the client goes on for three minutes
    assert slot_store(behind).current(SLOT) == first
    assert slot_store(behind).load_bytes(first) == draft("first").content


@pytest.mark.parametrize("has_landed", [True, False], ids=["landed", "not landed"])
def test_a_timeout_whose_read_back_fails_is_unknown_and_healed_by_the_next_run(
    store: ObjectStore,
    behind: ObjectStore,
    proxy: Proxy,
    has_landed: bool,  # noqa: FBT001
) -> None:
    """No answer to the put and none to the question: said so, nothing deleted, one generation in the end."""
    key = record_key(SLOT, 1)
    settle(store, "blobs/warm", b"1", pause=no_pause)
    proxy.plan = lambda method, path: (
        Answer(has_landed=has_landed, hangs=True)
        if path.endswith(key) and method == "PUT"
        else BUSY
        if path.endswith(key)
        else PASS
    )
    with pytest.raises(CommitStateUnknown, match="no answer when reading it back"):
        _commit(store)
    assert list(behind.list(COMMITS)) == [key] * has_landed
    proxy.first(0, BUSY, method="PUT")
    again = _commit(store)
    assert again.is_ours is not has_landed
    assert list(behind.list(COMMITS)) == [key]


def test_eight_identical_runs_make_one_commit(patient: ObjectStore, behind: ObjectStore, proxy: Proxy) -> None:
    """Eight writers of the same content over a network that loses every third answer: one record, seven agree."""
    answers = iter(range(10_000))
    proxy.plan = lambda method, _: LOST if method == "PUT" and next(answers) % 3 == 0 else PASS
    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda _: _commit(patient), range(8)))
    assert list(behind.list(COMMITS)) == [record_key(SLOT, 1)]
    assert len({one.record.write_id for one in done}) == 1
    assert sum(one.is_ours for one in done) <= 1


def test_a_lost_journal_answer_gives_one_entry(store: ObjectStore, behind: ObjectStore, proxy: Proxy) -> None:
    """The entry landed, the answer did not: the journal has it once."""
    proxy.first(1, LOST, method="PUT", key=entry_key(1))
    assert Journal(store, clock, pause=no_pause).append("run-1", [event()]) == 1
    assert [entry.run_id for entry in Journal(behind, clock).entries()] == ["run-1"]


# --- the start ----------------------------------------------------------------------------------------------------


def test_the_real_server_enforces_conditions_and_is_trusted(store: ObjectStore) -> None:
    """The probe passes on the server as it is."""
    probe(store)


def test_the_same_server_behind_a_gateway_that_ignores_conditions_is_refused(store: ObjectStore, proxy: Proxy) -> None:
    """Such a gateway would let the next writer overwrite history; the start-up ends there."""
    proxy.always(Answer(passes=True, ignores_condition=True), methods=("PUT",))
    with pytest.raises(ContractError, match=r"does not refuse to create a key twice.*If-None-Match"):
        probe(store)


def test_a_condition_cannot_be_stripped_on_the_way(store: ObjectStore, behind: ObjectStore, proxy: Proxy) -> None:
    """If-None-Match is under the signature: without it the server takes nothing."""
    proxy.always(Answer(has_landed=True, passes=True, strips_condition=True), methods=("PUT",))
    with pytest.raises(StoreUnavailable, match="HTTP 403 SignatureDoesNotMatch"):
        store.put_if_absent(KEY, b"1")
    assert list(behind.list("")) == []


def test_a_bucket_that_does_not_exist_is_not_an_empty_store(s3: S3Server) -> None:
    """Every operation, also the one whose answer cannot tell the two apart, says that there is no bucket."""
    for call in (
        lambda store: store.get(KEY),
        lambda store: store.head(KEY),
        lambda store: store.get_range(KEY, 0, 1),
        lambda store: list(store.list("")),
        lambda store: store.put_if_absent(KEY, b"1"),
        lambda store: store.replace(KEY, b"1"),
    ):
        with pytest.raises(ContractError, match=r"bucket does not exist.*test-no-such-bucket.*NoSuchBucket"):
            call(open_store("s3://test-no-such-bucket/x", s3=s3.access()))


def test_a_wrong_secret_is_told_without_repeating_it(s3: S3Server, uri: str) -> None:
    """The message names the service's error code, and neither the secret nor an exception of a client goes with it."""
    store = open_store(uri, s3=s3.access(secret="wrong-and-private"))  # noqa: S106
    for call in (lambda: store.put_if_absent(KEY, b"1"), lambda: store.get(KEY), lambda: list(store.list(""))):
        with pytest.raises(StoreUnavailable, match="HTTP 403 SignatureDoesNotMatch") as caught:
            call()
        assert "private" not in f"{caught.value!r} {caught.value}"
        assert caught.value.__cause__ is None


# --- the cost -----------------------------------------------------------------------------------------------------


def test_a_listing_costs_one_request_for_a_thousand_keys(
    patient: ObjectStore, behind: ObjectStore, proxy: Proxy
) -> None:
    """2,500 keys are three requests; started after the 2,400th it is one, whatever came before."""
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: behind.put_if_absent(f"log/{number:012d}.json", b"1"), range(2500)))
    assert len(list(patient.list("log/"))) == 2500
    assert len(proxy.requests) == 3
    proxy.requests.clear()
    assert len(list(patient.list("log/", start_after=f"log/{2400:012d}.json"))) == 99
    assert len(proxy.requests) == 1


def test_a_range_is_one_request(store: ObjectStore, behind: ObjectStore, proxy: Proxy) -> None:
    """The size is asked for only when the range turns out to be empty."""
    behind.put_if_absent(KEY, b"0123456789")
    assert store.get_range(KEY, 8, 100) == b"89"
    assert [method for method, _ in proxy.requests] == ["GET"]
