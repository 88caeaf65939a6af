"""The plain script as a Prefect flow: ingest, normalize, factor, aggregate, verify, then two files that it overwrites.

Run by an interpreter that has Prefect, pandas and pyarrow and nothing of ours. It judges a handful of things, keeps no
history and proves nothing: what it takes is what an orchestrator takes for five small tasks.
"""

# mypy: disable-error-code="untyped-decorator"
from __future__ import annotations

import hashlib
import json
import sys
import time
from pathlib import Path
from typing import Any

import pandas as pd
from prefect import flow, task  # type: ignore[import-not-found,unused-ignore]

REQUIRED = {"activity_id", "activity_qty", "unit", "epoch"}


@task
def ingest(source: str) -> pd.DataFrame:
    """Read the rows."""
    return pd.read_parquet(source)


@task
def normalize(rows: pd.DataFrame) -> pd.DataFrame:
    """Check the columns."""
    if missing := REQUIRED - set(rows.columns):
        raise RuntimeError(f"missing {sorted(missing)}")
    return rows


@task
def apply_factors(rows: pd.DataFrame, factors: pd.DataFrame) -> pd.DataFrame:
    """Join the factors and multiply."""
    merged = rows.merge(factors, on=["activity_id", "unit"], how="left", validate="many_to_one")
    if merged["ef_value"].isna().any():
        raise RuntimeError("rows without a factor")
    merged["emissions_tco2e"] = merged["activity_qty"] * merged["ef_value"]
    return merged


@task
def aggregate(rows: pd.DataFrame) -> pd.DataFrame:
    """Add up."""
    return rows.groupby(["activity_id", "epoch"], as_index=False)["emissions_tco2e"].sum()


@task
def verify(strata: pd.DataFrame, period: str) -> dict[str, Any]:
    """Judge, and name the total by a digest."""
    if strata.empty or (strata["emissions_tco2e"] < 0).any():
        raise RuntimeError("nothing to submit")
    certificate: dict[str, Any] = {"period": period, "total_tco2e": round(float(strata["emissions_tco2e"].sum()), 3)}
    certificate["content_hash"] = hashlib.sha256(json.dumps(certificate, sort_keys=True).encode()).hexdigest()
    return certificate


@flow
def run_reporting_period(source: str, factors: str, out: str, period: str) -> None:
    """Carry one partition through all tasks and write its two files."""
    strata = aggregate(apply_factors(normalize(ingest(source)), pd.read_parquet(factors)))
    certificate = verify(strata, period)
    strata.to_parquet(out)
    Path(out).with_suffix(".json").write_text(json.dumps(certificate))


def main() -> None:
    """Run so many flows, after one that starts the server, and print what they took."""
    folder, partitions, rows = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    named = {"activity_id": "electricity.delivered", "unit": "MWh"}
    pd.DataFrame([{**named, "ef_value": 0.45}]).to_parquet(folder / "factors.parquet")
    activity = [{**named, "epoch": "2021", "activity_qty": row + 0.25} for row in range(rows)]
    pd.DataFrame(activity).to_parquet(folder / "source.parquet")
    source, factors = str(folder / "source.parquet"), str(folder / "factors.parquet")
    run_reporting_period(source, factors, str(folder / "first.parquet"), "first")
    begin, processor = time.perf_counter(), time.process_time()
    for number in range(partitions):
        run_reporting_period(source, factors, str(folder / f"{number}.parquet"), str(number))
    took = {"seconds": time.perf_counter() - begin, "processor": time.process_time() - processor}
    sys.stdout.write(json.dumps(took) + "\n")


if __name__ == "__main__":
    main()
