from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from mrv_assets.domain.errors import DigestMismatch, FactorError, IdentityError, Tampering
from mrv_assets.domain.project import Project, Publication
from mrv_assets.domain.released import RELEASED
from mrv_assets.pipeline.versions import Versions, newest_release, version_to_run
from mrv_assets.storage.references import ReferenceData
from mrv_assets_tests.builders import release_toml
from mrv_assets_tests.unit.pipeline.bumps import FIRST, LINE, MIDDLE, OLD, WITHDRAWN, WRONG
from mrv_assets_tests.unit.pipeline.landings import NEWEST
from mrv_assets_tests.world import committed_references, memory_store, project_toml

LIST = f"factors/{RELEASED}"


def references(*, without: str | None = None, withdrawn: Sequence[str] = ()) -> ReferenceData:
    """The committed reference data, some of it withdrawn, and one release as if it had never been released."""
    files = committed_references()
    if without is not None:
        files = {key: data for key, data in files.items() if without not in key and key != LIST}
    files |= {f"factors/{version}/withdrawn.toml": WITHDRAWN for version in withdrawn}
    return ReferenceData(memory_store(files))


def project(**changes: object) -> Project:
    """A project of the line mrow."""
    return replace(Project.parse(project_toml("p"), where="p"), **changes)  # type: ignore[arg-type]


def test_the_newest_release_is_the_one_that_none_supersedes() -> None:
    """The end of the chain of a line is its newest release, whatever the names."""
    assert newest_release(references(), "mrow").version == NEWEST


def test_two_ends_are_refused() -> None:
    """A line with two releases that nothing supersedes is ambiguous and refused with both names."""
    with pytest.raises(FactorError, match=r"no single newest release .*mrow-2024\.02\.26, mrow-2025\.05\.20"):
        newest_release(references(without="mrow-2024.06.24"), "mrow")


def test_a_listed_release_that_is_gone_is_told() -> None:
    """The line does not fall back on what stood before it, as if it had never been released."""
    files = {key: data for key, data in committed_references().items() if NEWEST not in key}
    with pytest.raises(Tampering, match=f"a released factor file is gone.*{NEWEST}/release.toml"):
        newest_release(ReferenceData(memory_store(files)), "mrow")


@pytest.mark.parametrize(
    ("name", "line", "says"),
    [
        pytest.param("factors.csv", "other", None, id="factors of another line"),
        pytest.param("factors.csv", "mrow", "header is not the declared one", id="factors of the line"),
        pytest.param("release.toml", "other", "release description cannot be read", id="a description, so of any line"),
    ],
)
def test_a_malformed_release_of_the_line_is_told_every_time(name: str, line: str, says: str | None) -> None:
    """One of another line is not in the way, as far as its description says which line that is."""
    factors = b"no factors\n"
    draft = {
        "release.toml": release_toml(factors, version="draft-1").replace(b'line = "mrow"', f'line = "{line}"'.encode()),
        "factors.csv": factors,
    }
    draft[name] = b"no factors\n"
    files = committed_references() | {f"factors/draft-1/{name}": data for name, data in draft.items()}
    for _ in range(2):
        ours = ReferenceData(memory_store(files))
        if says is None:
            assert newest_release(ours, "mrow").version == NEWEST
        else:
            with pytest.raises(FactorError, match=says):
                newest_release(ours, "mrow")


def test_a_release_of_the_line_that_was_changed_is_told_after_it_was_read() -> None:
    """What is known of its text from an earlier look is of no use to other bytes."""
    files = committed_references()
    assert newest_release(ReferenceData(memory_store(files)), "mrow").version == NEWEST
    files[f"factors/{FIRST}/factors.csv"] += b"\n"
    for _ in range(2):
        with pytest.raises(DigestMismatch, match=f"a released factor file was changed.*{FIRST}/factors.csv"):
            newest_release(ReferenceData(memory_store(files)), "mrow")


def test_a_line_without_releases_is_refused() -> None:
    """A line that no release belongs to is refused."""
    with pytest.raises(FactorError, match="no release of this line"):
        newest_release(references(), "nothing")


