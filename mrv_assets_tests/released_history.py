"""What the lists of released files have said before and do not say any more.

What does not belong here: asking git (git_history), and holding files against the lists (storage.references).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from mrv_assets.domain.released import RELEASED, parse_released, parse_released_sets
from mrv_assets_tests.git_history import versions_of

LISTS = (f"factors/{RELEASED}", f"gwp/{RELEASED}")


def taken_back(reference_data: Path) -> Sequence[str]:
    """Return every line that a first-parent commit had in one of the lists and that the list now has not, each once."""
    found: dict[str, None] = {}
    for name in LISTS:
        now = _lines(name, (reference_data / name).read_bytes()) if (reference_data / name).is_file() else {}
        for commit, data in versions_of(name, folder=reference_data).items():
            for what, digest in _lines(name, data).items():
                if now.get(what) != digest:
                    found[f"{name}: {what} was {digest} in {commit[:12]} and is {now.get(what, 'gone')}"] = None
    return list(found)


def _lines(name: str, data: bytes) -> Mapping[str, str]:
    """Return the digests of a list by what they are of."""
    if name == f"gwp/{RELEASED}":
        return parse_released_sets(data, where=name)
    releases = parse_released(data, where=name)
    return {f"{version}/{file}": digest for version, of in releases.items() for file, digest in of.files.items()}
