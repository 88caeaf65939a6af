"""`mrv registry` on the planted forest, as a person and a script see it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from mrv_assets.storage.posix_store import PosixStore
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.end_to_end.home import write
from mrv_assets_tests.registered import CREDITS, block, forest_objects
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

EXAMPLE = forest.FOLDER / "registry.toml"


@pytest.fixture
def planted(tmp_path: Path) -> Path:
    """A deployment of its own in which the planted forest is reported."""
    for root, files in (("reference", forest.references()), ("home/landing", forest.landing())):
        for path, data in files.items():
            write(tmp_path / root / path, data)
    store = PosixStore(tmp_path / "home" / "store")
    for key, data in forest_objects().items():
        store.put_if_absent(key, data)
    return tmp_path


def records(folder: Path) -> list[str]:
    """Return the names of the records that are kept."""
    kept = folder / "home" / "store" / "registry" / "records"
    return sorted(path.name for path in kept.iterdir()) if kept.exists() else []


def test_the_example_is_attached_once(mrv: Mrv, planted: Path) -> None:
    """First only checked, then recorded, then skipped; the check of the store is content."""
    tried = mrv(planted, "registry", "attach", str(EXAMPLE), "--dry-run")
    assert tried.exit_code == 0
    assert tried.stdout.count("planned") == 3
    assert "Nothing was recorded; without --dry-run it is." in tried.stdout
    assert records(planted) == []
    for outcome in ("committed", "skipped"):
        done = parsed(mrv(planted, "registry", "attach", str(EXAMPLE), "--json"))
        assert [one["outcome"] for one in done["entries"]] == [outcome] * 3
    assert records(planted) == [f"{number:012d}.json" for number in (1, 2, 3)]
    assert mrv(planted, "fsck").exit_code == 0


def test_a_refusal_is_a_panel_and_records_nothing(mrv: Mrv, planted: Path, tmp_path: Path) -> None:
    """Exit code 1, with what was expected and found."""
    other = tmp_path / "other.toml"
    other.write_text(
        EXAMPLE.read_text(encoding="utf-8").replace("900003473", "900003474").replace("= 3473 ", "= 3474 "),
        encoding="utf-8",
    )
    result = mrv(planted, "registry", "attach", str(other))
    assert result.exit_code == 1
    assert "certificate does not bear the issuance out" in result.stderr
    assert "at most 3473 credits for 2025" in result.stderr
    assert records(planted) == []
    missing = mrv(planted, "registry", "attach", str(tmp_path / "nowhere.toml"))
    assert missing.exit_code == 1
    assert "registry file cannot be read" in missing.stderr


def test_records_are_listed(mrv: Mrv, planted: Path) -> None:
    """All of them, or those of a project, with what each rests on."""
    assert "No registry record." in mrv(planted, "registry", "list").stdout
    mrv(planted, "registry", "attach", str(EXAMPLE))
    shown = mrv(planted, "registry", "list", "planted-forest")
    assert shown.exit_code == 0
    assert f"{CREDITS:,}" in shown.stdout
    assert "A made-up company" in shown.stdout
    assert all(len(line) <= 100 for line in shown.stdout.splitlines())
    listed = parsed(mrv(planted, "registry", "list", "--json"))["records"]
    assert [one["kind"] for one in listed] == ["issued", "retired", "cancelled"]
    assert [one["is_reported_now"] for one in listed] == [True, None, None]
    assert parsed(mrv(planted, "registry", "list", "another", "--json")) == {"records": []}


@pytest.mark.parametrize(
    ("first", "last", "issued", "retired"),
    [
        pytest.param(900_000_001, 900_003_473, 3473, 1100, id="whole block"),
        pytest.param(900_000_991, 900_001_010, 20, 10, id="half of it retired"),
        pytest.param(900_002_000, 900_002_000, 1, 0, id="one credit"),
        pytest.param(900_003_473, 900_003_480, 1, 1, id="beyond the block"),
    ],
)
def test_a_serial_number_is_shown(mrv: Mrv, planted: Path, first: int, last: int, issued: int, retired: int) -> None:
    """Who issued it on which certificate, and how many of its credits are retired or cancelled."""
    mrv(planted, "registry", "attach", str(EXAMPLE))
    serial = block(first, last).text
    [found] = parsed(mrv(planted, "registry", "show", serial, "--json"))["blocks"]
    assert (found["issued"], found["retired"], found["quantity"]) == (issued, retired, last - first + 1)
    assert found["records"][0]["project_id"] == "planted-forest"
    shown = mrv(planted, "registry", "show", serial)
    assert shown.exit_code == 0
    assert f"{issued:,} issued, {retired:,} retired or cancelled" in shown.stdout


@pytest.mark.parametrize("serial", [block(1, 9).text, "GS1-1-9", "nonsense"])
def test_a_serial_number_of_nobody_is_refused(mrv: Mrv, planted: Path, serial: str) -> None:
    """Nothing is known of it, so nothing is said."""
    mrv(planted, "registry", "attach", str(EXAMPLE))
    result = mrv(planted, "registry", "show", serial)
    assert result.exit_code == 1
    assert "serial number is in no registry record" in result.stderr


def test_an_issuance_whose_certificate_is_not_reported_now_is_listed_as_such(mrv: Mrv, planted: Path) -> None:
    """The record stays as it was; the list looks at the ledger as it is."""
    mrv(planted, "registry", "attach", str(EXAMPLE))
    shutil.rmtree(planted / "home" / "store" / "commits" / "ledger")
    shown = mrv(planted, "registry", "list")
    assert "the ledger does not report this certificate now" in " ".join(shown.stdout.split())
