"""A certificate says which one it takes the place of, and making it again says the same again."""

from __future__ import annotations

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.generation import GenerationRecord
from mrv_assets.domain.lineage import Outcome
from mrv_assets.domain.partition import Asset, Slot
from mrv_assets_tests.unit.pipeline.bumps import FIRST, MIDDLE, Bench
from mrv_assets_tests.unit.pipeline.landings import key, projects, rows
from mrv_assets_tests.world import outcomes, run_partition


def bench() -> Bench:
    """Return Anoka, with nothing run yet."""
    return Bench(newest=MIDDLE, projects_toml=projects("anoka"))


def run(place: Bench, version: str, *, force: bool = False) -> list[Outcome]:
    """Run Anoka's 2021 with a release."""
    place.tick()
    return outcomes(run_partition(place.world, key("anoka", "2021", version), run_id=f"run {version}", force=force))


def sealed(place: Bench, version: str) -> tuple[GenerationRecord, Certificate]:
    """Return the current certificate of a release and its record."""
    record = place.world.slots.current(Slot.of(Asset.CERTIFICATE, key("anoka", "2021", version)))
    assert record is not None
    return record, Certificate.from_bytes(place.world.slots.load_bytes(record), where="under test")


def test_the_first_certificate_takes_the_place_of_none() -> None:
    """Nothing was reported before it."""
    place = bench()
    run(place, FIRST)
    assert sealed(place, FIRST)[1].supersedes is None


def test_a_new_factor_version_takes_the_place_of_what_is_reported() -> None:
    """The certificate of a bump names the one behind the figure that it moves."""
    place = bench()
    run(place, FIRST)
    run(place, MIDDLE)
    assert sealed(place, MIDDLE)[1].supersedes == sealed(place, FIRST)[0].content_digest


def test_an_older_factor_version_takes_the_place_of_none() -> None:
    """It is certified and held: the figure that is reported stays."""
    place = bench()
    run(place, MIDDLE)
    run(place, FIRST)
    assert sealed(place, FIRST)[1].supersedes is None


def test_a_correction_takes_the_place_of_the_certificate_before_it() -> None:
    """Other activity under the same factors names the certificate that it corrects."""
    place = bench()
    run(place, FIRST)
    before = sealed(place, FIRST)[0]
    place.landing.replace("source.csv", rows("anoka 2021 8"))
    run(place, FIRST)
    record, certificate = sealed(place, FIRST)
    assert (record.generation, certificate.supersedes) == (2, before.content_digest)


def test_making_it_again_says_the_same_again() -> None:
    """Forced, the certificate is made anew with the predecessor that it had, and adds nothing."""
    place = bench()
    run(place, FIRST)
    run(place, MIDDLE)
    assert run(place, MIDDLE, force=True) == [Outcome.SKIPPED] * 6
    assert run(place, FIRST, force=True) == [Outcome.SKIPPED] * 6
