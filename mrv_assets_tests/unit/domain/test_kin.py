"""Successions of projects: who is whom under another name, and what is refused."""

from __future__ import annotations

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.kin import Successions


def _file(*successions: str) -> bytes:
    """Write a file of successions `new: old old`."""
    tables = []
    for text in successions:
        new, _, olds = text.partition(": ")
        tables.append(f'[[succession]]\nproject = "{new}"\nsucceeds = {olds.split()!r}\nbecause = "renamed"\n')
    return "".join(tables).encode()


@pytest.mark.parametrize(
    ("project", "kin"),
    [
        pytest.param("c", {"a", "b", "d"}, id="in the middle"),
        pytest.param("d", {"a", "b", "c"}, id="newest"),
        pytest.param("a", {"c", "d"}, id="one of those merged"),
        pytest.param("x", set(), id="stranger"),
    ],
)
def test_kin_are_all_that_came_before_and_after(project: str, kin: set[str]) -> None:
    """Over however many steps; those that were merged together are none of each other."""
    successions = Successions.parse(_file("c: a b", "d: c"), where="here")
    assert successions.kin(project) == kin


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(b"\xff", "UnicodeDecodeError", id="no UTF-8"),
        pytest.param(b"", "nothing", id="empty"),
        pytest.param(_file("a: b", "b: a"), "a circle: ", id="circle"),
        pytest.param(_file("a: a"), "a circle: ", id="itself"),
        pytest.param(_file("a: b", "a: c"), "a stands there twice", id="twice"),
        pytest.param(_file("a: "), "one id or more", id="nobody"),
        pytest.param(_file("A b: c"), "IdentityError", id="no id"),
        pytest.param(_file("a: b").replace(b"because", b"why"), "expected because, project, succeeds", id="other key"),
        pytest.param(_file("a: b").replace(b"renamed", b" "), "does not say why", id="no reason"),
        pytest.param(b"succession = 7", "TypeError", id="no table"),
    ],
)
def test_a_malformed_file_is_refused(data: bytes, found: str) -> None:
    """The error says what was found."""
    with pytest.raises(ContractError, match=found):
        Successions.parse(data, where="successions.toml")
