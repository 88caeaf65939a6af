"""Judging and writing drafts."""

from __future__ import annotations

import csv
import io
import random
import tomllib
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import FactorError
from mrv_assets.domain.factors import FACTOR_COLUMNS, FactorRelease
from mrv_assets.importers.cells import decimal_text, published_decimal
from mrv_assets.importers.checked import checked
from mrv_assets.importers.draft import DraftRow
from mrv_assets.importers.ids import activity_id
from mrv_assets.importers.plain_csv import import_plain_csv
from mrv_assets.importers.written import ReleaseHead, factors_csv, release_toml
from mrv_assets_tests.builders import gwp
from mrv_assets_tests.unit.importers.drafts import draft, row

TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=20)
WORDS = TEXT.map(str.strip).filter(bool)
VALUES = st.decimals(min_value=0, max_value=10**6, places=9, allow_nan=False, allow_infinity=False).map("{:f}".format)


def head(**differs: str) -> ReleaseHead:
    """Return a head."""
    usual = {"version": "v1", "line": "l", "title": "t", "gwp_set": "ar5", "supersedes": "", "reason": "first"}
    return ReleaseHead(published=date(2022, 9, 8), **{**usual, **differs})


@given(ids=st.lists(WORDS, min_size=1, max_size=6, unique=True), value=VALUES, source=WORDS, seed=st.integers())
def test_what_is_written_reads_back_and_order_does_not_matter(
    ids: Sequence[str], value: str, source: str, seed: int
) -> None:
    """The reader of releases gives every row back, and rows in another order are the same bytes."""
    rows = [row(activity_id=name, label=name, ef_value=value, source=source) for name in ids]
    mixed = random.Random(seed).sample(rows, len(rows))
    factors = factors_csv(draft(*rows))
    assert factors_csv(draft(*mixed)) == factors
    toml = release_toml(head(title=source), factors=factors)
    release = FactorRelease.parse("v1", release_toml=toml, factors_csv=factors, gwp=gwp("ar5"))
    assert release.title == source
    assert sorted((r.activity_id, r.ef_value, r.source) for r in release.rows) == sorted(
        (name, Decimal(value), source) for name in ids
    )


@given(text=st.text(st.characters(codec="utf-8", exclude_categories=["Cs"])))
def test_any_text_stands_in_the_description(text: str) -> None:
    """Quotes, line ends and control characters come back as they were."""
    read = tomllib.loads(release_toml(head(title=text, reason=text), factors=b"x").decode())
    assert (read["title"], read["reason"], read["sha256"]) == (text, text, sha256_hex(b"x"))


@given(value=st.decimals(min_value="0.000001", max_value=10**9, allow_nan=False, allow_infinity=False))
def test_a_number_typed_with_15_digits_is_that_number(value: Decimal) -> None:
    """What a publisher typed comes back, whatever binary64 made of it."""
    typed = Decimal(f"{value:.14e}")
    assert Decimal(published_decimal(float(typed))) == typed
    assert decimal_text(published_decimal(float(typed))) is not None


@pytest.mark.parametrize(
    ("stored", "published"),
    [
        (0.41204999999999997, "0.41205"),
        (0.022000000000000002, "0.022"),
        (9.2e-05, "0.000092"),
        (25.0, "25"),
        (1e21, "1" + "0" * 21),
    ],
)
def test_noise_of_binary64_is_not_published(stored: float, published: str) -> None:
    """At most 15 significant digits, no exponent, no zeros that say nothing."""
    assert published_decimal(stored) == published


