"""What is told of a journal: valid by the published schemas, the same each time, and true to records and gates."""

from __future__ import annotations

import json
import tomllib
import uuid
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from openlineage.client.serde import Serde

from mrv_assets.domain.generation import InputRef, UpstreamRef, consumed, consumed_ref
from mrv_assets.domain.journal_entry import JournalEntry, Parent, ParentKind
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.openlineage.events import events_of
from mrv_assets.openlineage.identity import VERSION, run_uuid, slot_uuid
from mrv_assets_tests.openlineage_spec import SPEC, base_faults, faults, named_schemas, own_files, published, resolves
from mrv_assets_tests.unit.openlineage.worlds import RUN, all_told, electricity, told, worlds
from mrv_assets_tests.world import ROOT

WORLDS = ("electricity", "located", "forest")
HEX = "0" * 64


def ended(name: str, asset: Asset, outcome: Outcome) -> list[dict[str, Any]]:
    """Return the last events of the runs that did this with a slot of the asset."""
    wanted = (asset.value, outcome.value)
    facets = ((event, event["run"]["facets"].get("mrv_outcome")) for event in all_told(name))
    return [event for event, facet in facets if facet and (facet["asset"], facet["outcome"]) == wanted]


@published
@pytest.mark.parametrize("name", WORLDS)
def test_every_event_is_valid_by_the_published_schemas(name: str) -> None:
    """Those of the facets included, and every schema that is named is there."""
    events = all_told(name)
    assert events
    assert [fault for event in events for fault in faults(event)] == []
    assert all(resolves(url) for event in events for url in named_schemas(event))


@published
@pytest.mark.parametrize("kind", ["run", "job", "dataset", "input_dataset", "output_dataset"])
def test_a_bad_facet_that_the_base_schema_lets_pass_is_caught(kind: str) -> None:
    """So the test above would notice one."""
    event = json.loads((SPEC / "proxy" / "fluentd" / "events" / f"event_invalid_{kind}_facet.json").read_text())
    assert base_faults(event) == []
    assert faults(event) != []


@published
@pytest.mark.parametrize("name", ["event_simple", "event_full"])
def test_a_published_valid_event_passes(name: str) -> None:
    """The judge does not refuse what the specification shows; its facets are of older versions than the schemas."""
    event = json.loads((SPEC / "proxy" / "fluentd" / "events" / f"{name}.json").read_text())
    assert base_faults(event) == []


@published
def test_an_event_without_a_run_id_is_refused() -> None:
    """By the base schema already."""
    event = json.loads((SPEC / "proxy" / "fluentd" / "events" / "event_no_run_id.json").read_text())
    assert base_faults(event) != []


def test_our_own_facets_have_schemas_that_are_schemas() -> None:
    """Each names itself by the address that its events name, and says what it is."""
    for file in own_files():
        document = json.loads(file.read_text())
        Draft202012Validator.check_schema(document)
        assert document["$id"].endswith(f"/{file.name}")
        assert all(name.startswith("mrv_") for name in document["properties"])
    assert len(own_files()) == 4


@pytest.mark.parametrize("name", WORLDS)
def test_the_same_journal_gives_the_same_bytes(name: str) -> None:
    """Whoever exports it, and whenever."""
    world = worlds()[name]
    for entry in world.journal.entries():
        once, again = (
            [Serde.to_json(event) for event in events_of(entry, world.slots.record, namespace=world.store.uri)]
            for _ in range(2)
        )
        assert once == again


@pytest.mark.parametrize("name", WORLDS)
def test_no_number_is_a_float(name: str) -> None:
    """Digits travel as text or as whole numbers; so there is no NaN either."""

    def numbers(value: object) -> Iterator[float]:
        if isinstance(value, float):
            yield value
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from numbers(inner)

    assert [number for event in all_told(name) for number in numbers(event)] == []


@pytest.mark.parametrize("name", WORLDS)
def test_each_run_begins_once_and_ends_once(name: str) -> None:
    """START first, then COMPLETE or FAIL, at instants that do not run backwards, with URIs that are some."""
    states: dict[str, list[str]] = {}
    for event in all_told(name):
        states.setdefault(event["run"]["runId"], []).append(event["eventType"])
        assert datetime.fromisoformat(event["eventTime"]).tzinfo is not None
        assert urlsplit(event["producer"]).scheme == "https"
    assert set(map(tuple, states.values())) <= {("START", "COMPLETE"), ("START", "FAIL")}


