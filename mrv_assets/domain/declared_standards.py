"""Which rule sets a project declares for which monitoring periods, and where its monitoring evidence lies.

What does not belong here: what a rule set says (rule_set) and reading the evidence (stages).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.domain.window import Window

_KEYS = {"window", "rule_sets", "monitoring"}
_PATH = re.compile(r"[A-Za-z0-9{][A-Za-z0-9._+/{}-]*\.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredStandards:
    """The rule sets of the periods in `window`, by `id@version`, evaluated on one canonical result each.

    `monitoring` is the path of the evidence below the landing folder, `{period}` in it standing for the period; None
    where the rule sets ask for none.
    """

    window: Window
    rule_sets: Sequence[str]
    monitoring: str | None

    def covers(self, period: Period) -> bool:
        """Tell whether every day of the period lies in the window: two of its years hold a period of both."""
        return period.is_covered(self.window.periods)

    def monitoring_of(self, period: Period) -> str | None:
        """Return the path of the evidence of a period."""
        return None if self.monitoring is None else self.monitoring.replace("{period}", period.text)


def parse_standards(tables: object) -> tuple[DeclaredStandards, ...]:
    """Read the `[[standards]]` of a project file.

    Raises ValueError, KeyError or TypeError for a malformed one, IdentityError for a window that is none, and
    ValueError for two that are about the same day: nobody could tell which rules hold.
    """
    if not isinstance(tables, list):
        raise TypeError("[[standards]] is a list of tables")
    found = tuple(_declared(table) for table in tables)
    for number, one in enumerate(found):
        for other in found[number + 1 :]:
            if any(other.window.touches(period) for period in one.window.periods):
                raise ValueError(f"[[standards]] of {one.window} and of {other.window} share days")
    return found


def _declared(d: Mapping[str, Any]) -> DeclaredStandards:
    unknown = sorted(set(d) - _KEYS)
    if unknown:
        raise ValueError(f"[[standards]] has unknown keys {', '.join(unknown)}")
    names = d["rule_sets"]
    if not isinstance(names, list) or not names or len(set(names)) != len(names):
        raise ValueError("rule_sets is a list of id@version, at least one and each once")
    return DeclaredStandards(
        window=Window.parse(d["window"]),
        rule_sets=tuple(_rule_set(name) for name in names),
        monitoring=_path(d["monitoring"]) if "monitoring" in d else None,
    )


def _rule_set(name: str) -> str:
    id_, at, version = name.partition("@")
    if not at:
        raise ValueError(f"a rule set is named id@version, not {name!r}: no version is ever assumed")
    checked_id(id_, what="rule set id")
    checked_id(version, what="rule set version")
    return name


def _path(text: object) -> str:
    if not isinstance(text, str) or not _PATH.fullmatch(text) or ".." in text:
        raise ValueError(f"monitoring is the path of a .toml file below the landing folder, not {text!r}")
    return text
