"""PACT product footprints pass the public rules of 3.0 and subtract no removal; each rule refuses one defect."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from mrv_assets.domain.errors import ContractError
from mrv_assets.domain.generation import InputRef
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.report.disclosures.pact import footprint_id, pact_record
from mrv_assets.report.disclosures.pact_rules import carbon_footprint_faults, footprint_faults
from mrv_assets_tests.evidence import CERTIFICATE, DIGEST, SOUND, evidence
from mrv_assets_tests.published_rules import footprint_is_valid, has_float

PRODUCT = "urn:gtin:4712345060507"
RECORD: dict[str, Any] = json.loads(pact_record(CERTIFICATE, SOUND, supersedes=[DIGEST]))


def test_the_record_is_valid_for_an_outsider() -> None:
    """By a schema restated from the public texts."""
    assert footprint_is_valid(RECORD)


def test_the_record_is_the_same_each_time_and_has_no_float() -> None:
    """Its id too: the same certificate and product give the same id."""
    assert pact_record(CERTIFICATE, SOUND) == pact_record(CERTIFICATE, SOUND)
    assert RECORD["id"] == footprint_id(CERTIFICATE.sha256, PRODUCT)
    assert not has_float(pact_record(CERTIFICATE, SOUND))


def test_a_footprint_supersedes_that_of_an_earlier_certificate() -> None:
    """By the id which that one had; without an earlier one there is no such field."""
    assert RECORD["precedingPfIds"] == [footprint_id(DIGEST, PRODUCT)]
    assert "precedingPfIds" not in json.loads(pact_record(CERTIFICATE, SOUND))


def test_a_footprint_does_not_supersede_itself() -> None:
    """The certificate that it is made from is not an earlier one."""
    with pytest.raises(ContractError, match="does not precede itself"):
        pact_record(CERTIFICATE, SOUND, supersedes=[CERTIFICATE.sha256])


@pytest.mark.parametrize("digest", ["", "abcd", DIGEST.upper(), f"{DIGEST}0"])
def test_what_is_superseded_is_named_whole(digest: str) -> None:
    """The id of its footprint is made of the digest, so any other text would name a footprint that never was."""
    with pytest.raises(ContractError, match="64 hex digits"):
        pact_record(CERTIFICATE, SOUND, supersedes=[digest])


def test_the_potentials_are_those_of_the_certificate() -> None:
    """Evidence that names others is refused."""
    pinned = replace(CERTIFICATE, inputs=[InputRef(kind="gwp_set", name="ar6", digest=DIGEST)])
    assert json.loads(pact_record(pinned, SOUND))["pcf"]["ipccCharacterizationFactors"] == ["AR6"]
    with pytest.raises(ContractError, match="AR6, which the certificate pins; found 'ar5'"):
        pact_record(pinned, evidence(facts={"gwp_sets": "ar5"}))


def test_figures_are_for_each_declared_unit() -> None:
    """100 t over 300,000 kg are a third of a kilogram, rounded once; 80 t of it are fossil."""
    pcf = RECORD["pcf"]
    assert (pcf["pcfExcludingBiogenicUptake"], pcf["fossilGhgEmissions"]) == ("0.333333333", "0.266666667")
    assert (pcf["referencePeriodStart"], pcf["referencePeriodEnd"]) == ("2020-01-01T00:00:00Z", "2021-07-01T00:00:00Z")


def test_removals_stand_apart_and_lower_nothing() -> None:
    """The certificate removes 50 t: both totals stay gross, and the extension has the removals and the certificate."""
    pcf, data = RECORD["pcf"], RECORD["extensions"][0]["data"]
    assert pcf["pcfIncludingBiogenicUptake"] == pcf["pcfExcludingBiogenicUptake"]
    assert (data["removals_kgco2e_per_unit"], data["certificate"]["sha256"]) == ("0.166666667", CERTIFICATE.sha256)
    assert "gross" in RECORD["comment"]
    more = replace(CERTIFICATE, totals=replace(CERTIFICATE.totals, removals_tco2e=Decimal(99)))
    assert json.loads(pact_record(more, SOUND))["pcf"] == pcf


def test_uncertainty_has_its_level() -> None:
    """In the extension, because the form has no field for it."""
    assert RECORD["extensions"][0]["data"]["uncertainty"] == {"half_width_share": "0.25", "confidence": "0.90"}


def broken(record: Mapping[str, Any], **fields: object) -> dict[str, Any]:
    """Return a record with some fields replaced, those given as None left out."""
    return {name: value for name, value in {**record, **fields}.items() if value is not None}


FOOTPRINTS = [
    *(
        pytest.param({name: None}, name, id=f"no-{name}")
        for name in (
            "id", "specVersion", "created", "status", "companyName", "companyIds", "productDescription", "productIds",
            "productNameCompany", "pcf",
        )
    ),
    pytest.param({"id": "7"}, "id", id="id-is-no-uuid"),
    pytest.param({"specVersion": "3"}, "specVersion", id="short-version"),
    pytest.param({"precedingPfIds": []}, "precedingPfIds", id="supersedes-nothing"),
    pytest.param({"precedingPfIds": [footprint_id("a", "b")] * 2}, "precedingPfIds", id="supersedes-twice"),
    pytest.param({"precedingPfIds": ["x"]}, "precedingPfIds", id="supersedes-no-uuid"),
    pytest.param({"created": "2021-12-01"}, "created", id="day-is-no-instant"),
    pytest.param({"status": "Draft"}, "status", id="status"),
    pytest.param({"companyIds": ["Yvyra SA"]}, "companyIds", id="company-is-no-urn"),
    pytest.param({"productIds": [PRODUCT, PRODUCT]}, "productIds", id="product-twice"),
    pytest.param({"extensions": [{"specVersion": "2.0.0", "dataSchema": "https://e.org"}]}, "data", id="extension"),
]  # fmt: skip
PCFS = [
    *(
        pytest.param({name: None}, name, id=f"no-{name}")
        for name in (
            "declaredUnitOfMeasurement", "declaredUnitAmount", "productMassPerDeclaredUnit", "referencePeriodStart",
            "referencePeriodEnd", "pcfExcludingBiogenicUptake", "pcfIncludingBiogenicUptake", "fossilGhgEmissions",
            "fossilCarbonContent", "ipccCharacterizationFactors", "crossSectoralStandards", "exemptedEmissionsPercent",
        )
    ),
    pytest.param({"declaredUnitOfMeasurement": "tonne"}, "declaredUnitOfMeasurement", id="tonne"),
    pytest.param({"declaredUnitAmount": "0.00"}, "declaredUnitAmount", id="amount-of-0"),
    pytest.param({"declaredUnitAmount": "-1"}, "declaredUnitAmount", id="negative-amount"),
    pytest.param({"fossilGhgEmissions": "-1"}, "fossilGhgEmissions", id="negative-fossil"),
    pytest.param({"pcfExcludingBiogenicUptake": "1e3"}, "pcfExcludingBiogenicUptake", id="exponent"),
    pytest.param({"pcfExcludingBiogenicUptake": 1}, "pcfExcludingBiogenicUptake", id="number-is-no-text"),
    pytest.param({"referencePeriodEnd": "2020-01-01T00:00:00Z"}, "referencePeriodEnd", id="empty-period"),
    pytest.param({"geographyCountrySubdivision": "PY-7"}, "at most one", id="two-geographies"),
    pytest.param({"geographyCountry": "Paraguay"}, "geographyCountry", id="country-in-words"),
    pytest.param(
        {"geographyCountry": None, "geographyRegionOrSubregion": "Mars"}, "geographyRegionOrSubregion", id="no-region"
    ),
    pytest.param({"secondaryEmissionFactorSources": [{"name": "x"}]}, "version: missing", id="source-of-factors"),
    pytest.param({"ipccCharacterizationFactors": ["SAR"]}, "ipccCharacterizationFactors", id="gwp"),
    pytest.param({"crossSectoralStandards": ["VM0047"]}, "crossSectoralStandards", id="standard"),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "named"), FOOTPRINTS)
def test_a_footprint_that_breaks_one_rule_is_refused_by_it(fields: Mapping[str, Any], named: str) -> None:
    """One fault, which names the field; the outsider refuses it too."""
    [fault] = footprint_faults(broken(RECORD, **fields))
    assert named in fault
    assert not footprint_is_valid(broken(RECORD, **fields))


@pytest.mark.parametrize(("fields", "named"), PCFS)
def test_figures_that_break_one_rule_are_refused_by_it(fields: Mapping[str, Any], named: str) -> None:
    """One fault, which names the field; the outsider refuses it too."""
    pcf = broken(RECORD["pcf"], **fields)
    [fault] = carbon_footprint_faults(pcf)
    assert named in fault
    assert not footprint_is_valid(broken(RECORD, pcf=pcf))


UNUSABLE = [
    pytest.param(
        evidence(quantities={"fossil_emissions_tco2e": "101"}), "fossil_emissions_tco2e", id="fossil-above-all"
    ),
    pytest.param(
        evidence(quantities={"declared_units_produced": "0"}), "declared_units_produced", id="nothing-produced"
    ),
    pytest.param(evidence(without="declared_unit"), "fact declared_unit", id="no-unit"),
    pytest.param(evidence(facts={"declared_unit": "tonne"}), "declaredUnitOfMeasurement: 'tonne'", id="tonne"),
    pytest.param(evidence(without="footprint_confidence"), "confidence level is not stated", id="no-level"),
    pytest.param(evidence(without="disclosure_date"), "fact disclosure_date", id="no-clock-is-read"),
    pytest.param(evidence(facts={"geography_region": "Americas"}), "at most one", id="two-geographies"),
]


@pytest.mark.parametrize(("monitoring", "named"), UNUSABLE)
def test_evidence_that_makes_no_footprint_is_named(monitoring: Monitoring, named: str) -> None:
    """And nothing is written."""
    with pytest.raises(ContractError, match=named):
        pact_record(CERTIFICATE, monitoring)
