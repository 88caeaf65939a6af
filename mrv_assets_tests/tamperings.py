"""Every way to alter a certificate that is handed out, as what it must be detected, and the words that must be said.

`python -m mrv_assets_tests.tamperings` prints the table. What does not belong here: how a bundle is altered (altering).
"""

from __future__ import annotations

import json
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace

import structlog
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from mrv_assets.cli.terminal import plain_table, stdout
from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.dsse import CHECKPOINT, IN_TOTO, Envelope
from mrv_assets.domain.errors import (
    BrokenChain,
    DigestMismatch,
    MrvError,
    SignatureInvalid,
    Tampering,
    Unsigned,
    Untrusted,
)
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.trust import Trust
from mrv_assets_tests import altering as at
from mrv_assets_tests.handed_out import Shown, set_aside, unsigned_reader, whole, with_checkpoint
from mrv_assets_tests.signing import FIRST, SECOND, STRANGER, key_id, signed_by, trusted
from mrv_assets_tests.unit.pipeline.bumps import FIRST as OLDER
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE as NEWER

OTHER = "0" * 64
EARLIER = "2026-02-01T00:00:00+00:00"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """One alteration: its name, what it does with what a reader is shown, and as what it is detected."""

    name: str
    make: Callable[[Shown], Shown]
    found: type[MrvError]
    words: tuple[str, ...]
    version: str = OLDER
    quarantine: bool = False

    def detected(self) -> MrvError | None:
        """Alter a certificate, let it be checked, and return the breach, None when it passed."""
        origin = set_aside() if self.quarantine else whole()
        try:
            self.make(origin.shown("anoka", self.version)).verify()
        except MrvError as error:
            return error
        return None


def _row(
    name: str, make: Callable[[Shown], Shown], found: type[MrvError], *words: str, version: str = OLDER
) -> Alteration:
    return Alteration(name=name, make=make, found=found, words=words, version=version)


def _unsigned(alter: at.Alter) -> at.Alter:
    """Alter for a reader who trusts nobody: digests alone must show it."""
    return lambda shown: replace(alter(shown), reader=unsigned_reader())


def _flip(data: bytes, place_: int = -1) -> bytes:
    altered = bytearray(data)
    altered[place_] ^= 1
    return bytes(altered)


# --- records -----------------------------------------------------------------------------------------------------

