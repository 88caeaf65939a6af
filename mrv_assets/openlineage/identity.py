"""Who tells an event, by which ids, and under which names: the same on every export, whoever makes it.

What does not belong here: what an event says.
"""

from __future__ import annotations

import uuid

from mrv_assets.domain.generation import InputRef, UpstreamRef
from mrv_assets.domain.partition import Slot

VERSION = "0.1.0"
"""Version of what is told: that of the platform, which a test compares with pyproject.toml."""

SITE = "https://mrv-assets.invalid"
"""Where the URIs of the project begin. They name and lead nowhere: `.invalid` is nobody's for ever (RFC 2606)."""

PRODUCER = f"{SITE}/releases/{VERSION}"


def schema_url(name: str) -> str:
    """Return the URL that names the schema of one of our own facets, as its file says."""
    return f"{SITE}/openlineage/facets/1-0-0/{name}.json#/$defs/{name}"


def run_uuid(namespace: str, run_id: str) -> str:
    """Return the id of a run of Dagster: its own where that is a UUID, else one that follows from it and the store."""
    try:
        return str(uuid.UUID(run_id))
    except ValueError:
        return _derived(namespace, f"run {run_id}")


def parent_uuid(namespace: str, kind: str, parent_id: str) -> str:
    """Return the id of what started a run: of a run that of `run_uuid`, of a backfill one that follows from its own."""
    return run_uuid(namespace, parent_id) if kind == "run" else _derived(namespace, f"{kind} {parent_id}")


def slot_uuid(namespace: str, event_id: str) -> str:
    """Return the id of what a run did with one slot: it follows from the id of the event and the store, by UUID 5."""
    return _derived(namespace, f"event {event_id}")


def dataset_name(of: Slot | InputRef | UpstreamRef) -> str:
    """Return the name of a dataset in the namespace of the store: of a slot by its parts, of an input by its kind."""
    if isinstance(of, InputRef):
        return f"{of.kind}/{of.name}"
    slot = of.slot if isinstance(of, UpstreamRef) else of
    parts = (slot.asset.value, slot.project_id, slot.period, slot.factor_version)
    return "/".join(part for part in parts if part is not None)


def generation_version(generation: int, content_digest: str) -> str:
    """Return the version of a generation as a dataset: its number, and what it holds."""
    return f"{generation}-{content_digest}"


def _derived(namespace: str, text: str) -> str:
    return str(uuid.uuid5(uuid.uuid5(uuid.NAMESPACE_URL, namespace), text))