def test_a_pin_decides_before_the_line() -> None:
    """The project's pin of the period is run instead of the newest release, for that period only."""
    pinned = project(pins={"2021": "mrow-2024.02.01"})
    assert version_to_run(references(), pinned, "2021") == "mrow-2024.02.01"
    assert version_to_run(references(), pinned, "2022") == NEWEST


def test_a_period_that_is_not_canonical_is_refused() -> None:
    """No version is chosen for something that is no period."""
    with pytest.raises(IdentityError, match="period is not in canonical form"):
        version_to_run(references(), project(), "2021-1")


@pytest.mark.parametrize(
    ("withdrawn", "expected"),
    [
        pytest.param([NEWEST], MIDDLE, id="the newest"),
        pytest.param([NEWEST, MIDDLE], OLD, id="the two newest"),
        pytest.param([MIDDLE], NEWEST, id="one in the middle"),
        pytest.param([NEWEST, OLD], MIDDLE, id="the newest and one in the middle"),
        pytest.param([WRONG, OLD, MIDDLE], NEWEST, id="all between the first and the newest"),
        pytest.param(LINE[1:], FIRST, id="all but the first"),
    ],
)
def test_a_line_falls_back_on_what_stands_before_a_withdrawn_release(withdrawn: Sequence[str], expected: str) -> None:
    """What a withdrawn release superseded stays superseded by those after it, and by nothing when there are none."""
    assert newest_release(references(withdrawn=withdrawn), "mrow").version == expected
    assert version_to_run(references(withdrawn=withdrawn), project(), "2021") == expected


def test_a_withdrawn_end_of_a_fork_leaves_the_other() -> None:
    """Of two ends the one that was not withdrawn is the newest."""
    assert newest_release(references(without=MIDDLE, withdrawn=[NEWEST]), "mrow").version == OLD


def test_a_line_of_withdrawn_releases_is_refused() -> None:
    """All of them are named."""
    with pytest.raises(FactorError, match=rf"found withdrawn releases only: {', '.join(LINE)}"):
        newest_release(references(withdrawn=LINE), "mrow")


def test_releases_that_supersede_one_another_are_refused() -> None:
    """A ring has no end, whether or not something in it was withdrawn."""
    files = committed_references()
    del files["factors/RELEASED.toml"]  # by which the edit would be tampering
    first = f"factors/{FIRST}/release.toml"
    files[first] = files[first].replace(b'supersedes = ""', f'supersedes = "{NEWEST}"'.encode())
    with pytest.raises(FactorError, match=f"found releases that supersede one another: {FIRST}"):
        newest_release(ReferenceData(memory_store(files)), "mrow")


@pytest.mark.parametrize("publication", list(Publication))
def test_a_pin_on_a_withdrawn_release_is_refused_with_its_reason(publication: Publication) -> None:
    """Neither run nor reported, until somebody changes the pin; other periods are not touched by it."""
    pinned = project(pins={"2021": OLD, "2022": MIDDLE}, publication=publication)
    told = rf"pin of 2021.*{OLD}, withdrawn on 2026-01-31 by R. Reviewer: the vintage is the wrong one.*line mrow"
    versions = Versions(references(withdrawn=[OLD]))
    for version_of in (versions.to_run, versions.to_report):
        with pytest.raises(FactorError, match=told):
            version_of(pinned, "2021")
        assert version_of(pinned, "2022") == MIDDLE


@pytest.mark.parametrize(
    ("pins", "expected"), [({}, None), ({"2021": "mrow-2024.02.26"}, "mrow-2024.02.26")], ids=["unpinned", "pinned"]
)
def test_a_project_that_publishes_pins_only_reports_its_pin(pins: dict[str, str], expected: str | None) -> None:
    """Under the pinned policy nothing but a pin is to be reported."""
    pinned = project(pins=pins, publication=Publication.PINNED)
    assert Versions(references()).to_report(pinned, "2021") == expected
