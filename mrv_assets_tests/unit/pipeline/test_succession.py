"""Which factor version the ledger moves to."""

from __future__ import annotations

import re

import pytest

from mrv_assets.domain.errors import GateError
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.world import World
from mrv_assets_tests.refusals import KEY, SOUND_SOURCE, references
from mrv_assets_tests.world import (
    TickingClock,
    committed_references,
    memory_store,
    outcomes,
    project_toml,
    run_partition,
)

OLD, NEW, OTHER_LINE = "mrow-2024.02.01", "mrow-2024.06.24", "other-1"


def _world(*, pins: dict[str, str] | None = None, publication: str = "latest") -> World:
    files = references()
    files["projects/anoka.toml"] = project_toml(
        KEY.project_id,
        where={"county_fips": "27003"},
        columns={name: name for name in ("row_id", "epoch", "activity_id", "activity_qty")},
        constants={"unit": "MWh", "region": "US/MROW"},
        pins=pins,
        publication=publication,
    )
    release = committed_references()[f"factors/{OLD}/release.toml"].decode()
    files[f"factors/{OTHER_LINE}/release.toml"] = release.replace(OLD, OTHER_LINE).encode()
    files[f"factors/{OTHER_LINE}/factors.csv"] = committed_references()[f"factors/{OLD}/factors.csv"]
    return World.over(
        store=memory_store(),
        references=memory_store(files),
        landing=memory_store({"source.csv": SOUND_SOURCE}),
        clock=TickingClock(),
    )


def _key(version: str) -> PartitionKey:
    return PartitionKey(project_id=KEY.project_id, period=KEY.period, factor_version=version)


def _live(world: World) -> str | None:
    record = world.slots.current(Slot.of(Asset.LEDGER, KEY))
    return record.pins["factor_version"] if record else None


@pytest.mark.parametrize(
    ("pins", "publication", "runs", "live", "reason"),
    [
        pytest.param({}, "latest", [OLD, NEW], NEW, "changed: .*", id="forward along the line"),
        pytest.param({}, "latest", [NEW, OLD], NEW, "superseded: the ledger reports .*", id="never back"),
        pytest.param({"2021": OLD}, "latest", [OLD, NEW], OLD, "the project pins mrow-2024.02.01.*", id="a pin holds"),
        pytest.param({"2021": OLD}, "latest", [NEW, OLD], OLD, "first content.*", id="a pin decides alone"),
        pytest.param({"2020": OLD}, "pinned", [NEW], None, "the project publishes pinned.*", id="nothing pinned"),
        pytest.param({"2021": NEW}, "pinned", [NEW], NEW, "first content.*", id="pinned policy, pinned period"),
        pytest.param(
            {"2021": OTHER_LINE}, "latest", [OTHER_LINE], OTHER_LINE, "first content.*", id="other line pinned"
        ),
    ],
)
def test_the_ledger_moves_forward_or_to_the_pin(
    pins: dict[str, str], publication: str, runs: list[str], live: str | None, reason: str
) -> None:
    """After the runs the ledger reports the expected version, and the last run says why it did or did not move it."""
    world = _world(pins=pins, publication=publication)
    *_, last = [run_partition(world, _key(version)) for version in runs]
    assert _live(world) == live
    assert re.fullmatch(reason, last[-1].reason), last[-1].reason


def test_a_held_version_is_computed_and_certified_all_the_same() -> None:
    """An older version gets its certificate; only the ledger is skipped, and the journal says so."""
    world = _world()
    run_partition(world, _key(NEW))
    kept = run_partition(world, _key(OLD))
    assert outcomes(kept) == [
        Outcome.SKIPPED,
        Outcome.SKIPPED,
        Outcome.COMMITTED,
        Outcome.COMMITTED,
        Outcome.COMMITTED,
        Outcome.SKIPPED,
    ]


def test_two_lines_need_a_pin() -> None:
    """A version of another line turns `succession` red, and the live figure stays."""
    world = _world()
    run_partition(world, _key(NEW))
    with pytest.raises(GateError, match=f"succession.*{OTHER_LINE} against live {NEW}"):
        run_partition(world, _key(OTHER_LINE))
    assert _live(world) == NEW
