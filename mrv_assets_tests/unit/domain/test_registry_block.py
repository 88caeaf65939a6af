"""Serial numbers of registries: one spelling, both ends counted, and what two blocks share."""

from __future__ import annotations

from typing import Any

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.registry_block import LARGEST_SERIAL, RegistryBlock
from mrv_assets_tests.registered import SERIES, block

PUBLISHED = "12629-421604735-421689507-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0"


def test_the_published_row_holds_its_quantity() -> None:
    """Last minus first plus one is what the registry shows as issued, and the text reads back."""
    found = RegistryBlock.parse("verra", PUBLISHED)
    assert (found.count, found.text) == (84_773, PUBLISHED)
    assert found.series == "12629-VCS-VCU-576-VER-PY-14-2498-01012020-19112020-0"
    assert found.verra is not None
    assert found.verra.project == "2498"


def test_a_block_of_another_registry_is_its_series_and_two_numbers() -> None:
    """The two last numbers are the block, whatever the series ends in."""
    found = RegistryBlock.parse("gold-standard", "GS1-1-ZZ-GS0-2025-7-1-40")
    assert (found.series, found.serials.start, found.serials.end) == ("GS1-1-ZZ-GS0-2025-7", 1, 40)
    assert found.verra is None


@pytest.mark.parametrize(
    ("registry", "text", "message"),
    [
        pytest.param("verra", PUBLISHED.replace("421604735", "0421604735"), "the spelling", id="leading zero"),
        pytest.param("verra", PUBLISHED.replace("12629", "012629"), "without leading zeros", id="zero in the account"),
        pytest.param("verra", PUBLISHED.replace("-576-", "-0576-"), "without leading zeros", id="zero in the batch"),
        pytest.param("verra", PUBLISHED.replace("12629", "१२६२९"), "serial number is malformed", id="other digits"),
        pytest.param("verra", PUBLISHED.replace("421689507", "1"), "serial block is none", id="backwards"),
        pytest.param("verra", PUBLISHED.replace("421689507", "9" * 5000), "malformed", id="endless"),
        pytest.param("verra", PUBLISHED.replace("01012020", "31022020"), "days that exist", id="no day"),
        pytest.param("verra", "GS1-1-40", "serial number is malformed", id="form of another registry"),
        pytest.param("gold-standard", "GS1-40", "series.-.first.-.last", id="one number"),
        pytest.param("gold-standard", "GS1-01-40", "without leading zeros", id="zero before a number"),
        pytest.param("gold-standard", f"GS1-1-{'9' * 5000}", "serial number is malformed", id="endless number"),
        pytest.param("gold-standard", "GS 1-1-40", "without blanks", id="blank"),
        pytest.param("gold-standard", "GS1\n-1-40", "malformed", id="line end"),
        pytest.param("Gold Standard", "GS1-1-40", "lower-case name", id="name of the registry"),
    ],
)
def test_another_spelling_is_refused(registry: str, text: str, message: str) -> None:
    """Else one credit would have two names, and could be claimed under both."""
    with pytest.raises(ContractError, match=message):
        RegistryBlock.parse(registry, text)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        pytest.param({"registry": "verra", "series": "made-up"}, "serial number is malformed", id="series of Verra"),
        pytest.param({"last": LARGEST_SERIAL + 1}, "serial numbers up to", id="too large"),
        pytest.param({"first": 0}, "serial block is none", id="from zero"),
        pytest.param({"series": ""}, "1 to 120", id="no series"),
    ],
)
def test_fields_that_make_no_block_are_refused(changed: dict[str, Any], message: str) -> None:
    """Given as fields a block is held to the same."""
    fields: dict[str, Any] = {"registry": "gold-standard", "series": "GS1", "first": 1, "last": 5} | changed
    with pytest.raises(ContractError, match=message):
        block(fields["first"], fields["last"], series=fields["series"], registry=fields["registry"])


@pytest.mark.parametrize(
    ("other", "is_shared"),
    [
        pytest.param(block(10, 19), False, id="adjacent"),
        pytest.param(block(9, 9), True, id="one credit"),
        pytest.param(block(5, 9, series="GS1", registry="gold-standard"), False, id="another registry"),
        pytest.param(block(5, 9, series=SERIES.replace("99999", "99998", 1)), False, id="another account"),
    ],
)
def test_what_two_blocks_share(other: RegistryBlock, *, is_shared: bool) -> None:
    """Registry, series and a number."""
    assert block(1, 9).overlaps(other) is is_shared
    assert other.overlaps(block(1, 9)) is is_shared


def test_capitals_make_no_other_series() -> None:
    """A series in small letters does not get past the rule."""
    ours = block(1, 9, series="GS1-a", registry="gold-standard")
    assert ours.overlaps(block(9, 9, series="gs1-A", registry="gold-standard"))
