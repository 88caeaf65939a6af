"""Running a process of `make bench`, and what it took: wall time, processor time, and its peak of memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MRV = "import sys; from mrv_assets.cli import main; sys.argv = ['mrv', *sys.argv[1:]]; sys.exit(main())"


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """What a whole process took, from its start to its end. `said` is what it printed."""

    seconds: float
    processor: float
    peak_mib: float
    said: str


def took(command: Sequence[str], environment: Mapping[str, str], *, within_s: float) -> Took:
    """Run a process to its end. Raises RuntimeError with the end of what it said when it fails or takes too long."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        begin = time.perf_counter()
        process = subprocess.Popen(command, env=dict(environment), stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        try:
            status, used = _ended(process, begin + within_s)
        finally:
            if process.returncode is None:  # interrupted: nothing is left running
                process.kill()
        seconds = time.perf_counter() - begin
        out.seek(0)
        err.seek(0)
        said = out.read()
        if status != 0:
            raise RuntimeError(f"{' '.join(command[:6])} ended with {status}: {(err.read() + said)[-2000:]}")
    processor, peak = used.ru_utime + used.ru_stime, used.ru_maxrss / 1024
    return Took(seconds=seconds, processor=processor, peak_mib=peak, said=said)


def _ended(process: subprocess.Popen[bytes], deadline: float) -> tuple[int, resource.struct_rusage]:
    """Wait for a process, and end it at its deadline. `Popen.wait` would take away what it used."""
    while True:
        pid, status, used = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, used
        if time.perf_counter() > deadline:
            process.kill()
        time.sleep(0.02)


def mrv(*arguments: str) -> list[str]:
    """Return the command line of `mrv` in this interpreter."""
    return [sys.executable, "-W", "ignore", "-c", MRV, *arguments]
