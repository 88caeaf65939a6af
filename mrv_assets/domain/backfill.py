"""What a backfill is asked for: which projects over which window, with which factors, how far, and under which policy.

What does not belong here: which partitions that comes to and what became of them (pipeline, run_manifest).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset, checked_id
from mrv_assets.domain.window import Window

FOLLOW = "follow"
"""The factor version that is meant when none is named: the pin of each period, else the newest release of the line."""


class Mode(StrEnum):
    """How far partitions are carried: `report` to the ledger, `certify` to the certificate, so that no figure moves."""

    REPORT = "report"
    CERTIFY = "certify"

    @property
    def assets(self) -> tuple[Asset, ...]:
        """The assets that are made, in their order."""
        return tuple(asset for asset in Asset if self is Mode.REPORT or asset is not Asset.LEDGER)


class Policy(StrEnum):
    """What a backfill may do about what a preflight finds.

    `abort` does nothing: anything found ends the run before a partition is touched. `recompute` takes published files
    that are not what the ledger seals for unknown: their partitions are computed again, and published from the seal.
    """

    ABORT = "abort"
    RECOMPUTE = "recompute"


@dataclass(frozen=True, slots=True, kw_only=True)
class BackfillRequest:
    """One request. No `projects` are all of them; `factor_version` is a release, or `follow`.

    `force` computes again what is unchanged; content that comes out equal adds nothing.
    """

    projects: Sequence[str]
    window: Window
    factor_version: str = FOLLOW
    mode: Mode = Mode.REPORT
    policy: Policy = Policy.ABORT
    force: bool = False

    @classmethod
    def of(
        cls,
        *,
        projects: Sequence[str],
        window: str,
        factor_version: str = FOLLOW,
        mode: Mode | str = Mode.REPORT,
        policy: Policy | str = Policy.ABORT,
        force: bool = False,
    ) -> BackfillRequest:
        """Check what a person wrote. Raises IdentityError for ids, versions or a window that are not canonical.

        Raises ContractError for a project that is named twice, ValueError for a mode or policy that there is none of.
        """
        for project_id in projects:
            checked_id(project_id, what="project_id")
        repeated = sorted({name for name in projects if list(projects).count(name) > 1})
        if repeated:
            raise ContractError(
                "project is named twice",
                where="the projects of a backfill",
                expected="each project once",
                found=", ".join(repeated),
                remedy="name it once",
            )
        return cls(
            projects=tuple(projects),
            window=Window.parse(window),
            factor_version=checked_id(factor_version, what="factor_version"),
            mode=Mode(mode),
            policy=Policy(policy),
            force=force,
        )

    @property
    def follows(self) -> bool:
        """Tell whether each period takes the version that its project reports with."""
        return self.factor_version == FOLLOW

    def to_json(self) -> dict[str, Json]:
        """Return the request as canonical-JSON-ready values."""
        return {
            "projects": list(self.projects),
            "window": self.window.text,
            "factor_version": self.factor_version,
            "mode": self.mode.value,
            "policy": self.policy.value,
            "force": self.force,
        }

    @classmethod
    def from_json(cls, d: Mapping[str, Any]) -> BackfillRequest:
        """Read what `to_json` wrote. Raises what `of` raises, KeyError and ValueError."""
        return cls.of(**d)