_RECORD_LEAVES: tuple[tuple[Asset, str, object, type[MrvError], str], ...] = (
    (Asset.ACTIVITY, "slot.project_id", "carver", BrokenChain, "record activity generation 1: slot"),
    (Asset.FACTORED, "slot.factor_version", NEWER, BrokenChain, "record factored generation 1: slot"),
    (Asset.FACTORED, "generation", 2, BrokenChain, "record factored generation 2"),
    (Asset.ACTIVITY, "prev", OTHER, BrokenChain, "record activity generation 1: prev"),
    (Asset.FACTORED, "blob.sha256", OTHER, DigestMismatch, "record factored generation 1: blob.sha256"),
    (Asset.FACTORED, "blob.size", 1, DigestMismatch, "record factored generation 1: blob.size"),
    (Asset.FACTORED, "blob.media_type", "text/csv", DigestMismatch, "record factored generation 1: blob.media_type"),
    (Asset.NORMALIZED, "content_digest", OTHER, DigestMismatch, "record normalized generation 1: content_digest"),
    (Asset.AGGREGATED, "rows", 9, DigestMismatch, "record aggregated generation 1: rows"),
    (Asset.AGGREGATED, "inputs_digest", OTHER, BrokenChain, "record aggregated generation 1: inputs_digest"),
    (Asset.ACTIVITY, "inputs.2.digest", OTHER, DigestMismatch, "record activity generation 1: inputs[2]"),
    (Asset.FACTORED, "upstream.0.generation", 2, BrokenChain, "record factored generation 1: upstream[0].generation"),
    (Asset.FACTORED, "upstream.0.content_digest", OTHER, BrokenChain, "record factored generation 1: upstream[0]"),
    (Asset.FACTORED, "pins.pyarrow", "1.0", DigestMismatch, "record factored generation 1: pins.pyarrow"),
    (Asset.FACTORED, "evidence.gwp_set", "ar4", DigestMismatch, "record factored generation 1: evidence.gwp_set"),
    (Asset.FACTORED, "gates.0.passed", False, DigestMismatch, "gates[0] rows_conserved.passed"),
    (Asset.ACTIVITY, "evidence.source_uri", "file:///x", BrokenChain, "record activity generation 1: evidence"),
    (Asset.ACTIVITY, "reason", "a nicer one", BrokenChain, "record activity generation 1: reason"),
    (Asset.ACTIVITY, "run_id", "nobody", BrokenChain, "record activity generation 1: run_id"),
    (Asset.ACTIVITY, "write_id", "x", BrokenChain, "record activity generation 1: prev, write_id"),
    (Asset.ACTIVITY, "written_utc", EARLIER, BrokenChain, "record activity generation 1: written_utc"),
    (Asset.CERTIFICATE, "inputs.2.digest", OTHER, DigestMismatch, "record certificate generation 1: inputs[2]"),
    (Asset.CERTIFICATE, "pins.standard", "another", DigestMismatch, "record certificate generation 1: pins.standard"),
    (Asset.CERTIFICATE, "content_digest", OTHER, DigestMismatch, "record certificate generation 1: content_digest"),
    (Asset.CERTIFICATE, "blob.sha256", OTHER, DigestMismatch, "record certificate generation 1: blob.sha256"),
    (Asset.CERTIFICATE, "evidence.net_tco2e", "1", DigestMismatch, "record certificate generation 1: evidence.net"),
    (Asset.CERTIFICATE, "written_utc", EARLIER, BrokenChain, "record certificate generation 1: written_utc"),
    (Asset.CERTIFICATE, "gates.0.limit", "none", BrokenChain, "record certificate generation 1: prev, write_id"),
    (Asset.LEDGER, "evidence.net_tco2e", "1", DigestMismatch, "record ledger generation 1: evidence.net_tco2e"),
    (Asset.LEDGER, "upstream.0.content_digest", OTHER, BrokenChain, "record ledger generation 1: upstream[0]"),
    (Asset.LEDGER, "pins.pyarrow", "1.0", BrokenChain, "record ledger generation 1: prev, write_id"),
)  # fmt: skip
_RECORDS = (
    *(
        _row(f"record {asset}: {path}", at.record(asset, path, value), found, words)
        for asset, path, value, found, words in _RECORD_LEAVES
    ),
    _row(
        "record not sealed anew: pins.pyarrow",
        at.record(Asset.FACTORED, "pins.pyarrow", "1.0", is_sealed=False),
        DigestMismatch,
        "record factored generation 1: pins.pyarrow",
    ),
    _row(
        "record not sealed anew: write_id of the ledger",
        at.record(Asset.LEDGER, "write_id", "x", is_sealed=False),
        BrokenChain,
        "record ledger generation 1: prev, write_id",
    ),
    _row(
        "record of nobody's instant",
        at.record(Asset.ACTIVITY, "written_utc", "yesterday"),
        BrokenChain,
        "written_utc is no instant",
        "record activity",
    ),
    _row(
        "records in another order",
        at.of_bundle(lambda b: replace(b, records=(b.records[1], b.records[0], *b.records[2:]))),
        BrokenChain,
        "record is of another asset",
    ),
    _row(
        "record left out",
        at.of_bundle(lambda b: replace(b, records=b.records[1:4])),
        BrokenChain,
        "records are not those of one certificate",
    ),
)


def _reordered(shown: Shown) -> Shown:
    subjects = json.loads(shown.bundle.envelope.payload)["subject"]
    return at.statement(("subject", subjects[::-1]))(shown)


