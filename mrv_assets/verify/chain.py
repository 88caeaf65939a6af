"""The records of a bundle against one another: one figure, each made from the one before it, and the ledger's row.

What does not belong here: what the certificate says of them (statement), and the journal.
"""

from __future__ import annotations

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import DigestMismatch
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.verify.figures import verify_figure
from mrv_assets.verify.reading import STOP, Parts, broken, named
from mrv_assets.verify.tables import readable, table_of, verify_content
from mrv_assets.verify.verification import Check, held, not_checked

_MADE_FROM = {
    Asset.NORMALIZED: (Asset.ACTIVITY,),
    Asset.FACTORED: (Asset.NORMALIZED,),
    Asset.AGGREGATED: (Asset.FACTORED,),
    Asset.CERTIFICATE: (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED),
    Asset.LEDGER: (Asset.CERTIFICATE,),
}


def verify_chain(parts: Parts, key: PartitionKey) -> Check:
    """Check that every record is of one partition, passed its gates and names those it was made from.

    Raises BrokenChain naming record and leaf, GateError for a red gate.
    """
    by_asset = {record.slot.asset: record for record in parts.records}
    for asset, record in by_asset.items():
        _require(f"{named(record)}: slot", parts, str(Slot.of(asset, key)), str(record.slot))
        record.require_passed()
        for name in _MADE_FROM.get(asset, ()):
            _require_upstream(parts, record, by_asset[name])
    return held("records", f"{len(by_asset)} records of {key}, each naming what it was made from")


def verify_ledger(parts: Parts, certificate: Certificate) -> Check:
    """Check the row of the ledger against its record, and against the figure of the certificate.

    Raises DigestMismatch naming the column or the leaf of the record, BrokenChain for one of the two alone.
    """
    record, data = parts.reporting, parts.ledger
    if (record is None) != (data is None):
        raise broken("ledger is not whole", parts.where, "its bytes and its record", "one of them")
    if record is None or data is None:
        return not_checked("ledger", "no ledger reports this certificate: it is held, or another one was reported")
    where = f"{parts.where}, ledger bytes"
    table = table_of(data, record.blob, where=where)
    with readable(where):
        verify_figure(table, certificate)
    verify_content(table, record, where=where)
    said = {"certificate_sha256": sha256_hex(parts.envelope.payload), **certificate.totals.tonnes}
    for one, names in ((record, certificate.totals.tonnes), (parts.sealing, said)):
        for name in names:
            _require_said(one, name, said[name], parts.where)
    return held("ledger", f"{said['net_tco2e']} t CO2e net, reported as generation {record.generation} of the ledger")


def _require_upstream(parts: Parts, record: GenerationRecord, source: GenerationRecord) -> None:
    """Check that a record names its source, by number and content."""
    where = [index for index, ref in enumerate(record.upstream) if ref.slot == source.slot]
    if not where:
        raise broken(f"{named(record)}: upstream", parts.where, f"{named(source)} among them", "not this one")
    ref, path = record.upstream[where[0]], f"{named(record)}: upstream[{where[0]}]"
    if ref.generation != source.generation:
        what = f"{path}.generation and the generation of {named(source)} do not agree"
        raise broken(what, parts.where, str(ref.generation), str(source.generation))
    _require(f"{path}.content_digest", parts, source.content_digest, str(ref.content_digest))


def _require(what: str, parts: Parts, expected: str, found: str) -> None:
    if expected != found:
        raise broken(f"{what} is another one", parts.where, expected, found)


def _require_said(record: GenerationRecord, name: str, expected: str, where: str) -> None:
    found = record.evidence.get(name, "nothing")
    if found != expected:
        what = f"{named(record)}: evidence.{name} is not what the certificate says"
        raise DigestMismatch(what, where=where, expected=expected, found=found, remedy=STOP)
