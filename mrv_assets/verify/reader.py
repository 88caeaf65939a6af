"""Who checks a bundle, and what is at hand beside it.

What does not belong here: reading files (files) and checking.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.trust import Trust

Blobs: TypeAlias = Callable[[str], bytes | None]
"""Gives the bytes of a sha256, None where they are not there."""

Growth: TypeAlias = Callable[[int, int], Sequence[bytes] | None]
"""Gives the consistency proof from a size to a larger one (RFC 6962, 2.1.2), None where it has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Whom the reader trusts (None checks digests alone, which `allow_unsigned` has to say), and when it is, in UTC.

    With `allow_unsigned` a certificate and a checkpoint will do that nobody has signed; the outcome says so.
    """

    trust: Trust | None
    now_utc: str
    allow_unsigned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """What there is beside the bundle; each is left out where it is not there, and the outcome says so.

    `outside` are checkpoints that were published elsewhere, `history` the sha256 of all certificates that this one can
    have taken the place of, `withdrawn` who took its figure back and why, None where nobody did or nobody knows.
    """

    blobs: Blobs | None = None
    outside: Sequence[Envelope] = ()
    growth: Growth | None = None
    history: Collection[str] | None = None
    withdrawn: str | None = None
