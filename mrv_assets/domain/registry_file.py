"""The file in which an operator says what a registry shows: issuances, retirements and cancellations, TOML or JSON.

What does not belong here: which certificate an issuance means (pipeline), and whether the entries hold beside others.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, TypeAlias

from mrv_assets.domain.errors import ContractError, Refusal, listed
from mrv_assets.domain.issuance import SerialBlock
from mrv_assets.domain.registry import Ending, Retirement
from mrv_assets.domain.registry_block import RegistryBlock

_BLOCK = frozenset({"registry", "serial", "series", "first", "last", "quantity"})
_ISSUANCE = _BLOCK | {"certificate", "rule_set", "project", "vintage_first", "vintage_last", "issued_on"}
_RETIREMENT = _BLOCK | {"retired_on", "beneficiary", "reason"}
_CANCELLATION = _BLOCK | {"cancelled_on", "beneficiary", "reason"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedIssuance:
    """An issuance as the file states it. `certificate` is text that names one; see `find_certificate`."""

    certificate: str
    rule_set: str
    block: RegistryBlock
    registry_project: str
    vintage_first: date
    vintage_last: date
    issued_on: date


Stated: TypeAlias = StatedIssuance | Retirement


def parse_registry_file(data: bytes, *, where: str) -> tuple[Stated, ...]:
    """Read the tables `issuance`, `retirement` and `cancellation`, in this order.

    `where` is the name of the file; one that ends in `.json` is JSON, every other one TOML. Raises ContractError naming
    the table for a missing, unknown or malformed key, for a block whose size is not the quantity that is stated, and
    for a file that says nothing.
    """
    document = _document(data, where)
    _require_keys(document, set(_READERS), where=where, what="tables")
    stated: list[Stated] = []
    for name, (keys, read) in _READERS.items():
        tables = document.get(name, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise _malformed(where, f"a list of tables {name}", repr(tables)[:80])
        for number, table in enumerate(tables, start=1):
            _require_keys(table, keys, where=f"{where}, {name} {number}", what="keys")
            stated.append(read(_Table(table, where=f"{where}, {name} {number}")))
    if not stated:
        raise _malformed(where, f"at least one table {' or '.join(_READERS)}", "none")
    return tuple(stated)


class _Table:
    """One table of the file, read key by key."""

    def __init__(self, values: Mapping[str, Any], *, where: str) -> None:
        self._values = values
        self._where = where

    def text(self, key: str) -> str:
        value = self._value(key, str, "text")
        if not value.strip() or value != value.strip() or not value.isprintable():
            raise _malformed(f"{self._where}, {key}", "printable text without blanks around it", repr(value))
        return str(value)

    def words(self, key: str) -> str:
        return str(self._value(key, str, "text"))

    def day(self, key: str) -> date:
        value = self._value(key, (str, date), "a day such as 2026-03-31")
        try:
            found = date.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            found = None
        if found is None or isinstance(found, datetime) or found.isoformat() != str(value):
            raise _malformed(f"{self._where}, {key}", "a day such as 2026-03-31", repr(value))
        return found

    def whole(self, key: str) -> int:
        value = self._value(key, int, "a whole number")
        if isinstance(value, bool):
            raise _malformed(f"{self._where}, {key}", "a whole number", repr(value))
        return int(value)

    def has(self, key: str) -> bool:
        return key in self._values

    def block(self) -> RegistryBlock:
        fields = [key for key in ("series", "first", "last") if self.has(key)]
        if self.has("serial") == bool(fields):
            given = ", ".join(["serial", *fields] if self.has("serial") else fields) or "neither"
            raise _malformed(self._where, "serial, or series, first and last", given)
        registry = self.text("registry")
        if self.has("serial"):
            block = RegistryBlock.parse(registry, self.text("serial"))
        else:
            serials = SerialBlock(start=self.whole("first"), end=self.whole("last"))
            block = RegistryBlock(registry=registry, series=self.text("series"), serials=serials)
        if self.has("quantity") and self.whole("quantity") != block.count:
            said = f"{block.count} in block {block.text}, both ends counted"
            raise _malformed(f"{self._where}, quantity", said, str(self.whole("quantity")))
        return block

    def _value(self, key: str, kind: type | tuple[type, ...], expected: str) -> Any:
        if key not in self._values:
            raise _malformed(self._where, f"the key {key}: {expected}", "no such key")
        if not isinstance(self._values[key], kind):
            raise _malformed(f"{self._where}, {key}", expected, repr(self._values[key]))
        return self._values[key]


def _issuance(table: _Table) -> StatedIssuance:
    """Read an issuance; the serial number of Verra says project and vintage itself."""
    block = table.block()
    serial = block.verra
    told = None if serial is None else (serial.project, serial.first, serial.last)
    return StatedIssuance(
        certificate=table.text("certificate"),
        rule_set=table.text("rule_set"),
        block=block,
        registry_project=told[0] if told and not table.has("project") else table.text("project"),
        vintage_first=told[1] if told and not table.has("vintage_first") else table.day("vintage_first"),
        vintage_last=told[2] if told and not table.has("vintage_last") else table.day("vintage_last"),
        issued_on=table.day("issued_on"),
    )


def _retirement(table: _Table) -> Retirement:
    return _ended(table, Ending.RETIRED, table.day("retired_on"))


def _cancellation(table: _Table) -> Retirement:
    return _ended(table, Ending.CANCELLED, table.day("cancelled_on"))


def _ended(table: _Table, ending: Ending, day: date) -> Retirement:
    return Retirement(
        block=table.block(),
        ending=ending,
        retired_on=day,
        reason=table.words("reason"),
        beneficiary=table.words("beneficiary") if table.has("beneficiary") else None,
    )


_READERS: Mapping[str, tuple[frozenset[str], Callable[[_Table], Stated]]] = {
    "issuance": (_ISSUANCE, _issuance),
    "retirement": (_RETIREMENT, _retirement),
    "cancellation": (_CANCELLATION, _cancellation),
}


def _document(data: bytes, where: str) -> dict[str, Any]:
    try:
        text = data.decode("utf-8-sig")
        document = json.loads(text, object_pairs_hook=_once) if where.endswith(".json") else tomllib.loads(text)
    except (ValueError, RecursionError, Refusal) as error:
        raise _malformed(where, "TOML, or JSON in a file that ends in .json", str(error)) from error
    if not isinstance(document, dict):
        raise _malformed(where, "an object with lists of tables", type(document).__name__)
    return document


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a key that stands twice, of which JSON readers take either."""
    names = [name for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"key {twice[0]!r} stands twice")
    return dict(pairs)


def _require_keys(document: Mapping[str, Any], known: set[str] | frozenset[str], *, where: str, what: str) -> None:
    unknown = sorted(set(document) - known)
    if unknown:
        raise _malformed(where, f"only the {what} {', '.join(sorted(known))}", listed(unknown))


def _malformed(where: str, expected: str, found: str) -> ContractError:
    return ContractError(
        "registry file is malformed",
        where=where,
        expected=expected,
        found=found,
        remedy="correct the file (docs/runbooks/registry-records.md); nothing was recorded",
    )
