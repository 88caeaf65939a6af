"""What a partition is: its identity, the one codec between identity and keys, and the slots its results live in.

Identity is three strings: `project_id`, `period`, `factor_version`. Dagster allows two dimensions, so they
travel as `period` x `series` with `series = "<project_id>@<factor_version>"`; this module is the only place
that joins and splits them. What does not belong here: file paths and object keys (storage) and Dagster's own
key classes (orchestration).
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.domain.errors import IdentityError

_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,63}")
_YEAR = re.compile(r"([0-9]{4})")
_QUARTER = re.compile(r"([0-9]{4})-Q([1-4])")
_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])")
_SPAN = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})_([0-9]{4}-[0-9]{2}-[0-9]{2})")
_DAY = timedelta(days=1)
_PERIOD_FORMS = "2024, 2024-Q1, 2024-03 or 2021-04-01_2022-12-31 (inclusive days)"


class Asset(StrEnum):
    """The five assets and the ledger, in the order in which a partition travels through them."""

    ACTIVITY = "activity"
    NORMALIZED = "normalized"
    FACTORED = "factored"
    AGGREGATED = "aggregated"
    CERTIFICATE = "certificate"
    LEDGER = "ledger"

    @property
    def depends_on_factors(self) -> bool:
        """Tell whether the content of this asset's slot is kept per factor version.

        Activity and geometry do not change with a factor release, so a bump re-uses them; the ledger holds
        one figure per (project, period) whatever release it came from, so two live figures cannot be
        expressed.
        """
        return self in (Asset.FACTORED, Asset.AGGREGATED, Asset.CERTIFICATE)


def checked_id(value: object, *, what: str) -> str:
    """Return `value` if it is a canonical id: 1 to 64 of `A-Z a-z 0-9 . _ + -`, the first a letter or digit.

    Raises IdentityError for anything else, also for values that are not text: `2024.10` as a number is
    `2024.1`.
    """
    if isinstance(value, str) and _ID.fullmatch(value):
        return value
    raise IdentityError(
        f"{what} is not a canonical id",
        where=f"{what} {value!r}",
        expected="1 to 64 characters of A-Z a-z 0-9 . _ + -, starting with a letter or digit",
        found=repr(value),
        remedy=f"rename the {what}; ids are text from end to end and go into keys and paths unescaped",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A reporting period with its first and last day, both inclusive."""

    text: str
    first: date
    last: date

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read one of the four canonical forms; refuse everything else with IdentityError, never guess."""
        first, last = _days(text)
        return cls(text=text, first=first, last=last)

    def overlaps(self, other: Period) -> bool:
        """Tell whether the two periods share a day, whatever their forms."""
        return self.first <= other.last and other.first <= self.last

    def contains(self, other: Period) -> bool:
        """Tell whether every day of `other` lies in this period."""
        return self.first <= other.first and other.last <= self.last

    def is_covered(self, by: Iterable[Period]) -> bool:
        """Tell whether every day of this period lies in one of `by`: twelve months cover a year."""
        missing = self.first
        for span in sorted(by, key=lambda span: span.first):
            if span.first > missing:
                return False
            if span.last >= self.last:
                return True
            missing = max(missing, span.last + _DAY)
        return False

    def __str__(self) -> str:
        return self.text


def _days(text: object) -> tuple[date, date]:
    if not isinstance(text, str):
        raise _bad_period(text, "text")
    try:
        if match := _YEAR.fullmatch(text):
            year = int(match[1])
            return date(year, 1, 1), date(year, 12, 31)
        if match := _QUARTER.fullmatch(text):
            year, month = int(match[1]), int(match[2]) * 3
            return date(year, month - 2, 1), date(year, month, monthrange(year, month)[1])
        if match := _MONTH.fullmatch(text):
            year, month = int(match[1]), int(match[2])
            return date(year, month, 1), date(year, month, monthrange(year, month)[1])
        if match := _SPAN.fullmatch(text):
            first, last = date.fromisoformat(match[1]), date.fromisoformat(match[2])
            return _checked_span(text, first, last)
    except ValueError as error:
        raise _bad_period(text, f"a date that exists ({error})") from error
    raise _bad_period(text, _PERIOD_FORMS)


def _checked_span(text: str, first: date, last: date) -> tuple[date, date]:
    """Refuse a span that runs backwards, and one that has a shorter canonical spelling: one period, one name."""
    if last < first:
        raise _bad_period(text, "a last day on or after the first day")
    shorter = _shorter_spelling(first, last)
    if shorter:
        raise _bad_period(text, f"the canonical spelling {shorter}")
    return first, last


def _shorter_spelling(first: date, last: date) -> str | None:
    year, month = first.year, first.month
    if first.day != 1 or last.year != year or last.day != monthrange(year, last.month)[1]:
        return None
    if (month, last.month) == (1, 12):
        return f"{year:04d}"
    if month == last.month:
        return f"{year:04d}-{month:02d}"
    if month % 3 == 1 and last.month == month + 2:
        return f"{year:04d}-Q{last.month // 3}"
    return None


def _bad_period(text: object, expected: str) -> IdentityError:
    return IdentityError(
        "period is not in canonical form",
        where=f"period {text!r}",
        expected=expected,
        found=repr(text),
        remedy=f"write the period as {_PERIOD_FORMS}",
    )


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class PartitionKey:
    """One unit of work: a project, a period and the factor version it is quantified with."""

    project_id: str
    period: str
    factor_version: str

    def __post_init__(self) -> None:
        """Refuse a key that is not canonical before it can reach Dagster, a path or a record."""
        checked_id(self.project_id, what="project_id")
        checked_id(self.factor_version, what="factor_version")
        Period.parse(self.period)

    @property
    def series(self) -> str:
        """The second Dagster dimension. `@` is in no id, so the split is the exact inverse."""
        return f"{self.project_id}@{self.factor_version}"

    @classmethod
    def from_dimensions(cls, *, period: str, series: str) -> PartitionKey:
        """Read the key back from Dagster's two dimensions by name, never by position.

        Raises IdentityError when `series` is not `<project_id>@<factor_version>`.
        """
        project_id, separator, factor_version = series.partition("@")
        if not separator:
            raise IdentityError(
                "series is not <project_id>@<factor_version>",
                where=f"series {series!r}",
                expected="one @ between a project id and a factor version",
                found=repr(series),
                remedy="register the partition with `mrv run`, which builds the key",
            )
        return cls(project_id=project_id, period=period, factor_version=factor_version)

    @property
    def idempotency_key(self) -> str:
        """Sixteen hex digits that name this unit of work in logs and metadata, equal on every machine and run."""
        return idempotency_key(self.project_id, self.period, self.factor_version)

    def __str__(self) -> str:
        return f"{self.project_id} {self.period} {self.factor_version}"


def idempotency_key(*identity: str) -> str:
    """Hash an identity as the canonical JSON *list* of its parts: no delimiter, so no two identities share a key."""
    return sha256_hex(canonical_json(list(identity)))[:16]


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Slot:
    """A place that has at most one current content. `factor_version` is None where factors do not touch the content."""

    asset: Asset
    project_id: str
    period: str
    factor_version: str | None

    @classmethod
    def of(cls, asset: Asset, key: PartitionKey) -> Slot:
        """Name the slot in which `asset` keeps the content of partition `key`."""
        return cls(
            asset=asset,
            project_id=key.project_id,
            period=key.period,
            factor_version=key.factor_version if asset.depends_on_factors else None,
        )

    def __str__(self) -> str:
        parts = (self.asset.value, self.project_id, self.period, self.factor_version)
        return " ".join(part for part in parts if part is not None)
