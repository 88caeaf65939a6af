"""A writer that is killed at random moments, again and again, while a reader never stops reading.

The moments come from a seeded generator; where in its work they hit the writer is up to the machine.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from decimal import Decimal
from multiprocessing.connection import Connection
from pathlib import Path

from mrv_assets.domain.errors import MrvError
from mrv_assets_tests.faults.children import FORKSERVER, KILLED, quiet
from mrv_assets_tests.faults.line import Line, State
from mrv_assets_tests.faults.ratchets import Ratchet, raise_forever

_LIFE_S = (0.05, 0.50)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the looping reader saw: how often it looked, how many figures there were, how often it was no whole one."""

    looks: int
    figures: int
    torn: int


def storm(scenario: str, ratchet: Ratchet, scratch: Path, *, kills: int, seed: int, is_control: bool = False) -> Line:
    """Kill the writer `kills` times under a looping reader, then let it work once in peace."""
    root = scratch / "store"
    ratchet.raise_once(root)
    ours, theirs = FORKSERVER.Pipe()
    reader = FORKSERVER.Process(target=quiet, args=(_read_on, ratchet, root, theirs))
    reader.start()
    ours.recv()
    states, changed = _kills(ratchet, root, random.Random(seed), kills)
    ours.send("stop")
    reading: Reading = ours.recv()
    reader.join()
    is_healed = _heals(ratchet, root)
    health = ratchet.check(root)
    torn = states.count(State.TORN) + reading.torn
    return Line(
        scenario=scenario,
        injected=kills,
        old=states.count(State.OLD),
        new=states.count(State.NEW),
        torn=torn,
        breaches=health.breaches,
        changed=changed,
        healed=kills if is_healed else 0,
        completed=min(health.completed, kills),
        corrupt=torn + health.breaches + changed,
        shown=f"{reading.looks} looks at {reading.figures} figures",
        is_control=is_control,
    )


def _kills(ratchet: Ratchet, root: Path, moments: random.Random, kills: int) -> tuple[list[State], int]:
    """Return what was seen after each kill, and how many sealed objects changed in all that time."""
    states: list[State] = []
    sealed: dict[str, str] = {}
    for _ in range(kills):
        before = _figure(ratchet, root)
        _kill_one(ratchet, root, moments.uniform(*_LIFE_S))
        states.append(_state(before, _figure(ratchet, root)))
        sealed = {**ratchet.sealed(root), **sealed}
    after = ratchet.sealed(root)
    return states, sum(1 for key, digest in sealed.items() if after.get(key) != digest)


def _kill_one(ratchet: Ratchet, root: Path, life_s: float) -> None:
    ours, theirs = FORKSERVER.Pipe()
    writer = FORKSERVER.Process(target=quiet, args=(_write_on, ratchet, root, theirs))
    writer.start()
    theirs.close()
    ours.recv()  # on a busy machine a process may take longer to start than it has to live
    time.sleep(life_s)
    code = writer.exitcode
    writer.kill()
    writer.join()
    # The control's writer may stumble over its own torn file; ours must have been at work until it was killed.
    if code is not None and ratchet.check(root).breaches == 0:
        raise AssertionError(f"the writer ended by itself, with {code} instead of {KILLED}")


# What a reader runs into on a torn figure: our own words, the operating system's, or a parser's.
_TORN = (MrvError, OSError, ValueError, ArithmeticError, LookupError, TypeError)


def _figure(ratchet: Ratchet, root: Path) -> Decimal | None:
    try:
        return ratchet.figure(root)
    except _TORN:
        return None


def _state(before: Decimal | None, after: Decimal | None) -> State:
    if after is None or (before is not None and after < before):
        return State.TORN
    return State.OLD if after == before else State.NEW


def _write_on(ratchet: Ratchet, root: Path, told: Connection) -> None:
    told.send("writing")
    raise_forever(ratchet, root)


def _heals(ratchet: Ratchet, root: Path) -> bool:
    before = _figure(ratchet, root)
    if before is None:
        return False
    ratchet.raise_once(root)
    return _figure(ratchet, root) == before + 1


def _read_on(ratchet: Ratchet, root: Path, orders: Connection) -> None:
    """Say that there is somebody, and read until told to stop.

    A figure that is not whole, is missing or goes back is torn.
    """
    orders.send("reading")
    looks = torn = 0
    seen: list[Decimal] = []
    while not orders.poll():
        looks += 1
        figure = _figure(ratchet, root)
        if figure is None or (seen and figure < seen[-1]):
            torn += 1
        elif not seen or figure != seen[-1]:
            seen.append(figure)
    orders.send(Reading(looks=looks, figures=len(seen), torn=torn))
