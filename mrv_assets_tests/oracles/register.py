"""All oracles, in the order of the documents. A module of this package that ends in `_oracles` gives `ORACLES`.

What does not belong here: the oracles themselves.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from mrv_assets_tests import oracles
from mrv_assets_tests.oracles.oracle import Oracle


def all_oracles() -> list[Oracle]:
    """Return the oracles of every module of this package."""
    found = [module.name for module in pkgutil.iter_modules(oracles.__path__)]
    names = sorted(name for name in found if name.endswith("_oracles") and not name.startswith("test_"))
    return [oracle for name in names for oracle in import_module(f"{oracles.__name__}.{name}").ORACLES]
