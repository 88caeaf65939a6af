"""What a process has parsed is found again by all bytes that it was parsed from, and by nothing less."""

from __future__ import annotations

from decimal import Decimal

import pytest

from mrv_assets.domain.errors import DigestMismatch, FactorError
from mrv_assets.domain.factors import FactorRelease
from mrv_assets.storage.parsed import parsed_gwp_set, parsed_release
from mrv_assets_tests.builders import KEY, gwp, release_toml
from mrv_assets_tests.chains import chained_files

FILES = chained_files()
SET = b"gas,gwp100,source,source_ref\nCO2,1,IPCC,table\nCH4,%d,IPCC,table\n"


def read(*, gwp_set: bytes | None = None, **changed: bytes) -> FactorRelease:
    """Read the release, with other bytes under some names, and another GWP set of the same name."""
    files = {**FILES, **{f"{name}.csv": data for name, data in changed.items()}}
    return parsed_release(
        KEY.factor_version,
        release_toml=files.pop("release.toml"),
        factors_csv=files.pop("factors.csv"),
        gwp=gwp("ar6") if gwp_set is None else parsed_gwp_set("ar6", gwp_set),
        beside=files,
    )


def test_the_same_bytes_are_parsed_once() -> None:
    """Whoever reads them."""
    assert read() is read()
    assert parsed_gwp_set("ar6", SET % 27) is parsed_gwp_set("ar6", SET % 27)


@pytest.mark.parametrize("name", ["factors", "chains", "coefficients"])
def test_other_bytes_are_looked_at_every_time(name: str) -> None:
    """A release that was read before does not stand in for a changed one."""
    read()
    for _ in range(2):
        with pytest.raises(DigestMismatch, match=rf"a released factor file was changed.*{name}\.csv"):
            read(**{name: FILES[f"{name}.csv"] + b"\n"})


def test_another_set_of_the_same_name_is_another_release() -> None:
    """Its digest is part of that of the release."""
    one, other = read(gwp_set=SET % 27), read(gwp_set=SET % 28)
    assert one.digest != other.digest
    assert (one.gwp.values["CH4"], other.gwp.values["CH4"]) == (Decimal(27), Decimal(28))


def test_what_is_malformed_is_told_every_time() -> None:
    """It is not kept."""
    for _ in range(2):
        with pytest.raises(FactorError, match="header is not the declared one"):
            parsed_release(
                "v1",
                release_toml=release_toml(b"no factors\n", version="v1"),
                factors_csv=b"no factors\n",
                gwp=gwp("ar6"),
                beside={},
            )
