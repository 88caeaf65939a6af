"""Whether what a record pins from outside the store is still to be had from here, with the digest that was pinned.

Looks at reference data and landing folder as they are now. What does not belong here: what a missing one means (trace,
doctor).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import Refusal, Tampering
from mrv_assets.domain.generation import InputRef
from mrv_assets.pipeline.assessing import fetch_package, package_digest
from mrv_assets.pipeline.world import World


class Presence(StrEnum):
    """How a pinned input is found again."""

    HERE = "here"
    OTHER = "here with another digest"
    NOT_HERE = "not here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What was found of a pinned input: `digest` as it is now, empty where there is none, and why there is none.

    `is_tampered` when a released file of it was changed or is gone.
    """

    presence: Presence
    digest: str = ""
    why: str = ""
    is_tampered: bool = False

    @property
    def is_here(self) -> bool:
        """Whether it is the very input that was pinned."""
        return self.presence is Presence.HERE


class Present:
    """Looks for pinned inputs, each once. A file of any size is read whole, because only its bytes give the digest."""

    def __init__(self, world: World) -> None:
        self._found: dict[tuple[str, str], Found] = {}
        self._digests = _digests(world)

    def look(self, ref: InputRef) -> Found:
        """Return what is found of an input. A kind that nothing outside the store has is not here.

        Raises StoreUnavailable when reference data or landing folder do not answer.
        """
        known = (ref.kind, ref.name)
        if known not in self._found:
            self._found[known] = self._look(ref)
        found = self._found[known]
        return replace(found, presence=Presence.HERE) if found.digest == ref.digest else found

    def _look(self, ref: InputRef) -> Found:
        """Return what there is by the name of an input, as if another digest had been pinned."""
        digest_of = self._digests.get(ref.kind)
        if digest_of is None:
            return Found(presence=Presence.NOT_HERE, why=f"nothing is known by the kind {ref.kind}")
        try:
            return Found(presence=Presence.OTHER, digest=digest_of(ref.name))
        except (Refusal, Tampering) as error:
            why = f"{error.what}: {error.found}"
            return Found(presence=Presence.NOT_HERE, why=why, is_tampered=isinstance(error, Tampering))


def _digests(world: World) -> Mapping[str, Callable[[str], str]]:
    """Return for each kind of input how its digest is taken, by its name."""
    references, landing = world.references, world.landing

    def monitoring(path: str) -> str:
        return package_digest(*fetch_package(world, path))

    return {
        "project": lambda name: references.project(name).digest,
        "boundary": lambda path: sha256_hex(references.boundary_file(path)),
        "source": lambda path: landing.fetch(path).sha256,
        "stac_item": lambda path: landing.fetch(path).sha256,
        "factor_release": lambda version: references.factor_release(version).digest,
        "gwp_set": lambda name: references.gwp(name).digest,
        "rule_set": lambda name: references.rule_set(name).digest,
        "monitoring": monitoring,
    }
