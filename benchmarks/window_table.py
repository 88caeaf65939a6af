"""How `make bench` prints what it has measured: one line for each way, no wider than a terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from benchmarks.window_process import Took

HEAD = f"{'':22} {'parts':>6} {'wall s':>8} {'CPU s':>8} {'s/part':>8} {'rows/s':>8} {'peak MiB':>8}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What one way took for so many partitions."""

    name: str
    took: Took
    partitions: int
    rows: int
    within: Mapping[str, float] | None = None
    """What the partitions took alone, where the process has said it; else the whole process counts."""

    @property
    def seconds(self) -> float:
        """Wall time of the partitions."""
        return self.within["seconds"] if self.within else self.took.seconds

    @property
    def processor(self) -> float:
        """Processor time of the partitions."""
        return self.within["processor"] if self.within else self.took.processor

    def beyond(self, start: Line) -> float:
        """Return the seconds of a partition beyond what a run takes for one."""
        return (self.seconds - start.seconds) / max(1, self.partitions - start.partitions)

    def growth(self, fewer: Line, start: Line) -> str:
        """Return how much more a partition takes here than among fewer, by the clock and by the processor."""
        wall = self.beyond(start) / fewer.beyond(start)
        used, before = (
            (line.processor - start.processor) / (line.partitions - start.partitions) for line in (self, fewer)
        )
        return f"{wall:.2f} of the time, {used / before:.2f} of the processor time"

    @property
    def text(self) -> str:
        """The line of the table."""
        each = self.seconds / self.partitions
        return (
            f"{self.name:22} {self.partitions:6,} {self.seconds:8.1f} {self.processor:8.1f} {each:8.3f} "
            f"{self.rows * self.partitions / self.seconds:8.0f} {self.took.peak_mib:8.0f}"
        )

    def print(self) -> Line:
        """Print the line and return it."""
        say(self.text)
        return self


def line_of(name: str, used: Took, partitions: int, rows: int, *, within: Mapping[str, float] | None = None) -> Line:
    """Return the line of one way."""
    return Line(name=name, took=used, partitions=partitions, rows=rows, within=within)


def say(text: str) -> None:
    """Write a line, at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
