"""Evidence is taken by name, and what is not there is told by name."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.exact import EXACT
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


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1E+40", id="too large"),
        pytest.param("-1E+400000", id="far too large"),
        pytest.param("1E-41", id="too small"),
        pytest.param("0E-1000000", id="a zero that is none"),
        pytest.param("1." + "0" * 60, id="too many digits"),
    ],
)
def test_a_number_beyond_all_measure_is_refused_by_name(text: str) -> None:
    """Exact arithmetic with it would end in a signal of the decimal module, not in an answer."""
    with pytest.raises(ContractError, match=r"quantity x.*below 1e40 with at most 60 digits and 40 decimals"):
        Monitoring(where="p", quantities={"x": text}).quantity("x")


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("1_000", id="underscore"),
        pytest.param("\u0661\u0662", id="Arabic digits"),
        pytest.param("\uff11\uff12.5", id="full-width digits"),
        pytest.param("1,5", id="comma"),
        pytest.param("0x10", id="hexadecimal"),
        pytest.param("", id="nothing"),
        pytest.param("1e999999999999999999999", id="an exponent that Python refuses itself"),
    ],
)
def test_a_number_that_only_python_reads_is_refused_by_name(text: str) -> None:
    """Who reads the package otherwise would read another number, or none."""
    with pytest.raises(ContractError, match=r"evidence cannot be used.*quantity x.*a finite number as decimal text"):
        Monitoring(where="p", quantities={"x": text}).quantity("x")


@pytest.mark.parametrize("text", ["12", " 12 ", "+12.", "1.2e1", "0.12E+2", "120e-1"])
def test_decimal_text_is_read_in_all_its_forms(text: str) -> None:
    """Blanks around it, a sign, and an exponent are usual."""
    assert Monitoring(where="p", quantities={"x": text}).quantity("x") == 12


def test_products_of_two_numbers_within_measure_are_exact() -> None:
    """The widest there are."""
    widest = [
        Monitoring(where="p").number(text, "x") for text in ("9" * 40 + "." + "9" * 20, "9" * 20 + "." + "9" * 40)
    ]
    assert EXACT.add(EXACT.multiply(*widest), Decimal("1E-40")) > 0


def test_the_digest_is_of_what_was_looked_at() -> None:
    """Other evidence under the same names is another digest, other evidence elsewhere is not, missing differs too."""
    more = Monitoring(where="x", quantities={**SHOWN.quantities, "other": "1"}, facts=SHOWN.facts, tables=SHOWN.tables)
    assert more.digest_of("plots", "leakage_tco2e") == SHOWN.digest_of("leakage_tco2e", "plots")
    assert more.digest_of("other") != SHOWN.digest_of("other")
