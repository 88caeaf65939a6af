"""VM0047 appendix 1, steps 1 to 3: weights of matched control plots (A1) and how well they match (A2).

What does not belong here: time series of the matched plots (vm0047_series).
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused, require_not_negative
from mrv_assets.crediting.rounding import share


def weights(distances: Sequence[Decimal]) -> tuple[Decimal, ...]:
    """Return the weights of the control plots of one project plot (A1): exp(-distance), divided by their sum.

    The prose of the document says inverse distance; the equation is exponential and counts. Rounded to 1e-12 each.
    Raises ContractError when there is no control plot or a distance below 0.
    """
    if not distances:
        raise refused("control plots", expected="at least one", found="none", remedy="match control plots")
    require_not_negative(**{f"distance {n}": each for n, each in enumerate(distances)})
    nearest = min(distances)
    with localcontext(FIFTY_DIGITS):
        parts = [(nearest - each).exp() for each in distances]
        total = sum(parts, Decimal(0))
        return tuple(share(part / total) for part in parts)


def standardized_difference(
    *, mean_project: Decimal, mean_control: Decimal, variance_project: Decimal, variance_control: Decimal
) -> Decimal:
    """Return the standardized difference of means of one covariate (A2), 0 or more, rounded to 1e-12.

    Raises ContractError for a variance below 0, and for two variances of 0 when the means differ.
    """
    require_not_negative(variance_of_project_plots=variance_project, variance_of_control_plots=variance_control)
    with localcontext(FIFTY_DIGITS):
        difference = abs(mean_project - mean_control)
        if not difference:
            return Decimal(0)
        if not variance_project + variance_control:
            raise refused(
                "variance of a covariate",
                expected="above 0 for project or control plots",
                found="0 for both, with different means",
                remedy="give the variances between plots, not those of one plot",
            )
        return share(difference / ((variance_project + variance_control) / 2).sqrt())
