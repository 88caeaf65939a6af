"""Taking a figure back and letting it return, as an operator does it, and what every other command says meanwhile."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

ANOKA = ("metc-anoka", "2021")
SAID = ("--by", "R. Reviewer", "--because", "the meter was read twice")


def test_a_figure_is_withdrawn_told_everywhere_and_reinstated(mrv: Mrv, own_folder: Path, tmp_path: Path) -> None:
    """Ledger, history, status, trace, verify, certificate and show tell of it; the return is one more generation."""
    reported = parsed(mrv(own_folder, "ledger", "--json"))["figures"]
    [before] = [one for one in reported if (one["project_id"], one["period"]) == ANOKA]
    done = mrv(own_folder, "ledger", "withdraw", *ANOKA, *SAID, "--in-favour-of", "2021-Q1 to 2021-Q4")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.startswith("metc-anoka 2021, generation 6, net 1,207,315.814 t CO2e, withdrawn on ")
    assert "by R. Reviewer: the meter was read twice, in favour of 2021-Q1 to 2021-Q4" in done.stdout

    now = parsed(mrv(own_folder, "ledger", "--json"))
    assert now["figures"] == [one for one in reported if one is not before]
    assert all("metc-anoka" in one["missing"] for one in now["inventories"] if one["period"] == "2021")
    assert parsed(mrv(own_folder, "status", "--json"))["figures"] == len(reported) - 1
    history = mrv(own_folder, "ledger", "--history", "--project", "metc-anoka", "--period", "2021")
    assert max(map(len, history.stdout.splitlines())) <= 100
    assert "withdrawn on" in " ".join(history.stdout.split())
    asked = ("ledger", "--history", "--project", "metc-anoka", "--period", "2021", "--json")
    [told] = parsed(mrv(own_folder, *asked))["figures"]
    last = told["generations"][-1]
    assert (last["generation"], last["net_tco2e"], last["withdrawn_by"]) == (7, None, "R. Reviewer")
    traced = mrv(own_folder, "trace", *ANOKA)
    assert "withdrawal by R. Reviewer" in traced.stdout
    assert traced.exit_code == 0

    sealed = before["certificate_sha256"]
    assert "withdrawn" in mrv(own_folder, "verify", sealed, "--allow-unsigned").stdout
    handed_out = mrv(own_folder, "certificate", sealed, "--out", str(tmp_path / "one.mrv.json"))
    assert "WITHDRAWN: its figure was withdrawn on" in handed_out.stdout
    assert "nothing is reported: the figure was withdrawn" in mrv(own_folder, "show", "ledger", *ANOKA).stdout
    refused = mrv(own_folder, "verify", *ANOKA)
    assert refused.exit_code == 1
    assert "one that was taken back" in " ".join(refused.stderr.split())

    back = parsed(mrv(own_folder, "ledger", "reinstate", *ANOKA, "--by", "A. Auditor", "--because", "sound", "--json"))
    assert back["reinstatement"]["by"] == "A. Auditor"
    assert back["run"]["assets"][-1]["outcome"] == "committed"
    after = parsed(mrv(own_folder, "ledger", "--json"))["figures"]
    own = dict.fromkeys(("generation", "written_utc", "run_id"))
    assert [one | own for one in after] == [one | own for one in reported]
    assert mrv(own_folder, "fsck").exit_code == 0


def test_withdrawing_twice_tells_of_the_first(mrv: Mrv, own_folder: Path) -> None:
    """The second call changes nothing, and is no error: it is also what completes a crash."""
    first = parsed(mrv(own_folder, "ledger", "withdraw", *ANOKA, *SAID, "--json"))
    again = parsed(mrv(own_folder, "ledger", "withdraw", *ANOKA, "--by", "E. Else", "--because", "other", "--json"))
    assert (first["outcome"], first["is_before"]) == ("committed", False)
    assert (again["outcome"], again["is_before"]) == ("skipped", True)
    assert again["withdrawal"] == first["withdrawal"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        pytest.param(("withdraw", "metc-anoka", "1999", *SAID), "there is no figure to withdraw", id="nothing there"),
        pytest.param(("reinstate", *ANOKA, *SAID), "there is no withdrawal to end", id="nothing withdrawn"),
        pytest.param(("withdraw", *ANOKA, "--by", "-", "--because", "x"), "does not say who", id="nobody"),
        pytest.param(("withdraw", "metc-anoka", "2021-1", *SAID), "not in canonical form", id="no period"),
    ],
)
def test_what_cannot_be_withdrawn_is_refused_and_nothing_is_kept(
    mrv: Mrv, folder: Path, arguments: tuple[str, ...], says: str
) -> None:
    """Exit code 1, and what stands is what stood."""
    before = mrv(folder, "ledger", "--json").stdout
    result = mrv(folder, "ledger", *arguments)
    assert result.exit_code == 1
    assert says in " ".join(result.stderr.split())
    assert mrv(folder, "ledger", "--json").stdout == before
