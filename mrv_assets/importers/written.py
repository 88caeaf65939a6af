"""The two files of a release, written so that the same draft always gives the same bytes.

What does not belong here: where they are kept, and whether the draft is sound (checked).
"""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from datetime import date

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.factors import FACTOR_COLUMNS
from mrv_assets.importers.draft import DraftRelease, DraftRow

_ANY_DAY = date(2000, 1, 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseHead:
    """What `release.toml` says beside the digest. `supersedes` is empty for the first release of a line."""

    version: str
    line: str
    title: str
    published: date
    gwp_set: str
    supersedes: str
    reason: str

    @classmethod
    def on_trial(cls, draft: DraftRelease, name: str) -> ReleaseHead:
        """Return the head of a draft that is compared or read back, not released; version and line are `name`."""
        return cls(
            version=name,
            line=name,
            title=draft.title,
            published=draft.published or _ANY_DAY,
            gwp_set=draft.gwp_set,
            supersedes="",
            reason="",
        )


def factors_csv(draft: DraftRelease) -> bytes:
    """Return `factors.csv`: UTF-8, LF, the columns of the contract, rows sorted by key whatever order the file had."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(FACTOR_COLUMNS)
    writer.writerows([str(getattr(row, name)) for name in FACTOR_COLUMNS] for row in sorted(draft.rows, key=_key))
    return text.getvalue().encode()


def release_toml(head: ReleaseHead, *, factors: bytes) -> bytes:
    """Return `release.toml`, which pins `factors` by sha256."""
    return (
        f"version = {_quoted(head.version)}\n"
        f"line = {_quoted(head.line)}\n"
        f"title = {_quoted(head.title)}\n"
        f"published = {head.published.isoformat()}\n"
        f"gwp_set = {_quoted(head.gwp_set)}\n"
        f"supersedes = {_quoted(head.supersedes)}\n"
        f'sha256 = "{sha256_hex(factors)}"\n'
        f"reason = {_quoted(head.reason)}\n"
    ).encode()


def _key(row: DraftRow) -> tuple[str, ...]:
    return (row.activity_id, row.region, row.denominator_unit, row.gas, row.valid_from.isoformat(), row.ef_value)


def _quoted(text: str) -> str:
    """Return a TOML basic string; its escapes are those of JSON, but for DEL, which only TOML escapes."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