# --- certificate -------------------------------------------------------------------------------------------------

_STATED: tuple[tuple[str, object], ...] = (
    ("predicate.project_id", "carver"),
    ("predicate.totals.emissions_tco2e", "1.000000000"),
    ("predicate.totals.net_tco2e", "1.000000000"),
    ("predicate.rounding.row", "up"),
    ("predicate.standard", "another"),
    ("predicate.input_identity.2.digest", OTHER),
    ("predicate.pinned_configuration.2.pins.pyarrow", "1.0"),
    ("predicate.pinned_configuration.1.measured.crs_operation_accuracy_m", "0.1"),
    ("predicate.output_artifacts.0.content_digest", OTHER),
    ("predicate.output_artifacts.3.rows", 9),
)


def _path(path: str) -> str:
    """Write a path as the check does: the numbers of list members in brackets."""
    path = "".join(f"[{part}]" if part.isdigit() else f".{part}" for part in path.split(".")).removeprefix(".")
    return path.replace("input_identity[2]", "input_identity[2] source.csv")


_CERTIFICATE = (
    *(
        _row(f"certificate: {path}", at.statement((path, value)), SignatureInvalid, f"{_path(path)} was changed")
        for path, value in _STATED
    ),
    *(
        _row(f"unsigned certificate: {path}", _unsigned(at.statement((path, value))), DigestMismatch, _path(path))
        for path, value in _STATED
    ),
    _row(
        "certificate: a gate that passed",
        at.statement(("predicate.validation_outcomes.2.gates.0.passed", False)),
        SignatureInvalid,
        "predicate.validation_outcomes[2].gates[0] rows_conserved.passed was changed",
    ),
    _row(
        "certificate: digest of a subject",
        at.statement(("subject.5.digest.sha256", OTHER)),
        SignatureInvalid,
        "subject[5] factored/record.digest.sha256 was changed",
    ),
    _row("certificate: order of subjects", _reordered, SignatureInvalid, "subject[0]"),
    _row(
        "certificate: supersedes",
        at.statement(("predicate.supersedes", OTHER)),
        SignatureInvalid,
        "a leaf that only the statement holds",
        "predicate.supersedes",
    ),
    _row(
        "unsigned certificate: supersedes",
        _unsigned(at.statement(("predicate.supersedes", OTHER))),
        DigestMismatch,
        "a leaf that only it holds",
        "predicate.supersedes",
    ),
    _row(
        "total edited and everything re-hashed, without the key",
        at.rehashed("1.000000000"),
        SignatureInvalid,
        "the signature itself, or the statement and all that names it",
    ),
    _row(
        "certificate of another project with these records",
        lambda shown: _envelope_of(shown, "carver", OLDER),
        BrokenChain,
        "two figures: predicate.project_id",
    ),
    _row(
        "certificate of another factor version with this ledger",
        lambda shown: _envelope_of(shown, "anoka", NEWER),
        BrokenChain,
        "two figures: predicate.factor_version",
    ),
    _row(
        "records of two projects exchanged",
        lambda shown: _record_of(shown, Asset.NORMALIZED, "carver"),
        DigestMismatch,
        "record normalized generation 1",
    ),
    _row(
        "predecessor that never was",
        lambda shown: replace(shown, at_hand=replace(shown.at_hand, history=frozenset((OTHER,)))),
        BrokenChain,
        "predicate.supersedes names a certificate that never was",
        version=NEWER,
    ),
)


def _envelope_of(shown: Shown, project_id: str, version: str) -> Shown:
    other = whole().bundle(project_id, version)
    return replace(shown, bundle=replace(shown.bundle, envelope=other.envelope))


def _record_of(shown: Shown, asset: Asset, project_id: str) -> Shown:
    records, place_ = list(shown.bundle.records), list(Asset).index(asset)
    records[place_] = whole().bundle(project_id).records[place_]
    return replace(shown, bundle=replace(shown.bundle, records=tuple(records)))


