"""Generated values of the platform's own kinds: ids, periods, partition keys, quantities, tonnes, factors, tables.

Each strategy draws the whole range that the platform accepts, awkward corners included. What does not belong
here: fixed examples (builders).
"""

from __future__ import annotations

import calendar
import string
from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

from mrv_assets.domain.contract import TONNES
from mrv_assets.domain.errors import IdentityError
from mrv_assets.domain.factors import Flux
from mrv_assets.domain.partition import PartitionKey, Period

_ID_START = string.ascii_letters + string.digits
_years = st.integers(1900, 2199)
_days = st.dates(date(1900, 1, 1), date(2199, 12, 31))

ids = st.builds(
    str.__add__, st.sampled_from(_ID_START), st.text(_ID_START + "._+-", max_size=63)
)  # every id that `checked_id` accepts
text = st.text(st.characters(codec="utf-8"), max_size=20)  # every text but lone surrogates
quantities = st.floats(0.0, 1e12, allow_nan=False) | st.sampled_from(
    [0.0, 0.1, 5e-324, 1e-9, 1.5e-9, 4437787.2208569858]
)
tonnes = st.integers(0, 10**24).map(lambda n: Decimal(n).scaleb(-9))
factors = st.integers(0, 10**30).map(lambda n: Decimal(n).scaleb(-28))


def _is_period(text: str) -> bool:
    try:
        Period.parse(text)
    except IdentityError:
        return False
    return True


def spans() -> st.SearchStrategy[tuple[date, date]]:
    """Return first and last days, months and years that begin and end with a calendar unit among them."""
    free = st.tuples(_days, st.integers(0, 1500)).map(
        lambda s: (s[0], min(s[0] + timedelta(days=s[1]), date(2199, 12, 31)))
    )
    whole = st.tuples(_years, st.integers(1, 12), st.integers(1, 12)).map(
        lambda s: (
            date(s[0], min(s[1:]), 1),
            date(s[0], max(s[1:]), calendar.monthrange(s[0], max(s[1:]))[1]),
        )
    )
    return free | whole


period_texts = (
    _years.map("{:04d}".format)
    | st.builds("{:04d}-Q{}".format, _years, st.integers(1, 4))
    | st.builds("{:04d}-{:02d}".format, _years, st.integers(1, 12))
    | spans().map(lambda s: f"{s[0]}_{s[1]}").filter(_is_period)
)
periods = period_texts.map(Period.parse)
partition_keys = st.builds(PartitionKey, project_id=ids, period=period_texts, factor_version=ids)

COLUMN_TYPES: Mapping[str, tuple[pa.DataType, st.SearchStrategy[object]]] = {
    "text": (pa.string(), text),
    "binary": (pa.binary(), st.binary(max_size=20)),
    "flag": (pa.bool_(), st.booleans()),
    "count": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "measure": (pa.float64(), st.floats()),
    "day": (pa.date32(), st.dates()),
    "tonnes": (TONNES, st.integers(-(10**37), 10**37).map(lambda n: Decimal(n).scaleb(-9))),
}


@st.composite
def tables(draw: st.DrawFn, *, min_rows: int = 0) -> pa.Table:
    """Return a table keyed by the unique text column `key`, with one nullable column of every canonical type."""
    keys = draw(st.lists(text, min_size=min_rows, max_size=8, unique=True))
    columns = {
        name: pa.array([draw(st.none() | values) for _ in keys], kind) for name, (kind, values) in COLUMN_TYPES.items()
    }
    return pa.table({"key": pa.array(keys, pa.string()), **columns})


@st.composite
def factored_rows(draw: st.DrawFn) -> list[dict[str, object]]:
    """Return rows of a factored table: few strata, tonnes of any size on the side of their flux."""
    rows: list[dict[str, object]] = []
    for number in range(draw(st.integers(1, 30))):
        flux = draw(st.sampled_from(Flux))
        amount = draw(tonnes)
        rows.append(
            {
                "row_id": f"r{number}",
                "activity_id": draw(st.sampled_from(["electricity", "land_cover"])),
                "region": draw(st.sampled_from(["US/MROW", "US/SRSO"])),
                "epoch": draw(st.sampled_from(["2021", "2021-Q1"])),
                "activity_qty": 1.0,
                "unit": "megawatt_hour",
                "ef_value": Decimal(1),
                "flux": flux.value,
                "factor_region": "US/MROW",
                "factor_level": "own",
                "emissions_tco2e": amount if flux is Flux.EMISSION else Decimal(0),
                "removals_tco2e": amount if flux is Flux.REMOVAL else Decimal(0),
            }
        )
    return rows
