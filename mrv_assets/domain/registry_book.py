"""What all registry records say together, and what none may say beside those before it: no credit is claimed twice.

Pure: the same records in the same order give the same book, whoever reads them. What does not belong here: how many
credits a certificate allows (issuance_limits).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Generic, TypeVar

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.registry import Entry, Issuance, Retirement
from mrv_assets.domain.registry_block import RegistryBlock

CLAIMED_ONCE = "credit_claimed_once"
"""The gate of issuances and retirements that share a credit, and of issuances that share the tonnes behind credits."""

RETIRED_IS_ISSUED = "retired_credit_issued"
"""The gate of retirements of credits that were not issued, or not yet."""

E = TypeVar("E", Issuance, Retirement)


class _Claimed(Generic[E]):
    """Entries of one series that share no credit, by serial number."""

    def __init__(self) -> None:
        self._entries: list[E] = []

    def within(self, block: RegistryBlock) -> list[E]:
        """Return those that share a credit with a block of the series."""
        beyond = bisect_right(self._entries, block.serials.end, key=lambda entry: entry.block.serials.start)
        return self._entries[self._first_from(block.serials.start) : beyond]

    def add(self, entry: E) -> None:
        """Take an entry. Raises GateError when it shares a credit with another one."""
        for other in self.within(entry.block):
            raise GateError(
                "credits are claimed twice",
                gate=CLAIMED_ONCE,
                where=str(entry.block),
                expected=f"credits that no earlier record says were {_done(entry)}",
                found=f"{other.block.text}, {_done(other)}{_of(other)}",
                remedy="compare both with the registry; the record that came first stands, and this one was not kept",
            )
        self._entries.insert(self._first_from(entry.block.serials.start), entry)

    def _first_from(self, serial: int) -> int:
        """Return the place of the first entry that reaches a serial number: apart as they are, their ends rise too."""
        return bisect_left(self._entries, serial, key=lambda entry: entry.block.serials.end)


class Book:
    """Entries as they were added. Every credit in it was issued once, and left circulation at most once."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._issued: dict[tuple[str, str], _Claimed[Issuance]] = defaultdict(_Claimed)
        self._retired: dict[tuple[str, str], _Claimed[Retirement]] = defaultdict(_Claimed)
        self._by_project: dict[str, list[Issuance]] = defaultdict(list)
        self._claims: dict[tuple[object, ...], Entry] = {}
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take the next entry.

        Raises GateError, and takes nothing, for an issuance of credits that are issued already, or in a vintage of
        which another registry, project of it, rule set or reporting period has issued; and for a retirement of credits
        that were not issued by that day or have left circulation already.
        """
        if isinstance(entry, Issuance):
            self._require_one_programme(entry)
            self._issued[entry.block.line].add(entry)
            self._by_project[entry.project_id].append(entry)
        else:
            self._require_issued(entry)
            self._retired[entry.block.line].add(entry)
        self._claims[entry.claim] = entry

    def same(self, entry: Entry) -> Entry | None:
        """Return the entry that makes the same claim: an issuance by block and certificate, a retirement by block."""
        return self._claims.get(entry.claim)

    def issued_of(self, project_id: str) -> Sequence[Issuance]:
        """Return the issuances of one of our projects, in the order of the records."""
        return tuple(self._by_project[project_id])

    def issued_within(self, block: RegistryBlock) -> Sequence[Issuance]:
        """Return the issuances that share a credit with a block, by serial number."""
        return self._issued[block.line].within(block)

    def retired_within(self, block: RegistryBlock) -> Sequence[Retirement]:
        """Return the retirements and cancellations that share a credit with a block, by serial number."""
        return self._retired[block.line].within(block)

    def _require_one_programme(self, entry: Issuance) -> None:
        for other in self._by_project[entry.project_id]:
            if entry.shares_days(other) and _source(entry) != _source(other):
                raise GateError(
                    "tonnes of a vintage are issued twice",
                    gate=CLAIMED_ONCE,
                    where=f"{entry.block}, vintage {entry.vintage} of {entry.project_id}",
                    expected=_issued_by(other),
                    found=_issued_by(entry),
                    remedy="a day is credited by one programme, once (Gold Standard 501 §14.1, VCS Standard §3.22); "
                    "compare with both registries",
                )

    def _require_issued(self, entry: Retirement) -> None:
        issued = self.issued_within(entry.block)
        following = entry.block.serials.start
        for one in issued:
            if one.block.serials.start > following:
                break
            following = one.block.serials.end + 1
        late = [one for one in issued if one.issued_on > entry.retired_on]
        if following <= entry.block.serials.end:
            found = f"no issuance of serial number {following}"
        elif late:
            found = f"{late[0].block.text}, issued on {late[0].issued_on}"
        else:
            return
        raise GateError(
            "credits were not issued",
            gate=RETIRED_IS_ISSUED,
            where=str(entry.block),
            expected=f"every credit issued by {entry.retired_on}",
            found=found,
            remedy="attach the issuance first, or correct block and day from what the registry shows",
        )


def _source(entry: Issuance) -> tuple[str, str, str, str]:
    return entry.block.registry, entry.registry_project, entry.rule_set.partition("@")[0], entry.period


def _issued_by(entry: Issuance) -> str:
    registry, project, rules, period = _source(entry)
    return f"{registry}, its project {project}, by {rules}, period {period} (block {entry.block.text})"


def _done(entry: Entry) -> str:
    return "issued" if isinstance(entry, Issuance) else "retired or cancelled"


def _of(entry: Entry) -> str:
    if isinstance(entry, Issuance):
        return f" on certificate {entry.certificate_sha256[:12]} of {entry.project_id} {entry.period}"
    return f": {entry.ending} on {entry.retired_on}"