# --- signatures and keys -----------------------------------------------------------------------------------------


def _by(*keys: Ed25519PrivateKey, payload_type: str = IN_TOTO) -> Callable[[Envelope], Envelope]:
    return lambda envelope: signed_by(*keys, payload=envelope.payload, payload_type=payload_type)


def _under(name: str, *keys: Ed25519PrivateKey, payload_type: str = IN_TOTO) -> Callable[[Envelope], Envelope]:
    """Sign by a key, and file it under another id."""

    def change(envelope: Envelope) -> Envelope:
        signed = _by(*keys, payload_type=payload_type)(envelope) if keys else envelope
        return replace(signed, signatures=(replace(signed.signatures[0], key_id=name),))

    return change


def _trusting(*, until: str | None = None, start: str | None = None) -> at.Alter:
    """Let the key of the certificate count at another time."""
    key = trusted(FIRST, until=until) if until else trusted(FIRST, until=None)
    key = replace(key, valid_from_utc=start) if start else key
    return lambda shown: replace(shown, reader=replace(shown.reader, trust=Trust(keys=(key,))))


def _signature_bit(envelope: Envelope) -> Envelope:
    [one] = envelope.signatures
    return replace(envelope, signatures=(replace(one, value=_flip(one.value)),))


def _of_another_payload(envelope: Envelope) -> Envelope:
    other = signed_by(FIRST, payload=b"{}", payload_type=envelope.payload_type)
    return replace(envelope, signatures=other.signatures)


def _false_list(shown: Shown) -> Shown:
    """Give a list in memory that files a stranger's key under the id of the right one; a file is refused as such."""
    false = replace(trusted(STRANGER), key_id=key_id(FIRST))
    return replace(shown, reader=replace(shown.reader, trust=Trust(keys=(false,))))


_KEYS = (
    _row(
        "unsigned envelope",
        at.signatures("envelope", lambda one: replace(one, signatures=())),
        Unsigned,
        "nobody has signed this",
        "certificate",
    ),
    _row(
        "signed by a stranger", at.signatures("envelope", _by(STRANGER)), Untrusted, "nobody whom this trust file knows"
    ),
    _row(
        "forged key id: a stranger under the id of a trusted key",
        at.signatures("envelope", _under(key_id(FIRST), STRANGER)),
        SignatureInvalid,
        "the signature itself",
    ),
    _row(
        "key id of another trusted key",
        at.signatures("envelope", _under(key_id(SECOND))),
        SignatureInvalid,
        "the signature itself",
    ),
    _row(
        "key id that is nobody's",
        at.signatures("envelope", _under(OTHER)),
        SignatureInvalid,
        "signature is filed under the id of another key",
    ),
    _row("bit of the signature", at.signatures("envelope", _signature_bit), SignatureInvalid, "the signature itself"),
    _row(
        "signature of another payload",
        at.signatures("envelope", _of_another_payload),
        SignatureInvalid,
        "the signature itself",
    ),
    _row(
        "signature of the kind of a checkpoint",
        at.signatures(
            "envelope",
            lambda one: replace(one, signatures=_by(FIRST, payload_type=CHECKPOINT)(one).signatures),
        ),
        SignatureInvalid,
        "the signature itself",
    ),
    _row(
        "payload type of another kind",
        at.signatures("envelope", lambda one: replace(one, payload_type=CHECKPOINT)),
        BrokenChain,
        "envelope.payloadType is another one",
    ),
    _row(
        "key that had ended", _trusting(until="2026-02-01T00:00:00Z"), SignatureInvalid, "key had ended when it signed"
    ),
    _row(
        "key that did not count yet",
        _trusting(start="2026-04-01T00:00:00Z"),
        SignatureInvalid,
        "key did not count yet when it signed",
    ),
    _row(
        "no trust file",
        lambda shown: replace(shown, reader=replace(shown.reader, trust=None)),
        Untrusted,
        "no trust file was given",
    ),
    _row(
        "trust file of somebody else",
        lambda shown: replace(shown, reader=replace(shown.reader, trust=Trust(keys=(trusted(STRANGER),)))),
        Untrusted,
        "nobody whom this trust file knows",
    ),
    _row("trust file with another key under the id", _false_list, SignatureInvalid, "signature"),
)


