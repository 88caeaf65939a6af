"""The first leaf in which two documents differ, by a path that a person can follow.

What does not belong here: which of the two is right.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_SHOWN = 100
# Whose figure, then the figure, then what it rests on. What is derived from other leaves comes after those, so that a
# change is named where it was made.
_ORDER = (
    "predicate", "project_id", "period", "factor_version", "totals", "standard", "input_identity",
    "pinned_configuration", "validation_outcomes", "output_artifacts", "asset",
)  # fmt: skip
_LAST = ("record_sha256", "idempotency_key", "subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A leaf by its path, and the two values as JSON text, `nothing` where there is none."""

    path: str
    stated: str
    found: str


def first_leaf(stated: object, found: object) -> Leaf | None:
    """Return the first leaf in which two JSON documents differ, None when they say the same."""
    return next(_differences(stated, found, ""), None)


def _differences(stated: object, found: object, path: str) -> Iterator[Leaf]:
    if isinstance(stated, Mapping) and isinstance(found, Mapping):
        for name in sorted(stated.keys() | found.keys(), key=_rank):
            inner = f"{path}.{name}" if path else str(name)
            yield from _differences(stated.get(name, _NOTHING), found.get(name, _NOTHING), inner)
    elif isinstance(stated, list) and isinstance(found, list):
        for index in range(max(len(stated), len(found))):
            a, b = (each[index] if index < len(each) else _NOTHING for each in (stated, found))
            yield from _differences(a, b, f"{path}[{index}]{_name(a, b)}")
    elif type(stated) is not type(found) or stated != found:
        yield Leaf(path=path, stated=_text(stated), found=_text(found))


_NOTHING = object()


def _rank(name: str) -> tuple[int, str]:
    if name in _LAST:
        return len(_ORDER) + 1 + _LAST.index(name), name
    return (_ORDER.index(name) if name in _ORDER else len(_ORDER)), name


def _name(*values: Any) -> str:
    """Return what a member of a list calls itself, where both sides call it the same."""
    names = [value.get("name") or value.get("gate") for value in values if isinstance(value, Mapping)]
    is_one = bool(names) and all(isinstance(name, str) and name == names[0] for name in names)
    return f" {names[0]}" if is_one else ""


def _text(value: object) -> str:
    if value is _NOTHING:
        return "nothing"
    text = json.dumps(value, ensure_ascii=False, sort_keys=True)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
