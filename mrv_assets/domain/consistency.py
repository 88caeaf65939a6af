"""The proof that a journal of some size grew into a larger one, as it travels in a file.

What does not belong here: what it proves (merkle).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.journal_entry import unreadable

SCHEMA = "mrv-consistency-proof-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyProof:
    """The nodes of RFC 6962, 2.1.2, from a tree of `first` leaves to one of `second`."""

    first: int
    second: int
    nodes: Sequence[bytes]

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        nodes = [node.hex() for node in self.nodes]
        return canonical_json({"schema": SCHEMA, "first": self.first, "second": self.second, "nodes": nodes})

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> ConsistencyProof:
        """Read a proof. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            d = json.loads(data)
            proof = cls(first=d["first"], second=d["second"], nodes=tuple(map(bytes.fromhex, d["nodes"])))
            written = proof.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, MrvError) as error:
            raise unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise unreadable(where, "bytes that say the same in another spelling, or more")
        return proof