@pytest.mark.parametrize(
    ("labels", "made"),
    [
        (("Fuels", "Gaseous fuels", "Natural gas", "", ""), "fuels/gaseous-fuels/natural-gas"),
        (("Vans", "Class I (up to 1.305 tonnes)"), "vans/class-i-up-to-1.305-tonnes"),
        (("HGV", "Rigid (>3.5 - 7.5 tonnes)", "0% Laden"), "hgv/rigid-over-3.5-7.5-tonnes/0-pct-laden"),
        (("UK electricity T&D for Evs",), "uk-electricity-t-and-d-for-evs"),
        (("<1981",), "under-1981"),
        (("≤1980",), "up-to-1980"),
        (("10,000–19,999 dwt",), "10-000-19-999-dwt"),
        (("Réunion",), "reunion"),
    ],
)
def test_labels_make_readable_ids(labels: Sequence[str], made: str) -> None:
    """An id is plain ASCII and tells signs apart."""
    assert activity_id(labels) == made


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        pytest.param([], "nothing to release", id="no rows"),
        pytest.param([row(ef_value="-1")], r"factor is negative.*row 7.*flux = removal", id="negative"),
        pytest.param([row(ef_value="< 1")], r"factor is no decimal.*row 7", id="no number"),
        pytest.param([row(ef_value="1e-5")], "factor is no decimal", id="exponent"),
        pytest.param([row(denominator_unit="ton")], r"unit is refused.*row 7.*short_ton", id="ambiguous unit"),
        pytest.param([row(numerator_unit="MWh")], r"unit is refused.*row 7.*a unit of mass", id="no mass"),
        pytest.param([row(basis="CH4")], "substance basis is not the gas", id="other basis"),
        pytest.param(
            [row(gas="CO2e", basis="CO2e:ar4")], r"mixed GWP.*expected CO2e:ar5; found CO2e:ar4", id="other set"
        ),
        pytest.param([row(gas="CO2e", basis="CO2e")], "mixed GWP", id="no set"),
        pytest.param([row(), row(place="row 9")], r"two factors.*row 7.*row 9", id="twice"),
        pytest.param([row(), row(denominator_unit="megawatt_hour", place="row 9")], "row 7.*row 9", id="same unit"),
        pytest.param(
            [row(), row(gas="CO2e", basis="CO2e:ar5", place="row 9")], r"CO2e alone.*row 9", id="a total beside a gas"
        ),
        pytest.param(
            [row(), row(label="Other", gas="CH4", basis="CH4")],
            r"two labels make one activity id.*Total output.*Other",
            id="labels",
        ),
    ],
)
def test_unsound_draft_is_refused_by_its_published_rows(rows: Sequence[DraftRow], says: str) -> None:
    """A refusal says where the rows stand in the published file."""
    with pytest.raises(FactorError, match=says):
        checked(draft(*rows), gwp("ar5"))


def test_draft_is_judged_under_its_own_set() -> None:
    """A draft under AR5 makes no release under AR4."""
    with pytest.raises(FactorError, match="mixed GWP"):
        checked(draft(row()), gwp("ar4"))


CSV = factors_csv(draft(row(), row(gas="CH4", basis="CH4", flux="emission", ef_value="0.1"))).decode()


def test_plain_csv_is_taken_in_any_order_of_columns() -> None:
    """Columns are found by name, and the bytes are the same."""
    lines = [list(reversed(line)) for line in csv.reader(io.StringIO(CSV))]
    turned = io.StringIO()
    csv.writer(turned).writerows(lines)
    taken = import_plain_csv(turned.getvalue().encode("utf-8-sig"), where="f.csv", gwp_set="ar5", title="t")
    assert factors_csv(checked(taken, gwp("ar5"))).decode() == CSV


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(CSV.replace("basis", "base", 1), "columns are not those", id="unknown column"),
        pytest.param(CSV.replace("emission", "storage", 1), r"flux is unknown \[f.csv, line 2\]", id="flux"),
        pytest.param(CSV.replace("2021-12-31", "2021-13-31", 1), "validity is not a day", id="day"),
        pytest.param(CSV.replace("US/MROW", "", 1), "cell is empty.*region", id="empty cell"),
        pytest.param(CSV + "a,b\n", r"row is ragged.*line 4", id="ragged"),
        pytest.param("", "no header", id="empty"),
    ],
)
def test_unsound_csv_is_refused_by_its_line(text: str, says: str) -> None:
    """Nothing is guessed."""
    with pytest.raises(FactorError, match=says):
        import_plain_csv(text.encode(), where="f.csv", gwp_set="ar5", title="t")


def test_bytes_that_are_no_utf8_are_refused() -> None:
    """Latin-1 is not replaced by anything."""
    with pytest.raises(FactorError, match="file cannot be read"):
        import_plain_csv(b"\xe9", where="f.csv", gwp_set="ar5", title="t")


def test_columns_are_those_of_the_contract() -> None:
    """The header is the contract's, letter by letter."""
    assert CSV.splitlines()[0] == ",".join(FACTOR_COLUMNS)
