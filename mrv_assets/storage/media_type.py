"""What kind of file some bytes are, by their first bytes, else by the name.

What does not belong here: whether they are a sound file of that kind (stages).
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath

OCTETS = "application/octet-stream"
_ZIPPED = {
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".kmz": "application/vnd.google-earth.kmz",
}
_DELIMITED = {".csv": "text/csv", ".tsv": "text/tab-separated-values", ".txt": "text/plain"}
_GEOJSON = re.compile(
    rb'"type"\s*:\s*"(?:FeatureCollection|Feature|GeometryCollection|(?:Multi)?(?:Point|LineString|Polygon))"'
)
_HEAD = 65_536
_UTF8_MARK = b"\xef\xbb\xbf"


def media_type(path: str, data: bytes) -> str:
    """Return the media type of a file; what its first bytes say counts for more than what its name says."""
    suffix = PurePosixPath(path).suffix.lower()
    head = data[:_HEAD]
    if head.startswith(b"PAR1"):
        return "application/vnd.apache.parquet"
    if head.startswith(b"SQLite format 3\x00"):
        # The application id of a GeoPackage is GPKG, or GP10 and GP11 of its first versions.
        return "application/geopackage+sqlite3" if head[68:70] == b"GP" else "application/vnd.sqlite3"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _ZIPPED.get(suffix, "application/zip")
    return _text_type(suffix, head.removeprefix(_UTF8_MARK).lstrip())


def _text_type(suffix: str, head: bytes) -> str:
    if head.startswith(b"<") and (markup := _markup(head.lower())):
        return markup
    if head.startswith((b"{", b"[")) and suffix not in _DELIMITED:
        return "application/geo+json" if _GEOJSON.search(head) else "application/json"
    return _DELIMITED.get(suffix, OCTETS)


def _markup(head: bytes) -> str | None:
    """Return the type of a marked-up text; a page that says "please log in" is often saved under a data file's name."""
    if b"<kml" in head:
        return "application/vnd.google-earth.kml+xml"
    if b"<html" in head or head.startswith(b"<!doctype html"):
        return "text/html"
    return "application/xml" if head.startswith(b"<?xml") else None
