from __future__ import annotations

import pytest

from mrv_assets.domain.errors import MrvError, listed


def test_error_says_all_five_parts() -> None:
    """What, where, expected, found and remedy are in the message and on the error."""
    error = MrvError("it broke", where="here", expected="this", found="that", remedy="mend it")
    assert str(error) == "it broke [here]: expected this; found that. Remedy: mend it"
    assert (error.what, error.where, error.expected, error.found, error.remedy) == (
        "it broke",
        "here",
        "this",
        "that",
        "mend it",
    )


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([], ""),
        (["a"], "'a'"),
        (["a", None], "'a', None"),
        (list("abcde"), "'a', 'b', 'c', 'd', 'e'"),
        (list("abcdefg"), "'a', 'b', 'c', 'd', 'e' and 2 more"),
    ],
    ids=["none", "one", "a null", "five", "seven"],
)
def test_long_lists_are_cut_with_a_count(names: list[str | None], text: str) -> None:
    """A message shows five names and counts the rest."""
    assert listed(names) == text
