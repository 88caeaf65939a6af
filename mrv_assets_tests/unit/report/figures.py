"""Figures made by hand, for comparing: a ledger record and a certificate that says what a test wants it to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal

from mrv_assets.domain.certificate import Certificate, Totals
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import BlobRef, GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.figures import Figure
from mrv_assets.report.published import PublishedStep
from mrv_assets_tests.builders import subject

SEALED = (Asset.ACTIVITY, Asset.NORMALIZED, Asset.FACTORED, Asset.AGGREGATED)


def figure(
    project: str = "a",
    *,
    period: str = "2021",
    tonnes: str = "100",
    removals: str = "0",
    version: str = "v1",
    gwp: str = "ar5",
    source: str = "first delivery",
    standard: str = "GHG Protocol",
    pins: Mapping[str, str] | None = None,
    inputs: Mapping[str, str] | None = None,
    sealing: Mapping[str, str] | None = None,
    gates: Sequence[str] = ("rows_present",),
    generation: int = 1,
) -> Figure:
    """Return a figure whose certificate names these inputs, pins of every asset, and gates.

    `inputs` are more of them, names by kind; `sealing` the pins of the certificate itself.
    """
    key = PartitionKey(project_id=project, period=period, factor_version=version)
    outcomes = [GateOutcome(gate=gate, passed=True, observed="1", limit="1") for gate in gates]
    certificate = Certificate(
        key=key,
        standard=standard,
        totals=Totals(emissions_tco2e=Decimal(tonnes), removals_tco2e=Decimal(removals), activity_rows=1),
        inputs=[
            InputRef(kind="project", name=project, digest=sha256_hex(project.encode())),
            InputRef(kind="source", name="electricity.csv", digest=sha256_hex(source.encode())),
            InputRef(kind="factor_release", name=version, digest=sha256_hex(version.encode())),
            InputRef(kind="gwp_set", name=gwp, digest=sha256_hex(gwp.encode())),
            *(
                InputRef(kind=kind, name=name, digest=sha256_hex(name.encode()))
                for kind, name in (inputs or {}).items()
            ),
        ],
        subjects=[subject(asset, outcomes, pins=pins or {"code": "1"}) for asset in SEALED],
        supersedes=None,
    )
    return Figure(
        record=_record(key, Asset.LEDGER, generation),
        sealing=replace(_record(key, Asset.CERTIFICATE, generation), pins=sealing or {"code": "1"}),
        certificate=certificate,
    )


def step(
    *,
    number: int = 1,
    projects: Sequence[str] = ("a",),
    periods: Sequence[str] = ("2021",),
    version: str = "v1",
    total: str = "100",
) -> PublishedStep:
    """Return a published step with the same total in each period."""
    return PublishedStep(
        date=date(2024, number, 1),
        title=f"State {number}",
        factor_version=version,
        landing="first",
        periods=tuple(periods),
        projects=tuple(projects),
        cause="as published",
        source="commit 1",
        published_total_tco2e=dict.fromkeys(periods, Decimal(total)),
    )


def _record(key: PartitionKey, asset: Asset, generation: int) -> GenerationRecord:
    return GenerationRecord(
        slot=Slot.of(asset, key),
        generation=generation,
        prev=None,
        blob=BlobRef(sha256="0" * 64, size=1, media_type="application/vnd.apache.parquet"),
        content_digest="0" * 64,
        rows=1,
        inputs_digest="0" * 64,
        inputs=(),
        upstream=(),
        pins={"factor_version": key.factor_version},
        evidence={},
        gates=(),
        reason="first content of the slot",
        run_id="run-1",
        write_id="write-1",
        written_utc="2026-01-02T03:04:05+00:00",
    )
