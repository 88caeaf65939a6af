"""The proof that one tree of a journal is the beginning of another, as it is handed to a reader.

What does not belong here: making and checking the hashes (merkle).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.domain.digest import canonical_json
from mrv_assets.domain.errors import BrokenChain

SCHEMA = "mrv-consistency-proof-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsistencyProof:
    """The nodes (RFC 6962, 2.1.2) that lead from the tree of `first` entries to that of `second`, `first` at most."""

    first: int
    second: int
    nodes: Sequence[bytes]

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        nodes = [node.hex() for node in self.nodes]
        return canonical_json({"schema": SCHEMA, "first": self.first, "second": self.second, "proof": nodes})

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> ConsistencyProof:
        """Read a proof. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            d = json.loads(data)
            nodes = tuple(bytes.fromhex(node) for node in d["proof"])
            proof = cls(first=int(d["first"]), second=int(d["second"]), nodes=nodes)
            written = proof.to_bytes()
        except (ValueError, KeyError, TypeError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise _unreadable(where, "bytes that say the same in another spelling, or more")
        return proof


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "consistency proof cannot be read",
        where=where,
        expected=f"a {SCHEMA} document, byte for byte as `mrv checkpoint prove` writes it",
        found=found,
        remedy="ask the operator for the proof again",
    )
