"""What a gate may look at, what it answers, and how a gate that refuses to answer counts as red.

What does not belong here: the questions (one module per asset) and the register of all gates (gates).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import cached_property
from typing import TypeAlias

import pyarrow as pa

from mrv_assets.compliance.footprints import Footprints
from mrv_assets.compliance.verdict import Verdict
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.domain.figure_withdrawal import FigureWithdrawal, Reinstatement
from mrv_assets.domain.gate import GateOutcome
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.partition import Asset, PartitionKey, Period
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.domain.source import Footprint
from mrv_assets.domain.staged import Staged

Content: TypeAlias = pa.Table | bytes


@dataclass(frozen=True, kw_only=True)
class Case:
    """Everything a gate may look at when it judges the staged content of one partition.

    `upstream` is the content it was made from, by asset: the table, or the document bytes of a certificate.
    `upstream_gates` are the outcomes in the records of the assets before it and `expected_gates` the names
    that have to be among them; both matter to the certificate alone. `previous` is the generation that is
    current in the slot. `live` is the factor version of every other period that the project reports in the
    ledger, `rival` the live version of this period when neither it nor ours supersedes the other and no pin
    decides; `kin` are the periods that the project reports under its other names, each with the factor version, for the
    days of this period, or why that cannot be told. `withdrawal` is the word by which nothing is to be reported here,
    `reinstatement` the one by which a figure returns after that; all of these matter to the ledger alone. `rule_sets`
    are those that the project declares for the period, `max_relative_uncertainty` the share that it accepts, None where
    it says nothing of uncertainty; both matter to the
    certificate alone.
    """

    key: PartitionKey
    period: Period
    staged: Staged
    upstream: Mapping[Asset, Content]
    upstream_gates: Mapping[Asset, Sequence[GateOutcome]]
    expected_gates: Mapping[Asset, Sequence[str]]
    previous: GenerationRecord | None
    live: Mapping[str, str]
    rival: str | None
    kin: Mapping[tuple[str, str], str] | Refusal = field(default_factory=dict)
    withdrawal: FigureWithdrawal | None = None
    reinstatement: Reinstatement | None = None
    rule_sets: Sequence[RuleSet] = ()
    max_relative_uncertainty: Decimal | None = None

    @cached_property
    def footprints(self) -> Footprints:
        """The footprints of the staged table, measured once for all gates. Raises ContractError when it has none."""
        return Footprints(self.column("geometry"), self.column("row_id"))

    @cached_property
    def certificate(self) -> Certificate:
        """The staged certificate, read once for all gates. Raises BrokenChain when its bytes are not one."""
        return Certificate.from_bytes(self.staged.document, where=f"{self.where}, staged certificate")

    @property
    def footprint(self) -> Footprint:
        """What a row's footprint is. Raises ContractError when the evidence does not say."""
        text = self.staged.evidence.get("footprint", "")
        try:
            return Footprint(text)
        except ValueError:
            raise self.unmeasured("footprint", expected=", ".join(Footprint), found=repr(text)) from None

    @property
    def quarantined_ids(self) -> pa.ChunkedArray:
        """The ids of the rows that the stage set aside."""
        table = self.staged.quarantined
        return pa.chunked_array([], pa.string()) if table is None else table.column("row_id")

    @property
    def quarantined_share(self) -> Decimal:
        """How many of the rows that came in first were set aside so far, as a share; 1 when nobody counted."""
        if "rows_in" not in self.staged.evidence:
            return Decimal(min(len(self.quarantined_ids), 1))
        before = self.staged.evidence.get("rows_quarantined_before", "0")
        rows_in = int(self.measured("rows_in")) + int(before)
        return Decimal(len(self.quarantined_ids) + int(before)) / rows_in if rows_in else Decimal(0)

    @property
    def quarantine_limit(self) -> Decimal:
        """The largest share of rows that the project lets a stage set aside; 0 when it does not say."""
        return Decimal(self.staged.evidence.get("quarantine_max_share", "0"))

    @property
    def where(self) -> str:
        """The partition, as errors name it."""
        return str(self.key)

    def column(self, name: str) -> pa.ChunkedArray:
        """Return a column of the staged table. Raises ContractError when it is not there."""
        return column_of(self.staged.table, name, where=f"{self.where}, staged table")

    def upstream_column(self, asset: Asset, name: str) -> pa.ChunkedArray:
        """Return a column of an upstream table. Raises ContractError when it is not there."""
        table = self.upstream[asset]
        if isinstance(table, bytes):
            raise TypeError(f"upstream {asset} is a document, not a table")
        return column_of(table, name, where=f"{self.where}, upstream {asset}")

    def upstream_document(self, asset: Asset) -> bytes:
        """Return the document bytes of an upstream asset."""
        document = self.upstream[asset]
        if not isinstance(document, bytes):
            raise TypeError(f"upstream {asset} is a table, not a document")
        return document

    def measured(self, name: str) -> Decimal:
        """Return a number from the evidence. Raises ContractError when it is missing or not finite."""
        text = self.staged.evidence.get(name)
        try:
            value = Decimal(text) if text is not None else None
        except InvalidOperation:
            value = None
        if value is None or not value.is_finite():
            raise self.unmeasured(name, expected="a finite number as text", found=repr(text))
        return value

    def unmeasured(self, name: str, *, expected: str, found: str) -> ContractError:
        """Return the error of evidence that a gate needs and cannot use."""
        return ContractError(
            "evidence has no usable value",
            where=f"{self.where}, evidence {name}",
            expected=expected,
            found=found,
            remedy="materialise the asset again; a stage that does not measure is not believed",
        )


def column_of(table: pa.Table, name: str, *, where: str) -> pa.ChunkedArray:
    """Return a column by name. Raises ContractError naming `where` when the table does not have it."""
    if name not in table.column_names:
        raise ContractError(
            "table lacks a column",
            where=where,
            expected=name,
            found=", ".join(table.column_names) or "no columns",
            remedy="map the column in the project's [source.columns], or materialise upstream again",
        )
    return table.column(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    """One named question about the content of an asset."""

    name: str
    question: str
    judge: Callable[[Case], Verdict]

    def outcome(self, case: Case) -> GateOutcome:
        """Judge the case; a gate that meets a Refusal is red, any other exception passes through."""
        try:
            verdict = self.judge(case)
        except Refusal as refusal:
            return GateOutcome(
                gate=self.name,
                passed=False,
                observed=f"{refusal.where}: {refusal.found}",
                limit=refusal.expected,
                remedy=refusal.remedy,
            )
        return GateOutcome(
            gate=self.name,
            passed=verdict.passed,
            observed=verdict.observed,
            limit=verdict.limit,
            metrics=verdict.metrics,
            remedy="" if verdict.passed else verdict.remedy,
        )
