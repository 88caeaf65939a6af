"""Every oracle is met, and the table that people see is made of the same ones."""

from __future__ import annotations

import pytest

from mrv_assets_tests.oracles.oracle import Oracle
from mrv_assets_tests.oracles.register import all_oracles


@pytest.mark.parametrize("oracle", [pytest.param(oracle, id=oracle.id) for oracle in all_oracles()])
def test_ours_is_the_expected_number(oracle: Oracle) -> None:
    """As far as it is printed."""
    assert oracle.is_met, f"{oracle.what}: expected {oracle.expected}, got {oracle.got()}"


def test_no_two_oracles_have_one_id() -> None:
    """Each is told apart in the table."""
    ids = [oracle.id for oracle in all_oracles()]
    assert sorted(set(ids)) == sorted(ids)
