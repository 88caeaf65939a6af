"""The family of unversioned references: what records do not pin though they must, and what is pinned and gone.

Pure over records and what was found of their inputs. What does not belong here: looking for inputs (present).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mrv_assets.domain.certificate import Certificate
from mrv_assets.domain.generation import GenerationRecord, InputRef
from mrv_assets.domain.partition import Asset
from mrv_assets.pipeline.doctor_finding import Family, Finding, Weight
from mrv_assets.pipeline.present import Found
from mrv_assets.pipeline.recipes import LIBRARIES, stage_code

_DIGEST = re.compile(r"[0-9a-f]{64}")
_SOURCES, _FACTORS = ("project", "boundary", "source"), ("factor_release", "gwp_set")
INPUTS: Mapping[Asset, tuple[str, ...]] = {
    Asset.ACTIVITY: _SOURCES,
    Asset.FACTORED: _FACTORS,
    Asset.CERTIFICATE: (*_SOURCES, *_FACTORS),
}
"""The kinds of inputs that every generation of an asset pins by digest."""

PINS: Mapping[Asset, tuple[str, ...]] = {
    Asset.ACTIVITY: (),
    Asset.NORMALIZED: ("policy",),
    Asset.FACTORED: ("factor_version",),
    Asset.AGGREGATED: ("factor_version",),
    Asset.CERTIFICATE: ("factor_version", "standard"),
    Asset.LEDGER: ("factor_version",),
}
"""What every generation of an asset pins beside contract, code and libraries."""

_EVERYWHERE = ("contract", "code")
_ALWAYS_PINNED = ("numpy", "pyarrow")
"""The libraries of every asset since the first; others have come with the code that uses them."""


def unpinned(record: GenerationRecord, certificate: Certificate | None) -> tuple[str, ...]:
    """Return what a record does not pin though its asset must, and each reference without a whole digest.

    Libraries are held to what this code pins only where the record was made by this code. `certificate` is that of a
    generation of certificates, None where it cannot be read: then its rule sets are not looked at.
    """
    asset = record.slot.asset
    kinds = {ref.kind for ref in record.inputs}
    libraries = LIBRARIES[asset] if record.pins.get("code") == stage_code(asset) else _ALWAYS_PINNED
    pins = (*_EVERYWHERE, *PINS[asset], *libraries)
    lacking = [kind for kind in INPUTS.get(asset, ()) if kind not in kinds]
    lacking += [f"pin {name}" for name in pins if not record.pins.get(name)]
    if certificate is not None:
        pinned = {ref.name for ref in record.inputs if ref.kind == "rule_set"}
        lacking += [f"rule_set {one.rule_set}" for one in certificate.assessments if one.rule_set not in pinned]
    lacking += [f"digest of {ref.kind} {ref.name}" for ref in record.inputs if not _DIGEST.fullmatch(ref.digest)]
    return tuple(lacking)


def is_assessed_blindly(record: GenerationRecord, certificate: Certificate) -> bool:
    """Tell whether rule sets were evaluated without a monitoring package being pinned."""
    return bool(certificate.assessments) and not any(ref.kind == "monitoring" for ref in record.inputs)


def unpinned_findings(lacking: Mapping[str, Sequence[str]], blind: Sequence[str]) -> Iterator[Finding]:
    """Yield the findings of what records lack, by the key of the record, and of assessments without evidence."""
    if lacking:
        yield Finding(
            family=Family.UNVERSIONED_REFERENCE,
            name="reference_not_pinned",
            weight=Weight.TO_DO,
            diagnosis="A generation does not say by digest or version what it was made from. What it read cannot be "
            "told any more, so nobody can compute it again and know that it is the same.",
            evidence=[f"{key}: no {', no '.join(what)}" for key, what in lacking.items()],
            remedy="run the partition again with --force, so that a new generation pins everything: "
            "mrv run PROJECT PERIOD FACTOR_VERSION --force",
            cannot="the pins of the generation that lacks them: a record is never changed",
        )
    if blind:
        yield Finding(
            family=Family.UNVERSIONED_REFERENCE,
            name="assessed_without_evidence",
            weight=Weight.REMARK,
            diagnosis="A certificate was assessed under rule sets without a monitoring package.",
            evidence=list(blind),
            remedy="name the package in the project's [[standards]] when there is one, and run the partition again",
        )


def gone_findings(
    pinned: Mapping[InputRef, Sequence[GenerationRecord]],
    look: Callable[[InputRef], Found],
    *,
    live: frozenset[str],
) -> Iterator[Finding]:
    """Yield the findings of pinned inputs that are not here any more.

    `pinned` are the certificates that rest on each input, `live` the sha256 of those that the ledger reports: only for
    those is something to be done.
    """
    by_name: dict[str, list[str]] = defaultdict(list)
    for ref, records in pinned.items():
        found = look(ref)
        if found.is_here:
            continue
        is_live = any(record.content_digest in live for record in records)
        name = "reference_tampered" if found.is_tampered else "reference_gone" if is_live else "reference_outdated"
        by_name[name].append(_gone_text(ref, found, records))
    for name, (weight, diagnosis, remedy) in _GONE.items():
        if by_name[name]:
            yield Finding(
                family=Family.UNVERSIONED_REFERENCE,
                name=name,
                weight=weight,
                diagnosis=diagnosis,
                evidence=by_name[name],
                remedy=remedy,
                cannot="the input itself: the store keeps its digest and not its bytes",
            )


_NOT_PERFORMED = "cannot be performed again from here"
_GONE: Mapping[str, tuple[Weight, str, str]] = {
    "reference_tampered": (
        Weight.TAMPERED,
        "A released file that certificates rest on was changed, or is gone.",
        "restore the released file from version control; publish a correction as a new release",
    ),
    "reference_gone": (
        Weight.TO_DO,
        f"A live figure rests on an input that is not here any more with the pinned digest: it {_NOT_PERFORMED}.",
        "restore the input under its name, or make a certificate from what is here now: mrv run PROJECT PERIOD",
    ),
    "reference_outdated": (
        Weight.REMARK,
        f"Only certificates that are not reported now rest on an input that is gone: they {_NOT_PERFORMED}.",
        "restore the input from version control or a replica of the landing folder if one of them is asked about",
    ),
}


def _gone_text(ref: InputRef, found: Found, records: Sequence[GenerationRecord]) -> str:
    names = dict.fromkeys(f"certificate {one.content_digest[:12]} of {one.slot}" for one in records)
    state = found.why or f"here is sha256 {found.digest[:12]} now"
    return f"{ref.kind} {ref.name}, sha256 {ref.digest[:12]} ({state}): {'; '.join(names)}"


def unlisted(versions: Iterable[str], listed: Mapping[str, object]) -> Iterator[Finding]:
    """Yield the finding of factor releases that the list of released ones does not hold; none without a list."""
    missing = [version for version in versions if version not in listed] if listed else []
    if missing:
        yield Finding(
            family=Family.UNVERSIONED_REFERENCE,
            name="release_not_listed",
            weight=Weight.TO_DO,
            diagnosis="A factor release is not on the list of released ones: it is read like any other, and a change "
            "of its files would not be noticed.",
            evidence=[f"factors/{version}/" for version in missing],
            remedy="review it and add its digests to factors/RELEASED.toml (docs/runbooks/factor-release.md), or take "
            "the folder away",
        )