# --- journal, proof, checkpoint ----------------------------------------------------------------------------------

_ENTRY_LEAVES: tuple[tuple[str, object, str], ...] = (
    ("events.0.record_sha256", OTHER, "of activity anoka 2021: record_sha256"),
    ("events.4.content_digest", OTHER, "of certificate anoka 2021"),
    ("events.4.reason", "a nicer one", "reason is not what the record says"),
    ("events.4.generation", 2, "journal entry 1"),
    ("number", 2, "journal entry 1: number is another one"),
    ("prev", OTHER, "proof of journal entry 1"),
    ("run_id", "nobody", "proof of journal entry 1"),
    ("written_utc", "2026-02-01T00:00:00+00:00", "proof of journal entry 1"),
)


def _place(change: Callable[[list[bytes]], list[bytes]], *words: str, name: str) -> Alteration:
    return _row(name, at.proof(change), BrokenChain, "proof of journal entry 1", *words)


def _moved(bundle: Bundle) -> Bundle:
    other = whole().bundle("carver")
    return replace(bundle, entries=(replace(bundle.entries[0], proof=other.entries[0].proof),))


_JOURNAL = (
    *(
        _row(f"journal entry: {path}", at.entry(path, value), BrokenChain, words)
        for path, value, words in _ENTRY_LEAVES
    ),
    _row(
        "journal entry not sealed anew: an event's digest",
        at.entry("events.0.record_sha256", OTHER, is_sealed=False),
        BrokenChain,
        "of activity anoka 2021: record_sha256",
    ),
    _row(
        "journal entry not sealed anew: its run",
        at.entry("run_id", "nobody", is_sealed=False),
        BrokenChain,
        "its own seal is broken",
        "journal entry 1",
    ),
    _row(
        "journal entry: an event left out",
        at.without_event(Asset.CERTIFICATE),
        BrokenChain,
        "journal entry 1 does not tell of record certificate generation 1",
    ),
    _row(
        "journal entry left out",
        at.of_bundle(lambda b: replace(b, entries=())),
        BrokenChain,
        "bundle has no proof of the journal",
    ),
    _row(
        "checkpoint left out",
        at.of_bundle(lambda b: replace(b, checkpoint=None)),
        BrokenChain,
        "bundle has no proof of the journal",
    ),
    _place(lambda nodes: [_flip(nodes[0]), *nodes[1:]], name="proof: a node flipped"),
    _place(lambda nodes: nodes[1:], "too short", name="proof: a node dropped"),
    _place(lambda nodes: [*nodes, nodes[-1]], "too long", name="proof: a node doubled"),
    _place(lambda nodes: [nodes[0][:-1], *nodes[1:]], "hash is none of SHA-256", name="proof: a node cut"),
    _row("proof: of another entry", at.of_bundle(_moved), BrokenChain, "proof of journal entry 1"),
    _row(
        "proof: for another number",
        at.of_bundle(lambda b: replace(b, entries=(replace(b.entries[0], number=2),))),
        BrokenChain,
        "journal entry 2: number is another one",
    ),
    _row("checkpoint: size", at.checkpoint(("size", 4)), SignatureInvalid, "checkpoint", "size"),
    _row("checkpoint: root", at.checkpoint(("root", OTHER)), SignatureInvalid, "checkpoint root or size was changed"),
    _row(
        "checkpoint: origin",
        at.checkpoint(("origin", "mrv-journal/x")),
        SignatureInvalid,
        "checkpoint origin was changed",
    ),
    _row(
        "checkpoint: last",
        at.checkpoint(("last", OTHER)),
        SignatureInvalid,
        "checkpoint last was changed",
        version=NEWER,
    ),
    _row("unsigned checkpoint: root", _unsigned(at.checkpoint(("root", OTHER))), BrokenChain, "proof of journal entry"),
    _row("unsigned checkpoint: origin", _unsigned(at.checkpoint(("origin", "x"))), BrokenChain, "checkpoint origin"),
    _row(
        "checkpoint: signature of another payload",
        at.signatures("checkpoint", _of_another_payload),
        SignatureInvalid,
        "checkpoint",
        "or its signature was changed",
    ),
    _row(
        "checkpoint: unsigned",
        at.signatures("checkpoint", lambda one: replace(one, signatures=())),
        Unsigned,
        "nobody has signed this",
        "checkpoint",
    ),
    _row(
        "checkpoint: signed by a stranger",
        at.signatures("checkpoint", _by(STRANGER, payload_type=CHECKPOINT)),
        Untrusted,
        "checkpoint",
    ),
    _row(
        "checkpoint: key that had ended",
        lambda shown: _checkpoint_key(shown, start=None, until="2026-02-01T00:00:00Z"),
        SignatureInvalid,
        "key had ended when it signed",
        "checkpoint",
    ),
    _row(
        "checkpoint: key that does not count yet",
        lambda shown: _checkpoint_key(shown, start="2026-06-15T00:00:00Z", until=None),
        SignatureInvalid,
        "key did not count yet when it signed",
        "checkpoint",
    ),
)


