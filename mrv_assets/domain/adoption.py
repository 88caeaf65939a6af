"""What an adoption is: the record of which files of a foreign tree stand for which partitions, and why.

A manifest is immutable and names the one before it by digest. What does not belong here: looking at a tree
(storage) and deciding which file stands (pipeline).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import Json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, ContractError

SCHEMA = "mrv-adoption-1"
NO_VERSION = "(no factor version)"


class Keep(StrEnum):
    """By which rule one of several files of a partition becomes the authoritative one."""

    NEWEST = "newest"
    LARGEST = "largest"
    LIST = "list"


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignKey:
    """A partition of a foreign tree; `factor_version` is None where neither path nor file name one."""

    project_id: str
    period: str
    factor_version: str | None

    def __str__(self) -> str:
        return f"{self.project_id} {self.period} {self.factor_version or NO_VERSION}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedFile:
    """One file as it was when it was adopted or set aside.

    `content_digest` covers what the table says, by `digest_key`; it and the row counts are None for a file that
    cannot be read. `recorded_hash` is what the writer claimed, None when it claimed nothing. `tco2e` is the exact
    sum in decimal text, None when the file has no tonnes that can be summed. `why` says what decided.
    """

    path: str
    sha256: str
    size: int
    rows: int | None
    distinct_rows: int | None
    content_digest: str | None
    digest_key: str | None
    recorded_hash: str | None
    generated_utc: str | None
    modified_utc: str | None
    tco2e: str | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AdoptedPartition:
    """One partition, the file that stands for it, and the files that were set aside.

    `provenance` is `recorded` when the chosen file carries a hash of its writer, else `unknown`: then
    `content_digest` of the file is the first one anybody took. `chosen_tco2e` and `all_tco2e` are what a reader
    sums with and without the adoption, None when some file's tonnes are unknown.
    """

    key: ForeignKey
    chosen: AdoptedFile
    set_aside: tuple[AdoptedFile, ...]
    provenance: str
    chosen_tco2e: str | None
    all_tco2e: str | None

    @property
    def files(self) -> tuple[AdoptedFile, ...]:
        """The chosen file and those set aside."""
        return (self.chosen, *self.set_aside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Everything one adoption decided about the tree at `source_uri`.

    `set_aside` are objects that belong to no partition. `list_sha256` is the digest of the operator's list.
    """

    number: int
    prev: str | None
    source_uri: str
    keep: Keep
    list_sha256: str | None
    partitions: tuple[AdoptedPartition, ...]
    set_aside: tuple[AdoptedFile, ...]
    run_id: str
    adopted_by: str
    adopted_utc: str
    write_id: str

    @property
    def decision(self) -> tuple[object, ...]:
        """What two adoptions must share to say the same: which file stands, which do not, all by digest."""
        return (
            tuple((p.key, _seen(p.chosen), tuple(_seen(f) for f in p.set_aside)) for p in self.partitions),
            tuple(_seen(f) for f in self.set_aside),
        )

    def files(self) -> Iterator[AdoptedFile]:
        """Yield every file that the manifest names."""
        for partition in self.partitions:
            yield from partition.files
        yield from self.set_aside

    def to_bytes(self) -> bytes:
        """Return the bytes of the manifest, which seal themselves; their sha256 is the next manifest's `prev`."""
        return self_sealed_json({"schema": SCHEMA, **manifest_json(self)})

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Manifest:
        """Read a manifest. Raises BrokenChain naming `where` unless these are the bytes that the platform writes."""
        try:
            manifest = _manifest(json.loads(data))
            is_exact = manifest.to_bytes() == data
        except (ValueError, KeyError, TypeError, ContractError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_exact:
            raise _unreadable(where, "bytes that say the same in another spelling, or more")
        return manifest

    @property
    def sha256(self) -> str:
        """Return the digest that the next manifest names."""
        return sha256_hex(self.to_bytes())


def manifest_json(manifest: Manifest) -> dict[str, Json]:
    """Return the manifest as canonical-JSON-ready values, decimals as text."""
    return {name: _json(value) for name, value in asdict(manifest).items()}


def _json(value: Any) -> Json:
    if isinstance(value, Mapping):
        return {name: _json(item) for name, item in value.items()}
    if isinstance(value, tuple):
        return [_json(item) for item in value]
    plain: Json = value.value if isinstance(value, Keep) else value
    return plain


def _seen(file: AdoptedFile) -> tuple[str, str]:
    return file.path, file.sha256


def _manifest(d: dict[str, Any]) -> Manifest:
    if d.pop("schema") != SCHEMA:
        raise ValueError("another schema")
    del d["self_sha256"]  # written anew and compared with the rest
    return Manifest(
        **d
        | {
            "keep": Keep(d["keep"]),
            "partitions": tuple(_partition(partition) for partition in d["partitions"]),
            "set_aside": _files(d["set_aside"]),
        }
    )


def _partition(d: dict[str, Any]) -> AdoptedPartition:
    return AdoptedPartition(
        **d
        | {
            "key": ForeignKey(**d["key"]),
            "chosen": AdoptedFile(**d["chosen"]),
            "set_aside": _files(d["set_aside"]),
        }
    )


def _files(items: Sequence[dict[str, Any]]) -> tuple[AdoptedFile, ...]:
    return tuple(AdoptedFile(**item) for item in items)


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "adoption manifest cannot be read",
        where=where,
        expected=f"a {SCHEMA} document, byte for byte as the platform writes it",
        found=found,
        remedy="stop, keep the store as it is and restore the manifest from a replica",
    )
