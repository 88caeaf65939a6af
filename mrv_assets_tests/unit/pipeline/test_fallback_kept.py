"""A declared fallback is an input of factored, bounded by a gate, and stands in the certificate with its reason."""

from __future__ import annotations

from typing import Any

import pytest

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import GateError
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.subject import Subject
from mrv_assets.pipeline.figures import figure_history
from mrv_assets.pipeline.world import World
from mrv_assets.report.restatement import restatements_of
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.unit.pipeline.small_store import NOW
from mrv_assets_tests.world import (
    committed_references,
    csv_bytes,
    memory_store,
    outcomes,
    project_toml,
    run_partition,
)

KEY = PartitionKey(project_id="anoka", period="2021", factor_version="mrow-2024.06.24")
COLUMNS = {name: name for name in ("row_id", "epoch", "activity_qty", "region")}
CONSTANTS = {"activity_id": "electricity.delivered", "unit": "MWh"}
ROWS = ("a,2021,6,US/MROW", "b,2021,2,US/MROW/plant-7")
POLICY = '\n[factors]\nfallback = ["state"]\nmax_share = "{share}"\nbecause = "{because}"\n'
BECAUSE = "one plant is not measured"


def world(
    store: ObjectStore, *, share: str | None = "0.5", because: str = BECAUSE, rows: tuple[str, ...] = ROWS
) -> World:
    """Open a world whose project lets this share of its rows fall back, None for none."""
    toml = project_toml("anoka", columns=COLUMNS, constants=CONSTANTS)
    toml += b"" if share is None else POLICY.format(share=share, because=because).encode()
    return World.over(
        store=store,
        references=memory_store(committed_references() | {"projects/anoka.toml": toml}),
        landing=memory_store({"source.csv": csv_bytes(",".join(COLUMNS), rows)}),
        clock=lambda: NOW,
    )


def current(world: World, asset: Asset) -> GenerationRecord:
    """Return the current generation of an asset."""
    record = world.slots.current(Slot.of(asset, KEY))
    assert record is not None
    return record


def factored_subject(world: World) -> Subject:
    """Return what the current certificate says of the factored table."""
    data = world.slots.load_bytes(current(world, Asset.CERTIFICATE))
    (subject,) = (s for s in Certificate.from_bytes(data, where="under test").subjects if s.asset is Asset.FACTORED)
    return subject


def bounded(subject: Subject) -> dict[str, Any]:
    """Return the outcome of the gate about fallbacks."""
    (gate,) = (gate for gate in subject.gates if gate.gate == "fallbacks_bounded")
    return dict(gate.to_json())


def test_certificate_says_whose_factors_were_lent_and_why() -> None:
    """Keys, shares, limit and reason are in the gate of the certificate, the declaration by digest in its pins."""
    ours = world(memory_store())
    run_partition(ours, KEY)
    subject = factored_subject(ours)
    gate = bounded(subject)
    assert gate["observed"] == (
        "1 of 2 rows fell back, 50.0000% of the rows and 25.0000% of the tonnes: 'electricity.delivered "
        "US/MROW/plant-7 megawatt_hour 2021 has the factor of US/MROW (state)'"
    )
    assert gate["limit"] == (
        "at least one row; at most 50% of the rows and of the tonnes have the factor of another region (state), "
        f"because {BECAUSE}"
    )
    shares = {"share_of_rows": "0.500000000", "share_of_tonnes": "0.250000000"}
    assert gate["metrics"] == {"rows": 2, "fell_back": 1, **shares}
    assert subject.pins["fallback"] == current(ours, Asset.FACTORED).pins["fallback"]


def test_more_than_the_allowed_share_is_refused_and_nothing_is_kept() -> None:
    """The gate names the keys and the share."""
    ours = world(memory_store(), share="0.49")
    with pytest.raises(GateError, match=r"at most 49%.*1 of 2 rows fell back, 50.0000%.*US/MROW/plant-7") as caught:
        run_partition(ours, KEY)
    assert caught.value.gate == "fallbacks_bounded"
    assert ours.slots.current(Slot.of(Asset.FACTORED, KEY)) is None


def test_nothing_is_lent_where_nothing_is_declared() -> None:
    """The plant has no factor of its own, which is an error that says so."""
    with pytest.raises(GateError, match=r"electricity\.delivered US/MROW/plant-7 megawatt_hour 2021") as caught:
        run_partition(world(memory_store(), share=None), KEY)
    assert caught.value.gate == "factors_matched"


@pytest.mark.parametrize(
    ("share", "because", "limit"),
    [
        pytest.param("0.6", BECAUSE, "at most 60% of the rows", id="share"),
        pytest.param("0.5", "it opens its books in 2023", "because it opens its books in 2023", id="reason"),
    ],
)
def test_another_declaration_is_another_certificate(share: str, because: str, limit: str) -> None:
    """No tonne moves, but the certificate says what is declared now; what was normalised is used again."""
    store = memory_store()
    run_partition(world(store), KEY)
    kept = run_partition(world(store, share=share, because=because), KEY)
    assert outcomes(kept)[1:] == [Outcome.SKIPPED, *[Outcome.COMMITTED] * 4]
    assert limit in bounded(factored_subject(world(store)))["limit"]


def test_declaration_that_lends_nothing_changes_no_certificate() -> None:
    """The stage runs again, finds the same content, and the certificate stays."""
    store = memory_store()
    run_partition(world(store, share=None, rows=ROWS[:1]), KEY)
    before = current(world(store), Asset.CERTIFICATE)
    run_partition(world(store, rows=ROWS[:1]), KEY)
    assert current(world(store), Asset.CERTIFICATE) == before


def test_another_policy_is_a_cause_that_is_named() -> None:
    """Activity stays as it is, and with it the digest of the project file; the pin tells what was changed."""
    store = memory_store()
    run_partition(world(store), KEY)
    after = world(store, because="another reason")
    run_partition(after, KEY)
    history = figure_history(after.slots, Slot.of(Asset.LEDGER, KEY))
    assert [row.causes for row in restatements_of(history)] == [("first figure",), ("fallback of factored",)]
