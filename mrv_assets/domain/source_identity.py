"""By which names a record and the journal tell which source file a content was made from.

What does not belong here: finding the values out (storage) and what else a stage measured on its way, `source_rows` for
one.
"""

from __future__ import annotations

from collections.abc import Mapping

SOURCE_KEYS = (
    "source_uri",
    "source_sha256",
    "source_size",
    "source_media_type",
    "source_version",
    "source_modified_utc",
    "source_retrieved_utc",
)
"""What is known of every source file. The version is that of the object, or its entity tag where it has none."""

STAC_KEYS = (
    "source_stac_uri",
    "source_stac_sha256",
    "source_stac_version",
    "source_stac_id",
    "source_stac_datetime",
    "source_stac_start_datetime",
    "source_stac_end_datetime",
    "source_stac_collection",
    "source_stac_item_version",
    "source_stac_asset",
    "source_stac_checksum",
    "source_stac_crs",
    "source_stac_unvalidated_extensions",
)
"""What the STAC Item beside the file says, where there is one and it says so; `source_stac_version` is that of STAC."""

_KNOWN = frozenset((*SOURCE_KEYS, *STAC_KEYS))


def source_identity(evidence: Mapping[str, str]) -> dict[str, str]:
    """Return the identity of the source file that stands in the evidence of a record, nothing when it has none."""
    return {key: text for key, text in evidence.items() if key in _KNOWN}


_PLACE_AND_TIME = frozenset(
    ("source_uri", "source_version", "source_modified_utc", "source_retrieved_utc", "source_stac_uri")
)


def without_place_and_time(evidence: Mapping[str, str]) -> dict[str, str]:
    """Return evidence without where the source file lay and when: the same file elsewhere gives the rest again."""
    return {key: text for key, text in evidence.items() if key not in _PLACE_AND_TIME}
