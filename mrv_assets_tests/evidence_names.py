"""The names of evidence that formulas, controls and disclosures ask for, read from their source.

Names that are put together while the platform runs are not seen. What does not belong here: what pages say of them.
"""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import mrv_assets.compliance.controls
import mrv_assets.crediting
import mrv_assets.report.disclosures

_ASKING = {
    "quantity",
    "fact",
    "is_so",
    "day",
    "table",
    "cell",
    "not_negative",
    "amount",
    "fact_of",
    "word_of",
    "day_of",
}
_PACKAGES = (mrv_assets.crediting, mrv_assets.compliance.controls, mrv_assets.report.disclosures)
# `stated` and `half_width_90` take the stem of a half-width and its level.
_STEMS = {"stated", "half_width_90"}


def names_asked_for() -> set[str]:
    """Return the names of quantities, facts, tables and columns."""
    found: set[str] = set()
    for package in _PACKAGES:
        for info in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            found |= set(_names(import_module(info.name)))
    return found


def _names(module: ModuleType) -> Iterator[str]:
    assert module.__file__
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        texts = [text for arg in node.args if (text := _text(arg, module)) is not None]
        if called in _ASKING:
            yield from texts
        if called in _STEMS:
            yield from (f"{stem}_{part}" for stem in texts for part in ("half_width", "confidence"))
        for keyword in node.keywords:
            if keyword.arg == "evidence" and isinstance(keyword.value, ast.Tuple):
                yield from (text for each in keyword.value.elts if (text := _text(each, module)) is not None)


def _text(node: ast.expr, module: ModuleType) -> str | None:
    value = node.value if isinstance(node, ast.Constant) else None
    if isinstance(node, ast.Name):
        value = getattr(module, node.id, None)
    return value if isinstance(value, str) else None
