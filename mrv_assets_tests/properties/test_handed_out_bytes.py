"""Whatever is changed in a certificate that was handed out, the check refuses it, and never by an accident."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.digest import canonical_json, self_sealed_json
from mrv_assets.domain.errors import MrvError
from mrv_assets_tests.handed_out import unsigned_reader, whole

BYTES = whole().bundle().to_bytes()
PARTS = ("statement", *(f"record {number}" for number in range(6)), "entry", "checkpoint")
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.just("0" * 64),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


@given(st.integers(0, len(BYTES) * 8 - 1))
def test_any_flipped_bit_is_detected(bit: int) -> None:
    """By an error of ours, wherever the bit is."""
    data = bytearray(BYTES)
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(MrvError, match="expected"):
        replace(whole().shown(), bundle=Bundle.from_bytes(bytes(data), where="file")).verify()


@given(st.integers(0, len(BYTES) - 1))
def test_a_file_that_is_cut_off_is_detected(length: int) -> None:
    """Wherever it ends."""
    with pytest.raises(MrvError, match="bundle cannot be read"):
        Bundle.from_bytes(BYTES[:length], where="file")


@given(st.sampled_from(PARTS), st.data())
def test_any_other_leaf_is_detected_though_it_is_sealed_anew(part: str, data: st.DataObject) -> None:
    """By whoever trusts the key; who asks for no signature sees an error of ours or an outcome, never a crash."""
    bundle = whole().bundle()
    document = json.loads(_part(bundle, part))
    way = data.draw(st.sampled_from(list(_ways(document))))
    value = data.draw(VALUES)
    _put(document, way, value)
    altered = _sealed(document)
    if altered == _part(bundle, part):
        return
    shown = replace(whole().shown(), bundle=_with(bundle, part, altered))
    with pytest.raises(MrvError, match="expected"):
        shown.verify()
    with suppress(MrvError):
        replace(shown, reader=unsigned_reader()).verify()


def _part(bundle: Bundle, part: str) -> bytes:
    if part.startswith("record"):
        return bundle.records[int(part[-1])]
    if part == "entry":
        return bundle.entries[0].data
    assert bundle.checkpoint is not None
    return (bundle.envelope if part == "statement" else bundle.checkpoint).payload


def _with(bundle: Bundle, part: str, data: bytes) -> Bundle:
    if part.startswith("record"):
        records = list(bundle.records)
        records[int(part[-1])] = data
        return replace(bundle, records=tuple(records))
    if part == "entry":
        return replace(bundle, entries=(replace(bundle.entries[0], data=data),))
    if part == "statement":
        return replace(bundle, envelope=replace(bundle.envelope, payload=data))
    assert bundle.checkpoint is not None
    return replace(bundle, checkpoint=replace(bundle.checkpoint, payload=data))


def _sealed(document: dict[str, Any]) -> bytes:
    if "self_sha256" not in document:
        return canonical_json(document)
    return self_sealed_json({name: value for name, value in document.items() if name != "self_sha256"})


def _ways(document: object, way: tuple[str | int, ...] = ()) -> Any:
    members = document.items() if isinstance(document, dict) else enumerate(document)  # type: ignore[arg-type]
    for name, value in members:
        if name == "self_sha256":
            continue
        yield (*way, name)
        if isinstance(value, dict | list):
            yield from _ways(value, (*way, name))


def _put(document: Any, way: tuple[str | int, ...], value: object) -> None:
    *above, last = way
    for name in above:
        document = document[name]
    document[last] = value
