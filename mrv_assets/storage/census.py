"""One listing of a whole store: how much there is of what, and everything that has no business there.

What does not belong here: reading what the objects say (fsck).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mrv_assets.storage.breach import BreachKind, Findings
from mrv_assets.storage.documents import is_document_key
from mrv_assets.storage.journal import CHECKPOINT, ENTRIES, entry_number
from mrv_assets.storage.object_store import COLLECTED, ObjectStore
from mrv_assets.storage.published import PUBLISHED
from mrv_assets.storage.slot_paths import COMMITS, parse_record_key

GC_PLANS = "gc/plans/"
_BLOB = re.compile(r"blobs/([0-9a-f]{2})/(\1[0-9a-f]{62})(\.parquet|\.json)")
_DIGEST_NAME = re.compile(r"[0-9a-f]{64}(\.[a-z]+)?")
# What other rooms of the platform keep beside the history; each kind has one plain form.
_OWN = re.compile(rf"{GC_PLANS}[0-9a-f]{{16}}\.json|probe/[0-9a-f]{{32}}")


@dataclass(slots=True, kw_only=True)
class Census:
    """What one listing has shown. Memory grows by the blobs' names and the views' keys, not by what they hold."""

    generations: int = 0
    entries: int = 0
    blobs: set[bytes] = field(default_factory=set)
    views: set[str] = field(default_factory=set)

    @property
    def objects(self) -> int:
        """How many objects there are to read."""
        return self.generations + self.entries + len(self.blobs) + len(self.views)


def take_census(store: ObjectStore, findings: Findings) -> Census:
    """List everything once, count it, and note what lies in the wrong place or is foreign."""
    census = Census()
    for key in store.list(""):
        folder = key.partition("/")[0] + "/"
        if folder == COLLECTED:
            _count_blob(census, key, findings)
        elif folder == COMMITS and parse_record_key(key):
            census.generations += 1
        elif key.startswith(ENTRIES) and entry_number(key):
            census.entries += 1
        elif folder == PUBLISHED:
            census.views.add(key)
        elif key != CHECKPOINT and not _OWN.fullmatch(key) and not is_document_key(key):
            findings.add(BreachKind.STRAY_OBJECT, key, expected="no such object", found="an object")
    return census


def packed(blob_key: str) -> bytes | None:
    """Return the name of a blob in 33 bytes, None for a key that is not one."""
    match = _BLOB.fullmatch(blob_key)
    return bytes.fromhex(match[2]) + (b"p" if match[3] == ".parquet" else b"j") if match else None


def unpacked(name: bytes) -> str:
    """Return the key of a packed blob name."""
    digest, suffix = name[:-1].hex(), ".parquet" if name.endswith(b"p") else ".json"
    return f"{COLLECTED}{digest[:2]}/{digest}{suffix}"


def _count_blob(census: Census, key: str, findings: Findings) -> None:
    name = packed(key)
    if name is not None:
        census.blobs.add(name)
    elif _DIGEST_NAME.fullmatch(key.rpartition("/")[2]):
        digest = key.rpartition("/")[2].partition(".")[0]
        findings.add(
            BreachKind.BLOB_MISNAMED,
            key,
            expected=f"{COLLECTED}{digest[:2]}/{digest}.parquet or .json",
            found="another folder or suffix",
        )
    else:
        findings.add(BreachKind.STRAY_OBJECT, key, expected="blobs named by their digest", found="another name")
