"""What one stage of one partition comes down to before it is computed: pinned digests, how to make, what to judge."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from mrv_assets.compliance.case import Case
from mrv_assets.domain.approval import APPROVAL
from mrv_assets.domain.contract import Contract
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.generation import REINSTATEMENT, GenerationRecord, InputRef, UpstreamRef, consumed
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.staged import Staged

_DIGEST_LENGTH = 64
_LETS_THROUGH = (APPROVAL, REINSTATEMENT)
_T = TypeVar("_T")


class Once(Generic[_T]):
    """Something large that is handed on once, so that its memory is free when the receiver has done with it."""

    def __init__(self, value: _T) -> None:
        self._held = [value]

    def take(self) -> _T:
        """Return it. Raises IndexError the second time."""
        return self._held.pop()


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """One stage of one partition, resolved to digests and not yet computed.

    `external` are the pinned inputs from outside the store, `upstream` the generations it reads, `pins` the
    configuration. `make` loads and computes; `case` gathers what the gates look at, the current generation included.
    `hold` says why the content may not move now, or is None; `refusal` why it may not even be made, unless it is
    skipped. `approval` lets the content take the place of another one and says nothing of what it is; so does
    `reinstatement`, after a withdrawal. `said` are the words of a person that the content is kept by, `settled` is what
    is said when the slot is left as it is; both are None for content that is kept by nobody's word. `source` is the
    identity of the source file, empty where none is read.
    """

    asset: Asset
    key: PartitionKey
    contract: Contract | None
    external: Sequence[InputRef]
    upstream: Sequence[GenerationRecord]
    pins: Mapping[str, str]
    make: Callable[[], Staged]
    case: Callable[[Staged, GenerationRecord | None], Case]
    hold: str | None = None
    refusal: Refusal | None = None
    approval: InputRef | None = None
    reinstatement: InputRef | None = None
    said: str | None = None
    settled: str | None = None
    source: Mapping[str, str] = field(default_factory=dict)

    @property
    def slot(self) -> Slot:
        """The slot the content will be kept in."""
        return Slot.of(self.asset, self.key)

    @property
    def inputs_digest(self) -> str:
        """Digest of everything that determines the content: known before anything is computed."""
        return sha256_hex(
            canonical_json(
                {
                    "slot": str(self.slot),
                    "external": [[ref.kind, ref.name, ref.digest] for ref in self.external],
                    "upstream": [[str(record.slot), record.content_digest] for record in self.upstream],
                    "pins": dict(self.pins),
                }
            )
        )

    @property
    def inputs(self) -> tuple[InputRef, ...]:
        """What the record is to name from outside the store: the pinned inputs, and the words that let it through."""
        return (*self.external, *(ref for ref in (self.approval, self.reinstatement) if ref is not None))

    @property
    def upstream_refs(self) -> tuple[UpstreamRef, ...]:
        """The upstream generations by slot, number and content digest."""
        return tuple(
            UpstreamRef(slot=r.slot, generation=r.generation, content_digest=r.content_digest) for r in self.upstream
        )

    @property
    def consumed(self) -> dict[str, str]:
        """The digests the stage consumes, by name, for lineage and telemetry."""
        return consumed(self.inputs, self.upstream_refs)

    def reason_after(self, current: GenerationRecord | None) -> str:
        """Say why new content follows `current`, by naming what changed."""
        if current is None:
            return "first content of the slot"
        if self.said is not None:
            return self.said
        changed = [
            *_changed(_inputs(ref for ref in current.inputs if ref.kind not in _LETS_THROUGH), _inputs(self.external)),
            *_changed(_contents(current.upstream), _contents(self.upstream_refs)),
            *_changed(current.pins, self.pins),
        ]
        return f"changed: {', '.join(changed)}" if changed else "forced recomputation"


def _inputs(refs: Iterable[InputRef]) -> dict[str, str]:
    """Return what each kind of input is, by name; a changed file of the same name shows by its digest."""
    return {ref.kind: f"{ref.name} {ref.digest[:12]}" for ref in refs}


def _contents(refs: Sequence[UpstreamRef]) -> dict[str, str]:
    return {ref.slot.asset.value: ref.content_digest[:12] for ref in refs}


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [
        f"{name} {_short(before.get(name))} → {_short(after.get(name))}"
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    ]


def _short(value: str | None) -> str:
    """Return a value as a reason shows it: a digest by its first 12 digits."""
    if value is None:
        return "none"
    return value[:12] if len(value) == _DIGEST_LENGTH else value
