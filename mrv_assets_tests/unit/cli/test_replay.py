from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.cli.demo import demonstrate
from mrv_assets.cli.demo_text import Demonstrated, mismatches
from mrv_assets.cli.replay import Scenario
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import PartitionKey
from mrv_assets_tests.unit.cli.small_replay import (
    PARTITIONS,
    pipeline_runner,
    replayed,
    settings_of,
)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_every_total_equals_the_published_one(demonstrated: tuple[Path, Demonstrated]) -> None:
    """The ledger total of each step and period equals the total that was computed elsewhere, to 0.001 t."""
    totals = demonstrated[1].totals
    assert [row.is_equal for row in totals] == [True] * 7
    assert mismatches(totals) == {}


def test_causes_come_from_the_certificates(demonstrated: tuple[Path, Demonstrated]) -> None:
    """Each restatement names what differs between the certificates of both sides."""
    assert [row.restatement.causes for row in demonstrated[1].totals] == [
        ("first figure",),
        ("factor release mrow-2024.02.01 → mrow-2024.02.06",),
        ("factor release mrow-2024.02.06 → mrow-2024.02.26",),
        ("factor release mrow-2024.02.26 → mrow-2024.06.24", "GWP set ar5 → ar6"),
        (
            "source file electricity.csv 3b9f37f05aef → 67c7e2f48653 (1 of 2 projects)",
            "projects 2 → 3 (joined: metc-pierce, +177,392.022 t)",
        ),
        (
            "factor release mrow-2024.06.24 → mrow-2025.05.20",
            "source file electricity.csv 3b9f37f05aef → 67c7e2f48653 (1 of 3 projects)",
        ),
        ("first figure",),
    ]


def test_every_generation_is_checked_again(demonstrated: tuple[Path, Demonstrated]) -> None:
    """The audit counts all generations of all certificates and figures of the inventory's projects."""
    audit = demonstrated[1].audit
    assert (audit.certificates, audit.figures) == (16, 16)


def test_a_second_replay_skips_everything(own_folder: Path) -> None:
    """Replaying again adds no generation: every partition is skipped, and published/ and the page keep their bytes."""
    before = files_of(own_folder / "home" / "store" / "published")
    commits = set(files_of(own_folder / "home" / "store" / "commits"))
    page = (own_folder / "home" / "reports" / "small.html").read_bytes()
    again = replayed(own_folder)
    outcomes = [one.outcome for step in again.replayed for one in step]
    assert outcomes == [Outcome.SKIPPED] * PARTITIONS
    assert files_of(own_folder / "home" / "store" / "published") == before
    assert set(files_of(own_folder / "home" / "store" / "commits")) == commits
    assert (own_folder / "home" / "reports" / "small.html").read_bytes() == page


def test_the_last_step_is_always_run(own_folder: Path) -> None:
    """A satisfied replay still runs the partitions of its last step, and only those."""
    settings = settings_of(own_folder)
    ran: list[PartitionKey] = []

    def run(keys):  # type: ignore[no-untyped-def]
        ran.extend(keys)
        return pipeline_runner(settings)(keys)

    scenario = Scenario.read(own_folder / "replay")
    demonstrate(settings, scenario, run=run, notice=lambda _: None, told=None)
    assert ran == list(scenario.replay.steps[-1].keys)


def test_a_source_that_moves_no_tonne_satisfies_its_step(demonstrated: tuple[Path, Demonstrated]) -> None:
    """Ramsey's corrected MWh differ in the last digit only: its figure stays, and the journal shows the run."""
    fifth = {one.key.project_id: one for one in demonstrated[1].replayed[4]}
    assert (fifth["metc-ramsey"].figure.generation, fifth["metc-ramsey"].has_moved) == (4, False)
    assert (fifth["metc-anoka"].figure.generation, fifth["metc-anoka"].has_moved) == (5, True)


