"""The published plan of a garbage collection: what could be removed, and from when on.

What does not belong here: choosing the candidates and removing them (gc).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime, timedelta

from mrv_assets.domain.digest import Json, canonical_json, sha256_hex
from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.census import GC_PLANS
from mrv_assets.storage.clock import utc_text
from mrv_assets.storage.object_store import ObjectStore

SCHEMA = "mrv-gc-plan-1"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Candidate:
    """One object that could go, its size in bytes (None for a temporary file) and the instant of its last change."""

    key: str
    modified: datetime
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Candidates of one look, made at `planned`. They are at least `min_age` old; the sweep may begin after `wait`."""

    candidates: tuple[Candidate, ...]
    planned: datetime
    min_age: timedelta
    wait: timedelta

    @property
    def id(self) -> str:
        """Sixteen hex digits of the candidates and ages: the same look twice is the same plan."""
        return sha256_hex(canonical_json(self._document()))[:16]

    @property
    def due(self) -> datetime:
        """The instant from which on the plan may be swept."""
        return self.planned + self.wait

    def to_bytes(self) -> bytes:
        """Return the canonical bytes of the plan."""
        return canonical_json({**self._document(), "planned_utc": utc_text(self.planned)})

    def _document(self) -> dict[str, Json]:
        return {
            "schema": SCHEMA,
            "min_age_s": int(self.min_age.total_seconds()),
            "wait_s": int(self.wait.total_seconds()),
            "candidates": [
                {"key": c.key, "size": c.size, "modified_utc": utc_text(c.modified)} for c in self.candidates
            ],
        }

    @classmethod
    def from_bytes(cls, data: bytes, *, where: str) -> Plan:
        """Read a plan. Raises ContractError naming `where` unless the bytes are those that were published."""
        try:
            d = json.loads(data)
            plan = cls(
                candidates=tuple(
                    Candidate(key=c["key"], size=c["size"], modified=datetime.fromisoformat(c["modified_utc"]))
                    for c in d["candidates"]
                ),
                planned=datetime.fromisoformat(d["planned_utc"]),
                min_age=timedelta(seconds=d["min_age_s"]),
                wait=timedelta(seconds=d["wait_s"]),
            )
            is_whole = plan.to_bytes() == data
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
            raise _refused(where, f"{type(error).__name__}: {error}") from error
        if not is_whole:
            raise _refused(where, "other bytes than the platform writes")
        return plan


def publish_plan(store: ObjectStore, plan: Plan) -> Plan:
    """Keep the plan, or return the one that was kept for the same candidates before, which counts from then.

    A plan without candidates is not kept.
    """
    if not plan.candidates or store.put_if_absent(_key(plan.id), plan.to_bytes()):
        return plan
    return load_plan(store, plan.id)


def load_plan(store: ObjectStore, plan_id: str) -> Plan:
    """Return a published plan. Raises ContractError when there is none of that name, or it is not as it was written."""
    key = _key(plan_id)
    data = store.get(key)
    if data is None:
        raise _refused(key, "no such plan")
    plan = Plan.from_bytes(data, where=key)
    if plan.id != plan_id:
        raise _refused(key, f"plan {plan.id}")
    return plan


def _key(plan_id: str) -> str:
    return f"{GC_PLANS}{plan_id}.json"


def _refused(where: str, found: str) -> ContractError:
    return ContractError(
        "plan cannot be swept",
        where=where,
        expected="a plan that `mrv gc` has published",
        found=found,
        remedy="make a new plan with `mrv gc` and give the id that it prints",
    )
