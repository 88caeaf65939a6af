"""One generation of one slot, loaded and checked against its record, its history and its certificate.

What does not belong here: choosing the slot (show) and the checks themselves (verify).
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.figures import read_figure, read_nothing
from mrv_assets.pipeline.world import World
from mrv_assets.storage.seals import read_seals
from mrv_assets.verify import verify_certificate, verify_history, verify_set_aside, verify_table


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A generation, its content as it was checked, the rows that were set aside for it, and what the checks were.

    `signed_by` are the ids of the keys that a certificate's seals name, which are not checked here.
    """

    record: GenerationRecord
    generations: int
    content: pa.Table | Certificate
    data: bytes
    checks: tuple[str, ...]
    quarantined: pa.Table | None = None
    signed_by: tuple[str, ...] = ()


def load_shown(world: World, slot: Slot, generation: int | None) -> Shown:
    """Load a generation, the newest when none is named, and check it against its record and its history."""
    history = world.slots.history(slot)
    if not history:
        raise ContractError(
            "there is nothing to show",
            where=str(slot),
            expected="at least one generation",
            found="an empty slot",
            remedy=f"run the partition: mrv run {slot.project_id} {slot.period} {slot.factor_version or ''}".rstrip(),
        )
    if generation is not None and generation > len(history):
        raise ContractError(
            "there is no such generation",
            where=str(slot),
            expected=f"1 to {len(history)}",
            found=str(generation),
            remedy="leave --generation out for the newest one",
        )
    record = history[(generation or len(history)) - 1]
    verify_history(history)
    content, data, checks = _checked_content(world, record)
    quarantined = world.slots.load_quarantine(record)
    seals = read_seals(world.store, record.content_digest) if isinstance(content, Certificate) else None
    chain = f"history of {len(history)} generation(s) is unbroken and every gate passed"
    return Shown(
        record=record,
        generations=len(history),
        content=content,
        signed_by=tuple(one.key_id for one in seals.signatures) if seals else (),
        data=data,
        checks=(chain, *checks, *_checked_quarantine(record, content, quarantined)),
        quarantined=quarantined,
    )


def _checked_content(world: World, record: GenerationRecord) -> tuple[pa.Table | Certificate, bytes, tuple[str, ...]]:
    data = world.slots.load_bytes(record)
    stored = "stored bytes are the sealed ones"
    if record.slot.asset is Asset.CERTIFICATE:
        return verify_certificate(data, record), data, (stored, "certificate rests on passed gates of every asset")
    table = world.slots.load_table(record)
    verify_table(table, record)
    checks = [stored, "table has the content digest of its record"]
    if record.withdrawal is not None:
        read_nothing(world.slots, record)
        checks.append("nothing is reported: the figure was withdrawn")
    elif record.slot.asset is Asset.LEDGER:
        read_figure(world.slots, record)
        checks.append("figure is the one that its certificate seals")
    return table, data, tuple(checks)


def _checked_quarantine(
    record: GenerationRecord, content: pa.Table | Certificate, quarantined: pa.Table | None
) -> tuple[str, ...]:
    """Compare the rows set aside with what the sealed table says of them. Raises DigestMismatch when they differ."""
    if isinstance(content, Certificate):
        return ()
    verify_set_aside(quarantined, content, record)
    return () if quarantined is None else ("rows set aside are those that the table was made without",)
