"""Rule sets from the project file to the certificate: declared, pinned, evaluated, and refused by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mrv_assets.domain.assessment import Status
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError, GateError, Refusal
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets.pipeline.world import World
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets_tests.rule_sets import RuleText, rule_set_toml
from mrv_assets_tests.unit.pipeline.landings import committed, key, projects, rows
from mrv_assets_tests.world import TickingClock, memory_store, outcomes, run_partition

ANOKA = key("anoka", "2021")
HEAD = 'id = "{id}"\nversion = "1"\ntitle = "A pilot"\neffective_from = 2020-01-01\n'
ASSURANCE = RuleText(id="ASR", formula="iso_assurance", more='choices = { accepted = "reasonable" }\n')
PACKAGE = b'[facts]\nassurance_level = "reasonable"\n[tables]\nplots = "plots.csv"\n'
PLOTS = b"id\np1\n"
DECLARED = """
[[standards]]
window = "2021"
rule_sets = [{names}]
monitoring = "monitoring/{{period}}.toml"
"""


class Pilot:
    """Anoka in 2021, under pilot rule sets that ask for an assurance level."""

    def __init__(self, *names: str, head: str = HEAD, package: bytes = PACKAGE, plots: bytes | None = PLOTS) -> None:
        [(path, project)] = projects("anoka").items()
        said = DECLARED.format(names=", ".join(f'"{name}@1"' for name in names)) if names else ""
        rule_sets = {
            f"standards/{name}-1.toml": rule_set_toml(controls=[ASSURANCE], head=head.format(id=name)) for name in names
        }
        self.references: ObjectStore = memory_store(committed() | rule_sets | {path: project + said.encode()})
        files = {"source.csv": rows("anoka 2021 7"), "monitoring/2021.toml": package}
        self.landing = memory_store(files | ({} if plots is None else {"monitoring/plots.csv": plots}))
        self.store = memory_store()

    @property
    def world(self) -> World:
        """The world, opened anew as every run does."""
        return World.over(store=self.store, references=self.references, landing=self.landing, clock=TickingClock())

    def run(self, *, run_id: str = "run") -> Sequence[Outcome]:
        """Run the partition and return what became of each asset."""
        return outcomes(run_partition(self.world, ANOKA, run_id=run_id))

    def certificate(self) -> Certificate:
        """Return the certificate."""
        record = self.world.slots.current(Slot.of(Asset.CERTIFICATE, ANOKA))
        assert record is not None
        return Certificate.from_bytes(self.world.slots.load_bytes(record), where="under test")


def test_two_rule_sets_are_assessed_on_one_result() -> None:
    """Both are in the certificate, in the order of the project, with their digests among the pinned inputs."""
    pilot = Pilot("first", "second")
    pilot.run()
    found = pilot.certificate()
    assert [one.rule_set for one in found.assessments] == ["first@1", "second@1"]
    assert [control.status for one in found.assessments for control in one.controls] == [Status.PASS, Status.PASS]
    pinned = {ref.name: ref.digest for ref in found.inputs if ref.kind == "rule_set"}
    assert pinned == {one.rule_set: one.rule_set_sha256 for one in found.assessments}
    assert [ref.name for ref in found.inputs if ref.kind == "monitoring"] == ["monitoring/2021.toml"]


def test_assessing_again_adds_nothing() -> None:
    """Rule sets and evidence are inputs like any other: unchanged, everything is skipped."""
    pilot = Pilot("first")
    pilot.run()
    assert set(pilot.run(run_id="again")) == {Outcome.SKIPPED}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda p: p.landing.replace("monitoring/plots.csv", b"id\np2\n"), id="a table"),
        pytest.param(lambda p: p.landing.replace("monitoring/2021.toml", PACKAGE + b"# x\n"), id="the package"),
        pytest.param(
            lambda p: p.references.replace(
                "standards/first-1.toml", rule_set_toml(controls=[ASSURANCE], head=HEAD.format(id="first") + "# x\n")
            ),
            id="the rule set",
        ),
    ],
)
def test_other_evidence_or_rules_make_another_certificate(change: Callable[[Pilot], None]) -> None:
    """What the certificate names has changed; nothing before it is computed again."""
    pilot = Pilot("first")
    pilot.run()
    change(pilot)
    assert pilot.run(run_id="again") == [*[Outcome.SKIPPED] * 4, Outcome.COMMITTED, Outcome.COMMITTED]


@pytest.mark.parametrize(
    ("make", "kind", "words"),
    [
        pytest.param(
            lambda: Pilot("first", package=b'[facts]\nassurance_level = "limited"\n'),
            GateError,
            r"iso14064_controls.*first@1 ASR \(section 1\)",
            id="a control fails",
        ),
        pytest.param(
            lambda: Pilot("first", package=b"[facts]\n"),
            GateError,
            r"iso14064_controls.*not evaluated: evidence is missing.*assurance_level",
            id="evidence is missing",
        ),
        pytest.param(
            lambda: Pilot("first", package=PACKAGE.replace(b"[tables]", b'gwp_set = "ar6"\n[tables]')),
            GateError,
            "standards_assessed.*gwp_set = ar6",
            id="evidence claims what the platform knows",
        ),
        pytest.param(
            lambda: Pilot("first", head=HEAD.replace("2020-01-01", "2022-01-01")),
            GateError,
            "standards_assessed.*in force from 2022-01-01",
            id="not yet in force",
        ),
        pytest.param(
            lambda: Pilot("first", head=HEAD + 'gwp_sets = ["ar5"]\n'),
            GateError,
            "standards_assessed.*GWP set ar5; found .*ar6",
            id="other warming potentials",
        ),
        pytest.param(
            lambda: Pilot("first", package=b"[facts]\nassurance_level = 1\n"),
            GateError,
            "standards_assessed.*text for assurance_level",
            id="evidence that is no text",
        ),
        pytest.param(
            lambda: Pilot("first", plots=None), ContractError, "source file is missing.*plots.csv", id="no table"
        ),
    ],
)
def test_what_does_not_hold_is_not_certified(make: Callable[[], Pilot], kind: type[Refusal], words: str) -> None:
    """It is refused by the gate that names it, and nothing is reported."""
    pilot = make()
    with pytest.raises(kind, match=words):
        pilot.run()
    assert pilot.world.slots.current(Slot.of(Asset.CERTIFICATE, ANOKA)) is None
    assert pilot.world.slots.current(Slot.of(Asset.LEDGER, ANOKA)) is None


def test_another_standard_makes_another_certificate() -> None:
    """It is written in it, though no table depends on it."""
    pilot = Pilot()
    pilot.run()
    [(path, project)] = projects("anoka").items()
    pilot.references.replace(path, project.replace(b'standard = "test"', b'standard = "other"'))
    assert pilot.run(run_id="again")[-2:] == [Outcome.COMMITTED, Outcome.COMMITTED]
    assert pilot.certificate().standard == "other"


def test_a_rule_set_that_is_not_there_is_told_with_where_it_should_be() -> None:
    """Before anything of the certificate is made."""
    pilot = Pilot("first")
    [(path, project)] = projects("anoka").items()
    pilot.references.replace(path, project + DECLARED.format(names='"other@2"').encode())
    with pytest.raises(ContractError, match=r"reference file is missing.*standards/other-2\.toml"):
        pilot.run()


def test_a_rule_set_has_one_name() -> None:
    """Where id and version meet is not guessed: the file of `a-b@1` is not that of `a@b-1`."""
    pilot = Pilot("some-first")
    [(path, project)] = projects("anoka").items()
    pilot.references.replace(path, project + DECLARED.format(names='"some@first-1"').encode())
    with pytest.raises(ContractError, match=r"another id than its name.*some@first-1.*some-first@1"):
        pilot.run()


def test_a_period_outside_every_window_is_assessed_by_none() -> None:
    """And its certificate says nothing of rule sets."""
    pilot = Pilot("first")
    pilot.landing.replace("source.csv", rows("anoka 2020 7"))
    elsewhere = key("anoka", "2020", "mrow-2025.05.20")
    run_partition(pilot.world, elsewhere)
    record = pilot.world.slots.current(Slot.of(Asset.CERTIFICATE, elsewhere))
    assert record is not None
    assert b"assessments" not in pilot.world.slots.load_bytes(record)
