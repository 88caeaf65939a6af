from __future__ import annotations

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.partition import Asset, PartitionKey, Slot, checked_id, idempotency_key

KEY = PartitionKey(project_id="0042", period="2024-03", factor_version="2024.10")


@pytest.mark.parametrize("value", ["a", "A-1", "0042", "1e5", "2024.10", "x+y_z.1", "a" * 64])
def test_canonical_ids_are_accepted_unchanged(value: str) -> None:
    """Letters, digits and . _ + - make an id, also when they look like a number."""
    assert checked_id(value, what="project_id") == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "a b",
        "a|b",
        "a/b",
        "a@b",
        "a,b",
        "a\n",
        "a\x00",
        ".a",
        "-a",
        "_a",
        "..",
        "../../etc",
        "/abs",
        "é",
        "e\u0301",
        "\uff21",
        "a" * 65,
        2024.1,
        42,
        None,
        b"a",
    ],
)
def test_other_ids_are_refused_before_they_reach_a_path(value: object) -> None:
    """Separators, paths, other alphabets, lengths and types are refused by name."""
    with pytest.raises(IdentityError, match="project_id is not a canonical id"):
        checked_id(value, what="project_id")


@pytest.mark.parametrize(
    ("project_id", "period", "factor_version"),
    [("a|b", "2024", "v1"), ("a", "2024-3", "v1"), ("a", "2024", ""), ("a@b", "2024", "v1"), ("a", "2024", "v@1")],
)
def test_partition_key_is_canonical_in_all_parts(project_id: str, period: str, factor_version: str) -> None:
    """A key that is not canonical cannot be made."""
    with pytest.raises(IdentityError, match="is not"):
        PartitionKey(project_id=project_id, period=period, factor_version=factor_version)


def test_series_joins_and_splits_without_loss() -> None:
    """Project and factor version come back as the text they were: no number loses a zero."""
    assert KEY.series == "0042@2024.10"
    assert PartitionKey.from_dimensions(series="0042@2024.10", period="2024-03") == KEY
    assert str(KEY) == "0042 2024-03 2024.10"


@pytest.mark.parametrize("series", ["0042", "", "@", "0042@", "@2024.10", "a@b@c", "2024.10|0042"])
def test_text_that_is_no_series_is_refused(series: str) -> None:
    """A series has exactly one @ between two ids."""
    with pytest.raises(IdentityError, match="is not"):
        PartitionKey.from_dimensions(period="2024", series=series)


def test_idempotency_key_hashes_the_list_of_parts() -> None:
    """The key is of the JSON list, so another implementation can make it again."""
    assert KEY.idempotency_key == sha256_hex(b'["0042","2024-03","2024.10"]')[:16]


def test_parts_that_join_to_the_same_text_have_different_keys() -> None:
    """No delimiter can make two identities collide."""
    identities = [
        ("a|b", "c"),
        ("a", "b|c"),
        ("a|b|c",),
        ('a","b', "c"),
        ("a", 'b","c'),
        ("a", "b", "c"),
        ("", "a|b|c"),
    ]
    assert len({idempotency_key(*identity) for identity in identities}) == len(identities)


@pytest.mark.parametrize(
    ("asset", "text"),
    [
        (Asset.ACTIVITY, "activity 0042 2024-03"),
        (Asset.NORMALIZED, "normalized 0042 2024-03"),
        (Asset.FACTORED, "factored 0042 2024-03 2024.10"),
        (Asset.AGGREGATED, "aggregated 0042 2024-03 2024.10"),
        (Asset.CERTIFICATE, "certificate 0042 2024-03 2024.10"),
        (Asset.LEDGER, "ledger 0042 2024-03"),
    ],
)
def test_slot_has_the_factor_version_where_factors_matter(asset: Asset, text: str) -> None:
    """Activity, geometry and the ledger have one slot whatever the release, so two live figures cannot be expressed."""
    slot = Slot.of(asset, KEY)
    assert str(slot) == text
    assert (slot.factor_version is not None) is asset.depends_on_factors
