"""How a record of a published format is checked: each field by kind, required or not, with its list of words.

What does not belong here: the fields of one format and its rules across fields.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TypeAlias

from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import ContractError

Record: TypeAlias = Mapping[str, Json]


class Kind(StrEnum):
    """What a field holds, as messages say it."""

    TEXT = "text that is not blank"
    INTEGER = "a whole number"
    DAY = "a day such as 2024-12-31"
    RECORD = "an object"
    RECORDS = "a list of at least one object"
    WORDS = "a list of at least one text, none twice"
    DECIMAL = "decimal text"
    FLAG = "true or false"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """One field. `words` are those that it may hold, any when None; `pattern` is what its texts match throughout."""

    kind: Kind = Kind.TEXT
    is_required: bool = True
    words: tuple[str, ...] | None = None
    pattern: re.Pattern[str] | None = None


def faults(record: Record, fields: Mapping[str, Field]) -> list[str]:
    """Return what is wrong with a record, each fault by field; none for a sound one."""
    found = [f"{name}: no field of this record" for name in record if name not in fields]
    for name, field in fields.items():
        if name not in record:
            found += [f"{name}: missing"] if field.is_required else []
        elif not _IS[field.kind](record[name]):
            found.append(f"{name}: {record[name]!r} is not {field.kind}")
        else:
            found += [
                f"{name}: {text!r} is not allowed" for text in _texts(record[name]) if not _is_allowed(text, field)
            ]
    return found


def faults_of_each(record: Record, name: str, check: Callable[[Record], list[str]]) -> list[str]:
    """Return what is wrong with each object of a list, by its number; none when there is no such list."""
    children = record.get(name)
    return [
        f"{name}[{number}].{fault}"
        for number, child in enumerate(children if isinstance(children, list | tuple) else ())
        if isinstance(child, Mapping)
        for fault in check(child)
    ]


def require_sound(found: Sequence[str], *, what: str, where: str) -> None:
    """Raise ContractError naming `where` when there are faults: nothing is written that the format refuses."""
    if found:
        raise ContractError(
            f"{what} would be refused",
            where=where,
            expected="a record that passes the published rules of the format",
            found="; ".join(found),
            remedy="correct the facts of the submission that these fields are taken from",
        )


def _texts(value: Json) -> list[str]:
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list | tuple) else []


def _is_allowed(text: str, field: Field) -> bool:
    is_word = field.words is None or text in field.words
    return is_word and (field.pattern is None or field.pattern.fullmatch(text) is not None)


def _is_text(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _is_day(value: Json) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value).isoformat() == value
    except ValueError:
        return False


def _is_list(value: Json, of: Callable[[Json], bool]) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(of(item) for item in value)


_DECIMAL = re.compile(r"-?\d+(\.\d+)?")
_IS: Mapping[Kind, Callable[[Json], bool]] = {
    Kind.TEXT: _is_text,
    Kind.INTEGER: lambda value: type(value) is int,
    Kind.DAY: _is_day,
    Kind.RECORD: lambda value: isinstance(value, Mapping),
    Kind.RECORDS: lambda value: _is_list(value, lambda item: isinstance(item, Mapping)),
    Kind.WORDS: lambda value: _is_list(value, _is_text) and len(set(_texts(value))) == len(_texts(value)),
    Kind.DECIMAL: lambda value: isinstance(value, str) and _DECIMAL.fullmatch(value) is not None,
    Kind.FLAG: lambda value: isinstance(value, bool),
}
