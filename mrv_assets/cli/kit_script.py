"""Make the figure of this kit again and print what differs, row by row: `python reperform.py [--json]`.

In a kit this module is `reperform.py`. It runs no other code before the files are those of the manifest, writes nothing
and asks nobody. What does not belong here: anything that needs the package before it is checked.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from pathlib import Path
from typing import Any

CONTRADICTS = 70
_MANIFEST = "manifest.json"
_RUN = ("code/", "reperform.py")
"""What would be run: when one of these is another one, nothing is."""


def main() -> int:
    """Check the files, then recompute with the code among them; return the exit code."""
    sys.dont_write_bytecode = True
    folder = Path(__file__).resolve().parent
    files, faults = read_kit(folder)
    for path, fault in faults.items():
        print(f"{path}: {fault}", file=sys.stderr)
    if any(path == _MANIFEST or path.startswith(_RUN) for path in faults):
        print("Nothing was run: code or manifest are not as they were packed. Unpack the kit anew.", file=sys.stderr)
        return CONTRADICTS
    sys.path = [str(folder / "code"), *(path for path in sys.path if Path(path).resolve() != folder)]
    from mrv_assets.cli.kit_check import check_kit

    code = check_kit(files, as_json="--json" in sys.argv[1:])
    return CONTRADICTS if faults else code


def read_kit(folder: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """Return every file of the kit in a folder, and by its place what is wrong with it, nothing for a whole kit."""
    members, faults = _manifest(folder)
    found = {path.relative_to(folder).as_posix(): path for path in sorted(folder.rglob("*")) if not path.is_dir()}
    own = {path: place for path, place in found.items() if path in members or _is_read(path)}
    files = {path: place.read_bytes() for path, place in own.items() if not place.is_symlink()}
    for path in own:
        if path not in files:
            faults[path] = "is a link, and no file"
        elif path not in members:
            faults[path] = "is not in the manifest"
        elif (hashlib.sha256(files[path]).hexdigest(), len(files[path])) != members[path]:
            faults[path] = f"is not what was packed: expected sha256 {members[path][0]}"
    return files, faults | {path: "is missing" for path in members if path not in found}


def _is_read(path: str) -> bool:
    """Tell whether a file lies where the kit is read from; what else a person keeps beside it is nobody's business."""
    return path.startswith(("code/", "certificate/", "blobs/", "reference/", "landing/", "disclosed/"))


def _manifest(folder: Path) -> tuple[dict[str, tuple[str, int]], dict[str, str]]:
    try:
        data = (folder / _MANIFEST).read_bytes()
        document = json.loads(data)
        members = {each["path"]: (each["sha256"], each["size"]) for each in document["members"]}
        unsealed = {name: value for name, value in document.items() if name != "self_sha256"}
        is_whole = _text(document) == data and hashlib.sha256(_text(unsealed)).hexdigest() == document["self_sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return {}, {_MANIFEST: f"cannot be read: {type(error).__name__}: {error}"}
    return members, {} if is_whole else {_MANIFEST: "is not what was packed: it does not carry its own digest"}


def _text(document: Any) -> bytes:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def _end(code: int) -> None:
    """End the process with this code at once: a library's threads may abort while an interpreter winds down."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    _end(main())
