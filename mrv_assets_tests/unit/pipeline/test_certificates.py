"""A certificate is found by first digits of its sha256, or by whose figure it seals."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.certificates import certificates, find_certificate, reported_certificates
from mrv_assets.pipeline.world import World
from mrv_assets.storage.slot_paths import record_key
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, CARVER, RESTATED, build, world_over
from mrv_assets_tests.world import memory_store


@pytest.fixture(scope="module")
def world() -> World:
    """The small store; only for reading."""
    world = world_over(memory_store())
    build(world)
    return world


def digest(world: World, asset: Asset = Asset.CERTIFICATE, *, of: int = 0) -> str:
    """Return the sha256 of the certificate of one of the three partitions."""
    record = world.slots.current(Slot.of(asset, (ANOKA, CARVER, RESTATED)[of]))
    assert record is not None
    return record.content_digest


@pytest.mark.parametrize("digits", [8, 12, 64])
@pytest.mark.parametrize(
    "of", [pytest.param(0, id="superseded"), pytest.param(1, id="carver"), pytest.param(2, id="live")]
)
def test_first_digits_find_a_certificate(world: World, digits: int, of: int) -> None:
    """Eight are enough, also for one that is superseded."""
    whole = digest(world, of=of)
    assert find_certificate(world.slots, whole[:digits]).content_digest == whole


def test_a_partition_finds_its_certificate(world: World) -> None:
    """Without a factor version it is the one that the ledger reports."""
    assert find_certificate(world.slots, "anoka 2021").content_digest == digest(world, of=2)
    assert find_certificate(world.slots, f" anoka  2021 {ANOKA.factor_version}").content_digest == digest(world)


def test_what_was_reported_is_in_order(world: World) -> None:
    """Oldest first; nothing of a project that reports nothing."""
    assert reported_certificates(world.slots, "anoka", "2021") == (digest(world), digest(world, of=2))
    assert reported_certificates(world.slots, "nobody", "2021") == ()
    assert {record.content_digest for record in certificates(world.slots)} == {digest(world, of=n) for n in range(3)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param("", "8 to 64 digits", id="nothing"),
        pytest.param("abcdef0", "8 to 64 digits", id="seven digits"),
        pytest.param("ABCDEF01", "8 to 64 digits", id="capitals"),
        pytest.param("a" * 65, "8 to 64 digits", id="too many digits"),
        pytest.param("a b c d", "8 to 64 digits", id="four words"),
        pytest.param("0" * 64, "found none", id="no such certificate"),
        pytest.param("anoka 2020", "a reported figure; found none", id="nothing reported"),
        pytest.param("anoka 2021 mrow-1", "a certificate; found none", id="no such version"),
    ],
)
def test_what_finds_no_certificate_is_refused(world: World, text: str, message: str) -> None:
    """By name, with what would find one."""
    with pytest.raises(ContractError, match=message):
        find_certificate(world.slots, text)


def test_digits_of_several_certificates_are_refused(world: World) -> None:
    """Both are named, and the whole digest finds either."""
    store = memory_store({key: data for key in world.store.list("") if (data := world.store.get(key)) is not None})
    record = find_certificate(world.slots, digest(world))
    other = replace(
        record, slot=replace(record.slot, project_id="other"), content_digest=f"{digest(world)[:8]}{'0' * 56}"
    )
    store.replace(record_key(other.slot, other.generation), other.to_bytes())
    slots = world_over(store).slots
    with pytest.raises(ContractError, match="one certificate of this store") as caught:
        find_certificate(slots, digest(world)[:8])
    assert digest(world) in caught.value.found
    assert other.content_digest in caught.value.found
    assert find_certificate(slots, other.content_digest) == other


def test_words_are_ids(world: World) -> None:
    """A period that is none is told as such."""
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        find_certificate(world.slots, "anoka 2021-13")
