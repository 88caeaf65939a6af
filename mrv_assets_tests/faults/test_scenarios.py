"""Each scenario in its small size: the line is as it must be, and the controls are caught."""

from __future__ import annotations

from pathlib import Path

import pytest

from mrv_assets_tests.faults.scenarios import SCENARIOS


@pytest.mark.parametrize("name", SCENARIOS)
def test_whatever_is_broken_readers_see_old_or_new_and_the_next_run_heals(name: str, tmp_path: Path) -> None:
    """No figure is torn, fsck finds no breach after the healing run, no history changes; every control is caught."""
    line = SCENARIOS[name].small(tmp_path)
    assert line.is_right, line
