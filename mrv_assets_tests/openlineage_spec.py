"""Judges OpenLineage events by the published schemas, those of facets included, and by our own; without a network.

The base schema lets any facet pass that has a producer and a schema. So each facet is held against the schema that has
its name at its place: run, job, dataset, input or output. What does not belong here: making events.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]
from referencing import Registry, Resource

from mrv_assets_tests.world import PUBLIC_DATA, ROOT

SPEC = PUBLIC_DATA / "openlineage-spec"
OWN = ROOT / "mrv_assets" / "openlineage" / "facets"
BASE = "https://openlineage.io/spec/2-0-2/OpenLineage.json"
published = pytest.mark.skipif(not SPEC.is_dir(), reason="the published schemas are not in ../shared/data")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schemas:
    """Every schema by its $id, and the definition of each facet by its place and name."""

    registry: Any
    facets: Mapping[tuple[str, str], str]


@cache
def schemas() -> Schemas:
    """Read the schemas of the specification and our own, once."""
    files = [SPEC / "spec" / "OpenLineage.json", *sorted((SPEC / "spec" / "facets").glob("*.json")), *own_files()]
    documents = [json.loads(file.read_text()) for file in files]
    registry: Any = Registry().with_resources((d["$id"], Resource.from_contents(d)) for d in documents)
    return Schemas(registry=registry, facets=dict(pair for d in documents[1:] for pair in _facets(d)))


def own_files() -> list[Path]:
    """Return the files of our own facets."""
    return sorted(OWN.glob("*.json"))


def _facets(document: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    for name, ref in document["properties"].items():
        definition = document["$defs"].get(ref.get("$ref", "").rpartition("/")[2], {})
        for part in definition.get("allOf", ()):
            if part.get("$ref", "").startswith(BASE):
                yield (part["$ref"].rpartition("/")[2], name), document["$id"] + ref["$ref"]


def base_faults(event: Mapping[str, Any]) -> list[str]:
    """Return what the base schema alone has against an event."""
    return _faults(BASE, event)


def faults(event: Mapping[str, Any]) -> list[str]:
    """Return what the base schema and the schemas of the facets have against an event."""
    found = base_faults(event)
    for place, facets in _placed(event):
        for name, facet in facets.items():
            ref = schemas().facets.get((place, name))
            found += [f"{place} {name}: no schema"] if ref is None else _faults(ref, facet)
    return found


def named_schemas(event: Mapping[str, Any]) -> set[str]:
    """Return what an event and its facets call their schemas."""
    return {event["schemaURL"], *(f["_schemaURL"] for _, facets in _placed(event) for f in facets.values())}


def resolves(url: str) -> bool:
    """Tell whether the name of a schema leads to a definition in one of the files."""
    return bool(schemas().registry.resolver().lookup(url).contents)


def _placed(event: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield "RunFacet", event["run"].get("facets", {})
    yield "JobFacet", event["job"].get("facets", {})
    for dataset in (*event.get("inputs", ()), *event.get("outputs", ())):
        yield "DatasetFacet", dataset.get("facets", {})
        yield "InputDatasetFacet", dataset.get("inputFacets", {})
        yield "OutputDatasetFacet", dataset.get("outputFacets", {})


def _faults(ref: str, value: object) -> list[str]:
    validator = Draft202012Validator({"$ref": ref}, registry=schemas().registry, format_checker=FormatChecker())
    return [f"{ref.rpartition('/')[2]}: {error.message}" for error in validator.iter_errors(value)]
