"""Finding a certificate by what people call it: first digits of its sha256, or whose figure it seals.

What does not belong here: what a certificate says (domain) and checking it (verify).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mrv_assets.domain.errors import ContractError, listed
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period, Slot, checked_id
from mrv_assets.pipeline.figures import upstream_record
from mrv_assets.pipeline.withdrawn import live_record
from mrv_assets.storage.slots import SlotStore

FEWEST_DIGITS = 8
_DIGITS = re.compile(rf"[0-9a-f]{{{FEWEST_DIGITS},64}}")
_SEVERAL_WORDS = (2, 3)


def find_certificate(slots: SlotStore, text: str) -> GenerationRecord:
    """Return the generation that keeps the certificate which `text` names, whether it is superseded or not.

    `text` is its sha256 or the first digits of it, 8 or more; or `PROJECT PERIOD`, the one that the ledger reports; or
    `PROJECT PERIOD FACTOR_VERSION`, the current one. Of several generations that keep the same certificate it is the
    newest. Raises ContractError when no certificate or several match, IdentityError for words that are no ids.
    """
    words = text.split()
    if len(words) in _SEVERAL_WORDS:
        return certificate_of(slots, *words)
    if not _DIGITS.fullmatch(text):
        raise not_found(text, f"{FEWEST_DIGITS} to 64 digits of 0-9 a-f, or PROJECT PERIOD [FACTOR_VERSION]", text)
    found = {record.content_digest: record for record in certificates(slots) if record.content_digest.startswith(text)}
    if len(found) != 1:
        raise not_found(text, "one certificate of this store", listed(sorted(found)) if found else "none")
    return next(iter(found.values()))


def certificate_of(
    slots: SlotStore, project_id: str, period: str, factor_version: str | None = None
) -> GenerationRecord:
    """Return the current certificate of a partition; without a factor version, the one that the ledger reports.

    Raises ContractError when there is none, IdentityError for what is no id or period.
    """
    span = Period.parse(period).text
    if factor_version is not None:
        key = PartitionKey(project_id=project_id, period=span, factor_version=factor_version)
        record = slots.current(Slot.of(Asset.CERTIFICATE, key))
    else:
        live = slots.current(_ledger(project_id, span))
        if live is not None and live.withdrawal is not None:
            by = f"one that was taken back: {live.reason}"
            raise not_found(f"{project_id} {span}", "a reported figure", by)
        record = None if live is None else upstream_record(slots, live, Asset.CERTIFICATE)
    if record is None:
        name = " ".join(filter(None, (project_id, span, factor_version)))
        raise not_found(name, "a certificate" if factor_version else "a reported figure", "none")
    return record


def certificates(slots: SlotStore) -> Iterator[GenerationRecord]:
    """Yield every generation of every certificate slot, those of one slot oldest first."""
    for slot, newest in slots.list_slots(asset=Asset.CERTIFICATE):
        for number in range(1, newest + 1):
            yield slots.record(slot, number)


def reported_certificates(slots: SlotStore, project_id: str, period: str) -> tuple[str, ...]:
    """Return the sha256 of each certificate that the ledger has reported for a project and period, oldest first.

    That of a figure that was withdrawn is among them.
    """
    slot = _ledger(project_id, period)
    return tuple(
        ref.content_digest
        for number in range(1, slots.newest(slot) + 1)
        for ref in slots.record(slot, number).upstream
        if ref.slot.asset is Asset.CERTIFICATE
    )


def reported_now(slots: SlotStore, project_id: str, period: str) -> str | None:
    """Return the sha256 of the certificate that the ledger reports for a project and period, None where none is."""
    live = live_record(slots, _ledger(project_id, period))
    return None if live is None else upstream_record(slots, live, Asset.CERTIFICATE).content_digest


def taken_back(slots: SlotStore, project_id: str, period: str, sha256: str) -> str | None:
    """Say by whom and why the figure of a certificate was withdrawn, None while it was not, or was but is back."""
    newest = slots.current(_ledger(project_id, period))
    if newest is None or newest.evidence.get("withdrawn_certificate_sha256") != sha256:
        return None
    return newest.reason


def _ledger(project_id: str, period: str) -> Slot:
    checked_id(project_id, what="project_id")
    return Slot(asset=Asset.LEDGER, project_id=project_id, period=period, factor_version=None)


def not_found(text: str, expected: str, found: str) -> ContractError:
    """Return the refusal of a text that names no certificate, or several."""
    return ContractError(
        "certificate is not found",
        where=f"certificate {text}",
        expected=expected,
        found=found,
        remedy="give more digits, or see `mrv ledger` and `mrv show certificate PROJECT PERIOD` for what there is",
    )
