"""What of a kit is code: the source of this package as it is installed, its identity, and the lock file of a checkout.

What does not belong here: what a digest of code covers (code).
"""

from __future__ import annotations

from pathlib import Path

import mrv_assets
from mrv_assets.domain.digest import Json, canonical_json
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.recipes import stage_code
from mrv_assets.pipeline.sealed import Sealed

CODE = "code/"
LOCK = f"{CODE}requirements.lock"
SCRIPT = "reperform.py"
_SCRIPT_IN_PACKAGE = "mrv_assets/cli/kit_script.py"
_SUFFIXES = (".py", ".typed", ".html", ".css", ".js", ".toml", ".csv", ".json", ".j2", ".txt")
_BESIDE = ("pyproject.toml", "requirements.lock", "LICENSE")


def code_files(sealed: Sealed) -> dict[str, bytes]:
    """Return the package, the script that runs it, the identity of the code, and what a checkout has beside it."""
    package = Path(mrv_assets.__file__).parent
    checkout = package.parent
    files = {
        f"{CODE}{path.relative_to(checkout).as_posix()}": path.read_bytes()
        for path in sorted(package.rglob("*"))
        if path.is_file() and path.suffix in _SUFFIXES and "__pycache__" not in path.parts
    }
    files |= {f"{CODE}{name}": (checkout / name).read_bytes() for name in _BESIDE if (checkout / name).is_file()}
    script = files[f"{CODE}{_SCRIPT_IN_PACKAGE}"]
    return {**files, SCRIPT: script, f"{CODE}identity.json": canonical_json(code_identity(sealed))}


def code_identity(sealed: Sealed) -> dict[str, Json]:
    """Return for each asset the digest of the code that made it and of the code that is packed, and its libraries."""
    records = {**sealed.chain, Asset.CERTIFICATE: sealed.record}
    return {
        asset.value: {"sealed": record.pins.get("code"), "packed": stage_code(asset), "pins": dict(record.pins)}
        for asset, record in records.items()
    }


def other_code(sealed: Sealed) -> tuple[Asset, ...]:
    """Return the assets that other code has made than the code that is packed."""
    records = {**sealed.chain, Asset.CERTIFICATE: sealed.record}
    return tuple(asset for asset, record in records.items() if record.pins.get("code") != stage_code(asset))
