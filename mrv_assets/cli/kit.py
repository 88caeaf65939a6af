"""`mrv kit`: one zip file by which a stranger makes a certified figure again. Nothing is written to the store.

What does not belong here: what is in it (pipeline).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import print_json, stdout
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.kit import Kit, Without, make_kit
from mrv_assets.pipeline.kit_archive import zipped


def write_kit(certificate: Sequence[str], *, out: Path | None, without: Collection[str], as_json: bool) -> None:
    """Write the kit and say what is in it and what is not. Raises what `find_certificate` and `make_kit` raise.

    Raises ContractError for a file that is there and is another one.
    """
    world = open_for_reading(enter())
    kit = make_kit(
        world, find_certificate(world.slots, " ".join(certificate)), without=[Without(name) for name in without]
    )
    data = zipped(kit.files)
    path = out or Path(kit.name)
    _write(path, data)
    _say(kit, path, data, as_json=as_json)


def _write(path: Path, data: bytes) -> None:
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        if path.read_bytes() != data:
            raise ContractError(
                "file is there already",
                where=f"--out {path}",
                expected="no file, or this very kit",
                found="another file",
                remedy="choose another name, or remove the file",
            ) from None


def _say(kit: Kit, path: Path, data: bytes, *, as_json: bool) -> None:
    digest, certificate = sha256_hex(data), kit.sealed.certificate
    if as_json:
        print_json(
            {
                "file": path,
                "sha256": digest,
                "size": len(data),
                "certificate": certificate.sha256,
                "members": sorted(kit.files),
                "left_out": list(kit.left_out),
            }
        )
        return
    out = stdout()
    out.print(f"Written: {path}", soft_wrap=True)
    out.print(f"{len(kit.files):,} files, {len(data):,} bytes, sha256 {digest}", soft_wrap=True)
    out.print(f"Certificate {certificate.sha256} of {certificate.key}", soft_wrap=True)
    for each in kit.left_out:
        out.print(f"Left out: {each}", soft_wrap=True)
