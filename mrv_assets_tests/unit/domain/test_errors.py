from __future__ import annotations

import pickle

import pytest

from mrv_assets.domain.errors import (
    BrokenChain,
    CommitStateUnknown,
    ContractError,
    Defect,
    GateError,
    MrvError,
    StoreUnavailable,
    listed,
)


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


@pytest.mark.parametrize(
    "error",
    [
        ContractError("shape", where="w", expected="e", found="f", remedy="r"),
        GateError("red", gate="rows_present", where="w", expected="e", found="f", remedy="r"),
        StoreUnavailable("away", where="w", expected="e", found="f", remedy="r"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_travels_between_processes_whole(error: MrvError) -> None:
    """A worker's error arrives as the same class with all its parts."""
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert vars(arrived) == vars(error)
    assert str(arrived) == str(error)


@pytest.mark.parametrize(
    ("kind", "family"),
    [(ContractError, "refusal"), (CommitStateUnknown, "transient"), (BrokenChain, "tampering"), (Defect, "defect")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_every_error_says_who_can_remedy_it(kind: type[MrvError], family: str) -> None:
    """The family is the same word for a whole branch of errors."""
    assert kind.family == family
