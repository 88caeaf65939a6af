"""What `mrv reperform` and `mrv kit` print, and by which code they end."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from mrv_assets.cli.reperform_text import CODES, print_reperformed
from mrv_assets.domain.certificate import Totals
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.reperform import Verdict, reperform
from mrv_assets_tests.forging import forge, with_cell
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed
from mrv_assets_tests.unit.pipeline.small_store import ANOKA, world_over
from mrv_assets_tests.world import memory_store, run_partition


def reported(folder: Path, mrv: Mrv) -> list[str]:
    """Return project and period of a figure that the small replay reports."""
    [first, *_] = parsed(mrv(folder, "ledger", "--json"))["figures"]
    return [first["project_id"], first["period"]]


def test_a_figure_is_made_again(folder: Path, mrv: Mrv) -> None:
    """Every asset on a line, the figure twice, and exit code 0."""
    done = mrv(folder, "reperform", *reported(folder, mrv))
    assert done.exit_code == 0
    assert [line.split()[0] for line in done.stdout.splitlines()[3:8]] == [asset.value for asset in Asset][:5]
    assert "net" in done.stdout


def test_a_kit_is_written_under_the_name_of_its_figure(
    folder: Path, mrv: Mrv, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the working folder, with what is left out."""
    monkeypatch.chdir(tmp_path)
    words = reported(folder, mrv)
    done = mrv(folder, "kit", *words)
    [file] = tmp_path.iterdir()
    assert file.name.startswith("-".join(words))
    assert file.name.endswith(".kit.zip")
    assert f"Written: {file.name}" in done.stdout
    assert "Left out: the whole record of activity" in done.stdout


@pytest.mark.parametrize("command", ["reperform", "kit"])
def test_a_certificate_that_is_not_there_is_refused(folder: Path, mrv: Mrv, command: str) -> None:
    """By the words that were given."""
    done = mrv(folder, command, "nobody", "2021")
    assert done.exit_code == 1
    assert "certificate nobody 2021" in done.stderr


def test_rows_that_differ_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """By key, column and both values, with the tonnes, and what the certificate states otherwise."""
    world = world_over(memory_store())
    run_partition(world, ANOKA)
    totals = Totals(emissions_tco2e=Decimal("9.000000000"), removals_tco2e=Decimal("0.000000000"), activity_rows=2)
    edit = with_cell("emissions_tco2e", 0, Decimal("9.000000000"))
    found = reperform(world, forge(world, ANOKA, tables={Asset.FACTORED: edit}, totals=totals))
    print_reperformed(found)
    printed = capsys.readouterr().out
    assert CODES[found.verdict] == 70
    assert "factored: 1 rows differ, 0 missing, 0 added; net -5.816055079 t CO2e" in printed
    assert "  anoka-2021-Q1, emissions_tco2e: sealed 9.000000000, recomputed 3.183944921" in printed
    assert "predicate.totals.net_tco2e: sealed 9.000000000, recomputed 6.367889842" in printed
    assert "Stop: what was made again is not what the certificate seals." in printed


def test_other_libraries_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    """With both versions."""
    world = world_over(memory_store())
    run_partition(world, ANOKA)
    print_reperformed(reperform(world, forge(world, ANOKA, pins={Asset.FACTORED: {"pint": "0.1"}})))
    printed = capsys.readouterr().out
    assert "made with other code or libraries:" in printed
    assert "factored pins.pint: sealed 0.1, recomputed" in printed
    assert "The same figure" in printed


def test_every_verdict_has_its_code() -> None:
    """As the runbook and the help say."""
    assert CODES == {Verdict.SAME: 0, Verdict.DIFFERS: 70, Verdict.ELSEWHERE: 1}
    assert json.loads(json.dumps(list(CODES))) == ["same", "differs", "elsewhere"]
