from __future__ import annotations

from typing import Any

import pytest
from pymerkle import InmemoryTree

from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.merkle import (
    Frontier,
    consistency_proof,
    inclusion_proof,
    leaf_hash,
    node_hash,
    root_of,
    verify_consistency,
    verify_inclusion,
)

# The vectors of the reference implementation: google/certificate-transparency, cpp/merkletree/merkle_tree_test.cc.
DATA = [
    bytes.fromhex(text)
    for text in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAF_1 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
LEAF_4 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
OVER_2_3 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
OVER_4_5 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"
OVER_6_7 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
OVER_4_7 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
LEAVES = [leaf_hash(data) for data in DATA]

# The vectors count leaves from 1.
INCLUSION = [
    pytest.param(1, 1, [], id="1 of 1"),
    pytest.param(1, 8, [LEAF_1, OVER_2_3, OVER_4_7], id="1 of 8"),
    pytest.param(6, 8, [LEAF_4, OVER_6_7, ROOTS[4]], id="6 of 8"),
    pytest.param(3, 3, [ROOTS[2]], id="3 of 3"),
    pytest.param(2, 5, [ROOTS[1], OVER_2_3, LEAF_4], id="2 of 5"),
]
CONSISTENCY = [
    pytest.param(1, 1, [], id="1 to 1"),
    pytest.param(1, 8, [LEAF_1, OVER_2_3, OVER_4_7], id="1 to 8"),
    pytest.param(6, 8, [OVER_4_5, OVER_6_7, ROOTS[4]], id="6 to 8"),
    pytest.param(2, 5, [OVER_2_3, LEAF_4], id="2 to 5"),
]


def other_tree(size: int) -> InmemoryTree:
    """Return the tree of the first leaves by another implementation, which counts leaves from 1."""
    tree = InmemoryTree(algorithm="sha256")  # with its security on, its prefixes are those of the RFC
    for data in DATA[:size]:
        tree.append_entry(data)
    return tree


@pytest.mark.parametrize("size", range(9))
def test_roots_are_the_published_ones(size: int) -> None:
    """The tree of no leaf to that of eight, by us and by another implementation."""
    assert root_of(LEAVES[:size]).hex() == ROOTS[size]
    assert other_tree(size).get_root().hex() == ROOTS[size]


@pytest.mark.parametrize(("number", "size", "path"), INCLUSION)
def test_inclusion_proofs_are_the_published_ones(number: int, size: int, path: list[str]) -> None:
    """Made by us and by another implementation, which begins with the leaf itself; and they verify."""
    proof = inclusion_proof(LEAVES[:size], number - 1)
    assert [one.hex() for one in proof] == path
    assert other_tree(size).prove_inclusion(number).path == [LEAVES[number - 1], *proof]
    root = bytes.fromhex(ROOTS[size])
    verify_inclusion(LEAVES[number - 1], index=number - 1, size=size, proof=proof, root=root, where="vector")


@pytest.mark.parametrize(("first", "second", "path"), CONSISTENCY)
def test_consistency_proofs_are_the_published_ones(first: int, second: int, path: list[str]) -> None:
    """They are made as published, and they verify."""
    proof = consistency_proof(LEAVES[:second], first)
    assert [one.hex() for one in proof] == path
    roots = {"first_root": bytes.fromhex(ROOTS[first]), "second_root": bytes.fromhex(ROOTS[second])}
    verify_consistency(first=first, second=second, **roots, proof=proof, where="vector")


SOUND_LEAF: dict[str, Any] = {
    "leaf": LEAVES[5],
    "index": 5,
    "size": 8,
    "proof": inclusion_proof(LEAVES, 5),
    "root": root_of(LEAVES),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"index": 8}, "index from 0 to 7; found index 8", id="place outside"),
        pytest.param({"index": -1}, "found index -1", id="place below 0"),
        pytest.param({"index": 0, "size": 0, "proof": ()}, "leaf outside of its tree", id="no tree"),
        pytest.param({"proof": ()}, "proof is too short", id="no proof"),
        pytest.param({"proof": SOUND_LEAF["proof"][:-1]}, "proof is too short", id="a hash less"),
        pytest.param({"proof": (*SOUND_LEAF["proof"], LEAVES[0])}, "too long .*expected 3 hashes; found 4", id="more"),
        pytest.param({"proof": SOUND_LEAF["proof"][::-1]}, "leaf 5 is not in the tree of 8 leaves", id="other order"),
        pytest.param({"leaf": LEAVES[4]}, "leaf 5 is not in the tree", id="other leaf"),
        pytest.param({"index": 4}, "leaf 4 is not in the tree", id="other place"),
        pytest.param({"size": 7, "root": root_of(LEAVES[:7])}, "leaf 5 is not in the tree", id="other tree, as high"),
        pytest.param({"size": 9}, "proof is too short", id="other size, higher"),
        pytest.param({"size": 10**30}, "proof is too short", id="far larger size"),
        pytest.param({"root": bytes(32)}, f"expected root {'0' * 64}; found root {ROOTS[8]}", id="other root"),
        pytest.param({"leaf": DATA[5]}, "expected 32 bytes; found 4 bytes", id="data for the leaf hash"),
        pytest.param(
            {"leaf": LEAVES[5][:31], "proof": (LEAVES[5][31:] + LEAVES[4], *SOUND_LEAF["proof"][1:])},
            "hash is none of SHA-256",
            id="bytes moved from one hash to the next",
        ),
    ],
)
def test_what_does_not_show_that_a_leaf_is_in_a_tree_is_refused(change: dict[str, Any], message: str) -> None:
    """Whatever part is another one, and the refusal says where."""
    verify_inclusion(**SOUND_LEAF, where="entry 6")
    with pytest.raises(BrokenChain, match=message) as refused:
        verify_inclusion(**{**SOUND_LEAF, **change}, where="entry 6")
    assert refused.value.where == "entry 6"


