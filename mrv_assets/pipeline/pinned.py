"""What a certificate pins from outside the store, held against what is there now.

What does not belong here: what follows when something is another one (reperform).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.digest import sha256_hex
from mrv_assets.domain.errors import ContractError, Refusal
from mrv_assets.domain.generation import InputRef
from mrv_assets.pipeline.assessing import declared
from mrv_assets.pipeline.world import World

DELIVERED = frozenset(("source", "stac_item"))
"""Kinds without which `activity` cannot be made again, and only `activity`."""

SHOWN = "monitoring"
"""The kind without which the assessments of the certificate cannot be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """A pinned input and the digest of what is there now by its name; None, and why, where nothing usable is."""

    ref: InputRef
    found: str | None
    because: str = ""

    @property
    def is_here(self) -> bool:
        """Whether the very same is there."""
        return self.found == self.ref.digest

    @property
    def is_lacking(self) -> bool:
        """Whether it is reference data and is not here: nothing downstream of it can be made again."""
        return not self.is_here and self.ref.kind not in DELIVERED and self.ref.kind != SHOWN

    def __str__(self) -> str:
        there = self.found or f"none ({self.because})"
        return f"{self.ref.kind} {self.ref.name}: pinned {self.ref.digest}, here {there}"


def pinned(world: World, certificate: Certificate) -> tuple[Pinned, ...]:
    """Look at everything that a certificate pins. Raises Tampering for a released file that was changed."""
    return tuple(_look(world, certificate, ref) for ref in dict.fromkeys(certificate.inputs))


def require_references(found: tuple[Pinned, ...]) -> None:
    """Raise ContractError naming the reference data that are not there as they were pinned, and what to do."""
    lacking = [pin for pin in found if pin.is_lacking]
    if lacking:
        raise ContractError(
            "reference data are not those that the certificate pins",
            where=", ".join(f"{pin.ref.kind} {pin.ref.name}" for pin in lacking),
            expected=", ".join(f"{pin.ref.kind} {pin.ref.name} {pin.ref.digest}" for pin in lacking),
            found=", ".join(pin.found or f"none: {pin.because}" for pin in lacking),
            remedy="check out the reference data of that time and name the folder with --reference, "
            "or use a kit that was made then",
        )


def _look(world: World, certificate: Certificate, ref: InputRef) -> Pinned:
    look = _LOOKS.get(ref.kind, _unknown)
    try:
        return Pinned(ref=ref, found=look(world, certificate, ref.name))
    except Refusal as refusal:
        return Pinned(ref=ref, found=None, because=f"{refusal.what}: {refusal.found}")


def _source(world: World, certificate: Certificate, name: str) -> str:
    source = world.landing.fetch(name)
    if source.beside is not None and not any(ref.kind == "stac_item" for ref in certificate.inputs):
        raise ContractError(
            "a STAC item lies beside the source file now",
            where=name,
            expected="no item, as when the certificate was made",
            found=source.beside.key,
            remedy="take the item away, or go on from the sealed activity",
        )
    return source.sha256


def _stac_item(world: World, certificate: Certificate, name: str) -> str:
    project = world.references.project(certificate.key.project_id)
    beside = world.landing.fetch(project.source.path).beside
    if beside is None or beside.key != name:
        raise ContractError(
            "STAC item is missing",
            where=name,
            expected="the item beside the source file",
            found="no item" if beside is None else beside.key,
            remedy="deliver the item beside its file again",
        )
    return sha256_hex(beside.data)


def _monitoring(world: World, certificate: Certificate, name: str) -> str:
    refs = declared(world, certificate.key).refs
    found = {ref.name: ref.digest for ref in refs if ref.kind == SHOWN}
    if name not in found:
        raise ContractError(
            "monitoring package is not declared",
            where=name,
            expected="the package that the project declares for the period",
            found=", ".join(found) or "no package",
            remedy="see [[standards]] of the project",
        )
    return found[name]


def _unknown(_world: World, certificate: Certificate, name: str) -> str:
    raise ContractError(
        "kind of input is not known here",
        where=f"{certificate.key}, input {name}",
        expected=", ".join(_LOOKS),
        found="another kind",
        remedy="use the version of the platform that made the certificate",
    )


_LOOKS: Mapping[str, Callable[[World, Certificate, str], str]] = {
    "project": lambda world, _, name: world.references.project(name).digest,
    "boundary": lambda world, _, name: sha256_hex(world.references.boundary_file(name)),
    "source": _source,
    "stac_item": _stac_item,
    "factor_release": lambda world, _, name: world.references.factor_release(name).digest,
    "gwp_set": lambda world, _, name: world.references.gwp(name).digest,
    "rule_set": lambda world, _, name: world.references.rule_set(name).digest,
    "monitoring": _monitoring,
}
