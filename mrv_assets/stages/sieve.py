"""What becomes of rows that cannot be taken: the partition is refused, or they are set aside with their reason.

Setting aside is the project's explicit choice; how many rows it may concern is judged by the gates. What does not
belong here: the rules (ingest, normalize).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mrv_assets.domain.contract import QUARANTINE, Shape, saying
from mrv_assets.domain.errors import GateError, listed
from mrv_assets.domain.set_aside import SetAside
from mrv_assets.domain.source import MAPPED_COLUMNS, Quarantine
from mrv_assets.domain.staged import Staged

Mask: TypeAlias = NDArray[np.bool_]

QUOTED = tuple(name for name in MAPPED_COLUMNS if name != "row_id")
"""The columns whose values are kept of a row that is set aside, beside its id: all but its geometry."""

_NAMED = 5


def marked(is_so: pa.ChunkedArray | pa.Array) -> Mask:
    """Return which values are true; null is not."""
    mask: Mask = pc.fill_null(is_so, False).to_numpy(zero_copy_only=False).astype(np.bool_, copy=False)
    return mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """What is wrong with some rows, by the gate that demands otherwise."""

    what: str
    gate: str
    expected: str
    found: str
    remedy: str


class Sieve:
    """The rows of one stage, and those that were set aside on the way.

    `numbers` are the rows' numbers for people, `row_ids` their names. Without a `policy` nothing is set aside.
    """

    def __init__(
        self, *, numbers: NDArray[np.int64], row_ids: pa.ChunkedArray, policy: Quarantine | None, where: str
    ) -> None:
        self._numbers = numbers
        self._row_ids = row_ids
        self._policy = policy
        self._where = where
        self._faults: list[Fault] = []
        self._fault_of = np.full(len(numbers), -1, dtype=np.int64)

    @property
    def is_kept(self) -> Mask:
        """Which rows nothing was found wrong with, so far."""
        kept: Mask = self._fault_of < 0
        return kept

    def kept(self, table: pa.Table) -> pa.Table:
        """Return the kept rows of a table of all rows: the table itself when nothing was set aside."""
        return table if self.is_kept.all() else table.filter(pa.array(self.is_kept))

    def reject(self, is_bad: Mask, fault: Fault) -> None:
        """Set rows aside, or raise GateError where the project has not allowed it: the stage cannot go on with them."""
        if is_bad.any() and self._policy is None:
            raise self._refusal(is_bad, fault)
        self.set_aside(is_bad, fault)

    def set_aside(self, is_bad: Mask, fault: Fault) -> None:
        """Set rows aside where the project has allowed it; otherwise leave them for the gate to judge.

        The first fault of a row is the one that is kept.
        """
        is_new = is_bad & self.is_kept
        if self._policy is not None and is_new.any():
            self._fault_of[is_new] = len(self._faults)
            self._faults.append(fault)

    def staged(
        self,
        shape: Shape,
        table: pa.Table,
        *,
        given: Mapping[str, pa.ChunkedArray],
        crs: str | None,
        evidence: Mapping[str, str],
        before: Mapping[str, str],
    ) -> Staged:
        """Return the kept rows in `shape`, saying their CRS, with the rows that were set aside beside them.

        `given` is what the rows set aside said, `before` what the table before this one hands on. The digest of those
        rows is part of what the table says of itself, so that the same kept rows after another quarantine are another
        content.
        """
        quarantined = self._quarantined(given)
        said = dict(before) if crs is None else {**before, "crs": crs}
        said |= SetAside.of(quarantined).said
        return Staged(
            content=shape.conform(saying(table, said), where=self._where),
            evidence={**evidence, **self._evidence()},
            quarantined=quarantined,
        )

    def _quarantined(self, given: Mapping[str, pa.ChunkedArray]) -> pa.Table | None:
        at = np.flatnonzero(~self.is_kept)
        if not len(at):
            return None
        faults = [self._faults[index] for index in self._fault_of[at]]
        cells = pa.table({name: column.take(pa.array(at)).cast(pa.string()) for name, column in given.items()})
        table = pa.table(
            {
                "row": pa.array(self._numbers[at]),
                "row_id": self._row_ids.take(pa.array(at)),
                "gate": pa.array([fault.gate for fault in faults]),
                # Without what was found, which is told of the first of many rows: it would depend on the batches.
                "reason": pa.array([f"{fault.what}: expected {fault.expected}" for fault in faults]),
                "given": pa.array(["; ".join(f"{k} = {v!r}" for k, v in row.items()) for row in cells.to_pylist()]),
            }
        )
        return QUARANTINE.conform(table, where=f"{self._where}, quarantine")

    def _evidence(self) -> dict[str, str]:
        policy = self._policy
        return {
            "rows_in": str(len(self._numbers)),
            "rows_quarantined": str(int((~self.is_kept).sum())),
            "quarantine_max_share": str(policy.max_share) if policy else "0",
            "quarantine_because": policy.because if policy else "",
        }

    def _refusal(self, is_bad: Mask, fault: Fault) -> GateError:
        at = np.flatnonzero(is_bad)
        names = listed(self._row_ids.take(pa.array(at[:_NAMED])).to_pylist())
        more = f" and {len(at) - _NAMED} more" if len(at) > _NAMED else ""
        first = f"the first is row {self._numbers[at[0]]}"
        return GateError(
            fault.what,
            gate=fault.gate,
            where=self._where,
            expected=fault.expected,
            found=f"{fault.found} in {len(at)} row(s), {first}: {names}{more}",
            remedy=fault.remedy,
        )
