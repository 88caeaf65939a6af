"""What a run manifest is: everything that one backfill was asked for, found, did, and moved.

It is the sheet that a reviewer reads before anything else: which partitions were committed, skipped and refused, and
the reported tonnes before and after, by project, period and cause. What does not belong here: gathering it (pipeline),
keeping it (storage) and showing it (report).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from mrv_assets.domain.backfill import BackfillRequest
from mrv_assets.domain.cause import Cause
from mrv_assets.domain.digest import Json, self_sealed_json, sha256_hex
from mrv_assets.domain.errors import BrokenChain, MrvError
from mrv_assets.domain.exact import exact_sum
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey
from mrv_assets.domain.tonnes import Tonnes

SCHEMA = "mrv-run-manifest-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetDone:
    """What a backfill did with one asset of a partition, and the generation that is current after it, if any."""

    asset: Asset
    outcome: Outcome
    generation: int | None
    content_digest: str | None
    reason: str

    def to_json(self) -> dict[str, Json]:
        """Return it as canonical-JSON-ready values."""
        return {
            "asset": self.asset.value,
            "outcome": self.outcome.value,
            "generation": self.generation,
            "content_digest": self.content_digest,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> AssetDone:
        """Read what `to_json` wrote."""
        return cls(**{**d, "asset": Asset(d["asset"]), "outcome": Outcome(d["outcome"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stood:
    """A figure as it was reported or certified, with the release and the certificate that it rests on."""

    tonnes: Tonnes
    factor_version: str
    certificate_sha256: str

    def to_json(self) -> dict[str, Json]:
        """Return the figure as canonical-JSON-ready values, decimals as text."""
        return {
            "emissions_tco2e": format(self.tonnes.emissions, "f"),
            "removals_tco2e": format(self.tonnes.removals, "f"),
            "net_tco2e": format(self.tonnes.net, "f"),
            "factor_version": self.factor_version,
            "certificate_sha256": self.certificate_sha256,
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Stood:
        """Read what `to_json` wrote."""
        return cls(
            tonnes=Tonnes(emissions=Decimal(d["emissions_tco2e"]), removals=Decimal(d["removals_tco2e"])),
            factor_version=d["factor_version"],
            certificate_sha256=d["certificate_sha256"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """Why a partition was refused: the family of the error, its five parts, and the gates that were red."""

    family: str
    what: str
    where: str
    expected: str
    found: str
    remedy: str
    red_gates: tuple[str, ...] = ()

    @classmethod
    def of(cls, error: MrvError, *, red_gates: Sequence[str] = ()) -> Trouble:
        """Take an error apart."""
        return cls(
            family=error.family,
            what=error.what,
            where=error.where,
            expected=error.expected,
            found=error.found,
            remedy=error.remedy,
            red_gates=tuple(red_gates),
        )

    def to_json(self) -> dict[str, Json]:
        """Return it as canonical-JSON-ready values."""
        return {
            "family": self.family,
            "what": self.what,
            "where": self.where,
            "expected": self.expected,
            "found": self.found,
            "remedy": self.remedy,
            "red_gates": list(self.red_gates),
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Trouble:
        """Read what `to_json` wrote."""
        return cls(**{**d, "red_gates": tuple(d["red_gates"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionDone:
    """What became of one partition.

    `before` and `after` are what the ledger reported then and reports now, None where it reported nothing; they are
    equal when the run did not move the figure. `certified` is the figure of the certificate where the ledger does not
    show it: it is held, or the run stopped before the ledger. `causes` are why the figure moved, or would move to what
    is certified; empty when it stands. `held` is why the ledger stays as it is.
    """

    key: PartitionKey
    assets: Sequence[AssetDone]
    before: Stood | None
    after: Stood | None
    certified: Stood | None
    causes: tuple[Cause, ...]
    held: str | None
    trouble: Trouble | None

    @property
    def outcome(self) -> Outcome:
        """REFUSED when it did not come through, COMMITTED when any asset has a new generation, else SKIPPED."""
        if self.trouble is not None:
            return Outcome.REFUSED
        is_new = any(done.outcome is Outcome.COMMITTED for done in self.assets)
        return Outcome.COMMITTED if is_new else Outcome.SKIPPED

    @property
    def has_changed(self) -> bool:
        """Tell whether the ledger reports another figure than before, if only by its certificate."""
        return self.before != self.after

    @property
    def has_moved(self) -> bool:
        """Tell whether the reported tonnes are others than before; a first figure is one that moved."""
        old, new = self.before, self.after
        return self.has_changed and (old is None or new is None or old.tonnes != new.tonnes)

    @property
    def delta_tco2e(self) -> Decimal:
        """The change of the reported net figure, t CO2e; a first figure counts from 0."""
        return exact_sum((_net(self.after), _net(self.before).copy_negate()))

    @property
    def cause(self) -> str:
        """All causes as one text."""
        return " + ".join(cause.value for cause in self.causes) or "nothing that is pinned"

    def to_json(self) -> dict[str, Json]:
        """Return it as canonical-JSON-ready values."""
        return {
            "project_id": self.key.project_id,
            "period": self.key.period,
            "factor_version": self.key.factor_version,
            "idempotency_key": self.key.idempotency_key,
            "outcome": self.outcome.value,
            "causes": [cause.value for cause in self.causes],
            "held": self.held,
            "before": self.before.to_json() if self.before else None,
            "after": self.after.to_json() if self.after else None,
            "certified": self.certified.to_json() if self.certified else None,
            "delta_tco2e": format(self.delta_tco2e, "f"),
            "assets": [done.to_json() for done in self.assets],
            "trouble": self.trouble.to_json() if self.trouble else None,
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> PartitionDone:
        """Read what `to_json` wrote."""
        return cls(
            key=PartitionKey(project_id=d["project_id"], period=d["period"], factor_version=d["factor_version"]),
            assets=tuple(AssetDone.from_json(each) for each in d["assets"]),
            before=Stood.from_json(d["before"]) if d["before"] else None,
            after=Stood.from_json(d["after"]) if d["after"] else None,
            certified=Stood.from_json(d["certified"]) if d["certified"] else None,
            causes=tuple(Cause(cause) for cause in d["causes"]),
            held=d["held"],
            trouble=Trouble.from_json(d["trouble"]) if d["trouble"] else None,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Unresolved:
    """A project and period of the window that no partition could be named for, and why. It counts as refused."""

    project_id: str
    period: str | None
    trouble: Trouble

    def __str__(self) -> str:
        return self.project_id if self.period is None else f"{self.project_id} {self.period}"

    def to_json(self) -> dict[str, Json]:
        """Return it as canonical-JSON-ready values."""
        return {"project_id": self.project_id, "period": self.period, "trouble": self.trouble.to_json()}

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> Unresolved:
        """Read what `to_json` wrote."""
        return cls(project_id=d["project_id"], period=d["period"], trouble=Trouble.from_json(d["trouble"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Total:
    """Reported net tonnes of a group of partitions before and after, t CO2e.

    `moved` counts the figures whose tonnes are others, `recertified` those that rest on another certificate of the same
    tonnes.
    """

    name: str
    partitions: int
    moved: int
    recertified: int
    before_tco2e: Decimal
    after_tco2e: Decimal

    @property
    def delta_tco2e(self) -> Decimal:
        """After minus before."""
        return exact_sum((self.after_tco2e, self.before_tco2e.copy_negate()))

    def to_json(self) -> dict[str, Json]:
        """Return it as canonical-JSON-ready values."""
        return {
            "name": self.name,
            "partitions": self.partitions,
            "moved": self.moved,
            "recertified": self.recertified,
            "before_tco2e": format(self.before_tco2e, "f"),
            "after_tco2e": format(self.after_tco2e, "f"),
            "delta_tco2e": format(self.delta_tco2e, "f"),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RunManifest:
    """The sheet of one backfill.

    `inputs` are the digests that were found when it began, by project and kind. `findings` are what its own validation
    found wrong at the end, and `remedied` what the preflight found and the policy let it remedy; both are empty for an
    uneventful run.
    """

    run_id: str
    request: BackfillRequest
    started_utc: str
    finished_utc: str
    inputs: Mapping[str, Mapping[str, str]]
    remedied: Sequence[str]
    partitions: Sequence[PartitionDone]
    unresolved: Sequence[Unresolved]
    findings: Sequence[str]

    @property
    def counts(self) -> Mapping[Outcome, int]:
        """How many partitions came to what; they add up to what was requested."""
        found = Counter(done.outcome for done in self.partitions)
        found[Outcome.REFUSED] += len(self.unresolved)
        return {outcome: found[outcome] for outcome in Outcome}

    @property
    def requested(self) -> int:
        """How many partitions were asked for."""
        return len(self.partitions) + len(self.unresolved)

    @property
    def is_clean(self) -> bool:
        """Tell whether nothing was refused and the validation found nothing."""
        return not (self.counts[Outcome.REFUSED] or self.findings)

    @property
    def total(self) -> Total:
        """All partitions together."""
        return _total("all", self.partitions)

    @property
    def by_project(self) -> tuple[Total, ...]:
        """One total for each project, by id."""
        return _grouped(self.partitions, lambda done: done.key.project_id)

    @property
    def by_period(self) -> tuple[Total, ...]:
        """One total for each period, by name."""
        return _grouped(self.partitions, lambda done: done.key.period)

    @property
    def by_cause(self) -> tuple[Total, ...]:
        """One total for each set of causes, of the partitions that report another figure than before."""
        return _grouped([done for done in self.partitions if done.has_changed], lambda done: done.cause)

    @property
    def sha256(self) -> str:
        """The digest by which the journal names the manifest."""
        return sha256_hex(self.to_bytes())

    def to_json(self) -> dict[str, Json]:
        """Return the manifest as canonical-JSON-ready values, with its totals for readers."""
        return {
            "schema": SCHEMA,
            "run_id": self.run_id,
            "request": self.request.to_json(),
            "started_utc": self.started_utc,
            "finished_utc": self.finished_utc,
            "inputs": {project: dict(found) for project, found in self.inputs.items()},
            "remedied": list(self.remedied),
            "requested": self.requested,
            "counts": {outcome.value: count for outcome, count in self.counts.items()},
            "total": self.total.to_json(),
            "by_project": [one.to_json() for one in self.by_project],
            "by_period": [one.to_json() for one in self.by_period],
            "by_cause": [one.to_json() for one in self.by_cause],
            "partitions": [done.to_json() for done in self.partitions],
            "unresolved": [one.to_json() for one in self.unresolved],
            "findings": list(self.findings),
        }

    def to_bytes(self) -> bytes:
        """Return the canonical, self-sealed bytes."""
        return self_sealed_json(self.to_json())

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> RunManifest:
        """Read a manifest. Raises BrokenChain naming `where` unless the bytes are exactly those that we write."""
        try:
            manifest = cls.draft(json.loads(data))
            is_ours = manifest.to_bytes() == data
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError, MrvError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_ours:
            raise _unreadable(where, "bytes that were altered, or totals that do not follow from the partitions")
        return manifest

    @classmethod
    def draft(cls, d: Mapping[str, Any]) -> RunManifest:
        """Read what `to_json` wrote and nobody has kept yet. Raises KeyError, ValueError, TypeError or Refusal."""
        return cls(
            run_id=d["run_id"],
            request=BackfillRequest.from_json(d["request"]),
            started_utc=d["started_utc"],
            finished_utc=d["finished_utc"],
            inputs=d["inputs"],
            remedied=tuple(d["remedied"]),
            partitions=tuple(PartitionDone.from_json(each) for each in d["partitions"]),
            unresolved=tuple(Unresolved.from_json(each) for each in d["unresolved"]),
            findings=tuple(d["findings"]),
        )


def _grouped(partitions: Sequence[PartitionDone], name: Callable[[PartitionDone], str]) -> tuple[Total, ...]:
    groups: dict[str, list[PartitionDone]] = {}
    for done in partitions:
        groups.setdefault(name(done), []).append(done)
    return tuple(_total(group, members) for group, members in sorted(groups.items()))


def _total(name: str, partitions: Sequence[PartitionDone]) -> Total:
    return Total(
        name=name,
        partitions=len(partitions),
        moved=sum(done.has_moved for done in partitions),
        recertified=sum(done.has_changed and not done.has_moved for done in partitions),
        before_tco2e=exact_sum(_net(done.before) for done in partitions),
        after_tco2e=exact_sum(_net(done.after) for done in partitions),
    )


def _net(figure: Stood | None) -> Decimal:
    return figure.tonnes.net if figure else Decimal(0)


def _unreadable(where: str, found: str) -> BrokenChain:
    return BrokenChain(
        "run manifest cannot be read",
        where=where,
        expected=f"the exact bytes of a manifest of {SCHEMA}",
        found=found,
        remedy="stop, keep the store as it is and restore the object from a replica",
    )
