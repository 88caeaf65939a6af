"""VM0047 appendix 2: which optional sources are too small to count (A9, A10). Leakage is never among them.

What does not belong here: what a project did leave out (compliance).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

from mrv_assets.crediting.refused import refused, require_not_negative


def must_be_counted(
    sources: Mapping[str, Decimal], removals: Decimal, *, small: Decimal, covered: Decimal
) -> tuple[str, ...]:
    """Return the optional sources that count, largest first: none when all together are below `small` of the removals.

    Otherwise sources are taken, largest first, until `covered` of their sum is reached and the rest is below `small` of
    the removals. `sources` are emissions and losses of optional pools, t CO2e. Raises ContractError for one below 0,
    and for removals of 0 or less, of which nothing is a share.
    """
    require_not_negative(**sources)
    if removals <= 0:
        raise refused(
            "removals", expected="above 0, t CO2e", found=removals, remedy="count every source when nothing is removed"
        )
    limit = Fraction(small) * Fraction(removals)
    total = sum((Fraction(each) for each in sources.values()), Fraction(0))
    if total < limit:
        return ()
    counted: list[str] = []
    reached = Fraction(0)
    for name in sorted(sources, key=lambda name: (-Fraction(sources[name]), name)):
        if reached >= Fraction(covered) * total and total - reached < limit:
            break
        counted.append(name)
        reached += Fraction(sources[name])
    return tuple(counted)
