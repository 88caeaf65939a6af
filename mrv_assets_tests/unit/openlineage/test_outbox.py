"""At least once: nothing is lost by a death, a missing endpoint or two exports; a rolled-back journal is seen."""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.errors import ContractError, StoreUnavailable, Tampering, Transient
from mrv_assets.openlineage.outbox import Catalogue
from mrv_assets.openlineage.targets import Target, file_target, standard_targets, url_target
from mrv_assets.pipeline import outbox
from mrv_assets.pipeline.outbox import Delivery, standings
from mrv_assets.pipeline.world import World
from mrv_assets.storage.cursors import Cursor, Cursors
from mrv_assets.storage.posix_files import Files
from mrv_assets_tests.unit.openlineage.endpoint import Endpoint, endpoint
from mrv_assets_tests.unit.openlineage.worlds import all_told, worlds

ENTRIES = 5


@pytest.fixture
def world() -> World:
    """The world of electricity, whose journal has five entries; only for reading."""
    return worlds()["electricity"]


@pytest.fixture
def server() -> Iterator[Endpoint]:
    """A lineage endpoint."""
    with endpoint() as served:
        yield served


@pytest.fixture(autouse=True)
def _configure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Look for the standard configuration in an empty folder, and ask loopback without a proxy."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture
def configured(tmp_path: Path) -> Callable[[object], tuple[Target, ...]]:
    """Write a transport into openlineage.yml and return the targets that it names."""

    def write(transport: object) -> tuple[Target, ...]:
        (tmp_path / "openlineage.yml").write_text(json.dumps({"transport": transport}))
        return standard_targets()

    return write


def lines(file: Path) -> list[dict[str, Any]]:
    """Return the events in a file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def deliver(world: World, target: Target, cursors: Cursors, **how: Any) -> Delivery:
    """Deliver the journal of a world to a lineage target."""
    return outbox.deliver(world, Catalogue(world, target), cursors, **how)


def kept(world: World, folder: Path, files: Files | None = None) -> Cursors:
    """Return the cursors of a world in a folder."""
    return Cursors(folder / "openlineage", store=world.store.uri, files=files)


def test_a_file_gets_each_event_once_and_then_nothing(world: World, tmp_path: Path) -> None:
    """A second export finds nothing to do; `from_the_first` repeats all under the same ids."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    done = deliver(world, target, cursors)
    assert (done.entries, done.standing.behind) == (ENTRIES, 0)
    assert lines(tmp_path / "events.jsonl") == list(all_told("electricity"))
    assert deliver(world, target, cursors).messages == 0
    assert deliver(world, target, cursors, from_the_first=True).entries == ENTRIES
    assert lines(tmp_path / "events.jsonl") == list(all_told("electricity")) * 2


def test_an_export_goes_on_where_the_last_one_ended(world: World, tmp_path: Path) -> None:
    """A few entries at a time come to the same file."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    told: list[tuple[int, int]] = []
    behind = [
        deliver(world, target, cursors, at_most=2, progress=lambda *n: told.append(n)).standing.behind for _ in "123"
    ]
    assert behind == [3, 1, 0]
    assert told == [(number, ENTRIES) for number in range(1, ENTRIES + 1)]
    assert lines(tmp_path / "events.jsonl") == list(all_told("electricity"))


class DiesBeforeTheRename(Files):
    """A process that ends after the events of an entry are sent and before its cursor has moved."""

    def rename(self, source: Path, target: Path) -> None:
        raise KeyboardInterrupt(f"{source.name} does not become {target.name}")


def test_a_death_between_sending_and_the_cursor_repeats_the_entry(world: World, tmp_path: Path) -> None:
    """And loses none: what arrives is all there is, with one entry twice."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    deliver(world, target, cursors, at_most=2)
    with pytest.raises(KeyboardInterrupt, match="does not become"):
        deliver(world, target, kept(world, tmp_path, DiesBeforeTheRename()))
    assert cursors.read(target.name).delivered == 2
    assert deliver(world, target, cursors).entries == ENTRIES - 2
    arrived, expected = lines(tmp_path / "events.jsonl"), list(all_told("electricity"))
    assert [event for event in expected if event not in arrived] == []
    assert len(arrived) > len(expected)