def test_a_refusal_fails_and_says_why() -> None:
    """The run of the slot with the reason and its red gates, and the run of Dagster with how many were refused."""
    by_gate, without_release = (
        ended("electricity", asset, Outcome.REFUSED)[0] for asset in (Asset.ACTIVITY, Asset.FACTORED)
    )
    assert by_gate["eventType"] == without_release["eventType"] == "FAIL"
    assert by_gate["run"]["facets"]["errorMessage"]["message"] == "red gates: quantity_valid, expectations_met"
    tests = by_gate["run"]["facets"]["test"]["tests"]
    assert [(test["name"], test["status"]) for test in tests] == [
        ("quantity_valid", "fail"),
        ("expectations_met", "fail"),
    ]
    assert "gone-1" in without_release["run"]["facets"]["errorMessage"]["message"]
    assert "test" not in without_release["run"]["facets"]
    assert by_gate["outputs"] == []
    parents = [event for event in all_told("electricity") if event["job"]["name"] == "mrv/run"]
    failed = [event for event in parents if event["eventType"] == "FAIL"]
    messages = [event["run"]["facets"]["errorMessage"]["message"] for event in failed]
    assert messages == ["1 of 1 slots refused", "1 of 3 slots refused"]


def test_a_skip_names_what_it_left_and_claims_no_writing() -> None:
    """Its output is the generation that stays current; statistics and changes are those of commits."""
    [skip] = ended("electricity", Asset.AGGREGATED, Outcome.SKIPPED)
    [output] = skip["outputs"]
    assert output["facets"]["version"]["datasetVersion"].startswith("1-")
    assert "lifecycleStateChange" not in output["facets"]
    assert output["outputFacets"] == {}


def test_a_held_figure_does_not_lead_to_the_reported_one() -> None:
    """What is reported meanwhile was made from other inputs."""
    world = worlds()["electricity"]
    [*_, event] = next(iter(world.journal.entries())).events
    held = replace(event, outcome=Outcome.SKIPPED, reason="held: needs approval", inputs_digest=HEX)
    entry = replace(next(iter(world.journal.entries())), events=(held,))
    assert told(world, entry)[2]["outputs"] == []


def test_an_output_is_the_version_that_the_next_run_reads() -> None:
    """So a catalogue can follow versions from the ledger back to the source."""
    written = {(o["name"], o["facets"]["version"]["datasetVersion"]) for e in all_told("forest") for o in e["outputs"]}
    kinds = {"source", "project", "boundary", "factor_release", "gwp_set", "rule_set", "monitoring"}
    read = {(i["name"], i["facets"]["version"]["datasetVersion"]) for e in all_told("forest") for i in e["inputs"]}
    assert {pair for pair in read if pair[0].partition("/")[0] not in kinds} <= written
    assert {name.partition("/")[0] for name, _ in read} >= kinds


def test_the_gates_of_a_generation_stand_where_it_is_read_and_where_it_was_judged() -> None:
    """The specification has assertions on inputs; the run that judged has them as tests."""
    [ledger] = ended("forest", Asset.LEDGER, Outcome.COMMITTED)
    [certificate] = ledger["inputs"]
    assertions = certificate["inputFacets"]["dataQualityAssertions"]["assertions"]
    [run] = ended("forest", Asset.CERTIFICATE, Outcome.COMMITTED)
    tests = run["run"]["facets"]["test"]["tests"]
    assert [a["assertion"] for a in assertions] == [test["name"] for test in tests]
    assert all(a["success"] is True for a in assertions)
    assert "vm0047_controls" in {a["assertion"] for a in assertions}


def test_columns_lead_from_the_ledger_to_the_source() -> None:
    """Through the datasets that the run has read, and through footprints only where they decide a region."""

    def origins(name: str, asset: Asset, column: str) -> set[str]:
        [event, *_] = ended(name, asset, Outcome.COMMITTED)
        fields = event["outputs"][0]["facets"]["columnLineage"]["fields"][column]["inputFields"]
        return {f"{field['name'].partition('/')[0]}.{field['field']}" for field in fields}

    assert origins("electricity", Asset.LEDGER, "net_tco2e") == {"certificate.net_tco2e"}
    assert origins("electricity", Asset.ACTIVITY, "geometry") == {"boundary.geometry"}
    assert origins("located", Asset.ACTIVITY, "geometry") == {"source.geometry"}
    assert "normalized.geometry" in origins("located", Asset.FACTORED, "region")
    assert "normalized.geometry" not in origins("electricity", Asset.FACTORED, "region")
    assert {"factor_release.ef_value", "gwp_set.gwp100"} < origins("electricity", Asset.FACTORED, "emissions_tco2e")


