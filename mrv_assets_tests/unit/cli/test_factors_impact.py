"""`mrv factors impact` on the small replay: what it shows, and that every bump of the chain does what was previewed."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from decimal import Decimal
from pathlib import Path

import pytest

from mrv_assets.cli.deployment import open_for_reading
from mrv_assets.cli.replay import Scenario, replay_step
from mrv_assets.pipeline.impact import factor_impact
from mrv_assets.storage.opening import open_store
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import ALL, make_folder, pipeline_runner, settings_of

NEWEST, WRONG_VINTAGE = "mrow-2025.05.20", "mrow-2024.02.06"


def words(text: str) -> str:
    """Return a text without its layout."""
    return " ".join(text.replace("│", " ").split())


def stored(folder: Path) -> dict[str, bytes]:
    """Return every file of the store."""
    store = folder / "home" / "store"
    return {str(path.relative_to(store)): path.read_bytes() for path in store.rglob("*") if path.is_file()}


def test_every_bump_of_the_demo_does_what_was_previewed(tmp_path: Path) -> None:
    """Step by step, each figure that a newer release restates is the previewed one to the last digit."""
    folder = make_folder(tmp_path / "small")
    settings = settings_of(folder)
    scenario, run = Scenario.read(folder / "replay"), pipeline_runner(settings)
    landing = open_store(settings.landing)
    bumped = []
    steps = scenario.replay.steps
    for number, step in enumerate(steps, start=1):
        before = steps[number - 2] if number > 1 else None
        world = open_for_reading(settings)
        impact = None
        if before and before.factor_version != step.factor_version and before.landing == step.landing:
            impact = factor_impact(world, step.factor_version, before=before.factor_version)
        replayed = replay_step(world, landing, scenario, number, run=run, notice=lambda _: None)
        if impact is not None:
            figures = {one.key: one.figure.totals for one in replayed}
            assert impact.partitions
            for one in impact.partitions:
                assert one.after is not None
                assert (one.after.emissions, one.after.removals, one.after.net) == (
                    figures[one.key].emissions_tco2e,
                    figures[one.key].removals_tco2e,
                    figures[one.key].net_tco2e,
                )
                assert one.is_moving
            bumped.append((step.factor_version, len(impact.partitions)))
    assert bumped == [
        ("mrow-2024.02.06", 2),
        ("mrow-2024.02.26", 2),
        ("mrow-2024.06.24", 2),
        (NEWEST, 3),
    ]


def test_what_a_bump_would_do_is_shown(mrv: Mrv, folder: Path) -> None:
    """Figures that would be held, those refused, the tonnes, and that nothing was written, within 100 columns."""
    before = stored(folder)
    result = mrv(folder, "factors", "impact", NEWEST, WRONG_VINTAGE)
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= 100
    said = words(result.stdout)
    assert f"{NEWEST} → {WRONG_VINTAGE}" in said
    assert "held 3 figure(s), which the ledger does not move; they would change by +365,170.701 t" in said
    assert "metc-ramsey 2021 2,158,579.651 2,381,042.560 +222,462.909 +10.306 % ! held" in said
    assert "activity has no factor [factored metc-anoka 2022 mrow-2024.02.06]" in said
    assert "written nothing" in said
    assert result.stderr == ""
    assert stored(folder) == before


def test_a_bump_that_moves_the_ledger_has_totals(mrv: Mrv, own_folder: Path) -> None:
    """By project with the threshold, by factor; --top leaves rows out and says so."""
    pins = f'publication = "latest"\nmateriality = "0.2"\n[pins]\n2021 = "{WRONG_VINTAGE}"\n'
    for project in ALL:
        path = own_folder / "reference" / "projects" / f"{project}.toml"
        text = path.read_text(encoding="utf-8").replace('publication = "latest"', pins)
        path.write_text(text.replace("0.2", "0.05") if project == ALL[0] else text, encoding="utf-8")
    result = mrv(own_folder, "factors", "impact", WRONG_VINTAGE, "--period", "2021", "--top", "1")
    said = words(result.stdout)
    assert "would move 3 figure(s) by +365,170.701 t CO2e" in said
    assert "restated 1 figure(s) and 1 project total(s) beyond the project's threshold, marked !" in said
    assert "and 2 more: --top N shows more, --json has every value" in said
    assert "electricity.delivered 3,543,287.486 3,908,458.187 +365,170.701 +10.306 % US/MROW per MWh" in said
    only = words(mrv(own_folder, "factors", "impact", WRONG_VINTAGE, "--project", ALL[0], "--period", "2021").stdout)
    assert "metc-anoka 1,207,315.814 1,331,741.608 +124,425.795 +10.306 % !" in only


def test_everything_is_in_the_json_exactly(mrv: Mrv, folder: Path) -> None:
    """Decimals are text with all their digits; net is emissions minus removals, and the change is their difference."""
    document = parsed(mrv(folder, "factors", "impact", NEWEST, WRONG_VINTAGE, "--json"))
    assert (document["before"], document["after"], document["already_on_after"]) == (NEWEST, WRONG_VINTAGE, 0)
    assert {name: document["total"][name] for name in ("moving", "held", "refused", "material")} == {
        "moving": 0, "held": 3, "refused": 3, "material": 0,
    }  # fmt: skip
    assert len(document["partitions"]) == 6
    first = document["partitions"][0]
    assert (first["project_id"], first["period"], first["live"], first["would_move"]) == (
        "metc-ramsey", "2021", NEWEST, False,
    )  # fmt: skip
    assert (first["materiality"], first["is_material"]) == ("0.05", True)
    before, after = first["before_tco2e"], first["after_tco2e"]
    assert Decimal(after["net"]) - Decimal(before["net"]) == Decimal(first["delta_tco2e"])
    assert all(len(side["net"].partition(".")[2]) == 9 for side in (before, after))
    [factor] = first["factors"]
    assert (factor["activity_id"], factor["delta_tco2e"]) == ("electricity.delivered", first["delta_tco2e"])
    refused = document["partitions"][-1]
    assert (refused["after_tco2e"], refused["refusal"]["what"]) == (None, "activity has no factor")


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_preview_is_drawn(mrv: Mrv, folder: Path, tmp_path: Path, suffix: str) -> None:
    """As SVG or PNG, beside the tables or the JSON."""
    picture = tmp_path / f"impact.{suffix}"
    result = mrv(folder, "factors", "impact", WRONG_VINTAGE, "--plot", str(picture))
    assert f"drawn: {picture}" in result.stdout.replace("\n", "")
    assert "drawn" not in mrv(folder, "factors", "impact", NEWEST, "--json", "--plot", str(picture)).stdout
    data = picture.read_bytes()
    assert data.startswith(b"\x89PNG") if suffix == "png" else ET.fromstring(data).tag.endswith("svg")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param([NEWEST, WRONG_VINTAGE, NEWEST], "a bump has two ends", id="three releases"),
        pytest.param([NEWEST, "--plot", "impact.pdf"], "picture is of no known kind", id="another picture"),
        pytest.param(["mrow-1"], "factor version is unknown", id="unknown release"),
        pytest.param([NEWEST, "--period", "2021-3"], "period is not in canonical form", id="period"),
        pytest.param([NEWEST, "--project", "metc anoka"], "project_id is not a canonical id", id="project"),
    ],
)
def test_options_that_say_nothing_are_refused(mrv: Mrv, folder: Path, arguments: list[str], says: str) -> None:
    """With exit code 1, and nothing on standard output."""
    result = mrv(folder, "factors", "impact", *arguments)
    assert (result.exit_code, result.stdout) == (1, "")
    assert says in words(result.stderr)


def test_an_empty_store_has_nothing_to_move(mrv: Mrv, fresh_folder: Path) -> None:
    """No figure is reported yet, and nothing is made by looking."""
    result = mrv(fresh_folder, "factors", "impact", NEWEST)
    assert result.exit_code == 0
    assert "would move 0 figure(s)" in words(result.stdout)
    assert not (fresh_folder / "home" / "store").exists()
    assert json.loads(mrv(fresh_folder, "factors", "impact", NEWEST, "--json").stdout)["partitions"] == []
    shutil.rmtree(fresh_folder)
