from __future__ import annotations

import csv
import json
from decimal import Decimal
from pathlib import Path
from typing import get_args

import pytest

from mrv_assets.cli.app import Stage
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.contract import NORMALIZED
from mrv_assets.domain.partition import Asset
from mrv_assets.storage.parquet import read_parquet
from mrv_assets_tests.unit.cli.conftest import Mrv, parsed

ANOKA = ("metc-anoka", "2021")


def test_the_stages_are_the_assets() -> None:
    """`mrv show` knows exactly the assets, in the order of their travel."""
    assert get_args(Stage) == tuple(asset.value for asset in Asset)


@pytest.mark.parametrize("asset", list(Asset))
def test_every_asset_can_be_shown(mrv: Mrv, folder: Path, asset: Asset) -> None:
    """Each asset's generation shows its digests, pins, gates and the checks that it passed."""
    result = mrv(folder, "show", asset.value, *ANOKA)
    assert result.exit_code == 0, result.stderr
    record = parsed(mrv(folder, "show", asset.value, *ANOKA, "--json"))["record"]
    for shown in (
        record["content_digest"],
        record["inputs_digest"],
        record["pins"]["code"],
        record["gates"][0]["gate"],
    ):
        assert shown in result.stdout
    assert "checked: history of" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_a_factor_version_left_out_is_the_reported_one(mrv: Mrv, folder: Path) -> None:
    """`mrv show certificate` without a version shows the certificate behind the live figure."""
    document = parsed(mrv(folder, "show", "certificate", *ANOKA, "--json"))
    [live] = parsed(mrv(folder, "ledger", "--project", "metc-anoka", "--period", "2021", "--json"))["figures"]
    assert document["certificate"]["predicate"]["factor_version"] == "mrow-2025.05.20"
    assert document["certificate_sha256"] == live["certificate_sha256"]


def test_an_earlier_generation_can_be_shown(mrv: Mrv, folder: Path) -> None:
    """--generation shows what the ledger said before, and says that it is not the newest."""
    result = mrv(folder, "show", "ledger", *ANOKA, "--generation", "2")
    assert "generation 2 (the newest is 6)" in result.stdout
    assert "2226795.812" in result.stdout
    assert "checked: figure is the one that its certificate seals" in result.stdout


def test_a_table_goes_to_parquet_byte_for_byte(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """--out FILE.parquet writes the stored bytes, which have the content digest of the record."""
    out = tmp_path / "anoka.parquet"
    record = parsed(mrv(folder, "show", "normalized", *ANOKA, "--out", str(out), "--json"))["record"]
    assert NORMALIZED.digest(read_parquet(out.read_bytes())) == record["content_digest"]


def test_a_table_goes_to_csv_without_losing_a_digit(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """--out FILE.csv writes decimals in full and without exponent, and geometry as WKT."""
    factored, normalized = tmp_path / "factored.csv", tmp_path / "normalized.csv"
    assert mrv(folder, "show", "factored", *ANOKA, "--out", str(factored)).exit_code == 0
    assert mrv(folder, "show", "normalized", *ANOKA, "--out", str(normalized)).exit_code == 0
    [row] = csv.DictReader(factored.read_text(encoding="utf-8").splitlines())
    assert row["emissions_tco2e"] == "1207315.813651403"
    assert row["removals_tco2e"] == "0.000000000"
    assert Decimal(row["ef_value"]) == (
        Decimal("995.8") + Decimal("0.107") * Decimal("27.9") + Decimal("0.015") * 273
    ) * (Decimal("0.00045359237"))
    [row] = csv.DictReader(normalized.read_text(encoding="utf-8").splitlines())
    assert row["geometry"].startswith("POLYGON ((-90")


def test_a_certificate_goes_to_json_byte_for_byte(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """--out FILE.json writes the certificate's own bytes, so that its sha256 is the sealed one."""
    out = tmp_path / "anoka.json"
    document = parsed(mrv(folder, "show", "certificate", *ANOKA, "--out", str(out), "--json"))
    assert Certificate.from_bytes(out.read_bytes(), where="out").sha256 == document["certificate_sha256"]


def test_a_table_goes_to_json_as_rows(mrv: Mrv, folder: Path, tmp_path: Path) -> None:
    """--out FILE.json of a table holds its rows, decimals as text."""
    out = tmp_path / "ledger.json"
    mrv(folder, "show", "ledger", *ANOKA, "--out", str(out))
    [row] = json.loads(out.read_text(encoding="utf-8"))
    assert row["net_tco2e"] == "1207315.813651403"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["certificate", *ANOKA, "--out", "x.csv"], "a name that ends in .json"),
        (["activity", *ANOKA, "--out", "x.xlsx"], ".parquet or .csv or .json"),
        (["ledger", *ANOKA, "--generation", "7"], "there is no such generation"),
        (["ledger", "metc-dakota", "2021"], "there is nothing to show"),
        (["certificate", "metc-nobody", "2021"], "reference file is missing"),
        (["activity", "metc anoka", "2021"], "project_id is not a canonical id"),
        (["activity", "metc-anoka", "21"], "period is not in canonical form"),
    ],
    ids=["certificate-as-csv", "unknown-format", "no-generation", "empty-slot", "no-project", "bad-id", "bad-period"],
)
def test_what_cannot_be_shown_is_refused(mrv: Mrv, folder: Path, arguments: list[str], message: str) -> None:
    """A request that cannot be met is refused with exit code 1, and nothing is written."""
    result = mrv(folder, "show", *arguments)
    assert result.exit_code == 1
    assert message in result.stderr
    assert result.stdout == ""


def test_an_unknown_stage_is_wrong_usage(mrv: Mrv, folder: Path) -> None:
    """A stage that does not exist is a matter of usage: exit code 2."""
    assert mrv(folder, "show", "figures", *ANOKA).exit_code == 2


def test_changed_bytes_are_never_shown(mrv: Mrv, own_folder: Path) -> None:
    """Content that is not what its record seals stops the command with exit code 70, before anything is printed."""
    sha256 = parsed(mrv(own_folder, "show", "certificate", *ANOKA, "--json"))["record"]["blob"]["sha256"]
    [blob] = [path for path in (own_folder / "home" / "store" / "blobs").rglob("*") if sha256 in path.name]
    blob.chmod(0o644)
    blob.write_bytes(blob.read_bytes().replace(b"1207315", b"1107315"))
    result = mrv(own_folder, "show", "certificate", *ANOKA)
    assert result.exit_code == 70
    assert "Stop: what is stored contradicts its own record" in result.stderr
    assert "1107315" not in result.stdout
