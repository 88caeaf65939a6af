"""VM0047 appendix 1, step 6: is the project ahead of its controls (A7), and the performance benchmark (A8).

What does not belong here: the slopes (vm0047_series) and the removals that the benchmark takes away (vm0047_removals).
"""

from __future__ import annotations

from decimal import Decimal, localcontext

from mrv_assets.crediting.fifty_digits import FIFTY_DIGITS
from mrv_assets.crediting.refused import refused
from mrv_assets.crediting.rounding import share
from mrv_assets.crediting.vm0047_series import Slope


def signed_z(project: Slope, control: Slope) -> Decimal:
    """Return Z (A7), positive when the project grows faster than its controls, rounded to 1e-12.

    Raises ContractError when neither slope has any error: then there is nothing to test.
    """
    with localcontext(FIFTY_DIGITS):
        error = (project.error * project.error + control.error * control.error).sqrt()
        if not error:
            raise refused(
                "standard errors of the slopes",
                expected="above 0 for project or control plots",
                found="0 for both",
                remedy="give the index of each plot; plots without any spread are copies of one another",
            )
        return share((project.per_year - control.per_year) / error)


def is_ahead(project: Slope, control: Slope, *, critical: Decimal) -> bool:
    """Tell whether the project grows, and significantly faster than its controls.

    The document takes the size of Z, so that a project far behind its controls would pass; the sign counts here.
    """
    return project.per_year > 0 and signed_z(project, control) >= critical


def performance_benchmark(project: Slope, control: Slope, *, critical: Decimal) -> Decimal:
    """Return the share of the stock change that would have come without the project, 0 to 1, rounded to 1e-12.

    1 when the project is not ahead. A control slope that is negative or not significant counts as 0.
    """
    if not is_ahead(project, control, critical=critical):
        return Decimal(1)
    return benchmark_of(project.per_year, counted_slope(control))


def counted_slope(control: Slope) -> Decimal:
    """Return the annual increase of the controls that counts: 0 when it is negative or not significant."""
    return control.per_year if control.per_year > 0 and control.is_significant else Decimal(0)


def benchmark_of(project_per_year: Decimal, control_per_year: Decimal) -> Decimal:
    """Return the increase of the controls as a share of the project's (A8), at most 1, rounded to 1e-12.

    Raises ContractError when the project does not grow or the increase of the controls is below 0.
    """
    if project_per_year <= 0 or control_per_year < 0:
        raise refused(
            "slopes of the stocking index",
            expected="above 0 for project plots, 0 or more for controls",
            found=f"{project_per_year:f} and {control_per_year:f}",
            remedy="a project that does not grow has the benchmark 1",
        )
    with localcontext(FIFTY_DIGITS):
        return min(Decimal(1), share(control_per_year / project_per_year))
