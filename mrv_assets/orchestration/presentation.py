"""How outcomes look in Dagit: gates as check results with numbers it can plot, contents as materialisation metadata."""

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal, InvalidOperation

from dagster import AssetCheckResult, MetadataValue
from dagster._core.definitions.metadata import RawMetadataValue

from mrv_assets.domain.assessment import Assessment, Status
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.partition import PartitionKey
from mrv_assets.domain.source_identity import source_identity
from mrv_assets.pipeline.run import Kept


def check_results(gates: Iterable[GateOutcome]) -> list[AssetCheckResult]:
    """Return one check result for each gate, red or green, with its observed value, limit, numbers and remedy."""
    return [
        AssetCheckResult(
            check_name=gate.gate, passed=gate.passed, description=gate.observed, metadata=_gate_metadata(gate)
        )
        for gate in gates
    ]


def _gate_metadata(gate: GateOutcome) -> dict[str, RawMetadataValue]:
    metadata: dict[str, RawMetadataValue] = {"observed": gate.observed, "limit": gate.limit}
    if gate.remedy:
        metadata["remedy"] = gate.remedy
    return metadata | {name: _plottable(value) for name, value in gate.metrics.items()}


def kept_metadata(kept: Kept) -> dict[str, RawMetadataValue]:
    """Return what happened to the slot, and the numbers its stage measured, for the partition's page."""
    metadata: dict[str, RawMetadataValue] = {"outcome": kept.outcome.value, "reason": kept.reason}
    if kept.record is None:
        return metadata
    record = kept.record
    return {
        **metadata,
        "generation": record.generation,
        "rows": record.rows,
        **evidence_metadata(record.evidence),
        "content_digest": record.content_digest,
        "inputs_digest": record.inputs_digest,
    }


def assessment_metadata(certificate: Certificate) -> dict[str, RawMetadataValue]:
    """Return a table for each rule set of a certificate: its waterfall, and every control with what it came to."""
    return {
        f"assessment {one.rule_set}": MetadataValue.md("\n\n".join(_tables(one))) for one in certificate.assessments
    }


def _tables(one: Assessment) -> Iterator[str]:
    if one.waterfall is not None:
        steps = zip(one.waterfall.lines, one.waterfall.running(), strict=True)
        rows = [markdown_row(s.name, f"{s.change_tco2e:+f}", f"{left:f}", s.clause, s.note) for s, left in steps]
        yield "\n".join(["| step | change t | left t | clause | |", "| --- | ---: | ---: | --- | --- |", *rows])
    if one.controls:
        rows = [
            markdown_row(
                c.rule,
                "**fail**" if c.status is Status.FAIL else c.status,
                c.observed,
                c.limit,
                f"{c.clause} [{c.tag}]",
            )
            for c in one.controls
        ]
        yield "\n".join(["| control | | observed | limit | clause |", "| --- | --- | --- | --- | --- |", *rows])


def markdown_row(*cells: str) -> str:
    """Return a row of Markdown. Evidence is quoted in it, and a bar or a line break would begin a cell or a row."""
    return f"| {' | '.join(' '.join(cell.split()).replace('|', '&#124;') for cell in cells)} |"


def evidence_metadata(evidence: Mapping[str, str]) -> dict[str, RawMetadataValue]:
    """Return evidence as metadata: numbers as floats for plotting, all else as text. Exact values are in the record.

    What names the source file stays text, because an id of digits is no number.
    """
    named = source_identity(evidence)
    return {
        name: MetadataValue.text(text) if name in named else _number_or_text(text) for name, text in evidence.items()
    }


def partition_metadata(key: PartitionKey) -> dict[str, RawMetadataValue]:
    """Return the identity of a partition, in full."""
    return {
        "project_id": key.project_id,
        "period": key.period,
        "factor_version": key.factor_version,
        "idempotency_key": key.idempotency_key,
    }


def _plottable(value: int | Decimal) -> MetadataValue:
    return MetadataValue.int(value) if isinstance(value, int) else MetadataValue.float(float(value))


def _number_or_text(text: str) -> MetadataValue:
    try:
        number = Decimal(text)
    except InvalidOperation:
        return MetadataValue.text(text)
    return MetadataValue.float(float(number)) if number.is_finite() else MetadataValue.text(text)