def _checkpoint_key(shown: Shown, *, start: str | None, until: str | None) -> Shown:
    """Let the checkpoint be signed by the second key, which counts at another time."""
    second = trusted(SECOND, until=until)
    second = replace(second, valid_from_utc=start) if start else second
    signed = at.signatures("checkpoint", _by(SECOND, payload_type=CHECKPOINT))(shown)
    return replace(signed, reader=replace(signed.reader, trust=Trust(keys=(trusted(FIRST), second))))


# --- ledger, contents, published checkpoints ---------------------------------------------------------------------


def _blobs(change: Callable[[bytes | None], bytes | None], *, quarantine: bool = False) -> at.Alter:
    """Let the reader have another blob than the one of factored, or of activity's rows set aside."""

    def alter(shown: Shown) -> Shown:
        said = json.loads(shown.bundle.records[0 if quarantine else 2])
        sha256 = (said["quarantine"] if quarantine else said)["blob"]["sha256"]
        found = shown.at_hand.blobs
        assert found is not None
        return replace(
            shown,
            at_hand=replace(
                shown.at_hand, blobs=lambda asked: change(found(asked)) if asked == sha256 else found(asked)
            ),
        )

    return alter


def _other_ledger(bundle: Bundle) -> Bundle:
    return replace(bundle, ledger=whole().bundle("carver").ledger)


def _other_report(bundle: Bundle) -> Bundle:
    other = whole().bundle("anoka", NEWER)
    return replace(bundle, ledger=other.ledger, records=(*bundle.records[:5], other.records[5]))


def _rolled_back(_: Shown) -> Shown:
    """Show a journal that was cut after its first entry, to a reader who has seen all three."""
    return with_checkpoint(whole().rolled_back(to=1).shown(), whole().checkpoint())


def _second_log(*, is_longer: bool) -> at.Alter:
    """Show a reader another history after the same first entry, signed by the same key."""

    def alter(_: Shown) -> Shown:
        other = whole().rolled_back(to=1)
        for number in range(2, 5 if is_longer else 4):
            other.run("carver", NEWER, run_id=f"other-{number}")
        return with_checkpoint(other.shown(), whole().checkpoint())

    return alter


def _other_origin(shown: Shown) -> Shown:
    return with_checkpoint(shown, set_aside().checkpoint())


