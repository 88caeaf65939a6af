"""STAC Items as a publisher of `electricity.csv` would write them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mrv_assets.domain.digest import sha256_hex

DATA = b"a,b\n1,2\n"
FILE_EXTENSION = "https://stac-extensions.github.io/file/v2.1.0/schema.json"


def multihash(data: bytes) -> str:
    """Return the sha2-256 multihash of some bytes."""
    return f"1220{sha256_hex(data)}"


def document(
    *, href: str = "./electricity.csv", checksum: str | None = None, size: int | None = None, **changes: Any
) -> dict[str, Any]:
    """Return an item of 1.1.0 without geometry; `changes` replace whole members."""
    said = {"file:checksum": checksum, "file:size": size}
    asset = {"href": href, "type": "text/csv"} | {key: value for key, value in said.items() if value is not None}
    return {
        "type": "Feature",
        "stac_version": "1.1.0",
        "stac_extensions": [FILE_EXTENSION],
        "id": "electricity-2021",
        "geometry": None,
        "properties": {"datetime": "2022-01-31T00:00:00Z"},
        "links": [],
        "assets": {"table": asset},
        **changes,
    }


def item(**what: Any) -> bytes:
    """Return the bytes of such an item."""
    return encoded(document(**what))


def encoded(members: Mapping[str, Any]) -> bytes:
    """Return a document as JSON."""
    return json.dumps(members).encode()
