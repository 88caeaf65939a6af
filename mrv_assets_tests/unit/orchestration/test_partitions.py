"""Partitions that Dagster is told of: what is known already changes nothing, whoever made it known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from dagster import DagsterInstance
from sqlalchemy import Engine, event
from sqlalchemy.exc import IntegrityError

from mrv_assets.orchestration.instance import initialise_home, open_instance
from mrv_assets.orchestration.partitions import register
from mrv_assets_tests.end_to_end.home import Home
from mrv_assets_tests.unit.pipeline.landings import key

KEYS = [key("anoka", "2020"), key("anoka", "2021"), key("carver", "2021")]


@pytest.fixture
def instance(tmp_path: Path) -> Iterator[DagsterInstance]:
    """The instance of a new home."""
    home = Home.create(tmp_path, references={}, landing={})
    initialise_home(home.settings)
    with open_instance(home.settings) as instance:
        yield instance


@contextmanager
def _before_each_insertion(act: Callable[[], None]) -> Iterator[None]:
    def look(_conn: object, _cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("INSERT INTO dynamic_partitions"):
            act()

    event.listen(Engine, "before_cursor_execute", look)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", look)


def _known(instance: DagsterInstance) -> dict[str, list[str]]:
    return {name: sorted(instance.get_dynamic_partitions(name)) for name in ("period", "series")}


def test_partitions_that_others_register_meanwhile_are_all_known_afterwards(instance: DagsterInstance) -> None:
    """Between Dagster's look and its insertion another process adds one of them, several times in a row."""
    others = iter([("period", "2021"), ("series", KEYS[0].series), ("series", KEYS[2].series)])

    def act() -> None:
        if other := next(others, None):
            with DagsterInstance.from_ref(instance.get_ref()) as another:
                another.add_dynamic_partitions(other[0], [other[1]])

    with _before_each_insertion(act):
        register(instance, KEYS)
    register(instance, KEYS)
    assert _known(instance) == {"period": ["2020", "2021"], "series": sorted({one.series for one in KEYS})}


def test_what_the_database_refuses_for_good_is_told(instance: DagsterInstance) -> None:
    """It is tried again, and not for ever."""
    tried = []

    def act() -> None:
        tried.append(1)
        raise IntegrityError("INSERT", {}, ValueError("refused"))

    with _before_each_insertion(act), pytest.raises(IntegrityError, match="refused"):
        register(instance, KEYS)
    assert 1 < len(tried) < 100
