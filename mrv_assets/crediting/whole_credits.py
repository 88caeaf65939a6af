"""The last line of a waterfall: what its whole credits came to, under the same names whatever the programme.

`credits` and `buffer_credits` in all, `vintage_<year>_credits` and `vintage_<year>_buffer_credits` of each calendar
year. What does not belong here: how many there are (vintages, and one module a document).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.crediting.account import Account, Step
from mrv_assets.crediting.vintages import Issuance
from mrv_assets.domain.exact import EXACT


def whole_credits_step(account: Account, found: Issuance) -> Step:
    """Return the step from what is left, the buffer taken, to the whole credits of an issuance.

    A net loss is recorded with 0 credits: the change brings the sum to 0, `deficit_carried_out_tco2e` is what is still
    to be made up and `reversal_tco2e` the size of the loss. Else the change is never above 0.
    """
    change = EXACT.subtract(Decimal(found.credits), account.running_tco2e)
    return Step(change_tco2e=change, note=_said(found), numbers=_numbers(found))


def _said(found: Issuance) -> str:
    years = ", ".join(f"{vintage.span.year}: {vintage.credits}" for vintage in found.vintages)
    note = f"whole credits by vintage: {years}; {found.buffer_credits} buffer credits"
    if found.reversal_tco2e:
        note += f"; net loss of {found.reversal_tco2e} t CO2e in the period (reversal)"
    return note + (f"; {found.deficit_tco2e} t CO2e to be made up" if found.deficit_tco2e else "")


def _numbers(found: Issuance) -> Mapping[str, Decimal]:
    numbers = {
        "credits": Decimal(found.credits),
        "buffer_credits": Decimal(found.buffer_credits),
        "deficit_carried_out_tco2e": found.deficit_tco2e,
        "reversal_tco2e": found.reversal_tco2e,
    }
    for vintage in found.vintages:
        stem = f"vintage_{vintage.span.year}"
        numbers[f"{stem}_result_tco2e"] = vintage.result_tco2e
        numbers[f"{stem}_credits"] = Decimal(vintage.credits)
        numbers[f"{stem}_buffer_credits"] = Decimal(vintage.buffer_credits)
    return numbers
