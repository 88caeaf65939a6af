"""The Merkle tree of RFC 6962 over SHA-256: its root, and proofs that a leaf is in it and that a tree grew into it.

Leaves are given as leaf hashes. A proof names no directions: index and sizes decide them. A root does not prove its
size, because a way up may be the same in trees of other sizes: take size and root together, from one signed checkpoint.
What does not belong here: what the leaves say (lineage), who signs a root, and where trees are kept (storage).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from mrv_assets.domain.errors import BrokenChain

EMPTY_ROOT = hashlib.sha256(b"").digest()
_LEAF, _NODE = b"\x00", b"\x01"  # so that no node can pass for a leaf
_WIDTH = 32
_REMEDY = "stop, keep both copies, and compare the log with a checkpoint that was published"


def leaf_hash(data: bytes) -> bytes:
    """Return the hash of a leaf that holds `data` (RFC 6962, 2.1)."""
    return hashlib.sha256(_LEAF + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of the node over two subtrees, given by their hashes (RFC 6962, 2.1)."""
    return hashlib.sha256(_NODE + left + right).digest()


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that a tree must remember to grow: the roots of its perfect subtrees, largest first (its compact range).

    It depends on the leaves alone, never on how they came. Raises BrokenChain unless there is one hash of 32 bytes for
    each one among the binary digits of `size`.
    """

    size: int
    nodes: tuple[bytes, ...]

    def __post_init__(self) -> None:
        expected = max(self.size, 0).bit_count()
        where = f"frontier of {self.size} leaves"
        if self.size < 0 or len(self.nodes) != expected:
            _refuse("frontier is of no tree of its size", where, f"{expected} hashes", f"{len(self.nodes)} hashes")
        _require_hashes(self.nodes, where)

    @classmethod
    def empty(cls) -> Frontier:
        """Return the frontier of the tree without leaves."""
        return cls(0, ())

    def grown(self, leaf: bytes) -> Frontier:
        """Return the frontier of the tree with one leaf more, given by its leaf hash."""
        nodes = [*self.nodes, leaf]
        _merge(nodes, self.size + 1)
        return Frontier(self.size + 1, tuple(nodes))

    @property
    def root(self) -> bytes:
        """The root of the tree; of no leaves, the hash of nothing."""
        return _folded(self.nodes)


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaf hashes: MTH of RFC 6962, 2.1."""
    nodes: list[bytes] = []
    for size, leaf in enumerate(leaves, start=1):
        nodes.append(leaf)
        _merge(nodes, size)
    return _folded(nodes)


def _merge(nodes: list[bytes], size: int) -> None:
    """Join what the last of `size` leaves has made complete: each trailing zero of the size is a pair."""
    while not size & 1:
        right = nodes.pop()
        nodes[-1] = node_hash(nodes[-1], right)
        size >>= 1


def _folded(nodes: Sequence[bytes]) -> bytes:
    if not nodes:
        return EMPTY_ROOT
    root = nodes[-1]
    for node in reversed(nodes[:-1]):
        root = node_hash(node, root)
    return root


