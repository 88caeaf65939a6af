"""Where two JSON documents differ, leaf by leaf, by a path that a person can follow.

What does not belong here: what a difference means (who compares).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

NOTHING = "nothing"
_LABELS = ("asset", "gate", "rule_set", "rule", "kind", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class LeafDifference:
    """One leaf: its path, such as `predicate.totals.net_tco2e`, and both values as text, `nothing` for an absent one.

    A member of a list is named by what it calls itself, else by its position.
    """

    path: str
    sealed: str
    recomputed: str

    def __str__(self) -> str:
        return f"{self.path}: sealed {self.sealed}, recomputed {self.recomputed}"


def json_differences(sealed: object, recomputed: object, *, path: str = "") -> Iterator[LeafDifference]:
    """Yield every leaf that differs, in the order of the sealed document."""
    if isinstance(sealed, Mapping) and isinstance(recomputed, Mapping):
        yield from _members(sealed, recomputed, f"{path}." if path else "")
    elif _is_list(sealed) and _is_list(recomputed):
        yield from _members(_labelled(sealed), _labelled(recomputed), path)
    elif sealed != recomputed or type(sealed) is not type(recomputed):
        yield LeafDifference(path=path, sealed=_text(sealed), recomputed=_text(recomputed))


def _members(sealed: Mapping[str, object], recomputed: Mapping[str, object], path: str) -> Iterator[LeafDifference]:
    for name in dict.fromkeys((*sealed, *recomputed)):
        if name not in recomputed:
            yield LeafDifference(path=f"{path}{name}", sealed=_text(sealed[name]), recomputed=NOTHING)
        elif name not in sealed:
            yield LeafDifference(path=f"{path}{name}", sealed=NOTHING, recomputed=_text(recomputed[name]))
        else:
            yield from json_differences(sealed[name], recomputed[name], path=f"{path}{name}")


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _labelled(values: object) -> dict[str, object]:
    """Return the members of a list by label; one that repeats a label is named by its position as well."""
    labelled: dict[str, object] = {}
    for number, value in enumerate(values if isinstance(values, Sequence) else ()):
        names = [str(value[key]) for key in _LABELS if key in value] if isinstance(value, Mapping) else []
        label = f"[{names[0]}]" if names else f"[{number}]"
        labelled[f"{label}[{number}]" if label in labelled else label] = value
    return labelled


def _text(value: object) -> str:
    return NOTHING if value is None else str(value)
