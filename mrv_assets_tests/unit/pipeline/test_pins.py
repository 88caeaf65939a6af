"""Every library that makes or judges a table is pinned by its version."""

from __future__ import annotations

import sys
from importlib.metadata import files, packages_distributions, version

import pytest

from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.pipeline.code import imported_beyond
from mrv_assets.pipeline.recipes import LIBRARIES, recipe, stage_modules
from mrv_assets_tests.unit.pipeline.small_store import world_over
from mrv_assets_tests.world import memory_store

_FOOTPRINTS = "compliance.case can measure footprints for any gate, and this table has none"
NOT_PINNED: dict[Asset, dict[str, str]] = {
    asset: dict.fromkeys(("geoarrow-c", "geoarrow-pyarrow", "sedonadb", "shapely"), _FOOTPRINTS)
    for asset in (Asset.FACTORED, Asset.AGGREGATED, Asset.CERTIFICATE, Asset.LEDGER)
}
del NOT_PINNED[Asset.CERTIFICATE]["shapely"]  # controls of rule sets compare areas with it
NOT_PINNED[Asset.FACTORED] |= dict.fromkeys(
    ("antimeridian", "pyproj"), "only rows that are placed by region need it, and then what places them is a pin"
)
"""The libraries that a stage imports and does not use, and why that is so."""

_PROVIDERS = packages_distributions()


def distributions(name: str) -> set[str]:
    """Return the distributions that an imported name comes from: one, or none when it is of the standard library."""
    top = name.split(".", maxsplit=1)[0]
    if top in sys.stdlib_module_names:
        return set()
    providers = set(_PROVIDERS[top])
    if len(providers) > 1:  # a namespace that several share: what holds the module, or a file of its name
        inside = name.replace(".", "/")
        providers = {
            p for p in providers if any(str(f).startswith((f"{inside}/", f"{inside}.")) for f in files(p) or ())
        }
    return {provider.lower().replace("_", "-") for provider in providers}


def imported(asset: Asset) -> set[str]:
    """Return the distributions that a stage and its gates import, as deep as our own modules go."""
    return {found for name in imported_beyond(stage_modules(asset)) for found in distributions(name)}


@pytest.mark.parametrize("asset", list(Asset))
def test_every_library_of_a_stage_is_pinned_or_not_used_for_a_reason(asset: Asset) -> None:
    """What is imported is a pin or an exception, never both, and nothing is pinned or excepted that is not imported."""
    pinned, excepted = set(LIBRARIES[asset]), set(NOT_PINNED.get(asset, {}))
    assert imported(asset) == pinned | excepted
    assert not pinned & excepted
    assert len(pinned) == len(LIBRARIES[asset])


def test_a_namespace_is_told_apart_by_its_modules() -> None:
    """Three distributions share one name, and each is found by what it brings."""
    assert len(_PROVIDERS["geoarrow"]) > 1
    assert distributions("geoarrow.c") == {"geoarrow-c"}
    assert distributions("geoarrow.pyarrow") == {"geoarrow-pyarrow"}
    assert distributions("os.path") == set()


def test_the_pins_of_a_stage_are_the_installed_versions() -> None:
    """They stand in the record, so that another version is another input and a reason to compute anew."""
    key = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.02.01")
    pins = recipe(Asset.ACTIVITY)(world_over(memory_store()), key).pins
    assert {name: pins[name] for name in LIBRARIES[Asset.ACTIVITY]} == {
        name: version(name) for name in LIBRARIES[Asset.ACTIVITY]
    }
