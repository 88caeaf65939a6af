from __future__ import annotations

from pathlib import Path

from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.cli.small_replay import PARTITIONS


def pin(folder: Path, project: str, toml: str) -> None:
    """Change a project file so that it carries pins."""
    path = folder / "reference" / "projects" / f"{project}.toml"
    path.write_text(path.read_text(encoding="utf-8").replace("[boundary]", f"{toml}\n[boundary]"), encoding="utf-8")


def test_status_counts_what_is_there(mrv: Mrv, folder: Path) -> None:
    """`mrv status` gives places, slots and generations by asset, journal entries, and the number of figures."""
    document = parsed(mrv(folder, "status", "--json"))
    assert document["places"]["store"] == (folder / "home" / "store").as_uri()
    assert document["assets"]["ledger"] == {"slots": 6, "generations": 16}
    assert document["assets"]["activity"] == {"slots": 6, "generations": 8}
    assert document["journal_entries"] == PARTITIONS
    assert document["figures"] == 6
    complete = {(row["inventory"], row["period"]): row["is_complete"] for row in document["inventories"]}
    assert complete["small", "2022"] is True
    assert complete["twin-cities", "2022"] is False


def test_nothing_is_behind_after_the_replay(mrv: Mrv, folder: Path) -> None:
    """Figures of the newest release of their line are not behind."""
    assert parsed(mrv(folder, "status", "--json"))["behind"] == []
    assert "No figure is behind" in mrv(folder, "status").stdout


def test_a_pin_to_another_version_puts_a_figure_behind(mrv: Mrv, own_folder: Path) -> None:
    """A figure that the project pins to another version is behind, with the command that moves it."""
    pin(own_folder, "metc-anoka", '[pins]\n2021 = "mrow-2024.06.24"\n')
    [behind] = parsed(mrv(own_folder, "status", "--json"))["behind"]
    assert behind == {
        "project_id": "metc-anoka",
        "period": "2021",
        "live": "mrow-2025.05.20",
        "wanted": "mrow-2024.06.24",
        "refusal": None,
    }
    assert "mrv run metc-anoka 2021" in mrv(own_folder, "status").stdout


def test_a_pin_on_a_withdrawn_release_hides_no_other_figure(mrv: Mrv, own_folder: Path) -> None:
    """Nobody can tell what that figure should be, so its row says why; the rest of the status is there."""
    older = "mrow-2024.06.24"
    pin(own_folder, "metc-anoka", f'[pins]\n2021 = "{older}"\n')
    withdrawn = own_folder / "reference" / "factors" / older / "withdrawn.toml"
    withdrawn.write_text('on = 2026-01-31\nby = "R. Reviewer"\nbecause = "wrong vintage"\n', encoding="utf-8")
    document = parsed(mrv(own_folder, "status", "--json"))
    assert document["figures"] == 6
    [behind] = document["behind"]
    assert (behind["project_id"], behind["wanted"]) == ("metc-anoka", None)
    assert "withdrawn on 2026-01-31 by R. Reviewer: wrong vintage" in behind["refusal"]
    shown = " ".join(mrv(own_folder, "status").stdout.split())
    assert "metc-anoka 2021 mrow-2025.05.20 unclear" in shown


def test_a_newer_release_puts_every_figure_behind(mrv: Mrv, own_folder: Path) -> None:
    """A release that supersedes the live one puts the figures of its line behind."""
    factors = own_folder / "reference" / "factors"
    newer = factors / "mrow-2026.01.01"
    newer.mkdir()
    (newer / "factors.csv").write_bytes((factors / "mrow-2025.05.20" / "factors.csv").read_bytes())
    text = (factors / "mrow-2025.05.20" / "release.toml").read_text(encoding="utf-8")
    text = text.replace('version = "mrow-2025.05.20"', 'version = "mrow-2026.01.01"')
    text = text.replace('supersedes = "mrow-2024.06.24"', 'supersedes = "mrow-2025.05.20"')
    (newer / "release.toml").write_text(text, encoding="utf-8")
    behind = parsed(mrv(own_folder, "status", "--json"))["behind"]
    assert len(behind) == 6
    assert {row["wanted"] for row in behind} == {"mrow-2026.01.01"}


def test_an_empty_deployment_has_a_status(mrv: Mrv, fresh_folder: Path) -> None:
    """A home in which nothing was run shows zeros and what to do, without an error."""
    result = mrv(fresh_folder, "status")
    assert result.exit_code == 0
    assert "0 journal entries, 0 figures reported" in result.stdout
    assert "`mrv demo` replays" in result.stdout
