"""What a withdrawal is: the word of a person that a factor release is not to be used for anything new.

A release stays as it was released, because figures rest on it and their certificates must verify; the withdrawal
stands beside it. What does not belong here: where it is stored (storage) and what replaces the release (pipeline).
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from datetime import date
from typing import Any

from mrv_assets.domain.errors import FactorError

_FIELDS = ("on", "by", "because")


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdrawal:
    """Who withdrew the factor release `version`, on which day, and why. It holds as soon as it is there."""

    version: str
    on: date
    by: str
    because: str

    @classmethod
    def parse(cls, version: str, data: bytes) -> Withdrawal:
        """Read `withdrawn.toml` of a release. Raises FactorError unless it says exactly on, by and because."""
        d = _toml(version, data)
        if set(d) != set(_FIELDS):
            raise _malformed(version, expected=", ".join(_FIELDS), found=", ".join(d) or "nothing")
        # A date with a time is a date to Python, and is none here.
        if type(d["on"]) is not date:
            raise _malformed(version, expected="on = YYYY-MM-DD, a date without quotes", found=f"on = {d['on']!r}")
        for name in ("by", "because"):
            if not isinstance(d[name], str) or not d[name].strip():
                raise _malformed(version, expected=f"a text for {name}", found=f"{name} = {d[name]!r}")
        return cls(version=version, on=d["on"], by=d["by"].strip(), because=d["because"].strip())

    def refusal(self, what: str, *, where: str, remedy: str) -> FactorError:
        """Return the error by which new work with the release is refused: date, person and reason stand in it."""
        return FactorError(
            what, where=where, expected="a factor release that was not withdrawn", found=str(self), remedy=remedy
        )

    def __str__(self) -> str:
        return f"{self.version}, withdrawn on {self.on} by {self.by}: {self.because}"


def _toml(version: str, data: bytes) -> dict[str, Any]:
    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _malformed(version, expected="UTF-8 TOML", found=str(error)) from error


def _malformed(version: str, *, expected: str, found: str) -> FactorError:
    return FactorError(
        "withdrawal of a factor release is malformed",
        where=f"factor release {version}, withdrawn.toml",
        expected=expected,
        found=found,
        remedy="correct the file; until then nothing new is computed with the release",
    )
