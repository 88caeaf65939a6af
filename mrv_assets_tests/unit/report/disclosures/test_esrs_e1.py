"""ESRS E1 datapoints: totals are gross, each says its unit, uncertainty and source, contradictions write nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.report.disclosures.datapoints import DatapointList
from mrv_assets.report.disclosures.esrs import esrs_e1
from mrv_assets_tests.evidence import CERTIFICATE, DATAPOINTS, SOUND, evidence, row_with
from mrv_assets_tests.published_rules import has_float


def disclosed(monitoring: Monitoring = SOUND) -> dict[str, Any]:
    """Return the document."""
    document: dict[str, Any] = json.loads(esrs_e1(CERTIFICATE, monitoring, DATAPOINTS))
    return document


def points(monitoring: Monitoring = SOUND) -> dict[str, dict[str, Any]]:
    """Return the datapoints by id."""
    return {each["id"]: each for each in disclosed(monitoring)["datapoints"]}


def test_totals_are_the_sums_of_gross_scopes() -> None:
    """1,000 by location, 985 by market, although 50 t are removed."""
    found = {name: point["value"] for name, point in points().items()}
    assert (found["E1-6_12"], found["E1-6_13"], found["E1-7_05"]) == ("1000", "985", "50")


def test_totals_are_computed_when_nobody_states_them() -> None:
    """And are the same."""
    bare = evidence(without="total_location_tco2e")
    assert points(bare)["E1-6_12"]["value"] == "1000"


def test_a_datapoint_says_unit_uncertainty_source_and_an_unverified_name() -> None:
    """The half-width has its level; the digest is of what was shown; the name of the taxonomy is marked."""
    point = points()["E1-6_07"]
    assert (point["unit"], point["uncertainty"]) == ("tCO2e", {"half_width_share": "0.05", "confidence": "0.95"})
    assert point["source_sha256"] == SOUND.digest_of("scope1_tco2e")
    assert point["element"] == {"name": "GrossScope1GreenhouseGasEmissions", "status": "unverified"}


def test_no_uncertainty_is_made_up() -> None:
    """What states none has null, and what has no known name in the taxonomy too."""
    point = points()["E1-7_05"]
    assert (point["uncertainty"], point["element"]) == (None, None)


def test_what_is_not_reported_is_said() -> None:
    """A datapoint is there or in the list of those that are not."""
    document = disclosed()
    assert "E1-7_06" in document["not_reported"]
    told = {each["id"] for each in document["datapoints"]}
    assert told | set(document["not_reported"]) == {each.id for each in DATAPOINTS.datapoints}
    assert not told & set(document["not_reported"])


def test_the_document_names_its_certificate_and_has_no_float() -> None:
    """The same bytes each time."""
    assert disclosed()["certificate"]["sha256"] == CERTIFICATE.sha256
    assert not has_float(esrs_e1(CERTIFICATE, SOUND, DATAPOINTS))
    assert esrs_e1(CERTIFICATE, SOUND, DATAPOINTS) == esrs_e1(CERTIFICATE, SOUND, DATAPOINTS)


def test_removals_are_listed_by_activity_and_place() -> None:
    """As they were shown."""
    [first, _] = disclosed()["removal_activities"]
    assert first == {"activity": "planting", "kind": "biogenic", "place": "own operations", "tco2e": "30"}


CONTRADICTIONS = [
    pytest.param(evidence(quantities={"total_location_tco2e": "950"}), "total_location_tco2e", id="netted-location"),
    pytest.param(evidence(quantities={"total_market_tco2e": "1000"}), "total_market_tco2e", id="market-is-location"),
    pytest.param(evidence(quantities={"removals_tco2e": "51"}), "removals_tco2e", id="removals-are-no-sum"),
    pytest.param(
        evidence(quantities={"scope1_tco2e": "99", "total_location_tco2e": "999", "total_market_tco2e": "984"}),
        "scope1 and removals",
        id="net-scope-1",
    ),
    pytest.param(
        evidence(quantities={"removals_tco2e": "49"}, tables=row_with("removal_activities", 1, tco2e="19")),
        "scope1 and removals",
        id="less-removed-than-certified",
    ),
    pytest.param(evidence(quantities={"credits_removal_percent": "60"}), "together 100 %", id="90-percent"),
    pytest.param(evidence(facts={"certificate_scope": "all"}), "certificate_scope", id="no-scope"),
    pytest.param(evidence(quantities={"reversals_tco2e": "-1"}), "reversals_tco2e", id="negative-reversal"),
    pytest.param(evidence(quantities={"scope1_traded_percent": "101"}), "scope1_traded_percent", id="101-percent"),
    pytest.param(evidence(without="scope1_tco2e_confidence"), "confidence level is not stated", id="no-level"),
    pytest.param(evidence(without="scope3_tco2e"), "quantity scope3_tco2e", id="no-scope-3"),
    pytest.param(evidence(without="removal_activities"), "table removal_activities", id="no-activities"),
    pytest.param(
        evidence(tables=row_with("credits_used", 0, serial_start="20")), "credits_used.*20 to 30", id="sold-and-used"
    ),
    pytest.param(evidence(without="credits_used"), "table credits_used", id="sold-and-nothing-shown"),
    pytest.param(evidence(without="credits_removal_percent"), "credits_removal_percent", id="half-of-the-shares"),
    pytest.param(
        evidence(tables=row_with("removal_activities", 0, tco2e="-1")), "row planting, column tco2e", id="a-reversal"
    ),
    pytest.param(
        evidence(tables=row_with("removal_activities", 0, kind="")), "row planting, column kind", id="no-kind"
    ),
]


@pytest.mark.parametrize(("monitoring", "named"), CONTRADICTIONS)
def test_a_contradiction_or_a_gap_writes_nothing_and_is_named(monitoring: Monitoring, named: str) -> None:
    """The error names the figure."""
    with pytest.raises(ContractError, match=named):
        disclosed(monitoring)


MALFORMED = [
    pytest.param(b"\xff", "UnicodeDecodeError", id="no-text"),
    pytest.param(b"id = 'a'", "KeyError", id="no-version"),
    pytest.param(
        b"id='a'\nversion='1'\nnamespace='n'\nelement_status='unverified'\n[[datapoint]]\nid='x'\ntitle='t'\nunit='kg'\n"
        b"source='s'",
        "unit 'kg' of x",
        id="unit",
    ),
]


@pytest.mark.parametrize(("data", "said"), MALFORMED)
def test_a_malformed_list_of_datapoints_is_refused(data: bytes, said: str) -> None:
    """With the name of the file."""
    with pytest.raises(ContractError, match=rf"points.toml.*{said}"):
        DatapointList.parse(data, where="points.toml")


def test_a_datapoint_twice_is_refused() -> None:
    """An id stands for one figure."""
    one = "[[datapoint]]\nid='E1-6_07'\ntitle='t'\nunit='tCO2e'\nsource='s'\n"
    head = "id='a'\nversion='1'\nnamespace='n'\nelement_status='unverified'\n"
    with pytest.raises(ContractError, match="twice: E1-6_07"):
        DatapointList.parse((head + one + one).encode(), where="points.toml")


def test_every_xbrl_name_is_marked_unverified() -> None:
    """No schema of the taxonomy was seen."""
    assert DATAPOINTS.element_status == "unverified"
