"""The checks of one generation on the way of a trace: record, history, gates, contents, certificate, figure, approvals.

What does not belong here: where the way goes (trace_walk).
"""

from __future__ import annotations

from collections.abc import Sequence

from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.figures import read_figure, read_nothing
from mrv_assets.pipeline.trace_draft import Draft, Drafts, require_equal
from mrv_assets.pipeline.trace_facts import certificate_facts, generation_facts
from mrv_assets.pipeline.world import World
from mrv_assets.storage.approvals import approvals_of
from mrv_assets.storage.blobs import load_blob
from mrv_assets.storage.slot_paths import record_key
from mrv_assets.storage.withdrawals import words_of
from mrv_assets.verify import verify_approvals, verify_certificate, verify_history, verify_withdrawals


class Checks:
    """Takes generations as nodes, each once, with what was checked of it and what is wrong."""

    def __init__(self, world: World, drafts: Drafts) -> None:
        self._world = world
        self._drafts = drafts
        self._histories: dict[Slot, Sequence[GenerationRecord]] = {}

    def take(self, slot: Slot, number: int) -> str:
        """Take a generation as a node, with its record, history, gates and contents checked, and nothing above it."""
        key = record_key(slot, number)
        if key in self._drafts.nodes:
            return key
        draft = self._drafts.add(key, slot.asset.value, str(slot))
        with self._drafts.noting(key):
            record = self._world.slots.record(slot, number)
            draft.digest, draft.facts = record.content_digest, generation_facts(record)
            draft.checks.append("record is canonical and its seal holds")
            self._drafts.records[key] = record
        if key in self._drafts.records:
            self._check_content(key, draft, self._drafts.records[key])
        return key

    def _check_content(self, key: str, draft: Draft, record: GenerationRecord) -> None:
        with self._drafts.noting(key):
            self._history(record.slot)
            draft.checks.append("history is unbroken and every gate of it passed")
        with self._drafts.noting(key):
            for blob in record.blobs:
                load_blob(self._world.store, blob, where=f"{record.slot}, generation {record.generation}")
            draft.checks.append("stored bytes have the sealed sha256")
        if record.slot.asset is Asset.CERTIFICATE:
            with self._drafts.noting(key):
                self._check_certificate(draft, record)
        elif record.slot.asset is Asset.LEDGER:
            with self._drafts.noting(key):
                self._check_figure(draft, record)
            with self._drafts.noting(key):
                history = self._history(record.slot)
                verify_approvals(history, approvals_of(self._world.store, history))
                draft.checks.append("every change that needed an approval has it")
            with self._drafts.noting(key):
                history = self._history(record.slot)
                verify_withdrawals(history, words_of(self._world.store, history))
                draft.checks.append("every withdrawal, and every return after one, is the word of a person")

    def _check_figure(self, draft: Draft, record: GenerationRecord) -> None:
        if record.withdrawal is not None:
            read_nothing(self._world.slots, record)
            draft.checks.append("nothing is reported")
            return
        figure = read_figure(self._world.slots, record)
        draft.facts |= figure.totals.tonnes
        draft.checks.append("figure is the one that its certificate seals")

    def _check_certificate(self, draft: Draft, record: GenerationRecord) -> None:
        certificate = verify_certificate(self._world.slots.load_bytes(record), record)
        require_equal(str(record.slot), "certificate digest", record.content_digest, certificate.sha256)
        require_equal(str(record.slot), "inputs", str(tuple(record.inputs)), str(tuple(certificate.inputs)))
        draft.certificate = certificate
        draft.facts |= certificate_facts(certificate)
        draft.checks.append("certificate rests on passed gates of every asset and names the inputs of its record")

    def _history(self, slot: Slot) -> Sequence[GenerationRecord]:
        if slot not in self._histories:
            history = self._world.slots.history(slot)
            verify_history(history)
            self._histories[slot] = history
        return self._histories[slot]
