"""Uniform numbers by address: seed, source of uncertainty and block number give the same 4096 numbers everywhere.

The generator is Philox 4x64-10, which computes any block from its number without the blocks before it; so blocks can be
made in any order, anywhere. What does not belong here: what is drawn with them.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt
from numpy.random import Philox

from mrv_assets.domain.digest import canonical_json

BLOCK = 4096
"""Draws in a block."""

_VERSION = "mrv-draws-1"
_WORDS = 4  # that Philox makes of one counter


def uniforms(seed: str, source: str, block: int) -> npt.NDArray[np.float64]:
    """Return the uniform numbers of a block, all above 0 and below 1.

    The key of Philox is the first half of the sha256 of the canonical JSON of (version, seed, source), its counter the
    number of the block times 1024. A number is the middle of one of 2**52 equal parts, from the upper bits of a word.
    """
    words = Philox(key=_key(seed, source), counter=block * BLOCK // _WORDS).random_raw(BLOCK)
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


def _key(seed: str, source: str) -> int:
    return int.from_bytes(hashlib.sha256(canonical_json([_VERSION, seed, source])).digest()[:16])
