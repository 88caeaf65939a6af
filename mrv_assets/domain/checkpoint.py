"""What a checkpoint is: how long the journal was once, the root of its tree then, and who signed that.

A tree head says it in a form that can be signed and compared with another one; the checkpoint that the journal keeps
for itself also holds the frontier, from which the next root is made without reading the past. What does not belong
here: keeping it (storage), publishing it outside, and checking signatures and proofs (verify).
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass

from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.dsse import CHECKPOINT, Envelope, Signature
from mrv_assets.domain.errors import MrvError
from mrv_assets.domain.journal_entry import unreadable
from mrv_assets.domain.merkle import Frontier

HEAD_SCHEMA = "mrv-tree-head-1"
CHECKPOINT_SCHEMA = "mrv-journal-checkpoint-2"
_ORIGIN = "mrv-journal/"


def origin_of(first_entry_sha256: str) -> str:
    """Return the name of a journal: its first entry. Two journals with one first entry are one, or a forgery."""
    return f"{_ORIGIN}{first_entry_sha256}"


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeHead:
    """How long the journal is, the root of the tree over its entries (hex), and the sha256 of the last one.

    `origin` names the journal. An empty journal has no head.
    """

    origin: str
    size: int
    root: str
    last: str

    def to_bytes(self) -> bytes:
        """Return the canonical bytes, which are what is signed."""
        return canonical_json(
            {"schema": HEAD_SCHEMA, "origin": self.origin, "size": self.size, "root": self.root, "last": self.last}
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> TreeHead:
        """Read a tree head. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            d = json.loads(data)
            head = cls(origin=d["origin"], size=int(d["size"]), root=d["root"], last=d["last"])
            if head.size < 1:
                raise ValueError(f"{head.size} entries")
            written = head.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, MrvError) as error:
            raise unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise unreadable(where, "bytes that say the same in another spelling, or more")
        return head


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What the journal knows of itself: its frontier, the sha256 of its last entry, and signatures over its tree head.

    `origin` and `head` are None while the journal is empty.
    """

    frontier: Frontier
    origin: str | None
    head: str | None
    signatures: Sequence[Signature] = ()

    @classmethod
    def empty(cls) -> Checkpoint:
        """Return that of an empty journal."""
        return cls(frontier=Frontier.empty(), origin=None, head=None)

    @property
    def size(self) -> int:
        """How many entries there were."""
        return self.frontier.size

    @property
    def tree_head(self) -> TreeHead | None:
        """What is signed; None of an empty journal."""
        if self.origin is None or self.head is None:
            return None
        return TreeHead(origin=self.origin, size=self.size, root=self.frontier.root.hex(), last=self.head)

    @property
    def envelope(self) -> Envelope | None:
        """The tree head with its signatures, to be handed out; None of an empty journal."""
        head = self.tree_head
        if head is None:
            return None
        return Envelope(payload_type=CHECKPOINT, payload=head.to_bytes(), signatures=tuple(self.signatures))

    def to_bytes(self) -> bytes:
        """Return the canonical bytes."""
        signatures: list[Json] = [
            {"keyid": signature.key_id, "sig": b64encode(signature.value).decode()} for signature in self.signatures
        ]
        return canonical_json(
            {
                "schema": CHECKPOINT_SCHEMA,
                "origin": self.origin,
                "size": self.size,
                "head": self.head,
                "root": self.frontier.root.hex(),
                "nodes": [node.hex() for node in self.frontier.nodes],
                "signatures": signatures,
            }
        )

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Checkpoint:
        """Read a checkpoint. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            d = json.loads(data)
            checkpoint = cls(
                frontier=Frontier(size=d["size"], nodes=tuple(bytes.fromhex(node) for node in d["nodes"])),
                origin=d["origin"],
                head=d["head"],
                signatures=tuple(
                    Signature(key_id=each["keyid"], value=b64decode(each["sig"], validate=True))
                    for each in d["signatures"]
                ),
            )
            written = checkpoint.to_bytes()
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, MrvError) as error:
            raise unreadable(where, f"{type(error).__name__}: {error}") from error
        if written != data:
            raise unreadable(where, "bytes that say the same in another spelling, or more")
        return checkpoint
