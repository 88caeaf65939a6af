from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.partition import Asset
from mrv_assets_tests.builders import good_case

DOCUMENT = good_case(Asset.CERTIFICATE).staged.document


def edited(edit: Callable[[dict[str, Any]], object]) -> bytes:
    """Return the certificate after an edit, in canonical spelling."""
    document = json.loads(DOCUMENT)
    edit(document)
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def test_certificate_reads_back_as_it_was_written() -> None:
    """Reading and writing gives the same bytes, and the digest is of those bytes."""
    certificate = Certificate.from_bytes(DOCUMENT, where="under test")
    assert certificate.to_bytes() == DOCUMENT
    assert certificate.sha256 == sha256_hex(DOCUMENT)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        DOCUMENT[:-1],
        DOCUMENT + b" ",
        edited(lambda d: d.update(schema="mrv-certificate-2")),
        edited(lambda d: d.update(idempotency_key="0" * 16)),
        edited(lambda d: d["totals"].update(net_tco2e="0")),
        edited(lambda d: d["totals"].update(emissions_tco2e="NaN")),
        edited(lambda d: d["totals"].update(emissions_tco2e="1,5")),
        edited(lambda d: d.update(period="2021-3")),
        edited(lambda d: d.update(note="approved")),
        edited(lambda d: d.pop("standard")),
        edited(lambda d: d["subjects"][0].pop("gates")),
        edited(lambda d: d["inputs"][0].update(extra="x")),
    ],
    ids=[
        "nothing",
        "null",
        "cut off",
        "a space more",
        "other schema",
        "idempotency key of another",
        "net that is not derived",
        "NaN total",
        "total that is no number",
        "period that is none",
        "a field more",
        "no standard",
        "subject without gates",
        "input with more",
    ],
)
def test_tampered_certificate_is_refused(data: bytes) -> None:
    """A document that is not exactly a certificate, or that contradicts itself, stops the reader."""
    with pytest.raises((BrokenChain,), match=r"certificate cannot be read.*certificate of anoka"):
        Certificate.from_bytes(data, where="certificate of anoka")


def test_changed_figure_has_another_digest() -> None:
    """A forged but well-formed figure reads, and is no longer the certificate that the ledger names."""

    def forge(document: dict[str, Any]) -> None:
        document["totals"].update(emissions_tco2e="0.000000000", net_tco2e="-987.224481054")

    forged = Certificate.from_bytes(edited(forge), where="under test")
    assert forged.sha256 != sha256_hex(DOCUMENT)


def test_net_keeps_every_digit() -> None:
    """Net is exact for totals wider than the default decimal context."""
    totals = Totals(emissions_tco2e=Decimal("1" + "0" * 28 + ".000000001"), removals_tco2e=Decimal(1), activity_rows=1)
    assert totals.net_tco2e == Decimal("9" * 28 + ".000000001")


def test_rows_set_aside_are_certified_by_subject() -> None:
    """A subject that was made of all rows has no word about others, as in the certificates of before."""
    certificate = Certificate.from_bytes(DOCUMENT, where="under test")
    assert all("quarantined" not in subject for subject in json.loads(DOCUMENT)["subjects"])
    subjects = [replace(certificate.subjects[0], quarantined=3), *certificate.subjects[1:]]
    written = replace(certificate, subjects=subjects).to_bytes()
    assert [s.get("quarantined") for s in json.loads(written)["subjects"]] == [3, None, None, None]
    assert [s.quarantined for s in Certificate.from_bytes(written, where="under test").subjects] == [3, 0, 0, 0]
    assert sha256_hex(written) != certificate.sha256
