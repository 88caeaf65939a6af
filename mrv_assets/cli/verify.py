"""`mrv verify`: check one file, one certificate of the store or all of them, and say what held.

What does not belong here: checking (verify) and showing the outcome (verify_text).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, REFUSED, TAMPERED, print_error, print_json, stdout
from mrv_assets.cli.verify_text import error_json, print_judgements, print_outcome, progress
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import ContractError, MrvError, Tampering, Transient
from mrv_assets.domain.trust import Trust
from mrv_assets.pipeline.certificates import find_certificate
from mrv_assets.pipeline.verifying import Judgement, all_certificates, judge_all, verify_stored
from mrv_assets.pipeline.world import utc_now
from mrv_assets.settings import Settings
from mrv_assets.storage.signing import KeyFolder
from mrv_assets.verify.bundle import verify_bundle
from mrv_assets.verify.files import blobs_in, read_bundle, read_checkpoints, read_trust
from mrv_assets.verify.reader import AtHand, Reader
from mrv_assets.verify.verification import Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is to be checked: words that name one certificate or a file, or all; and with what."""

    words: Sequence[str]
    is_all: bool
    trust: Path | None
    blobs: Path | None
    checkpoints: Sequence[Path]
    allow_unsigned: bool


def run_verify(asked: Asked, *, as_json: bool) -> int:
    """Check what is asked for, print the outcome, and return the exit code: that of the worst breach."""
    if asked.is_all == bool(asked.words):
        raise _one_thing(asked)
    if asked.is_all:
        return _all(asked, as_json=as_json)
    try:
        outcome = _one(asked)
    except Transient:
        raise
    except MrvError as error:
        if as_json:
            print_json(error_json(error))
            return _code(error)
        return print_error(error)
    if as_json:
        print_json({"is_held": True, **outcome.to_json()})
    else:
        print_outcome(stdout(), outcome)
    return DONE


def _one(asked: Asked) -> Verification:
    outside = read_checkpoints(asked.checkpoints)
    if _is_file(asked.words):
        return _file(asked, Path(asked.words[0]), outside)
    settings = enter()
    world = open_for_reading(settings)
    record = find_certificate(world.slots, " ".join(asked.words))
    return verify_stored(world, record, _reader(asked, settings), outside=outside)


def _file(asked: Asked, path: Path, outside: Sequence[Envelope]) -> Verification:
    bundle = read_bundle(path)
    reader = _reader(asked, Settings.from_env(os.environ))
    at_hand = AtHand(blobs=blobs_in(asked.blobs), outside=outside)
    return verify_bundle(bundle, where=str(path), reader=reader, at_hand=at_hand)


def _all(asked: Asked, *, as_json: bool) -> int:
    settings = enter()
    world = open_for_reading(settings)
    outside = read_checkpoints(asked.checkpoints)
    records = all_certificates(world)
    judged: list[Judgement] = []
    with progress(len(records)) as tell:
        for judgement in judge_all(world, records, _reader(asked, settings), outside=outside):
            judged.append(judgement)
            tell(len(judged))
    print_judgements(judged, as_json=as_json)
    errors = [one.outcome for one in judged if isinstance(one.outcome, MrvError)]
    return max(map(_code, errors), default=DONE)


def _reader(asked: Asked, settings: Settings) -> Reader:
    return Reader(trust=_trust(asked, settings), now_utc=utc_now().isoformat(), allow_unsigned=asked.allow_unsigned)


def _trust(asked: Asked, settings: Settings) -> Trust | None:
    """Return the keys that count; None where there is no list, which is not the same as an empty one."""
    if asked.trust is not None:
        return read_trust(asked.trust)
    trust = KeyFolder(settings.keys).trust()
    return trust if trust.keys else None


def _is_file(words: Sequence[str]) -> bool:
    return len(words) == 1 and (words[0].endswith(".json") or os.sep in words[0] or Path(words[0]).is_file())


def _code(error: MrvError) -> int:
    return TAMPERED if isinstance(error, Tampering) else REFUSED


def _one_thing(asked: Asked) -> ContractError:
    return ContractError(
        "it is not clear what to check",
        where="mrv verify",
        expected="a file, a certificate of the store, or --all",
        found="both" if asked.words else "neither",
        remedy="name one of them; `mrv verify --help` has examples",
    )
