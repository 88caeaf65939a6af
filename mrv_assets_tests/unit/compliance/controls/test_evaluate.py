"""Every control is asked, and what cannot be evaluated has failed."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from mrv_assets.compliance.controls.evaluate import evaluate
from mrv_assets.compliance.controls.finding import Check, ControlCase, Finding, held, not_applicable
from mrv_assets.crediting.account import Account
from mrv_assets.domain.assessment import Status
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.rule_set import Rule
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets_tests.rule_sets import RuleText, rule_set

CASE = ControlCase(
    account=Account(
        period=Period.parse("2024"),
        canonical=Tonnes(),
        monitoring=Monitoring(where="2024.toml", quantities={"leakage_tco2e": "2"}),
    ),
    waterfall=None,
)


def _leakage(case: ControlCase, rule: Rule) -> Finding:
    leakage, limit = case.account.monitoring.quantity("leakage_tco2e"), rule.threshold("limit")
    return held(
        holds=leakage <= limit,
        observed=f"{leakage} t",
        limit=f"at most {limit} t",
        evidence=("leakage_tco2e",),
        remedy="explain the leakage",
        leakage=leakage,
    )


def _missing(case: ControlCase, _: Rule) -> Finding:
    case.account.monitoring.quantity("buffer")
    raise AssertionError("unreachable")


def _absent(_: ControlCase, __: Rule) -> Finding:
    return not_applicable("no harvest", limit="a harvest plan", evidence=())


KNOWN: Mapping[str, Check] = {"leakage": _leakage, "missing": _missing, "absent": _absent}


def test_every_control_has_an_outcome() -> None:
    """Pass, fail, not applicable; missing evidence and an unknown control are failures with their reason."""
    asked = rule_set(
        controls=[
            RuleText(id="HOLDS", formula="leakage", thresholds={"limit": "3"}),
            RuleText(id="FAILS", formula="leakage", thresholds={"limit": "1"}),
            RuleText(id="ABSENT", formula="absent"),
            RuleText(id="MISSING", formula="missing"),
            RuleText(id="UNKNOWN", formula="nobody"),
        ]
    )
    found = evaluate(asked, CASE, checks=KNOWN)
    assert [(one.rule, one.status) for one in found] == [
        ("HOLDS", Status.PASS),
        ("FAILS", Status.FAIL),
        ("ABSENT", Status.NOT_APPLICABLE),
        ("MISSING", Status.FAIL),
        ("UNKNOWN", Status.FAIL),
    ]
    holds, fails, _, missing, unknown = found
    assert (holds.remedy, fails.remedy) == ("", "explain the leakage")
    assert holds.metrics == {"leakage": Decimal(2)}
    assert holds.evidence_sha256 == CASE.account.monitoring.digest_of("leakage_tco2e")
    assert missing.observed.startswith("not evaluated: evidence is missing: 2024.toml, quantity buffer")
    assert unknown.observed == "not evaluated: no control is known by the name nobody"
