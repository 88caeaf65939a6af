"""The vintages that a registry is told of: what the last line of a waterfall came to, with the serials given to it.

What does not belong here: how many credits there are (crediting) and the forms (one module a registry).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.compliance.controls.shown import serial_block
from mrv_assets.crediting.vintages import Span, calendar_spans
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock, require_apart
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period

TABLE = "serial_blocks"


def issued_vintages(assessment: Assessment, period: Period, shown: Monitoring) -> tuple[IssuedVintage, ...]:
    """Return one vintage for each calendar year of the period, in order, also those without credits.

    Serials are of table `serial_blocks` (`vintage`, `first`, `last`, both inclusive), which may be missing when nothing
    is issued. Raises ContractError by name for an assessment without whole credits, credits without a block, a block
    that does not hold exactly the credits of its vintage, is of no vintage with credits or is there twice, and serials
    that two vintages share.
    """
    where = f"{assessment.rule_set} {period}"
    numbers, spans = _last_numbers(assessment, where), calendar_spans(period)
    counts = {span.year: _whole(numbers, f"vintage_{span.year}_credits", where) for span in spans}
    if sum(counts.values()) != _whole(numbers, "credits", where):
        found = f"{sum(counts.values())} in the vintages of {period}, {numbers['credits']} in all"
        raise _refused(where, expected="as many credits in its vintages as in all", found=found)
    blocks = _blocks(shown, counts)
    vintages = tuple(_vintage(span, counts[span.year], numbers, blocks, where) for span in spans)
    require_apart(vintages, where=f"{shown.where}, table {TABLE}")
    return vintages


def _vintage(
    span: Span, count: int, numbers: Mapping[str, Decimal], blocks: Mapping[int, SerialBlock], where: str
) -> IssuedVintage:
    return IssuedVintage(
        first=span.first,
        last=span.last,
        credits=count,
        buffer_credits=_whole(numbers, f"vintage_{span.year}_buffer_credits", where),
        serials=blocks.get(span.year),
    )


def _last_numbers(assessment: Assessment, where: str) -> Mapping[str, Decimal]:
    lines = assessment.waterfall.lines if assessment.waterfall else ()
    if not lines or "credits" not in lines[-1].numbers:
        found = f"last line {lines[-1].rule}" if lines else "no lines"
        raise _refused(where, expected="a waterfall whose last line comes to whole credits", found=found)
    return lines[-1].numbers


def _whole(numbers: Mapping[str, Decimal], name: str, where: str) -> int:
    value = numbers.get(name)
    if value is None or value < 0 or value != value.to_integral_value():
        raise _refused(f"{where}, {name}", expected="a whole number of 0 or more", found=str(value))
    return int(value)


def _blocks(shown: Monitoring, counts: Mapping[int, int]) -> Mapping[int, SerialBlock]:
    """Return the block of each vintage with credits."""
    rows = shown.table(TABLE, "vintage", "first", "last") if TABLE in shown.tables or any(counts.values()) else ()
    names = {str(year): year for year, count in counts.items() if count}
    found: dict[int, SerialBlock] = {}
    for row in rows:
        year, what = names.get(row["vintage"].strip()), f"table {TABLE}, vintage {row['vintage']}"
        if year is None or year in found:
            raise shown.unusable(
                what, expected=f"{' and '.join(names) or 'no vintage'}, each once", found=row["vintage"]
            )
        block = serial_block(shown, TABLE, row, first="first", last="last")
        if block.count != counts[year]:
            said = f"{block.start} to {block.end}, {block.count} serials"
            raise shown.unusable(what, expected=f"{counts[year]} serials, both ends counted", found=said)
        found[year] = block
    lacking = [name for name, year in names.items() if year not in found]
    if lacking:
        raise shown.missing(f"table {TABLE}, a row of vintage {' and of '.join(lacking)}")
    return found


def _refused(where: str, *, expected: str, found: str) -> ContractError:
    return ContractError(
        "assessment names no vintages that can be issued",
        where=where,
        expected=expected,
        found=found,
        remedy="take the assessment of a rule set that credits, of the same certificate and period",
    )
