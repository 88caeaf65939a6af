from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.domain.project import Project
from mrv_assets.pipeline.landing_memory import LIMIT_BYTES, Finding, KnownSource, Memory
from mrv_assets_tests.world import project_toml

FINDING = Finding(project="a" * 64, whole=("2020", "2021"), partial=("2022",), unusable=("x",), refusal="no")
KNOWN = KnownSource(
    mark="t", sha256="b" * 64, item="", modified_utc="2026-01-01T00:00:00+00:00", findings={"anoka": FINDING}
)
MEMORY = Memory(begin="é.csv", sources={"é.csv": KNOWN, "x.csv": replace(KNOWN, refusal="é", findings={})})


def test_what_is_remembered_reads_back() -> None:
    """Text and back gives the same, also with nothing in it."""
    for memory in (MEMORY, Memory()):
        assert Memory.parse(memory.to_text()) == memory


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(None, id="none"),
        pytest.param("", id="empty"),
        pytest.param("{}", id="no members"),
        pytest.param("[]", id="a list"),
        pytest.param("null", id="null"),
        pytest.param("2021", id="another sensor's cursor"),
        pytest.param(MEMORY.to_text()[:-1], id="cut off"),
        pytest.param(MEMORY.to_text() + " ", id="another spelling"),
        pytest.param(MEMORY.to_text().replace("2021", "2019"), id="altered"),
        pytest.param(MEMORY.to_text().replace("mrv-landing-1", "mrv-landing-2"), id="of another version"),
        pytest.param("[" * 100_000, id="nested without end"),
    ],
)
def test_text_that_was_not_written_so_is_no_memory(text: str | None) -> None:
    """A lost or damaged memory is an empty one, never an error and never half believed."""
    assert Memory.parse(text) == Memory()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_no_json_is_an_error(value: object) -> None:
    """Whatever stands in the cursor, it is read or forgotten."""
    assert isinstance(Memory.parse(json.dumps(value)), Memory)


def test_memory_is_bounded() -> None:
    """What does not fit is left out, and what is kept still reads back."""
    sources = {f"{number:06d}.csv": KNOWN for number in range(5000)}
    text = Memory(sources=sources).to_text()
    assert LIMIT_BYTES * 0.9 < len(text.encode()) <= LIMIT_BYTES + 200
    kept = Memory.parse(text).sources
    assert 0 < len(kept) < len(sources)
    assert list(kept) == sorted(sources)[: len(kept)]


def test_a_file_is_known_for_projects_as_they_were() -> None:
    """Another project, or another version of its file, asks the source anew; a refusal is one for all."""
    project = Project.parse(project_toml("anoka"), where="project")
    known = replace(KNOWN, findings={"anoka": replace(FINDING, project=project.digest)})
    assert known.answers([project])
    assert not known.answers([project, replace(project, id="carver")])
    assert not known.answers([replace(project, digest="0" * 64)])
    assert replace(known, refusal="no", findings={}).answers([project])
