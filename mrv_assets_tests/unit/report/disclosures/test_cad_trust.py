"""CAD Trust records pass the published rules as an outsider wrote them down; each rule refuses what breaks only it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from mrv_assets.domain.digest import Json
from mrv_assets.domain.errors import ContractError
from mrv_assets.report.disclosures.cad_trust import cad_trust
from mrv_assets.report.disclosures.cad_trust_rules import (
    LABEL,
    PROJECT,
    UNIT,
    issuance_faults,
    label_faults,
    project_faults,
    split_faults,
    unit_faults,
)
from mrv_assets_tests.evidence import CERTIFICATE, SUBMISSION, evidence, row_with
from mrv_assets_tests.published_rules import has_float, project_is_valid, unit_is_valid

DOCUMENT: dict[str, Any] = json.loads(cad_trust(SUBMISSION))
A_PROJECT: dict[str, Any] = DOCUMENT["project"]
A_UNIT: dict[str, Any] = DOCUMENT["units"][0]
AN_ISSUANCE: dict[str, Any] = A_PROJECT["issuances"][0]
A_LABEL: dict[str, Any] = A_PROJECT["labels"][0]
Faults = Callable[[Mapping[str, Any]], list[str]]


def test_records_are_valid_for_an_outsider() -> None:
    """Project and both blocks of units pass the published rules, and the arithmetic of the blocks."""
    assert project_is_valid(A_PROJECT)
    assert [unit_is_valid(unit) for unit in DOCUMENT["units"]] == [True, True]


def test_every_record_names_its_certificate() -> None:
    """The digest is in the envelope and in the tags, which stay with a record that is uploaded alone."""
    assert DOCUMENT["certificate"]["sha256"] == CERTIFICATE.sha256
    tags = [A_PROJECT["projectTags"], *(unit["unitTags"] for unit in DOCUMENT["units"])]
    assert set(tags) == {f"certificate sha256:{CERTIFICATE.sha256}"}


def test_the_document_is_the_same_each_time_and_has_no_float() -> None:
    """No clock, no chance, no binary fraction."""
    assert cad_trust(SUBMISSION) == cad_trust(SUBMISSION)
    assert not has_float(cad_trust(SUBMISSION))


def test_a_block_of_units_is_counted_inclusively() -> None:
    """The block of the first vintage holds 84,773 units of 2020."""
    assert (A_UNIT["unitBlockStart"], A_UNIT["unitBlockEnd"]) == ("421604735", "421689507")
    assert (A_UNIT["unitCount"], A_UNIT["vintageYear"]) == (84773, 2020)


def test_the_example_of_the_publisher_counts_one_too_few() -> None:
    """A block from 1000 to 1010 with a count of 10 passes the published rules; ours refuses it."""
    example = A_UNIT | {"unitBlockStart": "1000", "unitBlockEnd": "1010", "unitCount": 10}
    assert unit_faults(example) == ["unitCount: 10, the block from 1000 to 1010 holds 11"]


def required(fields: Mapping[str, Any]) -> list[str]:
    """Return the names of the fields that a record must have."""
    return [name for name, field in fields.items() if field.is_required]


def broken(record: Mapping[str, Any], **fields: object) -> dict[str, Any]:
    """Return a record with some fields replaced, those given as None left out."""
    return {name: value for name, value in {**record, **fields}.items() if value is not None}


@pytest.mark.parametrize("name", required(PROJECT))
def test_a_project_without_a_required_field_is_refused(name: str) -> None:
    """By us with its name and by the outsider."""
    record = broken(A_PROJECT, **{name: None})
    assert project_faults(record) == [f"{name}: missing"]
    assert not project_is_valid(record)


@pytest.mark.parametrize("name", required(UNIT))
def test_a_unit_without_a_required_field_is_refused(name: str) -> None:
    """By us with its name and by the outsider."""
    record = broken(A_UNIT, **{name: None})
    assert unit_faults(record) == [f"{name}: missing"]
    assert not unit_is_valid(record)


@pytest.mark.parametrize("name", required(LABEL))
def test_a_label_without_a_required_field_is_refused(name: str) -> None:
    """By us with its name and by the outsider, as a child of a project."""
    record = broken(A_LABEL, **{name: None})
    assert label_faults(record) == [f"{name}: missing"]
    assert not project_is_valid(broken(A_PROJECT, labels=[record]))


PROJECTS = [
    pytest.param({"coveredByNDC": "Perhaps"}, "coveredByNDC", id="ndc"),
    pytest.param({"projectStatus": "Planned"}, "projectStatus", id="status"),
    pytest.param({"unitMetric": "kgCO2e"}, "unitMetric", id="metric"),
    pytest.param({"projectStatusDate": "2021-02-30"}, "projectStatusDate", id="no-such-day"),
    pytest.param({"projectName": " "}, "projectName", id="blank"),
    pytest.param({"colour": "green"}, "colour", id="unknown-field"),
    pytest.param({"labels": []}, "labels", id="no-labels"),
    pytest.param({"issuances": []}, "issuances", id="no-issuances"),
    pytest.param({"projectLocations": [{"country": "Paraguay"}]}, "geographicIdentifier", id="no-geography"),
    pytest.param({"issuances": [broken(AN_ISSUANCE, endDate="2019-12-31")]}, "endDate", id="issuance-backward"),
    pytest.param(
        {"issuances": [broken(AN_ISSUANCE, verificationApproach=None)]}, "verificationApproach", id="approach"
    ),
    pytest.param({"labels": [broken(A_LABEL, labelType="Star")]}, "labelType", id="label-type"),
    pytest.param({"labels": [broken(A_LABEL, unitQuantity="1")]}, "unitQuantity", id="label-quantity"),
    pytest.param(
        {"labels": [broken(A_LABEL, creditingPeriodEndDate="2018-01-01")]}, "creditingPeriodEndDate", id="crediting"
    ),
    pytest.param(
        {"labels": [broken(A_LABEL, validityPeriodEndDate="2018-01-01")]}, "validityPeriodEndDate", id="validity"
    ),
]
UNITS = [
    pytest.param({"unitType": "Removal"}, "unitType", id="type"),
    pytest.param({"unitStatus": "Sold"}, "unitStatus", id="status"),
    pytest.param({"unitStatus": "Retired"}, "unitStatusReason", id="retired-without-reason"),
    pytest.param({"unitStatus": "Cancelled"}, "unitStatusReason", id="cancelled-without-reason"),
    pytest.param({"vintageYear": 1899}, "vintageYear", id="too-early"),
    pytest.param({"vintageYear": 3001}, "vintageYear", id="too-late"),
    pytest.param({"vintageYear": "2020"}, "vintageYear", id="year-as-text"),
    pytest.param({"unitCount": 84772}, "unitCount", id="one-too-few"),
    pytest.param({"unitCount": True}, "unitCount", id="a-flag-is-no-count"),
    pytest.param({"unitBlockStart": "421689508", "unitCount": 0}, "unitCount", id="empty-block"),
    pytest.param({"unitBlockStart": "A", "unitBlockEnd": "B"}, "unitCount", id="block-without-numbers"),
    pytest.param({"correspondingAdjustmentDeclaration": "No"}, "correspondingAdjustmentDeclaration", id="declaration"),
    pytest.param({"correspondingAdjustmentStatus": "Done"}, "correspondingAdjustmentStatus", id="adjustment"),
    pytest.param({"issuance": broken(AN_ISSUANCE, startDate="2021-01-01")}, "endDate", id="issuance-backward"),
    pytest.param({"issuance": broken(AN_ISSUANCE, verificationReportDate=None)}, "verificationReportDate", id="report"),
    pytest.param({"issuance": "yes"}, "issuance", id="issuance-as-text"),
    pytest.param({"labels": [broken(A_LABEL, label="")]}, "label", id="label"),
]


@pytest.mark.parametrize(("fields", "named"), PROJECTS)
def test_a_project_that_breaks_one_rule_is_refused_by_it(fields: Mapping[str, Any], named: str) -> None:
    """One fault, which names the field; the outsider refuses it too."""
    [fault] = project_faults(broken(A_PROJECT, **fields))
    assert named in fault
    assert not project_is_valid(broken(A_PROJECT, **fields))


@pytest.mark.parametrize(("fields", "named"), UNITS)
def test_a_unit_that_breaks_one_rule_is_refused_by_it(fields: Mapping[str, Any], named: str) -> None:
    """One fault, which names the field; the outsider refuses it too."""
    [fault] = unit_faults(broken(A_UNIT, **fields))
    assert named in fault
    assert not unit_is_valid(broken(A_UNIT, **fields))


def test_a_retired_unit_with_its_reason_is_sound() -> None:
    """The reason is what the rule asks for."""
    record = broken(A_UNIT, unitStatus="Retired", unitStatusReason="for B")
    assert (unit_faults(record), unit_is_valid(record)) == ([], True)


def test_an_issuance_of_one_day_is_sound() -> None:
    """Its end may be its start."""
    assert issuance_faults(broken(AN_ISSUANCE, endDate=AN_ISSUANCE["startDate"])) == []


def test_a_split_has_at_least_two_parts_that_are_counted() -> None:
    """One part is none, and each part holds what it says."""
    part: dict[str, Json] = {"unitCount": 2, "unitBlockStart": "1", "unitBlockEnd": "2"}
    assert split_faults([part]) == ["records: a split has at least two"]
    assert split_faults([part, part | {"unitBlockEnd": "3"}]) == ["unitCount: 2, the block from 1 to 3 holds 3"]
    assert split_faults([part, part]) == []


def test_facts_that_the_rules_refuse_write_nothing() -> None:
    """The error names the record, the field and the words that it found."""
    bad = replace(SUBMISSION, monitoring=evidence(facts={"covered_by_ndc": "Perhaps", "project_status": "Planned"}))
    with pytest.raises(ContractError, match=r"project would be refused .*'Perhaps'.*; projectStatus: 'Planned'"):
        cad_trust(bad)


def test_units_that_the_rules_refuse_write_nothing() -> None:
    """A status without its reason is refused with the block that it is of."""
    bad = replace(SUBMISSION, monitoring=evidence(facts={"unit_status": "Retired"}))
    with pytest.raises(ContractError, match=r"unit would be refused .*block from 421604735.*unitStatusReason"):
        cad_trust(bad)


def test_a_missing_fact_is_named() -> None:
    """Nothing is filled in for a fact that is not there."""
    with pytest.raises(ContractError, match="fact project_developer"):
        cad_trust(replace(SUBMISSION, monitoring=evidence(without="project_developer")))


def test_a_label_for_half_a_unit_is_named() -> None:
    """Labels are of whole units."""
    with pytest.raises(ContractError, match="row CCP, column quantity"):
        cad_trust(replace(SUBMISSION, monitoring=evidence(tables=row_with("labels", 0, quantity="0.5"))))


def test_labels_may_be_left_out() -> None:
    """Without a table of them no record has the field, because an empty list is refused."""
    document = json.loads(cad_trust(replace(SUBMISSION, monitoring=evidence(without="labels"))))
    assert "labels" not in document["project"] | document["units"][0]
    assert project_is_valid(document["project"])
