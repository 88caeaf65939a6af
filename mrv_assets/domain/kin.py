"""Which projects are others under a new name: renamed ones, merged ones, and those that one was divided into.

Read from one reviewed file, `successions.toml` of the reference data, because it holds for both sides at once. What
does not belong here: what the projects report (pipeline).
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from graphlib import CycleError, TopologicalSorter

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.partition import checked_id
from mrv_assets.domain.said import said

SUCCESSIONS = "successions.toml"
_FIELDS = {"project", "succeeds", "because"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Successions:
    """The projects that each project succeeds. What stood under an old name stays there."""

    succeeds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def kin(self, project_id: str) -> frozenset[str]:
        """Return all that a project succeeds and all that succeed it, over however many steps.

        Two projects that were merged into one, or that one was divided into, are no kin of each other: both report.
        """
        succeeded_by: dict[str, tuple[str, ...]] = {}
        for new, olds in self.succeeds.items():
            for old in olds:
                succeeded_by[old] = (*succeeded_by.get(old, ()), new)
        return _reached(self.succeeds, project_id) | _reached(succeeded_by, project_id)

    @classmethod
    def parse(cls, data: bytes, *, where: str) -> Successions:
        """Read the file. Raises ContractError naming `where` when it is malformed, or goes round in a circle."""
        try:
            entries = tomllib.loads(data.decode())
            if set(entries) != {"succession"}:
                raise ValueError(f"expected [[succession]] alone, not {', '.join(entries) or 'nothing'}")
            succeeds: dict[str, tuple[str, ...]] = {}
            for entry in entries["succession"]:
                project, olds = _entry(entry)
                if project in succeeds:
                    raise ValueError(f"{project} stands there twice")
                succeeds[project] = olds
            tuple(TopologicalSorter(succeeds).static_order())
        except CycleError as error:
            raise _malformed(where, f"a circle: {' → '.join(error.args[1])}") from error
        except (ValueError, KeyError, TypeError, AttributeError, IdentityError, ContractError) as error:
            raise _malformed(where, f"{type(error).__name__}: {error}") from error
        return cls(succeeds=succeeds)


def _entry(entry: Mapping[str, object]) -> tuple[str, tuple[str, ...]]:
    if set(entry) != _FIELDS:
        raise ValueError(f"expected {', '.join(sorted(_FIELDS))}, not {', '.join(sorted(entry))}")
    project, olds = entry["project"], entry["succeeds"]
    if not isinstance(project, str) or not isinstance(olds, list) or not olds:
        raise TypeError("project is an id, succeeds a list of one id or more")
    said(str(entry["because"]), of=SUCCESSIONS, lacking="why", where="because", expected="why the project has it")
    return checked_id(project, what="project_id"), tuple(checked_id(old, what="project_id") for old in olds)


def _reached(steps: Mapping[str, tuple[str, ...]], start: str) -> frozenset[str]:
    reached: set[str] = set()
    pending = list(steps.get(start, ()))
    while pending:
        step = pending.pop()
        if step not in reached:
            reached.add(step)
            pending.extend(steps.get(step, ()))
    return frozenset(reached)


def _malformed(where: str, found: str) -> ContractError:
    return ContractError(
        "successions of projects are malformed",
        where=where,
        expected="[[succession]] with project, succeeds and because, as docs/projects.md describes, and no circle",
        found=found,
        remedy="correct the file; until then no figure is reported, because it may be another project's",
    )
