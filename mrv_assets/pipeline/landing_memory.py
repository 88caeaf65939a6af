"""What a look at the landing place need not find out again: the digest of a file, and the periods it covers.

It saves work and decides nothing. Text that is not exactly as it was written, or of another version, is no memory at
all. What does not belong here: what is requested (landing).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mrv_assets.domain.digest import Json, self_sealed_json
from mrv_assets.domain.project import Project

_FORMAT = "mrv-landing-1"
LIMIT_BYTES = 256 * 1024
"""Largest memory, as the text that a sensor hands to Dagster's database at every look."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a file says of one project, whose file had the digest `project`: periods, or why it was refused."""

    project: str
    whole: tuple[str, ...] = ()
    partial: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()
    refusal: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSource:
    """A file that was read while it looked as `mark` says. `refusal` is why it is not read, empty when it is.

    `item` is the sha256 of the STAC Item beside it, empty without one. `modified_utc` is its last change, ISO 8601, by
    which the oldest goes first.
    """

    mark: str
    sha256: str
    item: str
    modified_utc: str
    refusal: str = ""
    findings: Mapping[str, Finding] = field(default_factory=dict)

    def answers(self, projects: Iterable[Project]) -> bool:
        """Tell whether everything that these projects, as they are now, ask of the file is known."""
        if self.refusal:
            return True
        known = {project_id: finding.project for project_id, finding in self.findings.items()}
        return all(known.get(project.id) == project.digest for project in projects)


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """All files that were read, by path, and the path that the next look begins with."""

    begin: str = ""
    sources: Mapping[str, KnownSource] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str | None) -> Memory:
        """Read what was remembered; nothing, when the text is not what `to_text` writes."""
        try:
            memory = _memory(json.loads(text or ""))
            is_ours = memory.to_text() == text
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return cls()
        return memory if is_ours else cls()

    def to_text(self) -> str:
        """Write as many files as fit into the limit, in the order of their paths; the others are read again."""
        kept: dict[str, Json] = {}
        size = len(self._text(kept))
        for path, known in sorted(self.sources.items()):
            entry = {path: _known_json(known)}
            size += len(json.dumps(entry, ensure_ascii=False).encode())
            if size > LIMIT_BYTES:
                break
            kept |= entry
        return self._text(kept).decode()

    def _text(self, sources: Mapping[str, Json]) -> bytes:
        return self_sealed_json({"format": _FORMAT, "begin": self.begin, "sources": sources})


def _memory(d: dict[str, Any]) -> Memory:
    return Memory(begin=d["begin"], sources={path: _known(known) for path, known in d["sources"].items()})


def _known(d: dict[str, Any]) -> KnownSource:
    return KnownSource(**{**d, "findings": {project: _finding(finding) for project, finding in d["findings"].items()}})


def _finding(d: dict[str, Any]) -> Finding:
    periods = {name: tuple(d[name]) for name in ("whole", "partial", "unusable")}
    return Finding(project=d["project"], refusal=d["refusal"], **periods)


def _known_json(known: KnownSource) -> dict[str, Json]:
    return {
        "mark": known.mark,
        "sha256": known.sha256,
        "item": known.item,
        "modified_utc": known.modified_utc,
        "refusal": known.refusal,
        "findings": {
            project: {
                "project": finding.project,
                "whole": list(finding.whole),
                "partial": list(finding.partial),
                "unusable": list(finding.unusable),
                "refusal": finding.refusal,
            }
            for project, finding in known.findings.items()
        },
    }
