"""Answers that a bucket gives or does not give, at every call of a whole partition run in turn.

On a store in memory, so that only the answer is wrong and nothing else. What does not belong here: what a real server
does on the wire (the conformance suite).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

from mrv_assets.domain.errors import ContractError, MrvError
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.probe import probe
from mrv_assets_tests.faults.checked import checked
from mrv_assets_tests.faults.figures import NEW, NEW_MWH, OLD, reported, sealed, world_over
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.subjects import is_reported_once, state_of
from mrv_assets_tests.passing_store import PassingStore
from mrv_assets_tests.tampering import rewritten
from mrv_assets_tests.unit.storage.faulty_store import away, lost_answer
from mrv_assets_tests.world import memory_store, run_partition

T = TypeVar("T")
_WRITES = ("put_if_absent", "replace")


class Answer(StrEnum):
    """What the store says, or fails to say, from the chosen call on."""

    LOST_RESPONSE = "the write landed, its response was lost"
    LOST_REQUEST = "the write was lost, unknown to the writer"
    TAKEN = "409: a twin run took the number first"
    AWAY_FIVE_TIMES = "503, five times"
    AWAY_FOR_GOOD = "503 for ever"
    TIMEOUT_UNREADABLE = "timeout, and the read-back fails for ever"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call at the store seam."""

    operation: str
    key: str


class AilingStore(PassingStore):
    """A store that is sound until call number `at` (from 1) and then answers as told; it writes down every call."""

    def __init__(self, inner: ObjectStore, answer: Answer | None = None, *, at: int = 0) -> None:
        super().__init__(inner)
        self.calls: list[Call] = []
        self._answer = answer
        self._at = at
        self._unreadable: set[str] = set()

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if self._answer is Answer.TAKEN and self._is_at(len(self.calls) + 1):
            self.inner.put_if_absent(key, _twin(data))
        return super().put_if_absent(key, data)

    def _call(self, operation: str, key: str, call: Callable[[], T]) -> T:
        self.calls.append(Call(operation=operation, key=key))
        number = len(self.calls)
        if key in self._unreadable or self._is_away(number):
            raise away()
        if not self._is_at(number):
            return call()
        match self._answer:
            case Answer.LOST_RESPONSE:
                call()
                raise lost_answer()
            case Answer.LOST_REQUEST:
                raise lost_answer()
            case Answer.TIMEOUT_UNREADABLE:
                call()
                self._unreadable.add(key)
                raise lost_answer()
            case _:
                return call()

    def _is_at(self, number: int) -> bool:
        return number == self._at

    def _is_away(self, number: int) -> bool:
        if self._answer is Answer.AWAY_FOR_GOOD:
            return number >= self._at
        return self._answer is Answer.AWAY_FIVE_TIMES and self._at <= number < self._at + 5


def _twin(data: bytes) -> bytes:
    """Return what a run of the same content would have written: another run's name and write id."""
    return rewritten(data, run_id="twin", write_id="twin")


def every_answer(answer: Answer, *, step: int = 1) -> Line:
    """Give the wrong answer at every `step`-th call that it can be given at, and count what came of it."""
    before = memory_store()
    run_partition(world_over(before), OLD, run_id="old")
    objects = {key: before.get(key) or b"" for key in before.list("")}
    counted = AilingStore(memory_store(objects))
    run_partition(world_over(counted, mwh=NEW_MWH), NEW, run_id="new")
    at = [number for number, call in enumerate(counted.calls, start=1) if _concerns(answer, call)]
    injuries = [_injury(answer, number, objects) for number in at[::step]]
    return summed(f"store: {answer}", injuries, shown=f"{len(at)} of {len(counted.calls)} calls")


def _concerns(answer: Answer, call: Call) -> bool:
    if answer is Answer.TAKEN:
        return call.operation == "put_if_absent" and call.key.startswith("commits/")
    if answer in (Answer.AWAY_FIVE_TIMES, Answer.AWAY_FOR_GOOD):
        return True
    return call.operation in _WRITES


def _injury(answer: Answer, at: int, objects: dict[str, bytes]) -> Injury:
    store = memory_store(objects)
    before = sealed(store)
    with suppress(MrvError):
        run_partition(world_over(AilingStore(store, answer, at=at), mwh=NEW_MWH), NEW, run_id="new")
    world = world_over(store, mwh=NEW_MWH)
    seen = state_of(reported(world))
    before |= sealed(store)
    run_partition(world, NEW, run_id="again")
    after, health = sealed(store), checked(world)
    return Injury(
        seen=seen,
        breaches=health.breaches,
        changed=sum(1 for key, digest in before.items() if after.get(key) != digest),
        is_healed=is_reported_once(world),
        completed=health.completed,
    )


class LyingStore(AilingStore):
    """A store that accepts a conditional put and ignores the condition; a `rival` writes just before our record."""

    def __init__(self, inner: ObjectStore, rival: Callable[[], object] = lambda: None) -> None:
        super().__init__(inner)
        self._rival: Callable[[], object] | None = rival

    def put_if_absent(self, key: str, data: bytes) -> bool:
        if self._rival is not None and key.startswith("commits/"):
            rival, self._rival = self._rival, None
            rival()
        self.inner.replace(key, data)
        return True


def ignored_conditions() -> Line:
    """Open a store that ignores conditions: the start-up probe refuses it before anything of ours is in it."""
    store = memory_store()
    is_refused = False
    try:
        probe(LyingStore(store))
    except ContractError:
        is_refused = True
    ours = [key for key in store.list("") if not key.startswith("probe/")]
    seen = State.OLD if is_refused else State.TORN
    injury = Injury(seen=seen, breaches=0, changed=len(ours), is_healed=is_refused)
    return summed("store: conditions are ignored", [injury], shown="refused at start-up")


def ignored_conditions_unprobed() -> Line:
    """Let two writers loose on such a store, which nobody probed: the slower overwrites the faster one's record."""
    store = memory_store()
    faster = world_over(LyingStore(store))
    raced = LyingStore(store, lambda: run_partition(faster, OLD, run_id="faster"))
    with suppress(MrvError):
        run_partition(world_over(raced, mwh=NEW_MWH), OLD, run_id="slower")
    breaches = checked(world_over(store)).breaches
    seen = State.TORN if breaches else State.OLD
    injury = Injury(seen=seen, breaches=breaches, changed=0, is_healed=not breaches)
    return summed("control: two writers, conditions ignored", [injury], is_control=True)
