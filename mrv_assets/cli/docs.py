"""`mrv docs`: the data dictionary as a file, written or compared."""

from __future__ import annotations

from pathlib import Path

from mrv_assets.cli.terminal import DONE, REFUSED, print_panel, stdout
from mrv_assets.compliance.gates import GATES
from mrv_assets.domain.contract import CONTRACTS
from mrv_assets.domain.errors import ContractError
from mrv_assets.report.dictionary import data_dictionary

_DOCS = Path(__file__).resolve().parents[2] / "docs"


def write_dictionary(file: Path | None, *, check: bool) -> int:
    """Write the dictionary, or with `check` only compare; return the exit code.

    Raises ContractError when no file is named and this is no checkout.
    """
    path = file or _default_file()
    text = data_dictionary(CONTRACTS, GATES)
    found = path.read_text(encoding="utf-8") if path.exists() else None
    if check and found != text:
        print_panel(
            "Stale",
            {
                "where": str(path),
                "expected": "what the contract and the gates say now",
                "found": "no file" if found is None else "an older text",
                "remedy": "run `mrv docs` and commit the file",
            },
        )
        return REFUSED
    if not check and found != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    stdout().print(f"{path} {'is up to date' if found == text else 'written'}", soft_wrap=True)
    return DONE


def _default_file() -> Path:
    if not _DOCS.is_dir():
        raise ContractError(
            "there is no docs folder to write to",
            where=str(_DOCS),
            expected="a checkout of the project",
            found="an installed package",
            remedy="name the file with --file",
        )
    return _DOCS / "data-dictionary.md"
