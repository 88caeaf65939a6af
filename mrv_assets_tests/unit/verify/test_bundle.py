"""A certificate that was handed out: the untouched one holds, and every alteration is detected and named."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pymerkle import InmemoryTree, MerkleProof, verify_inclusion
from securesystemslib.dsse import Envelope as OtherEnvelope
from securesystemslib.signer import SSlibKey  # type: ignore[attr-defined]

from mrv_assets.domain.bundle import Bundle
from mrv_assets.domain.dsse import IN_TOTO
from mrv_assets.domain.errors import BrokenChain, SignatureInvalid, Tampering
from mrv_assets.domain.merkle import leaf_hash
from mrv_assets.domain.partition import Asset
from mrv_assets.domain.trust import Trust
from mrv_assets.pipeline.verifying import all_certificates, verify_stored
from mrv_assets.verify.reader import AtHand
from mrv_assets.verify.verification import State, Verification
from mrv_assets_tests import altering
from mrv_assets_tests import planted_forest as forest
from mrv_assets_tests.handed_out import place, set_aside, unsigned_reader, whole, with_checkpoint
from mrv_assets_tests.signing import FIRST, SECOND, STRANGER, key_id, signed_by, trusted
from mrv_assets_tests.tamperings import TAMPERINGS, Alteration
from mrv_assets_tests.unit.pipeline.bumps import FIRST as OLDER
from mrv_assets_tests.unit.pipeline.bumps import MIDDLE as NEWER
from mrv_assets_tests.world import run_partition


def states(outcome: Verification) -> dict[str, str]:
    """Return how far each check came, by name."""
    return {check.name: check.state.value for check in outcome.checks}


@pytest.mark.parametrize("row", [pytest.param(row, id=row.name) for row in TAMPERINGS])
def test_an_alteration_is_detected_and_named(row: Alteration) -> None:
    """As exactly its kind of error, in words that name the leaf, with what was expected, found and to be done."""
    error = row.detected()
    assert type(error) is row.found
    assert error is not None
    assert [words for words in row.words if words not in str(error)] == []
    assert all((error.what, error.where, error.expected, error.found, error.remedy))


def test_there_are_more_than_forty_alterations_each_once() -> None:
    """A row that stands twice would be counted twice."""
    names = [row.name for row in TAMPERINGS]
    assert len(names) == len(set(names)) > 40


@pytest.mark.parametrize(
    ("project_id", "version"),
    [
        pytest.param("anoka", OLDER, id="superseded"),
        pytest.param("anoka", NEWER, id="reported"),
        pytest.param("carver", OLDER, id="another project"),
    ],
)
def test_the_untouched_certificate_holds(project_id: str, version: str) -> None:
    """The control: with everything at hand every check holds, but for the predecessor that only a store can show."""
    found = states(whole().shown(project_id, version).verify())
    if version == NEWER:
        assert found.pop("predecessor") == State.NOT_CHECKED
    assert set(found.values()) == {State.HELD.value}


def test_a_certificate_with_rows_set_aside_holds() -> None:
    """Their tables are among the contents."""
    outcome = set_aside().shown().verify()
    [contents] = [check for check in outcome.checks if check.name == "contents"]
    assert contents.said == "4 tables, and 1 tables of rows set aside: every byte, and what they say"


def test_a_certificate_with_assessments_and_uncertainty_holds() -> None:
    """What no record repeats is in the statement alone, and is no difference."""
    world = forest.opened()
    run_partition(world, forest.KEY, run_id="run")
    [record] = all_certificates(world)
    assert forest.certificate(world).assessments
    outcome = verify_stored(world, record, unsigned_reader())
    assert [check.name for check in outcome.unchecked] == ["published checkpoint"]


def test_a_certificate_with_two_signatures_holds() -> None:
    """Both keys are told."""
    shown = altering.signatures("envelope", lambda one: signed_by(FIRST, SECOND, payload=one.payload))(whole().shown())
    [signature] = [check for check in shown.verify().checks if check.name == "signature"]
    assert all(key_id(key)[:16] in signature.said for key in (FIRST, SECOND))


def test_a_second_signature_by_a_stranger_does_no_harm() -> None:
    """One by a trusted key is enough."""
    both = altering.signatures("envelope", lambda one: signed_by(FIRST, STRANGER, payload=one.payload))
    assert states(both(whole().shown()).verify())["signature"] == "held"


def test_a_certificate_of_before_a_rotation_holds_after_it() -> None:
    """Its own key has ended since, and the checkpoint is signed by the next one, which began later."""
    first = place()
    first.signed_by(SECOND).run("carver", NEWER, run_id="after")
    ended, begun = trusted(FIRST, until="2026-04-01T00:00:00Z"), trusted(SECOND, until=None)
    trust = Trust(keys=(ended, replace(begun, valid_from_utc="2026-04-01T00:00:00Z")))
    shown = first.shown(trust=trust)
    assert {"held"} == set(states(shown.verify()).values())
    earlier = with_checkpoint(shown, first.rolled_back(to=3).checkpoint())
    assert states(earlier.verify())["published checkpoint, size 3"] == "held"


def test_a_certificate_signed_by_a_later_run_is_judged_by_when_that_was() -> None:
    """The key did not count yet when the certificate was made; the journal tells of the seal when it did."""
    found = place(None)
    found.signed_by(FIRST).run("anoka", OLDER, run_id="signs")
    [first, *rest] = found.bundle().entries
    assert (first.number, len(rest)) == (1, 1)
    assert states(found.shown().verify())["signature"] == "held"


def test_what_nobody_signed_holds_for_whoever_takes_it() -> None:
    """Digests hold, and the outcome says in red that nobody vouches for them."""
    shown = replace(place(None).shown(), reader=unsigned_reader())
    outcome = shown.verify()
    names = [check.name for check in outcome.unsigned]
    assert names == ["signature", "checkpoint", "published checkpoint, size 3"]
    assert all("UNSIGNED" in check.said for check in outcome.unsigned)
    trusting = replace(shown, reader=replace(whole().shown().reader, allow_unsigned=True))
    assert [check.name for check in trusting.verify().unsigned] == names


def test_signatures_that_nobody_looked_at_are_not_taken_for_good() -> None:
    """Without a trust file a signed certificate is no better than an unsigned one."""
    outcome = replace(whole().shown(), reader=unsigned_reader()).verify()
    assert {check.said[:17] for check in outcome.unsigned if check.name == "signature"} == {"NOBODY IS TRUSTED"}


def test_what_is_not_at_hand_is_told() -> None:
    """Nothing is passed over in silence."""
    outcome = replace(whole().shown(version=NEWER), at_hand=AtHand()).verify()
    assert [check.name for check in outcome.unchecked] == ["published checkpoint", "contents", "predecessor"]


def test_another_size_without_a_proof_is_told() -> None:
    """A published checkpoint of an earlier size says nothing by itself."""
    shown = with_checkpoint(whole().shown(), whole().rolled_back(to=2).checkpoint())
    bare = replace(shown, at_hand=replace(shown.at_hand, growth=None))
    assert states(bare.verify())["published checkpoint, size 2"] == "not checked"
    assert states(shown.verify())["published checkpoint, size 2"] == "held"


def test_a_certificate_that_was_never_reported_is_told() -> None:
    """The ledger has another one; that is no fault of the certificate."""
    found = place()
    found.run("carver", NEWER, run_id="newer")
    found.run("carver", OLDER, run_id="older again")
    bundle = found.bundle("carver", OLDER)
    never = replace(bundle, ledger=None, records=bundle.records[:5])
    outcome = replace(found.shown("carver"), bundle=never).verify()
    assert states(outcome)["ledger"] == "not checked"


def test_an_alteration_is_told_before_a_missing_signature() -> None:
    """Whoever is told to look for a signature would not look for what was altered."""
    shown = altering.record(Asset.FACTORED, "rows", 9)(place(None).shown())
    with pytest.raises(Tampering, match=r"record factored generation 1: rows"):
        shown.verify()


def test_a_file_reads_back_as_what_was_checked() -> None:
    """The bytes of the file are the bundle."""
    shown = whole().shown()
    again = replace(shown, bundle=Bundle.from_bytes(shown.bundle.to_bytes(), where="file"))
    assert again.verify() == shown.verify()


NESTED = b"[" * 100_000
ENDLESS = b'{"schema":"mrv-tree-head-1","origin":"x","size":1e999,"root":"","last":""}'


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda b: replace(b, envelope=replace(b.envelope, payload=NESTED)), id="statement"),
        pytest.param(
            lambda b: (
                altering.statement(("predicate.validation_outcomes.0.gates.8.gate", []))(
                    replace(whole().shown(), bundle=b)
                ).bundle
            ),
            id="gate that is a list",
        ),
        pytest.param(lambda b: replace(b, records=(NESTED, *b.records[1:])), id="record"),
        pytest.param(lambda b: replace(b, entries=(replace(b.entries[0], data=NESTED),)), id="entry"),
        pytest.param(lambda b: replace(b, checkpoint=replace(b.checkpoint, payload=NESTED)), id="checkpoint"),
        pytest.param(lambda b: replace(b, checkpoint=replace(b.checkpoint, payload=ENDLESS)), id="endless size"),
    ],
)
def test_no_part_ends_the_check_with_an_accident(change: Callable[[Bundle], Bundle]) -> None:
    """A hundred thousand lists in one another, or a number beyond every number, are damage like any other."""
    shown = replace(whole().shown(), reader=unsigned_reader())
    with pytest.raises(Tampering, match=r"cannot be read|was changed|is not what"):
        replace(shown, bundle=change(shown.bundle)).verify()


def test_securesystemslib_verifies_the_envelope() -> None:
    """An independent implementation finds the signature of what we hand out good."""
    envelope = whole().bundle().envelope
    assert envelope.payload_type == IN_TOTO
    other = OtherEnvelope.from_dict(json.loads(envelope.to_bytes()))
    key = SSlibKey.from_crypto(FIRST.public_key(), keyid=key_id(FIRST))
    assert set(other.verify([key], threshold=1)) == {key_id(FIRST)}


@pytest.mark.parametrize(("project_id", "version"), [("anoka", OLDER), ("carver", OLDER), ("anoka", NEWER)])
def test_pymerkle_verifies_the_inclusion_proof(project_id: str, version: str) -> None:
    """An independent implementation of RFC 6962 grows the same root, and leads every entry to it by our proof."""
    shown, journal = whole().shown(project_id, version), whole().world.journal
    head = altering.head_of(shown)
    tree = InmemoryTree(algorithm="sha256")
    for number in range(1, head.size + 1):
        tree.append_entry(journal.raw(number))
    assert tree.get_root().hex() == head.root
    for entry in shown.bundle.entries:
        theirs = tree.prove_inclusion(entry.number, head.size).serialize()
        path = [leaf_hash(entry.data), *entry.proof]
        ours = MerkleProof.deserialize({**theirs, "path": [node.hex() for node in path]})
        verify_inclusion(path[0], bytes.fromhex(head.root), ours, index=entry.number, size=head.size)


@pytest.mark.parametrize("key", [FIRST, SECOND], ids=["the same key", "another trusted key"])
def test_a_checkpoint_of_another_journal_does_not_stand_in(key: Ed25519PrivateKey) -> None:
    """Also where a trusted key has signed it."""
    other = place(key, quarantine=True)
    with pytest.raises(BrokenChain, match="another journal: origin"):
        with_checkpoint(whole().shown(), other.checkpoint()).verify()


def test_re_hashing_everything_is_caught_by_the_signature_alone() -> None:
    """Digests agree in the forged file, so a reader who asks for no signature is warned in red, and not stopped."""
    forged = altering.rehashed("1.000000000")(whole().shown())
    with pytest.raises(SignatureInvalid, match="the signature itself"):
        forged.verify()
    careless = replace(forged, reader=unsigned_reader(), at_hand=AtHand())
    assert [check.name for check in careless.verify().unsigned] == ["signature", "checkpoint"]
