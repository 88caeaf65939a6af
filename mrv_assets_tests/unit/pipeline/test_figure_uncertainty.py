"""How sure a figure is, from the project file to the certificate."""

from __future__ import annotations

import json
from collections.abc import Sequence
from decimal import Decimal

import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, GateError
from mrv_assets.domain.figure_uncertainty import Spread
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.world import World
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import TickingClock, memory_store, run_partition

SAID = """
[uncertainty]
because = "meters of class 1; eGRID states nothing of its rates"
{head}
[uncertainty.quantities]
"electricity.delivered" = ["0.02", "0.95", "normal"]
[uncertainty.sources]
"factor electricity.delivered US/MROW megawatt_hour CO2" = ["{co2}", "0.95", "normal"]
"factor electricity.delivered US/MROW megawatt_hour CH4" = ["0", "0.95", "normal"]
{n2o}
"""
N2O = '"factor electricity.delivered US/MROW megawatt_hour N2O" = ["0", "0.95", "normal"]'
ANOKA = key("anoka", "2021")


def world(
    *, co2: str = "0.05", head: str = "", n2o: str = N2O, of: Sequence[str] = ("anoka 2021-Q1 3", "anoka 2021-Q2 4")
) -> World:
    """Return a world whose project says this of its uncertainty, and delivers these rows."""
    [(path, project)] = projects("anoka").items()
    said = SAID.format(co2=co2, head=head, n2o=n2o).encode()
    return World.over(
        store=memory_store(),
        references=memory_store(committed() | {path: project + said}),
        landing=memory_store({"source.csv": rows(*of)}),
        clock=TickingClock(),
    )


def certificate(of: World) -> Certificate:
    """Run the partition and return its certificate."""
    run_partition(of, ANOKA)
    record = of.slots.current(Slot.of(Asset.CERTIFICATE, ANOKA))
    assert record is not None
    return Certificate.from_bytes(of.slots.load_bytes(record), where="under test")


def test_rows_of_one_factor_share_its_error() -> None:
    """Two quarters of one meter and one rate: as sure as one year, sqrt(0.02² + (share of CO2 x 0.05)²)."""
    found = certificate(world()).uncertainty
    assert found is not None
    assert found.emissions.half_width_95 is not None
    # CO2 is 99.28 % of the CO2e of the rate of 2021
    assert abs(found.emissions.half_width_95 - Decimal("0.0535")) < Decimal("0.0003")
    assert found.net == found.emissions
    assert (found.removals, found.simulated) == (Spread(tco2e=Decimal(0), half_width_95=None), {})
    assert found.because.startswith("meters of class 1")


def test_a_simulation_is_seeded_by_the_identity_of_the_partition() -> None:
    """Another run, in another store, draws the same numbers and gives the same certificate."""
    first, second = (certificate(world(head="draws = 2000")) for _ in range(2))
    assert first.to_bytes() == second.to_bytes()
    assert first.uncertainty is not None
    said = first.uncertainty.simulated
    assert (said["draws"], said["seed"]) == ("2000", ANOKA.idempotency_key)
    mean, p975 = Decimal(said["net_mean_tco2e"]), Decimal(said["net_p975_tco2e"])
    assert abs(mean / first.totals.net_tco2e - 1) < Decimal("0.005")
    assert abs((p975 / mean - 1) - Decimal("0.0535")) < Decimal("0.006")


def test_how_sure_is_told_of_the_figure_that_is_certified() -> None:
    """To its last digit, though its split by gas has no end."""
    found = certificate(world())
    assert found.uncertainty is not None
    assert found.uncertainty.emissions.tco2e == found.totals.emissions_tco2e


@pytest.mark.parametrize("head", [pytest.param("", id="approach 1"), pytest.param("draws = 100", id="simulated")])
def test_a_figure_of_0_t_is_certified(head: str) -> None:
    """Nothing is a share of it, so it is as sure as any project asks, and there is nothing to simulate."""
    found = certificate(world(head=head, of=["anoka 2021 0"]))
    assert found.uncertainty is not None
    assert (found.uncertainty.net.half_width_95, found.uncertainty.simulated) == (None, {})


def test_an_unsure_figure_is_not_certified() -> None:
    """More than 0.15 is refused unless the project says that more is acceptable, and why."""
    with pytest.raises(GateError, match=r"max_relative_uncertainty.*emissions ± 0\.19"):
        certificate(world(co2="0.2"))
    assert certificate(world(co2="0.2", head='max_relative = "0.25"')).uncertainty is not None


def test_a_source_of_which_nothing_is_said_is_told_by_name() -> None:
    """Unknown is not 0."""
    with pytest.raises(GateError, match=r"nothing of '?factor electricity\.delivered US/MROW megawatt_hour N2O"):
        certificate(world(n2o=""))


def test_what_a_project_says_is_an_input_of_its_certificates() -> None:
    """Another statement makes another certificate, without another factored table."""
    one = world()
    run_partition(one, ANOKA)
    [(path, project)] = projects("anoka").items()
    one.references._store.replace(path, project + SAID.format(co2="0.06", head="", n2o=N2O).encode())
    kept = run_partition(one, ANOKA, run_id="again")
    assert [k.asset.value for k in kept if k.outcome.value == "committed"] == ["certificate", "ledger"]


def test_a_project_that_says_nothing_has_the_certificate_that_it_had() -> None:
    """No word of uncertainty is in it."""
    plain = World.over(
        store=memory_store(),
        references=memory_store(committed() | projects("anoka")),
        landing=memory_store({"source.csv": rows("anoka 2021 7")}),
        clock=TickingClock(),
    )
    document = json.loads(certificate(plain).to_bytes())
    assert not {"uncertainty", "assessments"} & document.keys()


def test_a_number_of_toml_is_no_half_width() -> None:
    """It is refused with the file that has it."""
    with pytest.raises(ContractError, match=r"projects/anoka\.toml.*megawatt_hour N2O is three texts"):
        certificate(world(n2o=N2O.replace('"0"', "0.1")))