def test_a_replay_that_stopped_half_way_goes_on(fresh_folder: Path) -> None:
    """A replay that was interrupted inside a step skips what is there and runs the rest."""
    settings = settings_of(fresh_folder)
    scenario = Scenario.read(fresh_folder / "replay")
    runner = pipeline_runner(settings)

    class Interrupted(Exception):
        pass

    def stops(keys):  # type: ignore[no-untyped-def]
        for done in runner(keys):
            yield done
            if done.key.factor_version == "mrow-2024.02.06":
                raise Interrupted("power cut")

    with pytest.raises(Interrupted, match="power cut"):
        demonstrate(settings, scenario, run=stops, notice=lambda _: None, told=None)
    again = replayed(fresh_folder)
    assert [one.outcome for one in again.replayed[0]] == [Outcome.SKIPPED, Outcome.SKIPPED]
    assert [one.outcome for one in again.replayed[1]] == [Outcome.SKIPPED, Outcome.COMMITTED]
    assert mismatches(again.totals) == {}


def test_a_run_that_fails_stops_the_replay(fresh_folder: Path) -> None:
    """A partition that is refused ends the replay with its partition and reason."""
    broken = fresh_folder / "replay" / "landing" / "2024-02-01" / "electricity.csv"
    broken.write_text(broken.read_text(encoding="utf-8").replace("4437787.2208569858", "-1"), encoding="utf-8")
    with pytest.raises(Refusal, match=r"quantity_valid.*metc-anoka 2021"):
        replayed(fresh_folder)


def test_another_source_is_never_overwritten(fresh_folder: Path) -> None:
    """A source file in the landing folder that the replay did not bring is left alone, and the replay refused."""
    theirs = fresh_folder / "home" / "landing" / "electricity.csv"
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine\n", encoding="utf-8")
    with pytest.raises(ContractError, match="landing folder holds another source file"):
        replayed(fresh_folder)
    assert theirs.read_text(encoding="utf-8") == "mine\n"


def test_an_older_source_is_never_brought_back(own_folder: Path) -> None:
    """A step that is missing behind a later one is refused instead of turning the landing folder back."""
    path = own_folder / "replay" / "published.toml"
    text = path.read_text(encoding="utf-8")
    first = text.index("[[step]]", text.index("[[step]]") + 1)
    other = (own_folder / "replay" / "landing" / "2024-03-01").resolve()
    other.mkdir()
    source = (own_folder / "replay" / "landing" / "2024-02-01" / "electricity.csv").read_text(encoding="utf-8")
    (other / "electricity.csv").write_text(source.replace("4437787.", "4437788."), encoding="utf-8")
    head = text[:first]
    between = head[head.index("[[step]]") :].replace('landing = "2024-02-01"', 'landing = "2024-03-01"')
    path.write_text(head + between + text[first:], encoding="utf-8")
    landed = own_folder / "home" / "landing" / "electricity.csv"
    before = landed.read_bytes()
    with pytest.raises(ContractError, match="step cannot be replayed after a later one"):
        replayed(own_folder)
    assert landed.read_bytes() == before


@pytest.mark.parametrize(
    ("missing", "message"),
    [("published.toml", "a replay file"), ("landing/2025-05-20", "the source files of a step")],
    ids=["replay-file", "landing-folder"],
)
def test_an_incomplete_folder_is_refused(fresh_folder: Path, missing: str, message: str) -> None:
    """A replay without its file or one of its landing folders is refused before anything is run."""
    path = fresh_folder / "replay" / missing
    path.rename(path.with_name("elsewhere"))
    with pytest.raises(ContractError, match=message):
        Scenario.read(fresh_folder / "replay")


def test_a_total_that_differs_is_told(own_folder: Path) -> None:
    """A published total that the ledger does not meet is named with step, period and difference."""
    path = own_folder / "replay" / "published.toml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('2021 = "4607838.372"', '2021 = "4607838.370"'), encoding="utf-8")
    assert mismatches(replayed(own_folder).totals) == {
        "step 2, 2021": "expected 4,607,838.370 t; found 4,607,838.372 t, +0.002"
    }
