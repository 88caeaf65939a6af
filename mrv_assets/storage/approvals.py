"""Approvals: `approvals/project_id=…/period=…/<generation>-<certificate>.json`, created once each and never changed.

The name says which generation of the ledger is replaced and by which certificate, so one change is approved once. What
does not belong here: what an approval says (domain) and what waits for one (pipeline).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator

from mrv_assets.domain.approval import APPROVAL, Approval, Proposal
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.settle import Pause, settle

APPROVALS = "approvals/"
_KEY = re.compile(r"approvals/project_id=[^/]+/period=[^/]+/[0-9]{12}-[0-9a-f]{64}\.json")


def approval_key(proposal: Proposal) -> str:
    """Return the key of the approval of a proposal, whether there is one or not."""
    folder = f"{APPROVALS}project_id={proposal.project_id}/period={proposal.period}/"
    return f"{folder}{proposal.generation:012d}-{proposal.new.certificate_sha256}.json"


def is_approval_key(key: str) -> bool:
    """Tell whether an object of this key is meant to be an approval."""
    return _KEY.fullmatch(key) is not None


def find_approval(store: ObjectStore, proposal: Proposal) -> Approval | None:
    """Return the approval of a proposal, None when there is none. Raises BrokenChain for one of something else."""
    data = store.get(approval_key(proposal))
    if data is None:
        return None
    approval = _read(approval_key(proposal), data)
    if (approval.proposal.old, approval.proposal.new) != (proposal.old, proposal.new):
        raise _of_something_else(approval_key(proposal))
    return approval


def load_approval(store: ObjectStore, key: str) -> Approval:
    """Return the approval under a key. Raises BrokenChain when it is gone, unreadable, or of something else."""
    data = store.get(key)
    if data is None:
        raise BrokenChain(
            "approval is gone",
            where=key,
            expected="the approval that a generation of the ledger rests on",
            found="no object",
            remedy="stop, keep the store as it is and restore the approval from a replica",
        )
    return _read(key, data)


def approvals_of(store: ObjectStore, records: Iterable[GenerationRecord]) -> dict[str, Approval]:
    """Return the approvals that generations name, by key. Raises BrokenChain as `load_approval`."""
    named = (ref.name for record in records for ref in record.inputs if ref.kind == APPROVAL)
    return {key: load_approval(store, key) for key in named}


def read_approvals(store: ObjectStore) -> Iterator[Approval | BrokenChain]:
    """Yield every approval, and in the place of one that cannot be read what is wrong with it."""
    for key in store.list(APPROVALS):
        if is_approval_key(key):
            try:
                yield load_approval(store, key)
            except BrokenChain as error:
                yield error


def keep_approval(store: ObjectStore, approval: Approval, *, pause: Pause = time.sleep) -> Approval:
    """Create the approval and return the one that is there for good: this one, or who approved the same before.

    Raises CommitStateUnknown when the store does not say whether it landed, StoreUnavailable when it did not.
    """
    key, data = approval_key(approval.proposal), approval.to_bytes()
    there = settle(store, key, data, pause=pause)
    return approval if there == data else _read(key, there)


def _read(key: str, data: bytes) -> Approval:
    approval = Approval.from_bytes(data, where=key)
    if approval_key(approval.proposal) != key:
        raise _of_something_else(key)
    return approval


def _of_something_else(key: str) -> BrokenChain:
    return BrokenChain(
        "approval is of something else",
        where=key,
        expected="the approval of the change that its name tells",
        found="the approval of another one",
        remedy="stop, keep the store as it is and restore the approval from a replica",
    )
