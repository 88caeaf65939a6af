"""Putting a new release into a local folder of reference data: whole or not at all, and never over another one.

What does not belong here: what the files say (importers), and reading them (storage.references).
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from mrv_assets.domain.errors import ContractError, FactorError
from mrv_assets.domain.released import RELEASED, ReleasedDigests, appended
from mrv_assets.storage.object_store import TEMPORARY
from mrv_assets.storage.references import ReferenceData


def local_folder(uri: str) -> Path:
    """Return the folder that a file URI names. Raises ContractError for a bucket: nobody reviews what appears there."""
    parts = urlsplit(uri)
    if parts.scheme == "file":
        return Path(unquote(parts.path))
    raise ContractError(
        "a release is not written to an object store",
        where=uri,
        expected="MRV_REFERENCE as a local folder under review",
        found=f"{parts.scheme}://",
        remedy="import into a checkout of the reference data, have the change reviewed, then copy it to the store; "
        "`--dry-run` works here too",
    )


def refuse_released(references: ReferenceData, version: str) -> None:
    """Raise FactorError when the version is there, or was once: a released version is immutable."""
    if version in references.factor_versions() or version in references.released():
        raise _taken(version)


def write_release(root: Path, version: str, *, release_toml: bytes, factors_csv: bytes) -> Sequence[Path]:
    """Write the two files of a release and its digests in the list, and return what was written.

    The folder appears whole, by one rename; then the list is replaced. Raises FactorError when there is a folder of
    this name, ContractError when the file system refuses.
    """
    factors = root / "factors"
    folder, listing = factors / version, factors / RELEASED
    if os.path.lexists(folder):
        raise _taken(version)
    files = {"release.toml": release_toml, "factors.csv": factors_csv}
    digests = ReleasedDigests.of(release_toml=release_toml, factors_csv=factors_csv)
    half = factors / f"{TEMPORARY}{uuid.uuid4().hex}"
    try:
        half.mkdir(parents=True)
        for name, data in files.items():
            _write(half / name, data)
        half.rename(folder)
        before = listing.read_bytes() if listing.exists() else None
        _replace(listing, appended(before, version=version, digests=digests))
    except OSError as error:
        raise ContractError(
            "release cannot be written",
            where=str(error.filename or folder),
            expected="a folder that this process may write to, with space left",
            found=str(error.strerror or error),
            remedy=f"correct it, remove {folder} if this command left it and it was never committed, and import again",
        ) from error
    finally:
        shutil.rmtree(half, ignore_errors=True)
    return [*(folder / name for name in files), listing]


def _write(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _replace(path: Path, data: bytes) -> None:
    new = path.with_name(f"{TEMPORARY}{uuid.uuid4().hex}")
    try:
        _write(new, data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def _taken(version: str) -> FactorError:
    return FactorError(
        "version is released already",
        where=f"factor release {version}",
        expected="a version that was never released: a released version is immutable",
        found=f"{version} in the reference data or in {RELEASED}",
        remedy="choose another --version; a correction is a new release that --supersedes the old one",
    )
