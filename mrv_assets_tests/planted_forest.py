"""The demo of a planted forest as a world in memory: its files, and ways to change them before they are run.

What does not belong here: expected numbers (the demo's own file, golden tests).
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.domain.assessment import Assessment, ControlOutcome
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.domain.waterfall import Line
from mrv_assets.pipeline.world import World
from mrv_assets_tests.world import REFERENCE_DATA, ROOT, memory_store, memory_world

FOLDER = ROOT / "examples" / "planted-forest"
KEY = PartitionKey(project_id="planted-forest", period="2025", factor_version="planted-forest-2025.10.01")
PACKAGE = "monitoring/2025.toml"
PROJECT = "projects/planted-forest.toml"
AREA, RISK, GOLD = "vm0047-area@1.1", "npr@4.2", "gs-403@2.1"

Files = Mapping[str, bytes]


def references() -> dict[str, bytes]:
    """Return the committed rule sets and warming potentials with the demo's own reference data."""
    folders = [(REFERENCE_DATA, name) for name in ("gwp", "standards")] + [(FOLDER / "reference", "")]
    return {
        str(path.relative_to(root)): path.read_bytes()
        for root, below in folders
        for path in (root / below).rglob("*")
        if path.is_file()
    }


def landing() -> dict[str, bytes]:
    """Return the landing files of the demo by path."""
    root = FOLDER / "landing"
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def replaced(files: Files, path: str, old: str, new: str) -> dict[str, bytes]:
    """Return the files with a text of one of them, which is there once, replaced."""
    text = files[path].decode()
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path}"
    return {**files, path: text.replace(old, new).encode()}


def opened(*, references_: Files | None = None, landing_: Files | None = None) -> World:
    """Open the demo over an empty store."""
    return memory_world(references=references_ or references(), landing=memory_store(landing_ or landing()))


def certificate(world: World) -> Certificate:
    """Return the certificate of the demo's partition."""
    record = world.slots.current(Slot.of(Asset.CERTIFICATE, KEY))
    assert record is not None
    return Certificate.from_bytes(world.slots.load_bytes(record), where="the demo")


def assessment(of: Certificate, rule_set: str) -> Assessment:
    """Return the assessment under one rule set."""
    [found] = [one for one in of.assessments if one.rule_set == rule_set]
    return found


def line(of: Assessment, rule: str) -> Line:
    """Return one line of the waterfall."""
    assert of.waterfall is not None
    [found] = [each for each in of.waterfall.lines if each.rule == rule]
    return found


def left_after(of: Assessment, rule: str) -> Decimal:
    """Return what is left after one line of the waterfall, t CO2e."""
    assert of.waterfall is not None
    lines = [each.rule for each in of.waterfall.lines]
    return of.waterfall.running()[lines.index(rule)]


def control(of: Assessment, rule: str) -> ControlOutcome:
    """Return what one control came to."""
    [found] = [each for each in of.controls if each.rule == rule]
    return found
