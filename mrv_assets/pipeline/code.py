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
_ROOT = Path(__file__).resolve().parents[1]


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
    return tuple(name for name in _named(module) if name.split(".")[0] == _PACKAGE and _file(name) is not None)


def _named(module: str) -> tuple[str, ...]:
    return _read(module)[0]


def _meaning(module: str) -> str:
    return _read(module)[1]


@cache
def _read(module: str) -> tuple[tuple[str, ...], str]:
    """Return the names that a module imports, and the digest of its statements without docstrings and layout."""
    file = _file(module)
    if file is None:
        raise ModuleNotFoundError(module)
    tree = ast.parse(file.read_text(encoding="utf-8"))
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.append(node.module)
            names.extend(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = _without_docstring(node.body)
    return tuple(names), sha256_hex(ast.unparse(tree).encode())


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    first = body[0] if body else None
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
        return body[1:] or [ast.Pass()]
    return body


def _file(module: str) -> Path | None:
    """Return the file of a module, None for what is none. Nothing of the platform is imported to find out."""
    top, *below = module.split(".")
    if top != _PACKAGE:
        spec = find_spec(module)
        return Path(spec.origin) if spec and spec.origin else None
    place = _ROOT.joinpath(*below)
    return next((path for path in (place / "__init__.py", place.with_suffix(".py")) if path.is_file()), None)
