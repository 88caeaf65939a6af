"""Foreign files in every folder of a store: nobody who reads, lists or commits takes them for anything.

What does not belong here: the published view, which other engines read (globs).
"""

from __future__ import annotations

from pathlib import Path

from mrv_assets.domain.partition import Slot
from mrv_assets.pipeline.fsck import check_store
from mrv_assets.storage.breach import BreachKind
from mrv_assets.storage.posix_files import Files
from mrv_assets_tests.faults.figures import world_at
from mrv_assets_tests.faults.line import Injury, Line, State, summed
from mrv_assets_tests.faults.subjects import Platform

_NAMES = (
    ".tmp-00000000000000000000000000000000", "000000000002.json.tmp-key", "000000000099.json.bak", "1.json",
    "part-0.parquet", "Thumbs.db", "README",
)  # fmt: skip
_FOREIGN = (BreachKind.STRAY_OBJECT, BreachKind.VIEW_EXTRA, BreachKind.LEFT_OVER)


def foreign_files(scratch: Path) -> Line:
    """Put foreign files into every folder, one kind at a time; then read, list, commit and look again."""
    injuries = [_injury(scratch / f"store-{number}", name) for number, name in enumerate(_NAMES)]
    return summed("foreign files in every folder of the store", injuries, shown="read, list, commit, fsck names them")


def _injury(root: Path, name: str) -> Injury:
    platform = Platform()
    platform.prepare(root)
    before, slots = platform.sealed(root), _slots(root)
    folders = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for folder in folders:
        (folder / name).write_bytes(b"nobody put this here")
    seen = platform.seen(root) if _slots(root) == slots else State.TORN
    platform.advance(root, Files())
    after = platform.sealed(root)
    report = check_store(world_at(root))
    named = [breach for breach in report.breaches if breach.kind in _FOREIGN]
    # A temporary file is garbage only when it is old; everything else is named at once, one breach for each file.
    is_named = len(named) == (0 if name.startswith(".tmp-") else len(folders))
    return Injury(
        seen=seen,
        breaches=len(report.breaches) - len(named),
        changed=sum(1 for key, digest in before.items() if after.get(key) != digest),
        is_healed=platform.is_whole(root) and is_named,
    )


def _slots(root: Path) -> list[tuple[Slot, int]]:
    return list(world_at(root).slots.list_slots())
