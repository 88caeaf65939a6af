"""`mrv certificate`: write what is handed out with a figure, and say whether anybody vouches for it.

What does not belong here: gathering it (pipeline.bundling) and checking it (cli.verify).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, print_json, stdout
from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.pipeline.bundling import bundle_of
from mrv_assets.pipeline.certificates import find_certificate, taken_back


def write_certificate(words: Sequence[str], out: Path, *, envelope_only: bool, as_json: bool) -> int:
    """Write the certificate that `words` name into a new file; return the exit code.

    Raises ContractError for a name that fits none or several, and for a file that is there or cannot be made.
    """
    world = open_for_reading(enter())
    record = find_certificate(world.slots, " ".join(words))
    bundle = bundle_of(world, record)
    back = taken_back(world.slots, record.slot.project_id, record.slot.period, record.content_digest)
    data = bundle.envelope.to_bytes() if envelope_only else bundle.to_bytes()
    _write(out, data)
    if as_json:
        print_json({"file": out, "bytes": len(data), **_said(bundle), "figure_withdrawn": back})
    else:
        _print(out, data, bundle)
        if back is not None:
            stdout().print(f"  WITHDRAWN: its figure was {back}", style="bold red", soft_wrap=True)
    return DONE


def _said(bundle: Bundle) -> dict[str, object]:
    return {
        "certificate_sha256": sha256_hex(bundle.envelope.payload),
        "signed_by": [one.key_id for one in bundle.envelope.signatures],
        "is_reported": bundle.ledger is not None,
        "journal_entries": [entry.number for entry in bundle.entries],
    }


def _print(out: Path, data: bytes, bundle: Bundle) -> None:
    console = stdout()
    console.print(f"{out}: {len(data):,} bytes", soft_wrap=True)
    console.print(f"  certificate  {sha256_hex(bundle.envelope.payload)}")
    for one in bundle.envelope.signatures:
        console.print(f"  signed by    {one.key_id}")
    if not bundle.envelope.signatures:
        console.print(
            "  UNSIGNED: nobody vouches for it. `mrv keys init`, then run the partition again.", style="bold red"
        )
    if bundle.checkpoint is not None and not bundle.checkpoint.signatures:
        console.print("  UNSIGNED: the checkpoint of the journal that its proofs lead to.", style="bold red")
    if bundle.ledger is None:
        console.print("  never reported by the ledger", style="yellow")


def _write(out: Path, data: bytes) -> None:
    try:
        with out.open("xb") as file:
            file.write(data)
    except OSError as error:
        raise ContractError(
            "certificate is not written",
            where=str(out),
            expected="a file that is not there yet, in a folder that may be written to",
            found=str(error.strerror or error),
            remedy="name another file, or remove the old one first",
        ) from error
