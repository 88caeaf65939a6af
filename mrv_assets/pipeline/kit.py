"""A kit: everything by which a stranger makes a certified figure again, as files that can be handed out.

The same certificate gives the same files. What does not belong here: which files (kit_evidence, kit_inputs, kit_code),
the archive (kit_archive), and running it (cli).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from mrv_assets.domain.digest import Json, canonical_json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.kit_code import LOCK, code_files, other_code
from mrv_assets.pipeline.kit_disclosed import PLACED, disclosed_files
from mrv_assets.pipeline.kit_evidence import blob_files, certificate_files, names_a_folder
from mrv_assets.pipeline.kit_inputs import Input, identity_of, kit_inputs
from mrv_assets.pipeline.kit_readme import README, readme
from mrv_assets.pipeline.pinned import DELIVERED, SHOWN, pinned, require_references
from mrv_assets.pipeline.sealed import Sealed, sealed_chain
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import checked_key

MANIFEST = "manifest.json"
INPUTS = "inputs.json"
SCHEMA = "mrv-kit-1"
MOST_BYTES = 2 << 30
"""A larger kit is refused: it is for somebody's laptop, and inputs can be left out."""

_PRIVATE_KEY = re.compile(rb"-----BEGIN [A-Z ]*PRIVATE KEY-----\s+[A-Za-z0-9+/=\s]{40}")
_UNSAFE = re.compile(r"[\\:]")


class Without(StrEnum):
    """What may be left out of a kit: deliveries, or everything that says where the land is."""

    INPUTS = "inputs"
    GEOMETRY = "geometry"


_STAYS: Mapping[Without, Mapping[str, str]] = {
    Without.INPUTS: dict.fromkeys((*DELIVERED, SHOWN), "it may not travel"),
    Without.GEOMETRY: dict.fromkeys((*DELIVERED, "boundary"), "it says where the land is"),
}
"""Kinds of inputs that stay behind, and why."""

_WITHHELD = (
    "geometry of activity and normalized: withheld; the other columns, areas among them, are shown to be those of the "
    "sealed tables, and that areas follow from footprints is not shown; the project file stays, and may name its place"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kit:
    """The files of a kit by their place in it, and what is left out of it, in words."""

    sealed: Sealed
    files: Mapping[str, bytes]
    left_out: Sequence[str]

    @property
    def name(self) -> str:
        """A file name for it."""
        key = self.sealed.certificate.key
        digits = self.sealed.certificate.sha256[:12]
        return f"{key.project_id}-{key.period}-{key.factor_version}-{digits}.kit.zip"


def make_kit(world: World, record: GenerationRecord, *, without: Collection[Without] = ()) -> Kit:
    """Gather the kit of a certificate.

    Without inputs, deliveries are named by URI and digest and do not travel. Without geometry, tables with footprints
    are shown without them, and source, boundary and STAC Item stay behind.

    Raises ContractError when reference data are not those that are pinned, when the kit is larger than `MOST_BYTES`,
    and when a file of it holds a private key or has a name that does not unpack safely; Tampering when something sealed
    is gone or another one.
    """
    sealed = sealed_chain(world.slots, record)
    pins = pinned(world, sealed.certificate)
    require_references(pins)
    stays = {kind: because for each in sorted(without) for kind, because in _STAYS[each].items()}
    inputs = kit_inputs(world, pins, left_out=stays)
    is_placeless = Without.GEOMETRY in without
    files = {
        **certificate_files(world, sealed),
        **blob_files(world, sealed, but=frozenset(PLACED if is_placeless else ())),
        **(disclosed_files(world, sealed) if is_placeless else {}),
        **code_files(sealed),
        **{place: data for one in inputs for place, data in one.files.items()},
        INPUTS: canonical_json([one.to_json(identity_of(sealed)) for one in inputs]),
    }
    said = [*_left_out(sealed, inputs, files), *([_WITHHELD] if is_placeless else [])]
    return _sealed_kit(sealed, files, said)


def _left_out(sealed: Sealed, inputs: Sequence[Input], files: Mapping[str, bytes]) -> list[str]:
    said = [f"{one.pin.ref.kind} {one.pin.ref.name}: {one.left_out}" for one in inputs if one.left_out]
    if names_a_folder(sealed.chain[Asset.ACTIVITY]):
        said.append(
            "the whole record of activity: it names a folder of the machine it was made on; what it states is in"
        )
    if LOCK not in files:
        said.append(
            "requirements.lock: the package was installed without its checkout; use the lock file of its release"
        )
    if other := other_code(sealed):
        said.append(f"the code that made {', '.join(other)}: the package is another version by now")
    return said


def _sealed_kit(sealed: Sealed, files: Mapping[str, bytes], left_out: Sequence[str]) -> Kit:
    files = {**files, README: readme(sealed, left_out)}
    _require_handable(files)
    members: list[Json] = [
        {"path": path, "sha256": sha256_hex(data), "size": len(data)} for path, data in sorted(files.items())
    ]
    manifest = self_sealed_json(
        {
            "schema": SCHEMA,
            "certificate": sealed.certificate.sha256,
            "partition": str(sealed.certificate.key),
            "members": members,
            "left_out": list(left_out),
        }
    )
    return Kit(sealed=sealed, files={**files, MANIFEST: manifest}, left_out=tuple(left_out))


def _require_handable(files: Mapping[str, bytes]) -> None:
    for path, data in files.items():
        if _UNSAFE.search(path):
            raise _refused(path, "a name that unpacks alike everywhere", "a backslash or a colon", "rename the file")
        checked_key(path)
        if _PRIVATE_KEY.search(data):
            raise _refused(path, "nothing secret", "a private key", "take the key out of the file, and replace it")
    size = sum(map(len, files.values()))
    if size > MOST_BYTES:
        largest = max(files, key=lambda path: len(files[path]))
        expected = f"at most {MOST_BYTES:,} bytes"
        found = f"{size:,} bytes, {len(files[largest]):,} of them in {largest}"
        raise _refused("all members", expected, found, "leave deliveries out with --without-inputs")


def _refused(where: str, expected: str, found: str, remedy: str) -> ContractError:
    return ContractError("kit cannot be handed out", where=where, expected=expected, found=found, remedy=remedy)