def test_a_root_does_not_prove_its_size() -> None:
    """A leaf has the same way up in trees of other sizes: size and root are to come from one signed checkpoint."""
    verify_inclusion(**{**SOUND_LEAF, "size": 7}, where="entry 6")


def test_a_node_does_not_pass_for_a_leaf() -> None:
    """Data that is two hashes has another leaf hash than the node over them."""
    left, right = LEAVES[:2]
    assert leaf_hash(left + right) != node_hash(left, right)


SOUND_GROWTH: dict[str, Any] = {
    "first": 6,
    "second": 8,
    "first_root": root_of(LEAVES[:6]),
    "second_root": root_of(LEAVES),
    "proof": consistency_proof(LEAVES, 6),
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"first": 0}, "expected 1 to 8 leaves at first; found 0 leaves", id="from nothing"),
        pytest.param({"first": 9}, "tree cannot have grown", id="shrunk"),
        pytest.param({"first": 0, "second": 0, "proof": ()}, "tree cannot have grown", id="nothing to nothing"),
        pytest.param({"proof": ()}, "proof is too short", id="no proof"),
        pytest.param({"proof": SOUND_GROWTH["proof"][:1]}, "proof is too short", id="one hash"),
        pytest.param({"proof": (*SOUND_GROWTH["proof"], LEAVES[0])}, "proof is too long", id="more"),
        pytest.param({"first": 5}, "proof is too short", id="other first size"),
        pytest.param({"first": 4}, "proof is too long", id="first size a power of two"),
        pytest.param({"first": 8}, "proof is too long .*expected 0 hashes; found 3 hashes", id="sizes are one"),
        pytest.param({"second": 9}, "proof is too short", id="other second size"),
        pytest.param({"first_root": bytes(32)}, f"expected root {'0' * 64}; found root {ROOTS[6]}", id="first root"),
        pytest.param({"second_root": bytes(32)}, "tree of 8 leaves did not grow from this one", id="second root"),
        pytest.param(
            {"first": 8, "proof": ()}, "tree of 8 leaves did not grow from this one", id="one size, two roots"
        ),
        pytest.param({"second_root": b""}, "expected 32 bytes; found 0 bytes", id="no root"),
    ],
)
def test_what_does_not_show_that_a_tree_grew_is_refused(change: dict[str, Any], message: str) -> None:
    """Whatever part is another one, and the refusal says where."""
    verify_consistency(**SOUND_GROWTH, where="checkpoint 8")
    with pytest.raises(BrokenChain, match=message) as refused:
        verify_consistency(**{**SOUND_GROWTH, **change}, where="checkpoint 8")
    assert refused.value.where == "checkpoint 8"


@pytest.mark.parametrize(
    ("size", "nodes", "message"),
    [
        pytest.param(3, (LEAVES[0],), "frontier of 3 leaves.*expected 2 hashes; found 1 hashes", id="too few"),
        pytest.param(4, (LEAVES[0],) * 2, "expected 1 hashes; found 2 hashes", id="too many"),
        pytest.param(-1, (LEAVES[0],), "frontier of -1 leaves", id="no size"),
        pytest.param(1, (b"x",), "expected 32 bytes; found 1 bytes", id="no hash"),
    ],
)
def test_a_frontier_that_is_none_is_refused(size: int, nodes: tuple[bytes, ...], message: str) -> None:
    """There is one hash for each one among the binary digits of the size."""
    with pytest.raises(BrokenChain, match=message):
        Frontier(size, nodes)


@pytest.mark.parametrize(("index", "size"), [(0, 0), (8, 8), (-1, 8)])
def test_no_proof_is_made_for_a_leaf_that_is_not_there(index: int, size: int) -> None:
    """That is an error of the caller."""
    with pytest.raises(ValueError, match=f"leaf {index} of a tree of {size} leaves"):
        inclusion_proof(LEAVES[:size], index)


@pytest.mark.parametrize("first", [0, 9])
def test_no_proof_is_made_from_a_tree_that_was_not_there(first: int) -> None:
    """That is an error of the caller."""
    with pytest.raises(ValueError, match=f"the first {first} of 8 leaves"):
        consistency_proof(LEAVES, first)
