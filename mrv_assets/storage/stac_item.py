"""Reading a STAC Item: a JSON document of STAC 1.0.0 or 1.1.0 that keeps to the schema of the specification.

Nothing is ever fetched: the schemas are those that pystac ships, and an extension whose schema it does not ship is
not judged. What does not belong here: which file the item describes (stac).
"""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

from mrv_assets.domain.errors import GateError

if TYPE_CHECKING:
    from jsonschema import Draft7Validator  # type: ignore[import-untyped]

VERSIONS = ("1.0.0", "1.1.0")
LIMIT_BYTES = 8 * 1024 * 1024
"""Largest item that is read; an item describes one thing, and the largest published ones have some 100 kB."""

_JUDGED_BY = "1.1.0"
_SCHEMA = f"https://schemas.stacspec.org/v{_JUDGED_BY}/item-spec/json-schema/item.json"
_SHOWN = 300


def is_item(data: bytes) -> bool:
    """Tell whether the bytes are a document that calls itself a STAC Item; a plain GeoJSON feature is none."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and document.get("type") == "Feature" and "stac_version" in document


def read_item(data: bytes, *, where: str) -> dict[str, Any]:
    """Return an item as its document, once it is judged.

    An item of 1.0.0 is held against the schema of 1.1.0, the only one that pystac ships. It asks for all that the older
    one asks for, and besides judges fields that only 1.1.0 gave a meaning to, `bands` for one. Raises GateError (gate
    `source_readable`) naming `where` for anything that is no such item.
    """
    document = _document(data, where)
    version = document.get("stac_version")
    if document.get("type") != "Feature" or version not in VERSIONS:
        found = f"type {document.get('type')!r}, stac_version {version!r}"
        raise item_refused(where, expected=f"a STAC Item of {' or '.join(VERSIONS)}", found=found[:_SHOWN])
    _keep_to_schema(document, where)
    _keep_to_calendar(document["properties"], where)
    return document


def item_refused(where: str, *, expected: str, found: str, remedy: str = "") -> GateError:
    """Return the refusal of an item, or of the file that it does not describe."""
    return GateError(
        "STAC Item beside the source file is refused",
        gate="source_readable",
        where=where,
        expected=expected,
        found=found,
        remedy=remedy or "correct the item and deliver it again, or deliver the file without one",
    )


def _document(data: bytes, where: str) -> dict[str, Any]:
    if len(data) > LIMIT_BYTES:
        raise item_refused(where, expected=f"at most {LIMIT_BYTES:,} bytes", found=f"{len(data):,} bytes")
    try:
        document = json.loads(data, object_pairs_hook=_each_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        found = f"{type(error).__name__}: {error}"[:_SHOWN]
        raise item_refused(where, expected="a JSON document in UTF-8", found=found) from error
    if not isinstance(document, dict):
        raise item_refused(where, expected="a JSON object", found=f"a {type(document).__name__}")
    return document


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    document = dict(pairs)
    if len(document) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(name for name in names if names.count(name) > 1)!r} stands twice in one object")
    return document


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no JSON")


def _keep_to_calendar(properties: dict[str, Any], where: str) -> None:
    """Refuse instants that no calendar has, which the schema cannot know, and a span that ends before it starts."""
    from pystac.utils import str_to_datetime  # noqa: PLC0415

    texts = {name: properties.get(name) for name in ("datetime", "start_datetime", "end_datetime")}
    try:
        instants = {name: str_to_datetime(text) for name, text in texts.items() if text is not None}
    except (ValueError, OverflowError) as error:
        raise item_refused(where, expected="instants in RFC 3339", found=f"{texts}: {error}"[:_SHOWN]) from error
    start, end = instants.get("start_datetime"), instants.get("end_datetime")
    if start and end and end < start:
        raise item_refused(where, expected="an end_datetime that is not before start_datetime", found=f"{texts}")


def _keep_to_schema(document: dict[str, Any], where: str) -> None:
    # Most files come without an item, and these cost a tenth of a second.
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]  # noqa: PLC0415

    try:
        fault = best_match(_schema().iter_errors({**document, "stac_version": _JUDGED_BY}))
    except RecursionError as error:
        raise item_refused(where, expected=f"an item that keeps to {_SCHEMA}", found="endless nesting") from error
    if fault is not None:
        found = _plain_fault(document) or f"{fault.json_path}: {fault.message}"
        raise item_refused(where, expected=f"an item that keeps to {_SCHEMA}", found=found[:_SHOWN])


def _plain_fault(document: dict[str, Any]) -> str | None:
    """Return a fault in plain words where the schema only says that none of its alternatives fits."""
    properties = document.get("properties")
    if "geometry" in document and (document["geometry"] is None) != ("bbox" not in document):
        return "a bbox without a geometry" if document["geometry"] is None else "a geometry without a bbox"
    is_undated = isinstance(properties, dict) and properties.get("datetime") is None
    if is_undated and not {"datetime", "start_datetime", "end_datetime"} <= set(properties or ()):
        return "no datetime, nor a null one with start_datetime and end_datetime"
    return None


@cache
def _schema() -> Draft7Validator:
    """Return the item schema with all that it refers to. It has nowhere to fetch another one from."""
    from jsonschema import Draft7Validator  # noqa: PLC0415
    from pystac.validation.local_validator import get_local_schema_cache  # noqa: PLC0415
    from referencing import Registry, Resource  # noqa: PLC0415

    schemas = get_local_schema_cache()
    shipped = [(uri, Resource.from_contents(schema)) for uri, schema in schemas.items()]
    return Draft7Validator(schemas[_SCHEMA], registry=Registry().with_resources(shipped))
