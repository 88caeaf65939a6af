"""One fault at every file system call in turn: count the calls of an undisturbed run, then break each of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from mrv_assets.storage.posix_files import Files
from mrv_assets_tests.faults.children import KILLED, end_of
from mrv_assets_tests.faults.files import DoomedFiles, Fault
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.subjects import Subject


def every_call(
    scenario: str, subject: Subject, fault: Fault, scratch: Path, *, step: int = 1, is_control: bool = False
) -> Line:
    """Break every `step`-th of the file system calls that the fault concerns, and count what came of it."""
    before = scratch / "before"
    subject.prepare(before)
    calls = _calls(subject, before, scratch / "undisturbed")
    at = [number for number, call in enumerate(calls, start=1) if fault.concerns(call)]
    injuries = list(_injuries(subject, fault, before, scratch, at[::step]))
    return summed(scenario, injuries, shown=f"{len(at)} of {len(calls)} calls", is_control=is_control)


def _calls(subject: Subject, before: Path, root: Path) -> Sequence[str]:
    shutil.copytree(before, root)
    files = DoomedFiles()
    subject.advance(root, files)
    if not subject.is_whole(root):
        raise AssertionError("an undisturbed run is not whole: the harness is wrong")
    shutil.rmtree(root)
    return files.calls


def _injuries(subject: Subject, fault: Fault, before: Path, scratch: Path, calls: Sequence[int]) -> Iterator[Injury]:
    sealed = subject.sealed(before)
    for at in calls:
        root = scratch / f"call-{at}"
        shutil.copytree(before, root)
        _break(subject, fault, root, at)
        yield healed(subject, root, sealed)
        shutil.rmtree(root)


def _break(subject: Subject, fault: Fault, root: Path, at: int) -> None:
    if fault is Fault.SIGKILL:
        code = end_of(subject.advance, root, DoomedFiles(fault, at=at))
        if code != KILLED:
            raise AssertionError(f"the process was to be killed at call {at} and ended with {code}")
        return
    with suppress(subject.refusal):
        subject.advance(root, DoomedFiles(fault, at=at))


def healed(subject: Subject, root: Path, sealed: Mapping[str, str]) -> Injury:
    """Look as readers do, run once more on a sound disk, and look again."""
    seen = subject.seen(root)
    # Read before the healing run: what the broken run sealed is history too.
    since = {**sealed, **subject.sealed(root)} if seen is not State.TORN else sealed
    with suppress(subject.refusal):
        subject.advance(root, Files())
    health, after = subject.check(root), subject.sealed(root)
    return Injury(
        seen=seen,
        breaches=health.breaches,
        completed=health.completed,
        changed=sum(1 for key, digest in since.items() if after.get(key) != digest),
        is_healed=subject.is_whole(root),
    )
