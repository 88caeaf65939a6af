"""Where a trace begins: what a person calls a figure, certificate, credit or retirement, as places in the store.

A damaged record elsewhere does not keep the thing that is asked for from being found. What does not belong here:
walking on from there (trace).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mrv_assets.domain.errors import ContractError, Tampering, listed
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot, checked_id
from mrv_assets.domain.registry import Issuance
from mrv_assets.domain.registry_record import RegistryRecord, records_of
from mrv_assets.pipeline.certificates import FEWEST_DIGITS, not_found
from mrv_assets.pipeline.world import World
from mrv_assets.storage.registry_records import read_registry
from mrv_assets.storage.slots import SlotStore

_DIGITS = re.compile(rf"[0-9a-f]{{{FEWEST_DIGITS},64}}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Start:
    """The generations and registry records that a trace starts from, and all registry records when it needs them."""

    asked: str
    generations: Sequence[tuple[Slot, int]] = ()
    records: Sequence[RegistryRecord] = ()
    registry: Sequence[RegistryRecord] = ()


def find_start(world: World, text: str) -> Start:
    """Return where the trace of `text` starts.

    `PROJECT PERIOD` is the live figure of the ledger, `PROJECT PERIOD FACTOR_VERSION` the current certificate of that
    version, 8 to 64 hexadecimal digits a certificate, superseded or not, and anything else a serial number: its
    retirements and cancellations, and the issuances of what of it is in circulation. Raises ContractError for what is
    not there or not one thing, IdentityError for words that are no ids, BrokenChain for registry records that are no
    whole chain, and for a certificate that is not found while records of certificates cannot be read.
    """
    words = text.split()
    if len(words) in (2, 3):
        slot = _slot(*words)
        newest = newest_listed(world.slots, slot)
        if not newest:
            raise _nothing(slot)
        return Start(asked=str(slot), generations=((slot, newest),))
    if _DIGITS.fullmatch(text):
        record = _certificate(world.slots, text)
        asked = f"certificate {record.content_digest}"
        return Start(asked=asked, generations=((record.slot, record.generation),))
    return _of_serial(world, text)


def newest_listed(slots: SlotStore, slot: Slot) -> int:
    """Return the newest generation that is listed, 0 for none, whether those below it are all there or not."""
    found = slots.list_slots(asset=slot.asset, project_id=slot.project_id)
    return next((newest for other, newest in found if other == slot), 0)


def certificate_records(slots: SlotStore, project_id: str | None = None) -> Iterator[GenerationRecord | Tampering]:
    """Yield every generation of every certificate, and in the place of one that cannot be read what is wrong."""
    for slot, number in slots.listed_records(asset=Asset.CERTIFICATE, project_id=project_id):
        try:
            yield slots.record(slot, number)
        except Tampering as error:
            yield error


def _slot(project_id: str, period: str, factor_version: str | None = None) -> Slot:
    span = Period.parse(period).text
    if factor_version is None:
        checked_id(project_id, what="project_id")
        return Slot(asset=Asset.LEDGER, project_id=project_id, period=span, factor_version=None)
    key = PartitionKey(project_id=project_id, period=span, factor_version=factor_version)
    return Slot.of(Asset.CERTIFICATE, key)


def _certificate(slots: SlotStore, digits: str) -> GenerationRecord:
    damaged: list[Tampering] = []
    found: dict[str, GenerationRecord] = {}
    for record in certificate_records(slots):
        if isinstance(record, Tampering):
            damaged.append(record)
        elif record.content_digest.startswith(digits):
            found[record.content_digest] = record
    if not found and damaged:
        raise damaged[0]
    if len(found) != 1:
        raise not_found(digits, "one certificate of this store", listed(sorted(found)) if found else "none")
    return next(iter(found.values()))


def _of_serial(world: World, text: str) -> Start:
    registry = read_registry(world.store)
    shared = [record for records in records_of(registry, text).values() for record in records]
    ended = [record for record in shared if not isinstance(record.entry, Issuance)]
    if not shared:
        raise ContractError(
            "nothing is known by this name",
            where=f"trace of {text}",
            expected="PROJECT PERIOD [FACTOR_VERSION], 8 to 64 digits of a certificate's sha256, or a serial number "
            "that is attached",
            found=f"no such serial number among {len(registry)} registry records",
            remedy="see `mrv ledger` for figures and `mrv registry list` for serial numbers",
        )
    return Start(asked=f"credits {text}", records=(*ended, *(r for r in shared if r not in ended)), registry=registry)


def _nothing(slot: Slot) -> ContractError:
    name = " ".join(filter(None, (slot.project_id, slot.period, slot.factor_version)))
    return ContractError(
        "there is nothing to trace",
        where=str(slot),
        expected="a reported figure" if slot.asset is Asset.LEDGER else "a certificate",
        found="an empty slot",
        remedy=f"run the partition: mrv run {name}; what is held shows `mrv ledger pending`",
    )
