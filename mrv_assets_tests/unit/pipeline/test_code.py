"""What counts as other code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline import code
from mrv_assets.pipeline.recipes import stage_code

MODULE = '"""Doc."""\n\n\ndef half(x: float) -> float:\n    """Halve."""\n    return x / 2  # a comment\n'


@pytest.mark.parametrize(
    ("text", "is_same"),
    [
        pytest.param(MODULE.replace("Halve.", "Return the half."), True, id="docstring"),
        pytest.param(MODULE.replace("  # a comment", ""), True, id="comment"),
        pytest.param(MODULE.replace("x / 2", "(x /\n            2)"), True, id="layout"),
        pytest.param(MODULE.replace("x / 2", "x / 3"), False, id="statement"),
        pytest.param(MODULE.replace("half", "third"), False, id="name"),
    ],
)
def test_code_is_other_code_when_a_statement_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, *, is_same: bool
) -> None:
    """Docstrings, comments and layout leave the digest alone; a statement or a name changes it."""
    monkeypatch.syspath_prepend(tmp_path)
    digests = []
    for source in (MODULE, text):
        # A name of its own for every text: the digest of a module is worked out once in a process.
        name = f"stage_{sha256_hex(source.encode())[:16]}"
        (tmp_path / f"{name}.py").write_text(source)
        digests.append(code._meaning(name))
    assert (digests[0] == digests[1]) is is_same


def test_every_stage_has_code_of_its_own_that_stays_the_same() -> None:
    """Six stages, six digests, equal each time they are asked for."""
    digests = [stage_code(asset) for asset in Asset]
    assert len(set(digests)) == len(Asset)
    assert digests == [stage_code(asset) for asset in Asset]


def test_the_code_of_a_stage_includes_what_it_imports() -> None:
    """The closure of the factor stage holds its gates, the factors it reads and the units they convert."""
    closure = code._closure(("mrv_assets.stages.factor", "mrv_assets.compliance.factored"))
    assert {"mrv_assets.domain.factors", "mrv_assets.domain.units", "mrv_assets.compliance.case"} <= closure
    assert not any(name.startswith(("mrv_assets.storage", "mrv_assets.orchestration")) for name in closure)
