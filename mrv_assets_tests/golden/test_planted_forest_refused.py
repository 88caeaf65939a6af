"""The planted forest of the demo with one thing wrong: refused at the certificate by name, and nothing is reported."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import DigestMismatch, GateError
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.world import run_partition

Files = Mapping[str, bytes]
GOLD = forest.GOLD


def _landed(path: str, old: str, new: str) -> tuple[Files, Files]:
    return forest.references(), forest.replaced(forest.landing(), path, old, new)


def _told(old: str, new: str) -> tuple[Files, Files]:
    return _landed(forest.PACKAGE, old, new)


def _declared(*more: str) -> tuple[Files, Files]:
    also = "".join(f', "{name}"' for name in more)
    return forest.replaced(forest.references(), forest.PROJECT, f'"{GOLD}"', f'"{GOLD}"{also}'), forest.landing()


def _in_potentials(gwp_set: str) -> tuple[Files, Files]:
    """Return the demo with its release filed under another set of warming potentials."""
    files = {path: data for path, data in forest.references().items() if path != "factors/RELEASED.toml"}
    folder = f"factors/{forest.KEY.factor_version}"
    before = files[f"{folder}/factors.csv"]
    files[f"{folder}/factors.csv"] = before.replace(b"CO2e:ar5", f"CO2e:{gwp_set}".encode())
    release = files[f"{folder}/release.toml"].decode()
    for old, new in (
        ('gwp_set = "ar5"', f'gwp_set = "{gwp_set}"'),
        (sha256_hex(before), sha256_hex(files[f"{folder}/factors.csv"])),
    ):
        release = release.replace(old, new)
    return {**files, f"{folder}/release.toml": release.encode()}, forest.landing()


def _one_plot() -> tuple[Files, Files]:
    path = "monitoring/inventory_plots.csv"
    gone = (b"MU2-P2", b"MU2-P3", b"MU2-P4")
    kept = [line for line in forest.landing()[path].splitlines(keepends=True) if not line.startswith(gone)]
    return forest.references(), {**forest.landing(), path: b"".join(kept)}


EVALUATED = "standards_assessed"
VM0047, GOLD_STANDARD, NPR, FIGURE = (
    f"{document}_controls" for document in ("vm0047", "gold_standard", "non_permanence", "figure")
)
UNITS = "monitoring/modelling_units.csv"
REFUSED = [
    pytest.param(
        _landed(UNITS, "MU2,25,1000,default,default,default,default\n", ""),
        EVALUATED,
        "inventory_plots once.*MU2",
        id="missing stratum",
    ),
    pytest.param(_one_plot(), EVALUATED, "at least 2 units.*unit MU2: n = 1", id="n = 1"),
    pytest.param(
        _landed("plots.csv", "biomass_cleared,300", "biomass_cleared,6175.086775"),
        EVALUATED,
        "a stock change other than 0",
        id="stock change of 0",
    ),
    pytest.param(
        _landed("monitoring/covariates.csv", "0.0009,0.0011", "-0.0009,0.0011"),
        VM0047,
        "VM47-SDM-01.*variance of project plots: -0.0009",
        id="negative variance",
    ),
    pytest.param(
        (_declared("gs-203@1.2.1")[0], _told("[facts]", 'result_half_width = "0.15"\n[facts]')[1]),
        EVALUATED,
        "fact result_confidence.*state the level",
        id="confidence level missing",
    ),
    pytest.param(
        _in_potentials("ar4"), EVALUATED, "GWP set ar5 or ar6; found.*vm0047-area@1.1: ar4", id="GWP set not accepted"
    ),
    pytest.param(_in_potentials("ar6"), VM0047, "VM47-GWP-01.*ar6", id="GWP set accepted but not the programme's"),
    pytest.param(
        _declared("ghg-protocol-land-sector-removals@1.0"),
        EVALUATED,
        "land-sector-removals@1.0, in force from 2027-01-01.*: 2025, ",
        id="rule set not yet effective",
    ),
    pytest.param(
        _told('remote_sensing = "remote_sensing.csv"', ""),
        VM0047,
        "VM47-DB-01.*table remote_sensing",
        id="evidence of a VM0047 control",
    ),
    pytest.param(
        _told('inventory_lowest_tree_m = "2.5"', ""),
        GOLD_STANDARD,
        "gs403-tree-height.*inventory_lowest_tree_m",
        id="evidence of a Gold Standard control",
    ),
    pytest.param(
        _told('npr_rating_percent = "28"', 'npr_rating_percent = "20"'),
        NPR,
        "NPR-STATED.*20 % stated",
        id="a risk rating that the answers do not give",
    ),
    pytest.param(
        _told('leakage_mitigation_tco2e = "150"', ""),
        EVALUATED,
        "evidence for the rule.*quantity leakage_mitigation_tco2e: nothing",
        id="evidence of a line",
    ),
    pytest.param(
        _landed("plots.csv", "stem_wood.mu1,880", "stem_wood.mu1,881"),
        FIGURE,
        "gs403-agrees-with-ledger",
        id="the source has another volume than the inventory",
    ),
]


@pytest.mark.parametrize(("files", "gate", "match"), REFUSED)
def test_a_defect_is_refused_by_name_and_the_ledger_stays_empty(
    files: tuple[Files, Files], gate: str, match: str
) -> None:
    """The certificate is refused by its gate, with rule or evidence named; no figure is reported."""
    references, landing = files
    world = forest.opened(references_=references, landing_=landing)
    with pytest.raises(GateError, match=match) as refused:
        run_partition(world, forest.KEY)
    assert refused.value.gate == gate
    assert world.slots.current(Slot.of(Asset.CERTIFICATE, forest.KEY)) is None
    assert world.slots.current(Slot.of(Asset.LEDGER, forest.KEY)) is None


def test_the_release_of_the_demo_is_the_one_that_its_list_names() -> None:
    """A changed coefficient is tampering: the list pins the release, and the release pins its coefficients."""
    path = f"factors/{forest.KEY.factor_version}/coefficients.csv"
    changed = forest.replaced(forest.references(), path, "wood-density-mu1,0.55", "wood-density-mu1,0.56")
    with pytest.raises(DigestMismatch, match=r"a released factor file was changed.*coefficients\.csv"):
        run_partition(forest.opened(references_=changed), forest.KEY)