_BESIDE = (
    _row(
        "ledger: a bit",
        at.of_bundle(lambda b: replace(b, ledger=_flip(b.ledger or b""))),
        DigestMismatch,
        "ledger bytes",
    ),
    _row(
        "ledger: a column",
        at.ledger_column("net_tco2e", "1.000000000", is_rehashed=False),
        DigestMismatch,
        "ledger bytes",
    ),
    *(
        _row(
            f"ledger: {name} changed and re-hashed",
            at.ledger_column(name, value, is_rehashed=True),
            DigestMismatch,
            f"ledger column {name}",
        )
        for name, value in (
            ("project_id", "carver"),
            ("period", "2022"),
            ("factor_version", NEWER),
            ("emissions_tco2e", "1.000000000"),
            ("removals_tco2e", "1.000000000"),
            ("net_tco2e", "1.000000000"),
            ("activity_rows", 9),
            ("certificate_sha256", OTHER),
        )
    ),
    _row("ledger: of another project", at.of_bundle(_other_ledger), DigestMismatch, "ledger bytes"),
    _row(
        "ledger: of another factor version, with its record", at.of_bundle(_other_report), BrokenChain, "record ledger"
    ),
    _row(
        "ledger: left out, its record kept",
        at.of_bundle(lambda b: replace(b, ledger=None)),
        BrokenChain,
        "ledger is not whole",
    ),
    _row("blob missing", _blobs(lambda _: None), Tampering, "sealed content is gone", "record factored generation 1"),
    _row(
        "blob: a bit",
        _blobs(lambda data: _flip(data or b"")),
        DigestMismatch,
        "bytes are not those that were sealed",
        "record factored generation 1, blob",
    ),
    Alteration(
        name="rows set aside exchanged",
        make=_blobs(lambda _: whole().bundle().ledger, quarantine=True),
        found=DigestMismatch,
        words=("record activity generation 1, quarantine",),
        quarantine=True,
    ),
    Alteration(
        name="rows set aside missing",
        make=_blobs(lambda _: None, quarantine=True),
        found=Tampering,
        words=("sealed content is gone", "record activity generation 1, quarantine"),
        quarantine=True,
    ),
    _row(
        "journal rolled back behind a published checkpoint",
        _rolled_back,
        BrokenChain,
        "journal was rewritten or rolled back",
    ),
    _row(
        "second journal of the same size shown to a second reader",
        _second_log(is_longer=False),
        BrokenChain,
        "two journals (equivocation)",
        "as was published",
        "in the bundle",
    ),
    _row(
        "second journal that is longer",
        _second_log(is_longer=True),
        BrokenChain,
        "journal was rewritten or rolled back",
    ),
    _row("published checkpoint of another journal", _other_origin, BrokenChain, "of another journal: origin"),
    _row(
        "published checkpoint that nobody signed",
        lambda shown: with_checkpoint(shown, replace(shown.at_hand.outside[0], signatures=())),
        Unsigned,
        "published checkpoint 1",
    ),
    _row(
        "published checkpoint altered",
        lambda shown: with_checkpoint(shown, replace(shown.at_hand.outside[0], payload=b"{}")),
        BrokenChain,
        "published checkpoint 1",
    ),
)

TAMPERINGS: tuple[Alteration, ...] = (*_RECORDS, *_CERTIFICATE, *_KEYS, *_JOURNAL, *_BESIDE)


def main() -> int:
    """Print each tampering with what it was detected as; return 1 when one was not, or not by its name."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    table = plain_table(title="Tamperings: what was done, and as what it was detected")
    for name in ("tampering", "detected as", "in these words"):
        table.add_column(name, overflow="fold")
    missed = 0
    for row in TAMPERINGS:
        error = row.detected()
        is_named = type(error) is row.found and all(words in str(error) for words in row.words)
        missed += not is_named
        kind = type(error).__name__ if error else "NOT DETECTED"
        table.add_row(
            row.name, kind if is_named else f"WRONG: {kind}", f"{error.what} [{error.where}]" if error else ""
        )
    stdout().print(table)
    stdout().print(f"{len(TAMPERINGS)} tamperings, {missed} not detected as what they are")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
