"""`python -m mrv_assets.verify FILE`: the check for a stranger's laptop, with cryptography and pyarrow alone.

What does not belong here: checking (bundle), and the command of whoever has the store (cli).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from mrv_assets.domain.errors import MrvError, Tampering
from mrv_assets.verify.bundle import verify_bundle
from mrv_assets.verify.files import blobs_in, growth_of, read_bundle, read_checkpoints, read_trust
from mrv_assets.verify.reader import AtHand, Reader
from mrv_assets.verify.verification import State, Verification

HELD, NOT_TRUSTED, TAMPERED = 0, 1, 70
_RED, _GREEN, _YELLOW, _PLAIN = "\033[1;31m", "\033[32m", "\033[33m", "\033[0m"
_COLOURS = {State.HELD: _GREEN, State.UNSIGNED: _RED, State.NOT_CHECKED: _YELLOW}
_EPILOG = """\
exit codes: 0 every check that could be made held; 1 it cannot be trusted (nobody or an unknown key signed, a gate is
red, another file); 2 wrong usage; 70 something was altered, and is named. It reads the files that are named, and
nothing else: no network, no store.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Check one file, print what held or the first breach, and return the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        outcome = verify_bundle(
            read_bundle(asked.file),
            where=str(asked.file),
            reader=Reader(
                trust=read_trust(asked.trust) if asked.trust else None,
                now_utc=datetime.now(UTC).isoformat(),
                allow_unsigned=asked.allow_unsigned,
            ),
            at_hand=AtHand(
                blobs=blobs_in(asked.blobs),
                outside=read_checkpoints(asked.checkpoint),
                growth=growth_of(asked.proof),
            ),
        )
    except MrvError as error:
        _print_error(error, as_json=asked.json)
        return TAMPERED if isinstance(error, Tampering) else NOT_TRUSTED
    _print(outcome, as_json=asked.json)
    return HELD


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m mrv_assets.verify",
        description="Check a certificate that was handed out (*.mrv.json), offline.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="the certificate, as `mrv certificate` wrote it")
    parser.add_argument("--trust", metavar="FILE", type=Path, help="the public keys of whoever runs the platform")
    parser.add_argument("--blobs", metavar="DIR", type=Path, help="a folder of the stored tables, to check them too")
    parser.add_argument(
        "--checkpoint", metavar="FILE", type=Path, action="append", default=[], help="a published one; may be repeated"
    )
    parser.add_argument("--proof", metavar="FILE", type=Path, help="that the journal only grew since the checkpoint")
    parser.add_argument("--allow-unsigned", action="store_true", help="check digests although nobody vouches for them")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    return parser


def _print(outcome: Verification, *, as_json: bool) -> None:
    if as_json:
        _line(json.dumps({"is_held": True, **outcome.to_json()}, indent=2, ensure_ascii=False))
        return
    key, totals = outcome.certificate.key, outcome.certificate.totals
    _line(f"certificate {outcome.certificate.sha256}")
    _line(f"{key}: {totals.tonnes['net_tco2e']} t CO2e net, {totals.activity_rows} activity rows")
    for check in outcome.checks:
        _line(_coloured(f"{check.state.value:12}", _COLOURS[check.state]) + f"{check.name:30}{check.said}")


def _print_error(error: MrvError, *, as_json: bool) -> None:
    parts = {name: getattr(error, name) for name in ("what", "where", "expected", "found", "remedy")}
    if as_json:
        _line(json.dumps({"is_held": False, "error": type(error).__name__, **parts}, indent=2, ensure_ascii=False))
        return
    title = "ALTERED" if isinstance(error, Tampering) else "NOT TO BE TRUSTED"
    _line(_coloured(f"{title}: {type(error).__name__}", _RED))
    for name, text in parts.items():
        _line(f"  {name:10}{text}")


def _coloured(text: str, colour: str) -> str:
    return f"{colour}{text}{_PLAIN}" if sys.stdout.isatty() else text


def _line(text: str) -> None:
    sys.stdout.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
