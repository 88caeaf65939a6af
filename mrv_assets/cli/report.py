"""`mrv report`: the figures of shorter periods rolled up to one, with every certificate behind it."""

from __future__ import annotations

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import plain_table, print_json, stdout
from mrv_assets.domain.figure_uncertainty import FigureUncertainty, Spread
from mrv_assets.domain.partition import Period
from mrv_assets.pipeline.rollup import RolledUp, roll_up
from mrv_assets.report.wording import tonnes


def show_report(project: str, period: str, *, as_json: bool) -> None:
    """Print the roll-up of a period. Raises ContractError when its days are not all reported, each once."""
    found = roll_up(open_for_reading(enter()), project, Period.parse(period))
    if as_json:
        print_json(_json(found))
        return
    stdout().print(_parts_table(found))
    if found.uncertainty is None:
        stdout().print("\nHow sure it is: not known; the project has no [uncertainty].")
    else:
        stdout().print("", _uncertainty_table(found.uncertainty), sep="\n")


def _parts_table(found: RolledUp) -> object:
    table = plain_table(title=f"{found.project_id} {found.period}, t CO2e")
    table.add_column("period", no_wrap=True)
    for name in ("emissions", "removals", "net"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("factors", overflow="fold")
    table.add_column("certificate", no_wrap=True)
    for figure in found.parts:
        t = figure.totals
        table.add_row(
            figure.period,
            *(tonnes(value) for value in (t.emissions_tco2e, t.removals_tco2e, t.net_tco2e)),
            figure.factor_version,
            figure.certificate.sha256[:12],
            end_section=figure is found.parts[-1],
        )
    t = found.totals
    sums = (tonnes(value) for value in (t.emissions_tco2e, t.removals_tco2e, t.net_tco2e))
    table.add_row(str(found.period), *sums, "", f"{len(found.parts)} figure(s)", style="bold")
    return table


def _uncertainty_table(found: FigureUncertainty) -> object:
    table = plain_table(title="How sure, 95 % half-widths by IPCC approach 1; what periods share is one error")
    for name in ("", "t CO2e", "±"):
        table.add_column(name, justify="right" if name else "left")
    for name, spread in (("emissions", found.emissions), ("removals", found.removals), ("net", found.net)):
        table.add_row(name, tonnes(spread.tco2e), _percent(spread))
    return table


def _percent(spread: Spread) -> str:
    return "-" if spread.half_width_95 is None else f"{spread.half_width_95 * 100:.3f} %"


def _json(found: RolledUp) -> dict[str, object]:
    return {
        "project_id": found.project_id,
        "period": str(found.period),
        **found.totals.tonnes,
        "activity_rows": found.totals.activity_rows,
        "uncertainty": found.uncertainty.to_json() if found.uncertainty else None,
        "parts": [
            {
                "period": figure.period,
                "factor_version": figure.factor_version,
                "generation": figure.generation,
                "certificate_sha256": figure.certificate.sha256,
                **figure.totals.tonnes,
            }
            for figure in found.parts
        ],
    }
