"""Who has signed a certificate and a tree head, each with a key that counted when it can have signed.

What does not belong here: what was signed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.dsse import Envelope
from mrv_assets.domain.errors import MrvError, SignatureInvalid, Unsigned, Untrusted
from mrv_assets.domain.journal_entry import DocumentKind
from mrv_assets.domain.trust import TrustedKey
from mrv_assets.verify.reader import Reader
from mrv_assets.verify.reading import Parts
from mrv_assets.verify.signatures import verify_signatures
from mrv_assets.verify.verification import Check, held, unsigned

UNHELD = "signature does not hold"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signed:
    """What became of the signatures over one payload: the keys that hold, or what is wrong.

    The error waits until it is known which leaf was changed.
    """

    keys: Sequence[TrustedKey]
    error: MrvError | None = None

    @property
    def is_altered(self) -> bool:
        """Whether a signature by a trusted key is there and is not one of these bytes."""
        return isinstance(self.error, SignatureInvalid) and self.error.what == UNHELD

    def check(self, name: str, envelope: Envelope) -> Check:
        """Return the check, for signatures that hold or that need not."""
        if self.keys:
            return held(name, "; ".join(map(str, self.keys)))
        if not envelope.signatures:
            return unsigned(name, "UNSIGNED: nobody vouches for it, whoever wrote the file could have made it up")
        ids = ", ".join(one.key_id[:16] for one in envelope.signatures)
        return unsigned(name, f"NOBODY IS TRUSTED: no trust file was given, so signatures by {ids} say nothing")


def certificate_signed(parts: Parts, reader: Reader) -> Signed:
    """Judge the signatures of the certificate, each made between its record and the entry that tells of its seal."""
    told, written = _told(parts), parts.sealing.written_utc
    return _signed(
        parts.envelope,
        reader,
        between=lambda key: (written, told.get(key.key_id)),
        where=f"{parts.where}, certificate",
    )


def head_signed(envelope: Envelope, reader: Reader, *, not_before: str | None, where: str) -> Signed:
    """Judge the signatures of a tree head, which says no time: it was made after `not_before`, if that is known.

    And before now. A key that had ended before cannot have signed it, and neither can one that does not count yet.
    """

    def between(key: TrustedKey) -> tuple[str, str | None]:
        return not_before or key.valid_from_utc, reader.now_utc

    return _signed(envelope, reader, between=between, where=where)


def _signed(
    envelope: Envelope, reader: Reader, *, between: Callable[[TrustedKey], tuple[str, str | None]], where: str
) -> Signed:
    """Judge each signature by itself, made in the time that `between` says of its key (`verify_signatures`)."""
    trust = reader.trust
    if trust is None:
        return Signed(keys=(), error=None if reader.allow_unsigned else _no_trust(where))
    keys: list[TrustedKey] = []
    try:
        for one in envelope.signatures:
            key = trust.key(one.key_id)
            since, until = between(key) if key else ("", None)
            alone = replace(envelope, signatures=(one,))
            with suppress(Untrusted):  # a second party's: it neither helps nor harms where one by a known key holds
                keys.extend(verify_signatures(alone, trust, since_utc=since, until_utc=until, where=where))
        if not keys:
            verify_signatures(envelope, trust, since_utc="", until_utc=None, where=where)
    except Unsigned as error:
        return Signed(keys=(), error=None if reader.allow_unsigned else error)
    except (SignatureInvalid, Untrusted) as error:
        return Signed(keys=(), error=error)
    return Signed(keys=tuple(keys))


def _told(parts: Parts) -> Mapping[str, str]:
    """Return when the journal was told of each seal, by key id; a signature is no younger than that."""
    folder = f"seals/{sha256_hex(parts.envelope.payload)}/"
    return {
        document.key.removeprefix(folder).removesuffix(".json"): told.entry.written_utc
        for told in parts.entries
        for document in told.entry.documents
        if document.kind is DocumentKind.SEAL and str(document.key).startswith(folder)
    }


def _no_trust(where: str) -> Untrusted:
    return Untrusted(
        "no trust file was given",
        where=where,
        expected="the public keys of whoever runs the platform",
        found="none, so a signature by anybody would do",
        remedy="give the trust file that the owner handed out; --allow-unsigned checks digests alone",
    )
