"""Which assessment report a publisher weighted with, told by the potentials that the file itself lists.

What does not belong here: the sets themselves (reference data) and where a file lists its potentials (uk_*, epa_*).
"""

from __future__ import annotations

from collections.abc import Mapping

from mrv_assets.importers.refusal import refused

_BY_CH4_AND_N2O: Mapping[tuple[str, str], str] = {
    ("25", "298"): "ar4",
    ("28", "265"): "ar5",
    ("27.9", "273"): "ar6",
}


def weighted_with(ch4: str, n2o: str, *, where: str) -> str:
    """Return the name of the GWP set whose 100-year potentials of CH4 and N2O these are.

    Raises FactorError for any other pair, also for AR5 with climate-carbon feedback (34, 298): not guessed.
    """
    if (ch4, n2o) not in _BY_CH4_AND_N2O:
        known = ", ".join(f"{name} ({a}, {b})" for (a, b), name in _BY_CH4_AND_N2O.items())
        raise refused(
            "mixed GWP: the file does not say one set that we know",
            where=where,
            expected=f"potentials of CH4 and N2O of {known}",
            found=f"({ch4 or 'none'}, {n2o or 'none'})",
        )
    return _BY_CH4_AND_N2O[ch4, n2o]
