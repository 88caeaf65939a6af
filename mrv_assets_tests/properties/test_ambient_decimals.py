"""No rule set looks at the decimal context of whoever calls it: lines and findings are the same under any."""

from __future__ import annotations

from dataclasses import replace
from decimal import ROUND_UP, Context, Decimal, localcontext

import pytest

from mrv_assets.compliance.controls.evaluate import evaluate
from mrv_assets.compliance.controls.finding import ControlCase
from mrv_assets.crediting.account import Account
from mrv_assets.crediting.assess import waterfall
from mrv_assets.domain.assessment import ControlOutcome
from mrv_assets.domain.monitoring import Monitoring
from mrv_assets.domain.partition import Period
from mrv_assets.domain.tonnes import Tonnes
from mrv_assets.domain.waterfall import Waterfall
from mrv_assets_tests.evidence import SOUND
from mrv_assets_tests.monitored import NPR, VCS, rule_set
from mrv_assets_tests.properties.test_gold_standard_evidence import ALL
from mrv_assets_tests.verra_evidence import AREA, CENSUS, SOIL

COARSE = Context(prec=2, rounding=ROUND_UP, traps=[])
PROGRAMME = VCS.monitoring


def under_vcs(evidence: Monitoring) -> Monitoring:
    """Return evidence of a methodology with that of the programme for what it does not say itself."""
    return replace(
        evidence,
        quantities={**PROGRAMME.quantities, **evidence.quantities},
        facts={**PROGRAMME.facts, **evidence.facts},
        tables={**PROGRAMME.tables, **evidence.tables},
    )


def assessed(name: str, evidence: Monitoring) -> tuple[Waterfall | None, tuple[ControlOutcome, ...]]:
    """Return lines and findings for an account of numbers that two digits do not hold."""
    account = Account(
        period=Period.parse("2025-07-01_2026-12-31"),
        canonical=Tonnes(emissions=Decimal("1020.000000123"), removals=Decimal("12345.678901234")),
        monitoring=evidence,
    )
    after, lines = waterfall(rule_set(name), account)
    return lines, evaluate(rule_set(name), ControlCase(account=after, waterfall=lines))


@pytest.mark.parametrize(
    ("name", "evidence"),
    [
        *(pytest.param(name, PROGRAMME, id=name) for name in ("vcs-5.0", "vcs-4.x")),
        pytest.param("npr-4.2", NPR.monitoring, id="npr"),
        *(
            pytest.param(name, ALL, id=name)
            for name in ("gs-403-2.1", "gs-402-1.0", "gs-203-1.2.1", "gs-501-3.2", "cdm-ar-tool14-4.2")
        ),
        *(pytest.param(f"vm0047-area-{version}", under_vcs(AREA), id=f"area {version}") for version in ("1.0", "1.1")),
        *(
            pytest.param(f"vm0047-census-{version}", under_vcs(CENSUS), id=f"census {version}")
            for version in ("1.0", "1.1")
        ),
        *(pytest.param(f"vm0042-{version}", under_vcs(SOIL), id=f"soil {version}") for version in ("2.0", "2.2")),
        *(
            pytest.param(name, SOUND, id=name)
            for name in (
                "esrs-e1-2023", "iso-14064-2-2019", "iso-14064-3-2019", "ghg-protocol-corporate-2004",
                "ghg-protocol-land-sector-removals-1.0",
            )
        ),
    ],
)  # fmt: skip
def test_a_coarse_decimal_context_changes_nothing(name: str, evidence: Monitoring) -> None:
    """Two digits, rounded up, and no error raised: whoever computes has a context of its own."""
    expected = assessed(name, evidence)
    with localcontext(COARSE):
        found = assessed(name, evidence)
    assert found == expected
