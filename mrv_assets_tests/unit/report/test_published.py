from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.report.published import Replay
from mrv_assets_tests.world import TWIN_CITIES

REPLAY = (TWIN_CITIES / "published.toml").read_text(encoding="utf-8")


def parse(text: str) -> Replay:
    """Read the text of a replay file."""
    return Replay.parse(text.encode(), where="published.toml")


def test_the_committed_replay_reads_as_published() -> None:
    """The Twin Cities replay has six steps and 91 partitions, and quotes totals as exact decimals."""
    replay = parse(REPLAY)
    assert [len(step.keys) for step in replay.steps] == [9, 9, 9, 9, 11, 44]
    assert replay.steps[0].published_total_tco2e == {"2021": Decimal("15305433.504")}
    assert len({(step.factor_version, step.landing) for step in replay.steps}) == len(replay.steps)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('unit = "tCO2e"', 'unit = "kg"', 'unit = "tCO2e"'),
        ('2021 = "15305433.504"', '2020 = "15305433.504"', "publishes"),
        ('2021 = "15305433.504"', '2021 = "about 15"', "InvalidOperation"),
        ('landing = "2024-02-01"', 'landed = "2024-02-01"', "landing"),
        ('inventory = "twin-cities"', "inventory =", "TOMLDecodeError"),
    ],
    ids=["other-unit", "total-of-another-period", "no-number", "no-landing", "no-toml"],
)
def test_a_malformed_replay_is_refused(old: str, new: str, message: str) -> None:
    """A replay file that does not say all that is needed is refused by name."""
    with pytest.raises(ContractError, match=rf"replay file is malformed \[published\.toml\].*{message}"):
        parse(REPLAY.replace(old, new))


def test_a_replay_without_a_step_is_refused() -> None:
    """A replay file in which nothing happens is refused."""
    with pytest.raises(ContractError, match="KeyError: 'step'"):
        parse('inventory = "twin-cities"\nunit = "tCO2e"\n')


def test_a_period_that_is_not_canonical_is_refused() -> None:
    """A step with a period in another form is refused when the file is read, not when it is run."""
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        parse(REPLAY.replace('"2021"', '"FY21"').replace("\n2021 = ", "\nFY21 = "))
