"""What was read last and is handed out again."""

from __future__ import annotations

import pytest

from mrv_assets.storage.recent import Recent


def test_the_last_few_are_kept() -> None:
    """Whoever is asked for stays, and of the others the one goes that was asked for longest ago."""
    recent, read = Recent[str, str](2), list[str]()

    def asked_for(name: str) -> str:
        def reads() -> str:
            read.append(name)
            return name

        return recent.get(name, reads)

    assert [asked_for(name) for name in "abacab"] == list("abacab")
    assert read == ["a", "b", "c", "b"]


def test_what_cannot_be_read_is_asked_for_again() -> None:
    """An error is no answer to keep."""
    recent = Recent[str, int](2)
    with pytest.raises(ZeroDivisionError, match="by zero"):
        recent.get("a", lambda: 1 // 0)
    assert recent.get("a", lambda: 1) == 1


def test_what_is_not_to_be_kept_is_not() -> None:
    """It is handed out all the same."""
    recent = Recent[str, int](2)
    assert recent.get("a", lambda: 1, is_kept=lambda _: False) == 1
    assert recent.get("a", lambda: 2, is_kept=lambda _: False) == 2
