"""What of a kit comes from outside the store: exactly the reference data and deliveries that a certificate pins.

What does not belong here: evidence (kit_evidence) and which of it may travel (kit).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mrv_assets.domain.digest import Json
from mrv_assets.domain.factor_head import BESIDE
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.released import FACTORS, HEAD
from mrv_assets.domain.source_identity import source_identity
from mrv_assets.pipeline.assessing import table_places
from mrv_assets.pipeline.kit_evidence import names_a_folder
from mrv_assets.pipeline.pinned import Pinned
from mrv_assets.pipeline.sealed import Sealed
from mrv_assets.pipeline.world import World

REFERENCE = "reference/"
LANDING = "landing/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A pinned input as a kit holds it: its files by their place, or why it is left out."""

    pin: Pinned
    files: Mapping[str, bytes]
    left_out: str = ""

    def to_json(self, identity: Mapping[str, str]) -> dict[str, Json]:
        """Return what it is, by digest, where it is in the kit or why it is not, and of the source what is known."""
        ref = self.pin.ref
        return {
            "kind": ref.kind,
            "name": ref.name,
            "digest": ref.digest,
            "members": sorted(self.files),
            **({"left_out": self.left_out} if self.left_out else {}),
            **({"identity": dict(identity)} if ref.kind == "source" else {}),
        }


def kit_inputs(world: World, pins: Sequence[Pinned], *, left_out: Mapping[str, str]) -> tuple[Input, ...]:
    """Return every pinned input; `left_out` says by kind why one does not travel. What is not here is left out, too."""
    return tuple(_input(world, pin, left_out.get(pin.ref.kind, "")) for pin in pins)


def identity_of(sealed: Sealed) -> dict[str, str]:
    """Return what is known of the source file, without its place where that is a folder of a machine."""
    record = sealed.chain[Asset.ACTIVITY]
    known = source_identity(record.evidence)
    return {name: text for name, text in known.items() if not (name.endswith("_uri") and names_a_folder(record))}


def _input(world: World, pin: Pinned, left_out: str) -> Input:
    if not pin.is_here and not left_out:
        left_out = f"it is not at hand any more: {pin.found or pin.because}"
    return Input(pin=pin, files={} if left_out else _FILES[pin.ref.kind](world, pin.ref), left_out=left_out)


def _references(world: World, names: Sequence[str]) -> dict[str, bytes]:
    found = {name: world.references.raw(name) for name in names}
    return {f"{REFERENCE}{name}": data for name, data in found.items() if data is not None}


def _source(world: World, ref: InputRef) -> dict[str, bytes]:
    return {f"{LANDING}{ref.name}": world.landing.fetch(ref.name).content}


def _monitoring(world: World, ref: InputRef) -> dict[str, bytes]:
    package = world.landing.fetch(ref.name).data
    tables = {place: world.landing.fetch(place).data for place in table_places(package, ref.name).values()}
    return {f"{LANDING}{place}": data for place, data in {ref.name: package, **tables}.items()}


def _factor_release(world: World, ref: InputRef) -> dict[str, bytes]:
    return _references(world, [f"factors/{ref.name}/{name}" for name in (HEAD, FACTORS, *BESIDE)])


_FILES: Mapping[str, Callable[[World, InputRef], dict[str, bytes]]] = {
    "project": lambda world, ref: _references(world, [f"projects/{ref.name}.toml"]),
    "boundary": lambda world, ref: _references(world, [ref.name]),
    "source": _source,
    "stac_item": _source,
    "factor_release": _factor_release,
    "gwp_set": lambda world, ref: _references(world, [f"gwp/{ref.name}.csv"]),
    "rule_set": lambda world, ref: _references(world, [f"standards/{ref.name.replace('@', '-')}.toml"]),
    "monitoring": _monitoring,
}
