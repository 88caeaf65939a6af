"""A withdrawal says who, when and why, and anything less is refused."""

from __future__ import annotations

from datetime import date

import pytest

from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.withdrawal import Withdrawal

SOUND = b'on = 2026-01-31\nby = "R. Reviewer"\nbecause = "the vintage is wrong"\n'


def test_a_withdrawal_is_read() -> None:
    """The day is a date of TOML, the rest is text."""
    found = Withdrawal.parse("v1", SOUND)
    assert (found.version, found.on, found.by) == ("v1", date(2026, 1, 31), "R. Reviewer")
    assert found.because == "the vintage is wrong"


def test_a_refusal_names_date_person_and_reason() -> None:
    """Whoever is refused sees at once whom to ask."""
    refusal = Withdrawal.parse("v1", SOUND).refusal("not this one", where="here", remedy="another")
    assert refusal.found == "v1, withdrawn on 2026-01-31 by R. Reviewer: the vintage is wrong"


@pytest.mark.parametrize(
    ("data", "found"),
    [
        pytest.param(b"", "found nothing", id="empty"),
        pytest.param(b"\xff", "expected UTF-8 TOML", id="not UTF-8"),
        pytest.param(b"on = yesterday", "expected UTF-8 TOML", id="not TOML"),
        pytest.param(SOUND.replace(b'by = "R. Reviewer"\n', b""), "expected on, by, because", id="nobody"),
        pytest.param(SOUND + b"until = 2027-01-01\n", "found on, by, because, until", id="unknown field"),
        pytest.param(SOUND.replace(b"2026-01-31", b'"2026-01-31"'), "on = '2026-01-31'", id="date as text"),
        pytest.param(SOUND.replace(b"2026-01-31", b"2026-01-31T09:00:00Z"), "a date without quotes", id="instant"),
        pytest.param(SOUND.replace(b'"R. Reviewer"', b'" "'), "a text for by; found by = ' '", id="blank person"),
        pytest.param(SOUND.replace(b'"the vintage is wrong"', b"7"), "a text for because", id="number for a reason"),
    ],
)
def test_a_malformed_withdrawal_is_refused(data: bytes, found: str) -> None:
    """It is not taken for none, nor for one without a reason."""
    with pytest.raises(FactorError, match=rf"malformed \[factor release v1, withdrawn\.toml\].*{found}"):
        Withdrawal.parse("v1", data)