def inclusion_proof(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """Return the path from the leaf at `index`, from 0, to the root: PATH of RFC 6962, 2.1.1.

    Raises ValueError when there is no such leaf.
    """
    if not 0 <= index < len(leaves):
        raise ValueError(f"leaf {index} of a tree of {len(leaves)} leaves")
    start, end, path = 0, len(leaves), []
    while end - start > 1:
        middle = start + _left(end - start)
        if index < middle:
            path.append(root_of(leaves[middle:end]))
            end = middle
        else:
            path.append(root_of(leaves[start:middle]))
            start = middle
    return tuple(reversed(path))


def consistency_proof(leaves: Sequence[bytes], first: int) -> tuple[bytes, ...]:
    """Return what shows that the tree of the first `first` leaves grew into the one of all: PROOF of RFC 6962, 2.1.2.

    Raises ValueError unless 1 <= `first` <= number of leaves.
    """
    if not 1 <= first <= len(leaves):
        raise ValueError(f"the first {first} of {len(leaves)} leaves")
    start, end, path = 0, len(leaves), []
    while end != first:
        middle = start + _left(end - start)
        if first <= middle:
            path.append(root_of(leaves[middle:end]))
            end = middle
        else:
            path.append(root_of(leaves[start:middle]))
            start = middle
    if start:  # else the last subtree is the whole first tree, whose root who verifies has
        path.append(root_of(leaves[start:end]))
    return tuple(reversed(path))


def _left(size: int) -> int:
    """Return the largest power of two below `size`, which is how many leaves the left subtree holds."""
    return 1 << (size - 1).bit_length() - 1


def verify_inclusion(leaf: bytes, *, index: int, size: int, proof: Sequence[bytes], root: bytes, where: str) -> None:
    """Check that the leaf hash `leaf` stands at `index`, from 0, in the tree of `size` leaves with this root.

    Raises BrokenChain naming `where` when that is not shown: the algorithm of RFC 9162, 2.1.3.2.
    """
    if not 0 <= index < size:
        _refuse("proof is of a leaf outside of its tree", where, f"an index from 0 to {size - 1}", f"index {index}")
    _require_hashes((leaf, *proof, root), where)
    found = leaf
    for sibling, is_left in _climb(index, size - 1, proof, where):
        found = node_hash(sibling, found) if is_left else node_hash(found, sibling)
    _require_root(f"leaf {index} is not in the tree of {size} leaves", where, expected=root, found=found)


def verify_consistency(
    *, first: int, second: int, first_root: bytes, second_root: bytes, proof: Sequence[bytes], where: str
) -> None:
    """Check that the tree of `first` leaves with its root became that of `second` leaves by appending and nothing else.

    Raises BrokenChain naming `where` when that is not shown: the algorithm of RFC 9162, 2.1.4.2. Every tree grows from
    the one without leaves, which shows nothing, so `first` is at least 1.
    """
    if not 1 <= first <= second:
        _refuse("tree cannot have grown", where, f"1 to {second} leaves at first", f"{first} leaves")
    _require_hashes((*proof, first_root, second_root), where)
    place, last = _above_last_perfect(first, second)
    is_known = first == second or not place  # the root of the first tree, which the proof then leaves out
    path = (first_root, *proof) if is_known else tuple(proof)
    if not path:
        _refuse("proof is too short", where, "at least one hash", "none")
    old = new = path[0]
    for sibling, is_left in _climb(place, last, path[1:], where):
        old = node_hash(sibling, old) if is_left else old
        new = node_hash(sibling, new) if is_left else node_hash(new, sibling)
    _require_root(f"proof is not of the tree of {first} leaves", where, expected=first_root, found=old)
    _require_root(f"tree of {second} leaves did not grow from this one", where, expected=second_root, found=new)


def _above_last_perfect(first: int, second: int) -> tuple[int, int]:
    """Return where the last perfect subtree of the first tree stands in its level of the second, and the last place."""
    if first == second:
        return 0, 0  # the root itself
    level = (first & -first).bit_length() - 1
    return (first - 1) >> level, (second - 1) >> level


def _climb(place: int, last: int, proof: Sequence[bytes], where: str) -> Iterator[tuple[bytes, bool]]:
    """Go from a place of a level to the root: each hash of the proof, and whether it stands to the left.

    Raises BrokenChain when the proof goes on beyond the root or ends below it.
    """
    for used, sibling in enumerate(proof):
        if not last:
            _refuse("proof is too long", where, f"{used} hashes", f"{len(proof)} hashes")
        is_left = bool(place & 1) or place == last
        while (
            is_left and place and not place & 1
        ):  # nothing stands to the right: the levels where it would are left out
            place, last = place >> 1, last >> 1
        yield sibling, is_left
        place, last = place >> 1, last >> 1
    if last:
        _refuse("proof is too short", where, f"more than {len(proof)} hashes", f"{len(proof)} hashes")


def _require_hashes(hashes: Sequence[bytes], where: str) -> None:
    found = next((len(one) for one in hashes if len(one) != _WIDTH), _WIDTH)
    if found != _WIDTH:
        _refuse("hash is none of SHA-256", where, f"{_WIDTH} bytes", f"{found} bytes")


def _require_root(what: str, where: str, *, expected: bytes, found: bytes) -> None:
    if found != expected:
        _refuse(what, where, f"root {expected.hex()}", f"root {found.hex()}")


def _refuse(what: str, where: str, expected: str, found: str) -> NoReturn:
    raise BrokenChain(what, where=where, expected=expected, found=found, remedy=_REMEDY)
