"""The identity of the code behind a stage: a digest of what the code does, not of how it is written down.

Comments, docstrings and formatting do not change the digest; any statement in the stage's module, in its
gates or in a module of the platform that they import does. What does not belong here: the versions of
libraries, which are pins of their own.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from mrv_assets.domain.digest import canonical_json, sha256_hex

_PACKAGE = "mrv_assets"


@cache
def code_digest(modules: tuple[str, ...]) -> str:
    """Return the digest over `modules` and the platform modules they import."""
    return sha256_hex(canonical_json({name: _meaning(name) for name in sorted(_closure(modules))}))


def _closure(modules: tuple[str, ...]) -> set[str]:
    found: set[str] = set()
    pending = list(modules)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending.extend(_imports(name))
    return found


def imported_beyond(modules: tuple[str, ...]) -> set[str]:
    """Return what `modules` and the platform modules they import take from elsewhere, as the statements name it.

    `from a import b` names both `a` and `a.b`, because `b` may be a module.
    """
    names = (name for module in _closure(modules) for name in _named(module))
    return {name for name in names if name.split(".")[0] != _PACKAGE}


@cache
def _imports(module: str) -> tuple[str, ...]:
    """Return the platform's modules that `module` imports, also those named as attributes of a package."""
    return tuple(name for name in _named(module) if name.split(".")[0] == _PACKAGE and _is_module(name))


@cache
def _named(module: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(_source(module))):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            names.extend(f"{node.module}.{alias.name}" for alias in node.names)
    return tuple(names)


def _is_module(name: str) -> bool:
    """Tell a module from an attribute of one. `find_spec` raises when the parent is a plain module."""
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@cache
def _source(module: str) -> str:
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError(module)
    return Path(spec.origin).read_text(encoding="utf-8")


@cache
def _meaning(module: str) -> str:
    """Return the module's statements without comments, docstrings and layout."""
    tree = ast.parse(_source(module))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:] or [ast.Pass()]
    return sha256_hex(ast.unparse(tree).encode())