@pytest.mark.parametrize(
    ("parent", "job"),
    [
        pytest.param(Parent(kind=ParentKind.BACKFILL, id="abcdefgh"), "mrv/backfill", id="backfill"),
        pytest.param(Parent(kind=ParentKind.RUN, id=RUN), "mrv/run", id="executed anew"),
    ],
)
def test_what_started_a_run_is_its_parent_and_the_root_of_all_below(parent: Parent, job: str) -> None:
    """A run names it as parent; the run of a slot names its run as parent and it as root."""
    world = worlds()["electricity"]
    entry = replace(list(world.journal.entries())[1], parent=parent)
    assert JournalEntry.from_bytes(entry.to_bytes(), where="test") == entry
    whole, slot, *_ = told(world, entry)
    started_by = whole["run"]["facets"]["parent"]
    assert started_by["job"]["name"] == job
    assert (started_by["run"]["runId"] == RUN) is (parent.kind == "run")
    within = slot["run"]["facets"]["parent"]
    assert within["run"]["runId"] == whole["run"]["runId"]
    assert within["root"]["run"]["runId"] == started_by["run"]["runId"]


def test_a_run_of_its_own_is_its_own_root() -> None:
    """It has no parent, and its id is that of Dagster."""
    whole, slot, *_ = all_told("electricity")
    assert whole["run"]["runId"] == RUN
    assert "parent" not in whole["run"]["facets"]
    assert slot["run"]["facets"]["parent"]["root"]["run"]["runId"] == RUN


def test_a_run_whose_entry_was_lost_was_aborted() -> None:
    """A repair tells what it committed; the run is told as aborted, and the repair as a run of its own."""
    world = electricity()
    [first, *_] = world.journal.entries()
    repaired = replace(first, number=9, run_id="fsck")
    states = [(event["job"]["name"], event["eventType"]) for event in told(world, repaired)]
    assert states[0] == ("mrv/run", "START")
    assert states[-3:] == [("mrv/run", "ABORT"), ("mrv/fsck", "START"), ("mrv/fsck", "COMPLETE")]
    assert told(world, repaired)[0]["run"]["runId"] == RUN


def test_two_stores_share_no_run() -> None:
    """Except runs of Dagster, whose ids are their own: a test store and the real one may feed one catalogue."""
    world = electricity()
    [entry, *_] = world.journal.entries()
    ids = [
        {event.run.runId for event in events_of(entry, world.slots.record, namespace=uri)} - {RUN}
        for uri in ("file:///a", "file:///b")
    ]
    assert ids[0] & ids[1] == set()


def test_the_version_that_is_told_is_that_of_the_project() -> None:
    """It is part of the events, so it is no look at what is installed."""
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_run_id_becomes_one_uuid_for_ever(namespace: str, text: str) -> None:
    """Whatever it is, also again from the result."""
    made = run_uuid(namespace, text)
    assert str(uuid.UUID(made)) == made == run_uuid(namespace, text) == run_uuid(namespace, made)
    assert slot_uuid(namespace, text) != run_uuid(namespace, text)


IDS = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,10}", fullmatch=True)


@given(
    asset=st.sampled_from(Asset), project=IDS, version=IDS, generation=st.integers(1, 10**6), name=st.text(max_size=30)
)
def test_what_was_consumed_can_be_told_from_its_name(
    asset: Asset, project: str, version: str, generation: int, name: str
) -> None:
    """The names in the journal lose nothing."""
    slot = Slot(
        asset=asset,
        project_id=project,
        period="2021-04-01_2022-12-31",
        factor_version=version if asset.depends_on_factors else None,
    )
    refs = (
        InputRef(kind="source", name=name, digest=HEX),
        UpstreamRef(slot=slot, generation=generation, content_digest=HEX),
    )
    names = consumed(refs[:1], refs[1:])
    assert tuple(consumed_ref(text, digest) for text, digest in names.items()) == refs
