"""A consistency proof travels in a file of one spelling."""

from __future__ import annotations

import pytest

from mrv_assets.domain.consistency import ConsistencyProof
from mrv_assets.domain.errors import BrokenChain

PROOF = ConsistencyProof(first=2, second=3, nodes=(b"\1" * 32,))


def test_a_proof_reads_back_as_it_was_written() -> None:
    """Sizes and nodes."""
    assert ConsistencyProof.from_bytes(PROOF.to_bytes(), where="file") == PROOF


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(PROOF.to_bytes() + b" ", id="a space more"),
        pytest.param(PROOF.to_bytes().replace(b"proof-1", b"proof-2"), id="another schema"),
        pytest.param(PROOF.to_bytes().replace(b"01", b"xy"), id="no hex"),
        pytest.param(b"[" * 100_000, id="nested"),
    ],
)
def test_other_bytes_are_no_proof(data: bytes) -> None:
    """Refused by name."""
    with pytest.raises(BrokenChain, match="file"):
        ConsistencyProof.from_bytes(data, where="file")
