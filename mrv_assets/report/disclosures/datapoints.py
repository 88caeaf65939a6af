"""Which datapoints a disclosure has, as data: id, unit, where each is taken from, and the unverified XBRL name.

Read from `reference_data/disclosures/`. What does not belong here: their values.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.errors import ContractError


@dataclass(frozen=True, slots=True, kw_only=True)
class Datapoint:
    """One datapoint. `unit` is tCO2e or percent, `source` a quantity of the evidence, `element` None if not known."""

    id: str
    title: str
    unit: str
    source: str
    is_required: bool
    element: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DatapointList:
    """The datapoints of one version of a standard in their order, the XBRL namespace, and how sure its names are."""

    standard: str
    namespace: str
    element_status: str
    datapoints: Sequence[Datapoint]

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> DatapointList:
        """Read a list. Raises ContractError naming `where` when the file is malformed or names a datapoint twice."""
        try:
            d = tomllib.loads(data.decode())
            found = cls(
                standard=f"{d['id']}@{d['version']}",
                namespace=d["namespace"],
                element_status=d["element_status"],
                datapoints=tuple(_datapoint(each) for each in d["datapoint"]),
            )
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error
        ids = [each.id for each in found.datapoints]
        repeated = sorted({name for name in ids if ids.count(name) > 1})
        if repeated:
            raise _malformed(where, f"twice: {', '.join(repeated)}")
        return found


_UNITS = ("tCO2e", "percent")


def _datapoint(d: dict[str, Any]) -> Datapoint:
    if d["unit"] not in _UNITS:
        raise ValueError(f"unit {d['unit']!r} of {d['id']} is none of {', '.join(_UNITS)}")
    return Datapoint(
        id=d["id"],
        title=d["title"],
        unit=d["unit"],
        source=d["source"],
        is_required=d.get("required", False),
        element=d.get("element"),
    )


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "list of datapoints is malformed",
        where=where,
        expected="id, version, namespace, element_status and each datapoint once with id, title, unit and source",
        found=found,
        remedy="correct the file; see reference_data/disclosures for an example",
    )
