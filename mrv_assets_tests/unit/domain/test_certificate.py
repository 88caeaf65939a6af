from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.compliance.certificate import SUBJECTS
from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import BrokenChain
from mrv_assets.domain.generation import BlobRef, Quarantined
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
        edited(lambda d: d.update(predicateType="urn:mrv-assets:certificate:3")),
        edited(lambda d: d["predicate"].update(idempotency_key="0" * 16)),
        edited(lambda d: d["predicate"]["totals"].update(net_tco2e="0")),
        edited(lambda d: d["predicate"]["totals"].update(emissions_tco2e="NaN")),
        edited(lambda d: d["predicate"]["totals"].update(emissions_tco2e="1,5")),
        edited(lambda d: d["predicate"].update(period="2021-3")),
        edited(lambda d: d["predicate"].update(note="approved")),
        edited(lambda d: d["predicate"].pop("standard")),
        edited(lambda d: d["predicate"]["validation_outcomes"][0].pop("gates")),
        edited(lambda d: d["predicate"]["input_identity"][0].update(extra="x")),
        edited(lambda d: d["predicate"]["rounding"].update(row="half-even to 1e-3 t CO2e, once for each row")),
        edited(lambda d: d["predicate"]["pinned_configuration"].pop()),
        edited(lambda d: d["subject"].pop()),
        edited(lambda d: d["subject"][0]["digest"].update(sha256="1" * 64)),
        edited(lambda d: d["predicate"]["output_artifacts"][1].update(record_sha256="1" * 64)),
    ],
    ids=[
        "nothing",
        "null",
        "cut off",
        "a space more",
        "other predicate",
        "idempotency key of another",
        "net that is not derived",
        "NaN total",
        "total that is no number",
        "period that is none",
        "a field more",
        "no standard",
        "subject without gates",
        "input with more",
        "other rounding",
        "configuration of one asset gone",
        "no word of the gates",
        "blob that the subject does not name",
        "record that the subject does not name",
    ],
)
def test_tampered_certificate_is_refused(data: bytes) -> None:
    """A document that is not exactly a certificate, or that contradicts itself, stops the reader."""
    with pytest.raises((BrokenChain,), match=r"certificate cannot be read.*certificate of anoka"):
        Certificate.from_bytes(data, where="certificate of anoka")


def test_changed_figure_has_another_digest() -> None:
    """A forged but well-formed figure reads, and is no longer the certificate that the ledger names."""

    def forge(document: dict[str, Any]) -> None:
        document["predicate"]["totals"].update(emissions_tco2e="0.000000000", net_tco2e="-987.224481054")

    forged = Certificate.from_bytes(edited(forge), where="under test")
    assert forged.sha256 != sha256_hex(DOCUMENT)


def test_net_keeps_every_digit() -> None:
    """Net is exact for totals wider than the default decimal context."""
    totals = Totals(emissions_tco2e=Decimal("1" + "0" * 28 + ".000000001"), removals_tco2e=Decimal(1), activity_rows=1)
    assert totals.net_tco2e == Decimal("9" * 28 + ".000000001")


def test_rows_set_aside_are_certified_by_subject() -> None:
    """A subject that was made of all rows has no word about others; one that was not names the blob of the others."""
    certificate = Certificate.from_bytes(DOCUMENT, where="under test")
    made = json.loads(DOCUMENT)["predicate"]["output_artifacts"]
    assert all("quarantine" not in artifact for artifact in made)
    aside = Quarantined(blob=BlobRef(sha256="5" * 64, size=9, media_type="application/json"), rows=3)
    subjects = [replace(certificate.subjects[0], quarantine=aside), *certificate.subjects[1:]]
    written = replace(certificate, subjects=subjects).to_bytes()
    named = {subject["name"]: subject["digest"]["sha256"] for subject in json.loads(written)["subject"]}
    assert named["activity/quarantine"] == "5" * 64
    assert [s.quarantined for s in Certificate.from_bytes(written, where="under test").subjects] == [3, 0, 0, 0]


def test_every_subject_is_named_once_with_its_digest() -> None:
    """An in-toto tool finds each blob, each record and the report of the gates by name."""
    statement = json.loads(DOCUMENT)
    assert [subject["name"] for subject in statement["subject"]] == [
        *(name for asset in SUBJECTS for name in (asset.value, f"{asset.value}/record")),
        "validation_outcomes",
    ]
    report = json.dumps(statement["predicate"]["validation_outcomes"], sort_keys=True, separators=(",", ":"))
    assert statement["subject"][-1]["digest"]["sha256"] == sha256_hex(report.encode())
