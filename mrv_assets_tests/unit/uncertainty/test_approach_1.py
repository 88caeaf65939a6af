from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.confidence import HalfWidth90, HalfWidth95
from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.approach_1 import Term, product, term, total


def u95(share: str) -> HalfWidth95:
    """Return a 95 % half-width."""
    return HalfWidth95(relative=Decimal(share))


def test_terms_of_one_group_add_up_linearly() -> None:
    """Two fields with one factor of 30 % are as uncertain as one field of their size."""
    found = total([term(Decimal(60), u95("0.3"), "ef"), term(Decimal(40), u95("0.3"), "ef")], where="x")
    assert (found.value, found.half_width, found.absolute) == (Decimal(100), u95("0.3"), Decimal(30))


def test_terms_of_other_groups_combine_as_root_of_squares() -> None:
    """30 and 40 make 50."""
    found = total([term(Decimal(100), u95("0.3"), "a"), term(Decimal(100), u95("0.4"), "b")], where="x")
    assert (found.value, found.absolute) == (Decimal(200), Decimal(50))


def test_a_removal_with_the_same_factor_takes_its_error_along() -> None:
    """One error moves both, so it cancels as far as the tonnes do."""
    found = total([term(Decimal(100), u95("0.2"), "ef"), term(Decimal(-40), u95("0.2"), "ef")], where="x")
    assert (found.value, found.absolute) == (Decimal(60), Decimal(12))


def test_quantity_and_factor_of_a_term_combine_as_a_product() -> None:
    """Equation 3.1 is the case of one term with two sources."""
    both = total([Term(value=Decimal(7), half_widths={"quantity": u95("0.03"), "ef": u95("0.04")})], where="x")
    assert both.half_width == product([u95("0.03"), u95("0.04")], where="x") == u95("0.05")


def test_difference_of_two_stocks_is_that_of_ar_tool14() -> None:
    """1000 (8 %) less 600 (10 %): 25 % of 400, at 90 %."""
    terms = [
        term(Decimal(1000), HalfWidth90(relative=Decimal("0.08")), "now"),
        term(Decimal(-600), HalfWidth90(relative=Decimal("0.10")), "before"),
    ]
    assert total(terms, where="x").half_width == HalfWidth90(relative=Decimal("0.25"))


def test_two_levels_are_not_mixed() -> None:
    """Also where no type checker looks."""
    mixed: list[Any] = [u95("0.1"), HalfWidth90(relative=Decimal("0.1"))]
    with pytest.raises(ContractError, match=r"two levels are mixed.*found HalfWidth90 and HalfWidth95"):
        product(mixed, where="x")
    with pytest.raises(ContractError, match=r"two levels are mixed"):
        total([term(Decimal(1), u, str(n)) for n, u in enumerate(mixed)], where="x")


def test_nothing_is_not_combined() -> None:
    """An empty inventory has no uncertainty of 0."""
    with pytest.raises(ContractError, match=r"nothing to combine"):
        product([], where="x")
    nothing: list[Term[HalfWidth95]] = []
    with pytest.raises(ContractError, match=r"nothing to combine"):
        total(nothing, where="x")


def test_a_sum_of_zero_is_refused() -> None:
    """Its half-width would be a share of 0."""
    terms = [term(Decimal(1), u95("0.1"), "a"), term(Decimal(-1), u95("0.1"), "b")]
    with pytest.raises(ContractError, match=r"sum is 0 \[project\]"):
        total(terms, where="project")


def test_a_term_without_uncertainty_is_refused() -> None:
    """Silence is not certainty."""
    silent: Term[HalfWidth95] = Term(value=Decimal(3), half_widths={})
    with pytest.raises(ContractError, match=r"term has no uncertainty.*a term of 3"):
        total([silent], where="x")
