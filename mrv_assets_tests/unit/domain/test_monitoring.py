"""Evidence is taken by name, and what is not there is told by name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring

SHOWN = Monitoring(
    where="2024.toml",
    quantities={"leakage_tco2e": "150.5", "odd": "many", "nothing": "NaN"},
    facts={"approach": "area", "is_harvested": "no", "start": "2019-05-01", "blank": " "},
    tables={"plots": [{"id": "p1", "volume_m3": "4.4"}, {"id": "p2", "volume_m3": ""}]},
)


def test_evidence_is_read_as_what_it_is() -> None:
    """Numbers exact, words, yes and no, days, and cells."""
    assert SHOWN.quantity("leakage_tco2e") == Decimal("150.5")
    assert SHOWN.fact("approach") == "area"
    assert SHOWN.is_so("is_harvested") is False
    assert SHOWN.day("start") == date(2019, 5, 1)
    first, _ = SHOWN.table("plots", "id", "volume_m3")
    assert SHOWN.cell("plots", first, "volume_m3") == Decimal("4.4")


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        pytest.param(lambda: SHOWN.quantity("buffer"), "evidence is missing.*quantity buffer", id="quantity"),
        pytest.param(lambda: SHOWN.quantity("odd"), "evidence cannot be used.*quantity odd", id="no number"),
        pytest.param(lambda: SHOWN.quantity("nothing"), "a finite number", id="NaN"),
        pytest.param(lambda: SHOWN.fact("auditor"), "fact auditor", id="fact"),
        pytest.param(lambda: SHOWN.fact("blank"), "evidence is missing", id="blank fact"),
        pytest.param(lambda: SHOWN.is_so("approach"), "yes or no", id="neither yes nor no"),
        pytest.param(lambda: SHOWN.day("approach"), "a day such as", id="no day"),
        pytest.param(lambda: SHOWN.table("units"), "table units", id="table"),
        pytest.param(lambda: SHOWN.table("plots", "id", "area_ha"), "columns area_ha", id="column"),
        pytest.param(
            lambda: SHOWN.cell("plots", SHOWN.tables["plots"][1], "volume_m3"), "row p2, column volume_m3", id="cell"
        ),
    ],
)
def test_what_is_missing_or_unusable_is_told_by_name(ask: Callable[[], object], words: str) -> None:
    """Nothing is taken for 0."""
    with pytest.raises(ContractError, match=words):
        ask()


def test_the_digest_is_of_what_was_looked_at() -> None:
    """Other evidence under the same names is another digest, other evidence elsewhere is not, missing differs too."""
    more = Monitoring(where="x", quantities={**SHOWN.quantities, "other": "1"}, facts=SHOWN.facts, tables=SHOWN.tables)
    assert more.digest_of("plots", "leakage_tco2e") == SHOWN.digest_of("leakage_tco2e", "plots")
    assert more.digest_of("other") != SHOWN.digest_of("other")
