"""Restatements out of the journal: once, in order, again after an outage and after a lost cursor."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.alerts.restated import Restatements, restated_in, restatement_message
from mrv_assets.domain.errors import StoreUnavailable
from mrv_assets.pipeline.outbox import Delivery, deliver
from mrv_assets.pipeline.withdrawing import reinstate, withdraw
from mrv_assets.pipeline.world import World
from mrv_assets.report.restatement import causes_between
from mrv_assets.storage.cursors import Cursors
from mrv_assets_tests.unit.alerts.files import WEBHOOK, alerts, environment
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint
from mrv_assets_tests.unit.openlineage.worlds import worlds
from mrv_assets_tests.unit.pipeline.two_releases import bump_world, key
from mrv_assets_tests.world import run_partition


def told(world: World, server: Endpoint, folder: Path, *, table: str = WEBHOOK, since: str = "2020-01-01") -> Delivery:
    """Tell a webhook what the journal of a world holds."""
    configured = alerts(folder, table, since=since, env=environment(server.url))
    [target] = configured.targets
    taker = Restatements(target=target, slots=world.slots, causes=causes_between, since=configured.since)
    return deliver(world, taker, Cursors(folder / "alerts", store=world.store.uri))


def test_a_figure_that_moved_is_told_once_with_before_after_and_cause(server: Endpoint, tmp_path: Path) -> None:
    """Five entries hold a first figure, a skip, a bump and two refusals: one message."""
    world = worlds()["electricity"]
    done = told(world, server, tmp_path)
    assert (done.entries, done.messages) == (5, 1)
    [message] = server.taken
    [one] = message["facts"]["restatements"]
    assert (one["project_id"], one["period"], one["generation"]) == ("anoka", "2021", 2)
    assert [one[side]["factor_version"] for side in ("before", "after")] == ["bump-1", "bump-2"]
    assert one["causes"][0] == "factor release bump-1 → bump-2"
    assert one["after"]["certificate_sha256"] in message["lines"][0]
    assert told(world, server, tmp_path).messages == 0
    assert len(server.taken) == 1


def test_an_outage_holds_the_cursor_and_nothing_is_lost(server: Endpoint, tmp_path: Path) -> None:
    """The entry in which the target went away is told when it is back, those before are not told again."""
    world = worlds()["electricity"]
    server.answers = [503]
    with pytest.raises(StoreUnavailable, match="alert could not be delivered"):
        told(world, server, tmp_path)
    assert server.taken == []
    done = told(world, server, tmp_path)
    assert (done.entries, done.messages, len(server.taken)) == (3, 1, 1)


def test_a_cursor_that_was_deleted_tells_again_under_the_same_id(server: Endpoint, tmp_path: Path) -> None:
    """Rather than never."""
    world = worlds()["electricity"]
    told(world, server, tmp_path)
    for file in (tmp_path / "alerts").glob("*.json"):
        file.unlink()
    told(world, server, tmp_path)
    first, second = server.taken
    assert first == second


def test_what_was_written_before_the_day_is_passed_over(server: Endpoint, tmp_path: Path) -> None:
    """So that a new target is not told a history of years; it then is where the journal is."""
    done = told(worlds()["electricity"], server, tmp_path, since="2026-01-02")
    assert (done.entries, done.messages, done.standing.behind) == (5, 0, 0)


def test_a_target_that_is_told_other_kinds_is_not_told_this(server: Endpoint, tmp_path: Path) -> None:
    """It chose."""
    assert told(worlds()["electricity"], server, tmp_path, table=WEBHOOK + 'alerts = ["late"]').messages == 0


def test_a_figure_of_the_same_tonnes_is_no_restatement(server: Endpoint, tmp_path: Path) -> None:
    """Another release with the same factors makes another certificate, and nobody has to be told."""
    factors = [{"gas": "CO2", "ef_value": "995.8"}]
    source = {"anoka": ("r1,anoka,2021,electricity.delivered,MWh,12.5",)}
    world = bump_world(before=factors, after=factors, source=source)
    for version in ("bump-1", "bump-2"):
        run_partition(world, key("anoka", version), run_id=version)
    [_, second] = world.journal.entries()
    assert [event.generation for event in second.events if event.asset == "ledger"] == [2]
    assert restated_in(second, world.slots, causes_between) == ()
    assert told(world, server, tmp_path).messages == 0


def test_a_message_of_many_figures_shows_the_first_and_holds_all() -> None:
    """A backfill of a thousand figures is one message for each entry of the journal."""
    world = worlds()["electricity"]
    entry = [*world.journal.entries()][2]
    [one] = restated_in(entry, world.slots, lambda _before, _after: ())
    message = restatement_message(entry, [one] * 30)
    assert message.title == "Restatement of 30 figures"
    assert (len(message.lines), message.lines[-1]) == (21, "… and 10 more")
    assert len(message.to_json()["facts"]["restatements"]) == 30  # type: ignore[index, call-overload, arg-type]


def test_a_figure_that_was_taken_back_is_told_and_so_is_its_return(server: Endpoint, tmp_path: Path) -> None:
    """Nothing is reported after the first word, all of it again after the second, each with who said it and why."""
    factors = [{"gas": "CO2", "ef_value": "995.8"}]
    world = bump_world(
        before=factors, after=factors, source={"anoka": ("r1,anoka,2021,electricity.delivered,MWh,12.5",)}
    )
    run_partition(world, key("anoka", "bump-1"), run_id="one")
    withdraw(world, "anoka", "2021", by="R. Reviewer", reason="claimed twice", in_favour_of=None)
    reinstate(world, "anoka", "2021", by="R. Reviewer", reason="it was not")
    run_partition(world, key("anoka", "bump-1"), run_id="two")
    told(world, server, tmp_path)
    gone, back = (message["facts"]["restatements"][0] for message in server.taken)
    assert (gone["after"], back["before"]) == (None, None)
    assert gone["delta_net_tco2e"] == f"-{back['delta_net_tco2e']}"
    assert "R. Reviewer" in gone["causes"][0]
    assert "claimed twice" in gone["causes"][0]
    assert "nothing is reported now" in server.taken[0]["lines"][0]
