"""Seam."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

IN_TOTO = "application/vnd.in-toto+json"
CHECKPOINT = "application/vnd.mrv.checkpoint+json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """A signature by a key."""

    key_id: str
    value: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """An envelope."""

    payload_type: str
    payload: bytes
    signatures: Sequence[Signature]


class Signer(Protocol):
    """Signs."""

    @property
    def key_id(self) -> str:
        """The id of the key."""

    def sign(self, payload_type: str, payload: bytes) -> Envelope:
        """Sign."""
