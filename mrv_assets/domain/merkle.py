"""The Merkle tree of RFC 6962 over the entries of the journal.

What does not belong here: what an entry is (journal_entry) and what is said of a tree (checkpoint).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node (RFC 6962, 2.1)."""
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """The compact range of a tree: the roots of its perfect subtrees, the largest first."""

    size: int
    nodes: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.nodes) != self.size.bit_count():
            raise ValueError(f"{len(self.nodes)} nodes for {self.size} leaves")

    @classmethod
    def empty(cls) -> Frontier:
        """Return the frontier of no leaves."""
        return cls(size=0, nodes=())

    def grown(self, leaf: bytes) -> Frontier:
        """Return the frontier with one more leaf, given by its hash."""
        nodes, node, size = list(self.nodes), leaf, self.size
        while size & 1:
            node = node_hash(nodes.pop(), node)
            size >>= 1
        return Frontier(size=self.size + 1, nodes=(*nodes, node))

    @property
    def root(self) -> bytes:
        """The root of the tree."""
        if not self.nodes:
            return hashlib.sha256(b"").digest()
        root = self.nodes[-1]
        for node in reversed(self.nodes[:-1]):
            root = node_hash(node, root)
        return root
