from __future__ import annotations

import hashlib
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pymerkle import InmemoryTree
from pymerkle import verify_consistency as pymerkle_consistency
from pymerkle import verify_inclusion as pymerkle_inclusion

from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)

LARGEST = 70  # beyond 64, so that trees of seven levels are among them
entries = st.lists(st.binary(max_size=8), min_size=1, max_size=LARGEST)


def mth(data: Sequence[bytes]) -> bytes:
    """Return MTH as the text of RFC 6962, 2.1 defines it."""
    if not data:
        return hashlib.sha256(b"").digest()
    if len(data) == 1:
        return hashlib.sha256(b"\x00" + data[0]).digest()
    k = split(len(data))
    return hashlib.sha256(b"\x01" + mth(data[:k]) + mth(data[k:])).digest()


def path(m: int, data: Sequence[bytes]) -> list[bytes]:
    """Return PATH as the text of RFC 6962, 2.1.1 defines it."""
    if len(data) == 1:
        return []
    k = split(len(data))
    return [*path(m, data[:k]), mth(data[k:])] if m < k else [*path(m - k, data[k:]), mth(data[:k])]


def subproof(m: int, data: Sequence[bytes], *, is_whole: bool) -> list[bytes]:
    """Return SUBPROOF as the text of RFC 6962, 2.1.2 defines it."""
    if m == len(data):
        return [] if is_whole else [mth(data)]
    k = split(len(data))
    if m <= k:
        return [*subproof(m, data[:k], is_whole=is_whole), mth(data[k:])]
    return [*subproof(m - k, data[k:], is_whole=False), mth(data[:k])]


def split(size: int) -> int:
    """Return the largest power of two smaller than a size."""
    k = 1
    while 2 * k < size:
        k *= 2
    return k


def test_every_proof_of_every_size_is_that_of_the_text_and_of_another_implementation() -> None:
    """For each tree of up to 70 leaves, each leaf and each earlier tree; ours and theirs verify against our roots."""
    data = [number.to_bytes(2, "big") for number in range(LARGEST)]
    leaves = [leaf_hash(each) for each in data]
    tree = InmemoryTree(algorithm="sha256")
    for size in range(1, LARGEST + 1):
        tree.append_entry(data[size - 1])
        root = root_of(leaves[:size])
        assert root == mth(data[:size]) == tree.get_root()
        for index in range(size):
            proof = inclusion_proof(leaves[:size], index)
            theirs = tree.prove_inclusion(index + 1, size)
            assert list(proof) == path(index, data[:size]) == theirs.path[1:]
            verify_inclusion(leaves[index], index=index, size=size, proof=proof, root=root, where="under test")
            pymerkle_inclusion(leaves[index], root, theirs, index=index + 1, size=size)
        for first in range(1, size + 1):
            grown = consistency_proof(leaves[:size], first)
            assert list(grown) == subproof(first, data[:size], is_whole=True)
            roots = {"first_root": root_of(leaves[:first]), "second_root": root}
            verify_consistency(first=first, second=size, proof=grown, **roots, where="under test")
            # Theirs is laid out otherwise, so each verifies its own, of the same two trees.
            pymerkle_consistency(*roots.values(), tree.prove_consistency(first, size), first, size)


@given(data=entries)
def test_a_frontier_has_the_root_of_its_leaves_and_no_history(data: list[bytes]) -> None:
    """Grown leaf by leaf it is the compact range: the roots of the perfect subtrees, largest first."""
    leaves = [leaf_hash(each) for each in data]
    frontier = Frontier.empty()
    assert frontier.root == root_of([])
    for size, leaf in enumerate(leaves, start=1):
        frontier = frontier.grown(leaf)
        assert frontier.root == root_of(leaves[:size])
    starts = [0]
    for bit in reversed(range(len(data).bit_length())):
        if len(data) >> bit & 1:
            starts.append(starts[-1] + (1 << bit))
    nodes = tuple(mth(data[start:end]) for start, end in itertools.pairwise(starts))
    assert frontier == Frontier(len(data), nodes)


def flipped(proof: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """Return a proof with one bit of one of its hashes turned over."""
    places = [(name, None) for name, value in proof.items() if isinstance(value, bytes)]
    place = data.draw(st.sampled_from([*places, *(("proof", number) for number in range(len(proof["proof"])))]))
    name, number = place
    bit = data.draw(st.integers(0, 255))
    whole = proof[name] if number is None else proof["proof"][number]
    turned = (int.from_bytes(whole, "big") ^ (1 << bit)).to_bytes(32, "big")
    if number is None:
        return {**proof, name: turned}
    return {**proof, "proof": (*proof["proof"][:number], turned, *proof["proof"][number + 1 :])}


@given(size=st.integers(1, LARGEST), data=st.data())
def test_a_proof_of_a_leaf_proves_nothing_else(size: int, data: st.DataObject) -> None:
    """One flipped bit in any part, another place, another size with its own root: each is refused."""
    leaves = [leaf_hash(bytes([number])) for number in range(LARGEST)]
    index = data.draw(st.integers(0, size - 1))
    sound: dict[str, Any] = {"leaf": leaves[index], "index": index, "size": size}
    sound |= {"proof": inclusion_proof(leaves[:size], index), "root": root_of(leaves[:size])}
    verify_inclusion(**sound, where="under test")
    other_index = data.draw(st.integers(0, LARGEST))
    other_size = data.draw(st.integers(0, LARGEST))
    assume(other_index != index and other_size != size)
    others = [flipped(sound, data), {**sound, "index": other_index}]
    others.append({**sound, "size": other_size, "root": root_of(leaves[:other_size])})
    for other in others:
        with pytest.raises(BrokenChain, match="under test"):
            verify_inclusion(**other, where="under test")


@given(size=st.integers(1, LARGEST), data=st.data())
def test_a_proof_that_a_tree_grew_proves_nothing_else(size: int, data: st.DataObject) -> None:
    """One flipped bit in any part, other sizes with their own roots, another history: each is refused."""
    leaves = [leaf_hash(bytes([number])) for number in range(LARGEST)]
    first = data.draw(st.integers(1, size))
    sound: dict[str, Any] = {"first": first, "second": size, "proof": consistency_proof(leaves[:size], first)}
    sound |= {"first_root": root_of(leaves[:first]), "second_root": root_of(leaves[:size])}
    verify_consistency(**sound, where="under test")
    other_first = data.draw(st.integers(0, LARGEST))
    other_second = data.draw(st.integers(0, LARGEST))
    assume(other_first != first and other_second != size)
    rewritten = [leaf_hash(b"rewritten"), *leaves[1:]]
    others = [
        flipped(sound, data),
        {**sound, "first": other_first, "first_root": root_of(leaves[:other_first])},
        {**sound, "second": other_second, "second_root": root_of(leaves[:other_second])},
        {**sound, "proof": consistency_proof(rewritten[:size], first), "second_root": root_of(rewritten[:size])},
    ]
    for other in others:
        with pytest.raises(BrokenChain, match="under test"):
            verify_consistency(**other, where="under test")
