"""The STAC Item beside a source file: found by its name, held against the file that it describes, and told as facts.

What does not belong here: the item itself as a document (stac_item).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from posixpath import normpath
from typing import Any
from urllib.parse import unquote, urlsplit

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import listed
from mrv_assets.storage.multihash import KNOWN, Multihash
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.stac_item import LIMIT_BYTES, is_item, item_refused, read_item

_SUFFIX = ".stac.json"
_DELIVER_AGAIN = "deliver the file and its item again, from one and the same making of the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Beside:
    """An item as it lies beside a file: its key, its URI, and its bytes."""

    key: str
    uri: str
    data: bytes = field(repr=False)

    @property
    def facts(self) -> dict[str, str]:
        """What is known of it whatever it says."""
        return {"source_stac_uri": self.uri, "source_stac_sha256": sha256_hex(self.data)}


@dataclass(frozen=True, slots=True, kw_only=True)
class StacItem:
    """An item that describes its file: `facts` are what it says, by the names of `domain.source_identity`.

    `crs` is the CRS that the item says the file has, None when it says none. It is no tag: nothing is read by it.
    """

    id: str
    asset: str
    crs: str | None
    facts: Mapping[str, str]


def item_keys(path: str) -> tuple[str, ...]:
    """Return where the item of the file at `path` may lie, the first place first."""
    beside = str(PurePosixPath(path).with_suffix(".json"))
    return (f"{path}{_SUFFIX}", *(() if beside == path else (beside,)))


def find_item(store: ObjectStore, path: str) -> Beside | None:
    """Return the item beside a file: `<path>.stac.json`, else `<path without extension>.json` if that is an item.

    One that is found at the first place hides the second.
    """
    for key in item_keys(path):
        is_named = key.endswith(_SUFFIX)
        info = store.describe(key)
        if info is None or (info.size > LIMIT_BYTES and not is_named):
            continue
        # Of a larger one as much is read as shows that it is too large.
        data = store.get_range(key, 0, LIMIT_BYTES + 1)
        if data is not None and (is_named or is_item(data)):
            return Beside(key=key, uri=f"{store.uri}/{key}", data=data)
    return None


def describe_by_item(beside: Beside, *, uri: str, path: str, data: bytes) -> StacItem:
    """Hold the item against the file at `path` and return what it says.

    Raises GateError (gate `source_readable`) when the item is malformed, does not name the file exactly once, or gives
    a size or checksum that is not that of the file.
    """
    item = read_item(beside.data, where=beside.uri)
    name = _asset_of(item["assets"], beside, uri=uri, path=path)
    asset = item["assets"][name]
    where = f"{beside.uri}, asset {name!r}"
    _same_size(asset.get("file:size"), data, where)
    checksum = _same_checksum(asset.get("file:checksum"), data, where)
    crs = _crs(asset) or _crs(item["properties"])
    facts = {
        **beside.facts,
        **_facts(item),
        "source_stac_asset": name,
        "source_stac_checksum": checksum,
        "source_stac_crs": crs,
    }
    return StacItem(id=item["id"], asset=name, crs=crs, facts={key: text for key, text in facts.items() if text})


def _asset_of(assets: Mapping[str, Mapping[str, Any]], beside: Beside, *, uri: str, path: str) -> str:
    """Return the name of the one asset whose href is the file, or else ends in its name elsewhere."""
    hrefs = {name: asset["href"] for name, asset in assets.items()}
    exact = [name for name, href in hrefs.items() if _names(href, beside.key, uri, path)]
    named = exact or [name for name, href in hrefs.items() if _is_copy(href, path)]
    if len(named) == 1:
        return named[0]
    raise item_refused(
        beside.uri,
        expected=f"one asset whose href is {PurePosixPath(path).name}",
        found=f"{len(named)} of its {len(hrefs)} assets: {listed(named or list(hrefs))}",
        remedy="give the asset of this file the href of this file, relative to the item",
    )


def _names(href: str, key: str, uri: str, path: str) -> bool:
    """Tell whether an href is the file itself: its own URI, or its place as seen from the item."""
    if _is_remote(href):
        return uri in (href, unquote(href))
    place = PurePosixPath(key).parent
    return path in (normpath(str(place / text)) for text in (href, unquote(href)))


def _is_copy(href: str, path: str) -> bool:
    """Tell whether an href is a file of this name where the publisher keeps it; a query may be a signature."""
    is_elsewhere = _is_remote(href) or href.startswith("/")
    return is_elsewhere and unquote(PurePosixPath(urlsplit(href).path).name) == PurePosixPath(path).name


def _is_remote(href: str) -> bool:
    return "://" in href


def _same_size(size: Any, data: bytes, where: str) -> None:
    if size is not None and (isinstance(size, bool) or size != len(data)):
        raise item_refused(where, expected=f"file:size {size!r}", found=f"{len(data)} bytes", remedy=_DELIVER_AGAIN)


def _same_checksum(text: Any, data: bytes, where: str) -> str | None:
    """Return the checksum with its algorithm, None when the item has none. Raises GateError when it is another one."""
    if text is None:
        return None
    try:
        said = Multihash.parse(str(text))
    except ValueError as error:
        expected = f"file:checksum as a multihash in lower-case hex, of one of {KNOWN}"
        raise item_refused(where, expected=expected, found=str(error)) from error
    found = Multihash.of(data, said.algorithm)
    if found != said:
        raise item_refused(where, expected=f"file:checksum {said}", found=f"{found}", remedy=_DELIVER_AGAIN)
    return str(said)


def _crs(said: Mapping[str, Any]) -> str | None:
    """Return the code that the projection extension gives, an `epsg` of its version 1 as that of version 2."""
    code, epsg = said.get("proj:code"), said.get("proj:epsg")
    if isinstance(code, str):
        return code
    return f"EPSG:{epsg}" if isinstance(epsg, int) and not isinstance(epsg, bool) else None


def _facts(item: Mapping[str, Any]) -> dict[str, str | None]:
    said = item["properties"]
    version = said.get("version")
    return {
        "source_stac_version": item["stac_version"],
        "source_stac_id": item["id"],
        "source_stac_datetime": said.get("datetime"),
        "source_stac_start_datetime": said.get("start_datetime"),
        "source_stac_end_datetime": said.get("end_datetime"),
        "source_stac_collection": item.get("collection"),
        "source_stac_item_version": version if isinstance(version, str) else None,
        "source_stac_unvalidated_extensions": " ".join(item.get("stac_extensions", [])),
    }
