"""`mrv standards assess`: what rule sets make of certified totals, the declared ones or others. Nothing is kept."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mrv_assets.cli.assessment_text import assessments_text, side_by_side
from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.factors_files import asked_wrongly
from mrv_assets.cli.shown_version import shown_version
from mrv_assets.cli.terminal import DONE, REFUSED, print_json, print_panel, stdout
from mrv_assets.domain.assessment import Assessment
from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.partition import Asset, PartitionKey, Slot
from mrv_assets.pipeline.assessing import assessments, declared
from mrv_assets.pipeline.world import World
from mrv_assets.report.expected_assessments import Expected
from mrv_assets.verify import verify_certificate

_PICTURES = (".svg", ".png")


def show_assessment(
    project: str,
    period: str,
    factor_version: str | None,
    *,
    rule_sets: Sequence[str] | None,
    expect: Path | None,
    plot: Path | None,
    as_json: bool,
) -> int:
    """Print the assessment of a partition's certified totals, and draw it into `plot` where one is named.

    Return the exit code: 1 when a control fails, and when something is not as the file `expect` says.

    Raises ContractError for a partition without a certificate or without rule sets, for a malformed `expect` and a
    picture of no known kind, GateError when one cannot be evaluated, Tampering when the certificate is not what its
    record seals.
    """
    if plot is not None and plot.suffix not in _PICTURES:
        kinds = " or ".join(_PICTURES)
        raise asked_wrongly("picture is of no known kind", where="--plot", expected=kinds, found=str(plot))
    expected = None if expect is None else _expected(expect)
    world = open_for_reading(enter())
    if factor_version is None:
        factor_version = shown_version(world, project, period)
    key = PartitionKey(project_id=project, period=period, factor_version=factor_version)
    certificate = current_certificate(world, key)
    found = declared(world, key, instead=rule_sets)
    if not found.rule_sets:
        raise ContractError(
            "no rule set is declared for the period",
            where=f"project {project}, {period}",
            expected="[[standards]] of the project whose window holds the period, or --rule-set",
            found="none",
            remedy="declare rule sets in the project file (docs/standards.md), or name some with --rule-set",
        )
    assessed = assessments(found, key, certificate.totals, world.references, uncertainty=certificate.uncertainty)
    differences = expected.differences(str(key), certificate.totals, assessed) if expected else {}
    if plot is not None:
        plot.write_bytes(_drawn(assessed, plot.suffix, title=f"{project} {period}: from gross to whole credits"))
    if as_json:
        told = {
            "partition": str(key),
            "certificate_sha256": certificate.sha256,
            "evidence": [{"name": ref.name, "sha256": ref.digest} for ref in found.refs if ref.kind == "monitoring"],
            "assessments": [one.to_json() for one in assessed],
        }
        print_json(told | ({"differences": differences} if expected else {}))
    else:
        _print(key, certificate, assessed, plot)
        if expected and not differences:
            stdout().print(f"\nevery line and control is as {expect} says", style="green", soft_wrap=True)
    if differences:
        print_panel(f"The assessment is not what {expect} says", differences)
    return REFUSED if differences or _is_failed(assessed) else DONE


def _print(key: PartitionKey, certificate: Certificate, assessed: Sequence[Assessment], plot: Path | None) -> None:
    stdout().print(f"{key}, certificate {certificate.sha256[:12]}", style="bold")
    stdout().print(assessments_text(assessed))
    stdout().print(side_by_side(assessed))
    if plot is not None:
        stdout().print(f"\ndrawn: {plot}", soft_wrap=True)


def _expected(path: Path) -> Expected:
    if not path.is_file():
        raise asked_wrongly("file does not exist", where="--expect", expected="a file", found=str(path))
    return Expected.parse(path.read_bytes(), where=str(path))


def _drawn(assessed: Sequence[Assessment], kind: str, *, title: str) -> bytes:
    # matplotlib costs a second, which only who draws should wait for.
    from mrv_assets.report.waterfall_plot import waterfall_plot

    return waterfall_plot(assessed, kind, title=title)


def _is_failed(assessments: Sequence[Assessment]) -> bool:
    return any(one.failed for one in assessments)


def current_certificate(world: World, key: PartitionKey) -> Certificate:
    """Return the certificate of a partition. Raises ContractError when there is none, Tampering when it was changed."""
    record = world.slots.current(Slot.of(Asset.CERTIFICATE, key))
    if record is None:
        raise ContractError(
            "partition has no certificate yet",
            where=str(key),
            expected="a certificate whose totals can be assessed",
            found="an empty slot",
            remedy=f"run it first: mrv run {key.project_id} {key.period} {key.factor_version}",
        )
    return verify_certificate(world.slots.load_bytes(record), record)
