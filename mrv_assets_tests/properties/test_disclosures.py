"""What disclosures promise, for any numbers: sums hold, removals net nothing, blocks hold what they say."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal

import shapely
from hypothesis import given
from hypothesis import strategies as st

from mrv_assets.compliance.controls.claims import ADJUSTED_REMOVAL, CREDIT, Claim, conflicts
from mrv_assets.domain.gross import GrossEmissions
from mrv_assets.domain.issuance import IssuedVintage, SerialBlock
from mrv_assets.domain.partition import Period
from mrv_assets.domain.verra_serial import VerraSerial
from mrv_assets.domain.waterfall import Line, Waterfall
from mrv_assets.report.disclosures.cad_trust import cad_trust
from mrv_assets.report.disclosures.esrs import esrs_e1
from mrv_assets.report.disclosures.gold_standard import gold_standard_block
from mrv_assets.report.disclosures.pact import pact_record
from mrv_assets.report.disclosures.verra import verra_issuance
from mrv_assets_tests.evidence import CERTIFICATE, DATAPOINTS, SOUND, SUBMISSION, Rows, evidence
from mrv_assets_tests.published_rules import footprint_is_valid, has_float, project_is_valid, unit_is_valid
from mrv_assets_tests.strategies import tonnes

counts = st.integers(1, 10**9)


def values(document: bytes) -> Mapping[str, Decimal]:
    """Return the values of ESRS datapoints by id."""
    return {each["id"]: Decimal(each["value"]) for each in json.loads(document)["datapoints"]}


def disclosed(gross: GrossEmissions, removals: list[Decimal]) -> Mapping[str, Decimal]:
    """Return the datapoints of a company whose certificate is all of its scope 1 and of its removals."""
    totals = replace(CERTIFICATE.totals, emissions_tco2e=gross.scope1, removals_tco2e=sum(removals, Decimal(0)))
    rows: Rows = [
        {"activity": f"a{number}", "kind": "biogenic", "place": "own operations", "tco2e": format(value, "f")}
        for number, value in enumerate(removals)
    ]
    stated = {
        f"{name}_tco2e": format(getattr(gross, name), "f")
        for name in ("scope1", "scope2_location", "scope2_market", "scope3")
    }
    bare = replace(
        SOUND,
        quantities=stated,
        facts={"certificate_scope": "scope1"},
        tables={"removal_activities": rows},
    )
    return values(esrs_e1(replace(CERTIFICATE, totals=totals), bare, DATAPOINTS))


gross_emissions = st.builds(GrossEmissions, scope1=tonnes, scope2_location=tonnes, scope2_market=tonnes, scope3=tonnes)


@given(gross_emissions, st.lists(tonnes, max_size=4))
def test_totals_are_exact_sums_whatever_is_removed(gross: GrossEmissions, removals: list[Decimal]) -> None:
    """E1-6_12 and _13 are the sums of their scopes, E1-7_05 is that of the activities, to the last digit."""
    found = disclosed(gross, removals)
    assert found["E1-6_12"] == gross.scope1 + gross.scope2_location + gross.scope3
    assert found["E1-6_13"] == gross.scope1 + gross.scope2_market + gross.scope3
    assert found["E1-7_05"] == sum(removals, Decimal(0))


@given(gross_emissions, st.lists(tonnes, min_size=1, max_size=4))
def test_removals_change_no_figure_of_emissions(gross: GrossEmissions, removals: list[Decimal]) -> None:
    """Every E1-6 datapoint is the same with them and without."""
    with_them, without = disclosed(gross, removals), disclosed(gross, [])
    assert {k: v for k, v in with_them.items() if k[:4] == "E1-6"} == {
        k: v for k, v in without.items() if k[:4] == "E1-6"
    }


@given(tonnes, tonnes, st.integers(1, 10**9))
def test_a_product_footprint_is_gross_and_valid(emissions: Decimal, removals: Decimal, units: int) -> None:
    """Removals lower neither of its totals, for any amounts; an outsider takes it."""
    totals = replace(CERTIFICATE.totals, emissions_tco2e=emissions, removals_tco2e=removals)
    shown = evidence(quantities={"fossil_emissions_tco2e": "0", "declared_units_produced": str(units)})
    document = pact_record(replace(CERTIFICATE, totals=totals), shown)
    record = json.loads(document)
    stated = [Decimal(record["pcf"][f"pcf{which}BiogenicUptake"]) for which in ("Excluding", "Including")]
    assert all(abs(value * units - emissions * 1000) <= units * Decimal("5e-10") for value in stated)
    assert footprint_is_valid(record)
    assert not has_float(document)


@st.composite
def issued(draw: st.DrawFn) -> list[IssuedVintage]:
    """Return vintages of 2020 and of the first half of 2021, some without credits, their blocks one after the other."""
    edges = [(date(2020, 1, 1), date(2020, 6, 30)), (date(2020, 7, 1), date(2020, 12, 31))]
    edges += [(date(2021, 1, 1), date(2021, 6, 30))]
    vintages, serial = [], draw(counts)
    for first, last in edges:
        count = draw(st.just(0) | counts)
        block = SerialBlock(start=serial, end=serial + count - 1) if count else None
        buffer = draw(st.integers(0, 10**6))
        vintages.append(IssuedVintage(first=first, last=last, credits=count, buffer_credits=buffer, serials=block))
        serial += count + draw(st.integers(0, 5))
    return draw(st.permutations(vintages))


@given(issued())
def test_every_registry_is_told_the_same_credits(vintages: list[IssuedVintage]) -> None:
    """The blocks of Verra, Gold Standard and CAD Trust hold as many as are issued, counted by hand; all are valid."""
    whole = sum(vintage.credits for vintage in vintages)
    line = Line(name="gross", rule="a", clause="", change_tco2e=Decimal(whole), note="")
    submission = replace(SUBMISSION, vintages=vintages, waterfall=Waterfall(rule_set="r@1", lines=(line,)))
    rows = list(csv.DictReader(io.StringIO(verra_issuance(submission).decode())))
    blocks = json.loads(gold_standard_block(submission))["credit_blocks"]
    trust = json.loads(cad_trust(submission))
    serials = [row["Serial Number"].split("-") for row in rows]
    assert sum(int(parts[2]) - int(parts[1]) + 1 for parts in serials) == whole
    assert sum(block["ending_credit_number"] - block["starting_credit_number"] + 1 for block in blocks) == whole
    assert sum(int(unit["unitBlockEnd"]) - int(unit["unitBlockStart"]) + 1 for unit in trust["units"]) == whole
    assert project_is_valid(trust["project"])
    assert all(unit_is_valid(unit) for unit in trust["units"])


@given(issued())
def test_serials_are_read_back_as_they_were_written(vintages: list[IssuedVintage]) -> None:
    """Every serial number of a row is the text of what is read from it, with the quantity of the row."""
    line = Line(name="gross", rule="a", clause="", change_tco2e=Decimal(10**10), note="")
    submission = replace(SUBMISSION, vintages=vintages, waterfall=Waterfall(rule_set="r@1", lines=(line,)))
    for row in csv.DictReader(io.StringIO(verra_issuance(submission).decode())):
        serial = VerraSerial.parse(row["Serial Number"])
        assert (serial.text, str(serial.block.count)) == (row["Serial Number"], row["Quantity Issued"])


@st.composite
def claims(draw: st.DrawFn) -> list[Claim]:
    """Return claims on squares of 10 m in a row, two claimants, two kinds, two years."""
    return [
        Claim(
            claimant=draw(st.sampled_from("AB")),
            claim=draw(st.sampled_from([CREDIT, ADJUSTED_REMOVAL])),
            period=Period.parse(draw(st.sampled_from(["2020", "2021"]))),
            area=shapely.box(left := draw(st.integers(0, 30)), 0, left + 10, 10),
            retired_for=draw(st.sampled_from(["", "A", "B"])),
        )
        for _ in range(draw(st.integers(0, 6)))
    ]


@given(claims())
def test_claims_conflict_where_every_pair_compared_by_hand_does(found: list[Claim]) -> None:
    """The index finds the pairs that excluding each other and sharing land make, neither more nor fewer."""
    by_hand = [
        (a, b)
        for number, a in enumerate(found)
        for b in found[number + 1 :]
        if a.excludes(b) and a.area.intersection(b.area).area > 1
    ]
    assert [(c.first, c.second) for c in conflicts(found, tolerance_m2=Decimal(1))] == by_hand


@given(claims())
def test_excluding_is_mutual(found: list[Claim]) -> None:
    """One claim excludes another exactly when it is excluded by it, and none excludes itself by kind alone."""
    assert all(a.excludes(b) == b.excludes(a) for a in found for b in found)
