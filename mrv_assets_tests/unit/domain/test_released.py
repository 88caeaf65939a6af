from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.released import ReleasedDigests, appended, parse_released, parse_released_sets
from mrv_assets_tests.strategies import ids

DIGEST = "0" * 64
ENTRY = f'"release.toml" = "{DIGEST}"\n"factors.csv" = "{DIGEST}"\n'


@given(versions=st.lists(ids, min_size=1, max_size=5, unique=True), seed=st.binary(max_size=3))
def test_what_is_appended_reads_back_in_its_order(versions: list[str], seed: bytes) -> None:
    """Every release is listed with the digests of its two files, and what was there stays byte for byte."""
    data: bytes | None = None
    for version in versions:
        digests = ReleasedDigests.of(release_toml=version.encode() + seed, factors_csv=seed)
        before, data = data, appended(data, version=version, digests=digests)
        assert data.startswith(before or b"# ")
    assert data is not None
    read = parse_released(data, where="list")
    assert list(read) == versions
    for version, digests in read.items():
        assert digests == ReleasedDigests.of(release_toml=version.encode() + seed, factors_csv=seed)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("[v1", "Expected", id="no TOML"),
        pytest.param("[v1]\n" + ENTRY + "[v1]\n" + ENTRY, "overwrite|twice|declare", id="twice"),
        pytest.param(f'[v1]\n"release.toml" = "{DIGEST}"\n', "other keys", id="one file"),
        pytest.param("[v1]\n" + ENTRY.replace(DIGEST, "abc", 1), "abc", id="no digest"),
        pytest.param('v1 = "x"\n', "other keys", id="no table"),
    ],
)
def test_a_malformed_list_is_refused(text: str, found: str) -> None:
    """Half a list would let a changed release pass, so none of it is used."""
    with pytest.raises(ContractError, match=f"list of released files is malformed.*({found})"):
        parse_released(text.encode(), where="list")


def test_a_list_of_paths_is_refused() -> None:
    """A version is an id."""
    with pytest.raises(IdentityError, match="factor_version is not a canonical id"):
        parse_released(f'["../v1"]\n{ENTRY}'.encode(), where="list")


def test_sets_are_listed_by_file_name() -> None:
    """And asked for by their own."""
    assert parse_released_sets(f'"ar5.csv" = "{DIGEST}"\n'.encode(), where="list") == {"ar5": DIGEST}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("[ar5", "Expected", id="no TOML"),
        pytest.param(f'"ar5" = "{DIGEST}"\n', "ar5 =", id="no file"),
        pytest.param('"ar5.csv" = "abc"\n', "abc", id="no digest"),
        pytest.param(f'["ar5.csv"]\nsha256 = "{DIGEST}"\n', "sha256", id="a table"),
    ],
)
def test_a_malformed_list_of_sets_is_refused(text: str, found: str) -> None:
    """A line that is not understood is not passed over."""
    with pytest.raises(ContractError, match=f"list of released files is malformed.*GWP set.*({found})"):
        parse_released_sets(text.encode(), where="list")
    with pytest.raises(IdentityError, match="GWP set is not a canonical id"):
        parse_released_sets(f'"../ar5.csv" = "{DIGEST}"\n'.encode(), where="list")
