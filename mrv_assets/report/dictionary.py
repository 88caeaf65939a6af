"""The data dictionary: every table's columns and every asset's gates, generated from the contract and the register.

What does not belong here: the meanings themselves, which stand in domain.contract and compliance, and writing
the file (cli).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mrv_assets.compliance.case import Gate
from mrv_assets.domain.certificate import CERTIFICATE_VERSION
from mrv_assets.domain.contract import Contract
from mrv_assets.domain.partition import Asset

_INTRODUCTION = """\
# Data dictionary

Generated from `mrv_assets/domain/contract.py` and the gates in `mrv_assets/compliance`: edit those, then run
`mrv docs`.

Columns are in contract order. `t CO2e` are metric tonnes of CO2 equivalent, exact decimals with 9 places. A gate is a
question that staged content must answer before it is kept; its name is the name of the check in Dagster.
"""


def data_dictionary(contracts: Sequence[Contract], gates: Mapping[Asset, Sequence[Gate]]) -> str:
    """Return the dictionary as Markdown: one section for each asset, in the order of their travel."""
    by_asset = {contract.asset: contract for contract in contracts}
    lines = [_INTRODUCTION]
    for asset in Asset:
        lines.append(f"## {asset}\n")
        contract = by_asset.get(asset)
        lines.extend(_document_section() if contract is None else _table_section(contract))
        lines.extend(_gate_section(asset, gates[asset]))
    return "\n".join(lines)


def _document_section() -> Iterator[str]:
    yield (
        f"Contract `{CERTIFICATE_VERSION}`: one canonical JSON document for one partition, described in "
        "`mrv_assets/domain/certificate.py`.\n"
    )


def _table_section(contract: Contract) -> Iterator[str]:
    key = ", ".join(f"`{name}`" for name in contract.key)
    crs = f" Geometry in {contract.crs}." if contract.crs else ""
    yield f"Contract `{contract.version}`: {contract.grain}. Key: {key}.{crs}\n"
    yield "| column | type | unit | null | meaning |"
    yield "| --- | --- | --- | --- | --- |"
    for column in contract.columns:
        null = "yes" if column.nullable else "no"
        yield f"| `{column.name}` | {column.type} | {_cell(column.unit)} | {null} | {_cell(column.meaning)} |"
    yield ""


def _gate_section(asset: Asset, gates: Sequence[Gate]) -> Iterator[str]:
    yield f"| gate of `{asset}` | question |"
    yield "| --- | --- |"
    for gate in gates:
        yield f"| `{gate.name}` | {_cell(gate.question)} |"
    yield ""


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