@given(dies_at=st.lists(st.integers(0, 70), max_size=4))
def test_whatever_dies_when_nothing_is_lost_or_out_of_order(dies_at: list[int]) -> None:
    """With each event first seen in the order of the journal, at whichever events the exports ended."""
    world = worlds()["electricity"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        target, cursors = file_target(path / "events.jsonl"), kept(world, path)
        for at in dies_at:
            deliver_until(world, target, cursors, at)
        deliver(world, target, cursors)
        arrived = lines(path / "events.jsonl") if (path / "events.jsonl").exists() else []
    seen = [event for number, event in enumerate(arrived) if event not in arrived[:number]]
    expected = list(all_told("electricity"))
    assert seen == [event for number, event in enumerate(expected) if event not in expected[:number]]


def deliver_until(world: World, target: Target, cursors: Cursors, at: int) -> None:
    """Export and be killed while the file is so many events longer, in the middle of a line."""
    assert target.file is not None
    before = cursors.read(target.name)
    deliver(world, target, cursors, at_most=1)
    data = target.file.read_bytes()
    target.file.write_bytes(data[: max(0, len(data) - 1 - at)] if cursors.read(target.name) != before else data)
    if cursors.read(target.name) != before:
        cursors.write(before)


def test_an_unfinished_line_is_cut_and_sent_again(world: World, tmp_path: Path) -> None:
    """The file stays one of whole lines, also when a process died while it wrote."""
    file = tmp_path / "events.jsonl"
    file.write_text('{"whole": true}\n{"eventTime": "2026-01-')
    deliver(world, file_target(file), kept(world, tmp_path))
    assert lines(file) == [{"whole": True}, *all_told("electricity")]


def test_a_file_of_something_else_is_left_alone(world: World, tmp_path: Path) -> None:
    """Nothing is cut off that is no event."""
    file = tmp_path / "letter.txt"
    file.write_text("Dear auditor, no line ends here")
    with pytest.raises(ContractError, match="file holds something else than lineage events"):
        deliver(world, file_target(file), kept(world, tmp_path))
    assert file.read_text() == "Dear auditor, no line ends here"


def test_an_endpoint_that_fails_in_the_middle_gets_every_event(world: World, server: Endpoint, tmp_path: Path) -> None:
    """One 503 is retried by the transport, within the same export."""
    server.answers = [201] * 20 + [503]
    deliver(world, url_target(server.url, {}), kept(world, tmp_path))
    assert server.taken == list(all_told("electricity"))


def test_an_endpoint_that_goes_away_holds_the_cursor(
    world: World, server: Endpoint, tmp_path: Path, configured: Callable[[object], tuple[Target, ...]]
) -> None:
    """The entry in which it went away is sent again as a whole, the ones before are not."""
    [target] = configured({"type": "http", "url": server.url, "retry": {"total": 0}})
    server.answers = [201] * 20 + [503]
    cursors = kept(world, tmp_path)
    with pytest.raises(StoreUnavailable, match="lineage could not be delivered"):
        deliver(world, target, cursors)
    assert cursors.read(target.name).delivered == 1
    assert len(server.taken) == 20
    deliver(world, target, cursors)
    first = next(iter(world.journal.entries()))
    assert len(first.events) == 6
    assert server.taken == [*all_told("electricity")[:20], *all_told("electricity")[14:]]


def test_nobody_there_is_said_with_its_name(
    world: World, tmp_path: Path, configured: Callable[[object], tuple[Target, ...]]
) -> None:
    """As something that may work later; nothing is told as delivered."""
    with endpoint() as gone:
        url = gone.url
    [target] = configured({"type": "http", "url": url, "retry": {"total": 0}})
    with pytest.raises(StoreUnavailable, match=r"127\.0\.0\.1.*found ConnectionError"):
        deliver(world, target, kept(world, tmp_path))
    assert standings(world, kept(world, tmp_path), [target.name])[0].behind == ENTRIES


@pytest.mark.parametrize(
    ("status", "says"),
    [
        pytest.param(401, "found status 401", id="no key"),
        pytest.param(422, "found status 422", id="no event to its mind"),
        pytest.param(302, "found a redirect, status 302", id="elsewhere, where a POST becomes a GET"),
    ],
)
def test_an_endpoint_that_refuses_is_no_matter_of_waiting(
    world: World, server: Endpoint, tmp_path: Path, status: int, says: str
) -> None:
    """The refusal names the status; the cursor stays."""
    server.answers = [status]
    target = url_target(server.url, {})
    with pytest.raises(ContractError, match=says):
        deliver(world, target, kept(world, tmp_path))
    assert kept(world, tmp_path).read(target.name).delivered == 0


def test_the_key_is_sent_and_told_to_nobody(
    world: World, server: Endpoint, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not to a log at any level, nor in the name of the target, a cursor or an error."""
    monkeypatch.setenv("OPENLINEAGE_CLIENT_LOGGING", "DEBUG")
    monkeypatch.setenv("OPENLINEAGE_URL", server.url)
    monkeypatch.setenv("OPENLINEAGE_API_KEY", "s3cret")
    monkeypatch.setenv("OPENLINEAGE__TRANSPORT__TRANSPORTS__BAD__AUTH", '{"apiKey": "s3cret"')
    caplog.set_level(logging.DEBUG, logger="openlineage")
    server.answers = [401]
    for target in (url_target(server.url, {"OPENLINEAGE_API_KEY": "s3cret"}), *standard_targets()):
        server.answers = [401]
        with pytest.raises(ContractError, match="endpoint refuses") as caught:
            deliver(world, target, kept(world, tmp_path))
        assert "s3cret" not in str(caught.value)
        deliver(world, target, kept(world, tmp_path), at_most=1)
        assert "s3cret" not in repr(target)
    assert set(server.authorizations) == {"Bearer s3cret"}
    assert "s3cret" not in caplog.text
    assert all("s3cret" not in file.read_text() for file in (tmp_path / "openlineage").iterdir())


@pytest.mark.parametrize(
    "url", ["http://user:word@host", "http://host?key=1", "ftp://host", "marquez.internal", "https://#x"]
)
def test_a_url_that_is_not_plain_is_refused(url: str) -> None:
    """Without being repeated."""
    with pytest.raises(ContractError, match="URL of the endpoint is not plain") as caught:
        url_target(url, {})
    assert url not in str(caught.value)


def test_nothing_configured_is_no_target(
    monkeypatch: pytest.MonkeyPatch, configured: Callable[[object], tuple[Target, ...]]
) -> None:
    """Nor is OpenLineage that is disabled; the console is one only by name."""
    assert standard_targets() == ()
    assert [target.name for target in configured({"type": "console"})] == ["console"]
    monkeypatch.setenv("OPENLINEAGE_DISABLED", "true")
    assert standard_targets() == ()


@pytest.mark.parametrize(
    ("transport", "says"),
    [
        pytest.param(
            {"type": "async_http", "url": "http://127.0.0.1:9"}, "tells whether an event has arrived", id="async"
        ),
        pytest.param({"type": "file", "log_file_path": "x"}, "append: true", id="files by time"),
        pytest.param({"type": "file"}, "configuration cannot be used.*RuntimeError", id="half"),
        pytest.param({"type": "no.such.Transport"}, "configuration cannot be used", id="unknown"),
    ],
)
def test_a_configuration_that_keeps_no_promise_is_refused(
    transport: object, says: str, configured: Callable[[object], tuple[Target, ...]]
) -> None:
    """With what to do instead."""
    with pytest.raises(ContractError, match=says):
        configured(transport)


def test_each_transport_of_several_has_a_cursor_of_its_own(
    world: World, server: Endpoint, tmp_path: Path, configured: Callable[[object], tuple[Target, ...]]
) -> None:
    """So what is away holds up nothing else, and gets what it has missed."""
    file = {"type": "file", "log_file_path": str(tmp_path / "events.jsonl"), "append": True}
    http = {"type": "http", "url": server.url, "retry": {"total": 0}}
    targets = configured({"type": "composite", "transports": [file, http]})
    server.answers = [503]
    cursors = kept(world, tmp_path)
    deliver(world, targets[0], cursors)
    with pytest.raises(StoreUnavailable, match="lineage could not be delivered"):
        deliver(world, targets[1], cursors)
    assert [standing.behind for standing in standings(world, cursors, [one.name for one in targets])] == [0, ENTRIES]
    deliver(world, targets[1], cursors)
    assert server.taken == lines(tmp_path / "events.jsonl")
    assert targets[0].name == (tmp_path / "events.jsonl").resolve().as_uri()
    assert targets[1].name == url_target(server.url, {}).name


def test_two_exports_to_one_target_take_turns(world: World, tmp_path: Path) -> None:
    """The second says that it has to wait, and another target is not concerned."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    with cursors.held(target.name):
        with pytest.raises(Transient, match="another delivery to this target is at work"):
            deliver(world, target, kept(world, tmp_path))
        deliver(world, file_target(tmp_path / "others.jsonl"), kept(world, tmp_path))
    assert deliver(world, target, kept(world, tmp_path)).entries == ENTRIES


def test_a_journal_that_became_shorter_is_tampering(world: World, tmp_path: Path) -> None:
    """The cursor shows that there was more, whatever the journal says of itself."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    (tmp_path / "openlineage").mkdir()
    cursors.write(Cursor(store=world.store.uri, target=target.name, delivered=9, head="0" * 64))
    with pytest.raises(Tampering, match=r"expected at least 9 entries; found 5 entries.*stop, keep the store"):
        deliver(world, target, cursors)
    with pytest.raises(Tampering, match="journal is not the one that was delivered"):
        standings(world, cursors)


def test_a_journal_with_another_entry_in_its_place_is_tampering(world: World, tmp_path: Path) -> None:
    """It is not enough that it is long enough."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    (tmp_path / "openlineage").mkdir()
    cursors.write(Cursor(store=world.store.uri, target=target.name, delivered=2, head="0" * 64))
    with pytest.raises(Tampering, match="found another entry"):
        deliver(world, target, cursors)
    assert not (tmp_path / "events.jsonl").exists()


def test_a_cursor_that_cannot_be_read_is_named(world: World, tmp_path: Path) -> None:
    """Removing it costs a repetition."""
    target, cursors = file_target(tmp_path / "events.jsonl"), kept(world, tmp_path)
    deliver(world, target, cursors)
    [file] = (tmp_path / "openlineage").glob("*.json")
    file.write_text("{}")
    with pytest.raises(ContractError, match="cursor of a target cannot be read"):
        deliver(world, target, cursors)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    """Before anything is read."""
    with pytest.raises(ContractError, match="no such folder"):
        file_target(tmp_path / "nowhere" / "events.jsonl")
