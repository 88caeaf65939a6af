"""Selective disclosure: a table that is shown without some columns, and is still proven to be the sealed one.

A content digest is taken of the summaries of columns. Whoever has the summaries of the withheld columns and the rest of
the table can take it again, so nothing has to be signed anew.

What is withheld is not told, but it is not hidden from a guess either. A summary is the same for everybody who has the
same column, so a guess at a *whole* column can be confirmed: by who has the polygons, or, where a table has few rows or
the column few possible values, by trying them all. The summary has three parts, and each can be guessed by itself:
which rows have a value, how long each text or binary is (a polygon's tells how many vertices it has), and the values.
Shown columns tell what they tell: an area says how large the withheld polygon is. What else is handed out, such as
records with their gates and measurements, is not looked at here.

What does not belong here: the digests (digest, column_digest), files, and disclosures to registries (report).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from mrv_assets.domain.column_digest import ColumnHasher, ColumnSummary
from mrv_assets.domain.contract import Shape, about, saying
from mrv_assets.domain.digest import ContentSummary, Json, canonical_json, in_key_order
from mrv_assets.domain.errors import ContractError, DigestMismatch, listed

SCHEMA = "mrv-disclosed-1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosed:
    """What travels beside a table that is shown without its columns `withheld`: all that its digest is taken of.

    The summaries of shown columns are in it too, so that a difference can be named. Raises ContractError when a column
    of the key is withheld, because rows are told apart and ordered by it, when a withheld column is none of the
    table, and when two columns have one name.
    """

    summary: ContentSummary
    withheld: frozenset[str]

    def __post_init__(self) -> None:
        names, key = [column.name for column in self.summary.columns], self.summary.key
        _require_none("columns with the name of another", {name for name in names if names.count(name) > 1})
        _require_none("withheld columns that the table does not have", self.withheld - set(names))
        _require_none("columns of the key that are withheld or missing", set(key) - (set(names) - self.withheld))

    @property
    def sha256(self) -> str:
        """The content digest of the whole table, as far as this document is right."""
        return self.summary.sha256

    @property
    def shown(self) -> tuple[ColumnSummary, ...]:
        """The columns that are shown, in the order of the table."""
        return tuple(column for column in self.summary.columns if column.name not in self.withheld)

    def shown_of(self, table: pa.Table) -> pa.Table:
        """Return what is shown of the whole table: the other columns, rows by key, and what it says of itself.

        No metadata of another maker stays, such as GeoParquet's, which names the geometry and its extent.
        """
        columns = in_key_order(table, self.summary.key).select([column.name for column in self.shown])
        fields = [field.with_metadata(None) for field in columns.schema]
        return saying(columns.cast(pa.schema(fields)), self.summary.about)

    def to_json(self) -> dict[str, Json]:
        """Return the document as values that canonical JSON can hold."""
        return {
            "schema": SCHEMA,
            "rows": self.summary.rows,
            "key": list(self.summary.key),
            "about": dict(self.summary.about),
            "columns": [asdict(column) for column in self.summary.columns],
            "withheld": sorted(self.withheld),
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any], *, where: str) -> Disclosed:
        """Read the document. Raises ContractError naming `where` for anything that `to_json` does not write."""
        try:
            disclosed = cls._from_document(document)
            is_ours = canonical_json(disclosed.to_json()) == canonical_json(document)
        except (KeyError, TypeError, ValueError, AttributeError, ContractError) as error:
            raise _unreadable(where, f"{type(error).__name__}: {error}") from error
        if not is_ours:
            raise _unreadable(where, "members that it does not have, or another order of them")
        return disclosed

    @classmethod
    def _from_document(cls, d: Mapping[str, Any]) -> Disclosed:
        columns = tuple(ColumnSummary(**column) for column in d["columns"])
        texts = [*d["about"].values(), *(text for column in columns for text in column.to_json())]
        if type(d["rows"]) is not int or not all(isinstance(text, str) for text in texts):
            raise TypeError("rows is no integer, or another member no text")
        summary = ContentSummary(rows=d["rows"], key=tuple(d["key"]), about=dict(d["about"]), columns=columns)
        return cls(summary=summary, withheld=frozenset(d["withheld"]))


def withhold(table: pa.Table, contract: Shape, columns: Iterable[str]) -> Disclosed:
    """Return what proves the rest of `table`, which keeps `contract`, without `columns`; `shown_of` gives the rest.

    Raises ContractError for a column of the key, for one that the contract does not have, and when the key does not
    tell the rows apart.
    """
    return Disclosed(summary=contract.summary(table), withheld=frozenset(columns))


def verify_disclosed(table: pa.Table, disclosed: Disclosed, *, content_digest: str, where: str) -> None:
    """Check that `table`, with what it leaves out, is the table whose content digest was sealed.

    Its rows stand in the order of the key; the order of columns and their encoding say nothing, as in the digest
    itself. Raises DigestMismatch naming `where` and the column that differs. Where both a column and its summary were
    changed to agree, that there is a difference is all that can be known.
    """
    summary, names = disclosed.summary, sorted(column.name for column in disclosed.shown)
    _require("columns of the table", where, names, sorted(table.column_names))
    _require("what the table says of itself", where, dict(summary.about), about(table))
    _require("number of rows", where, summary.rows, table.num_rows)
    for column in disclosed.shown:
        found = asdict(_summary_of(table.column(column.name), column.name, where))
        for part, sealed in asdict(column).items():
            _require(f"column {column.name} ({part})", where, sealed, found[part])
    _require("table with what it leaves out", where, f"content {content_digest}", f"content {summary.sha256}")


def _summary_of(column: pa.ChunkedArray, name: str, where: str) -> ColumnSummary:
    try:
        hasher = ColumnHasher(name, column.type)
    except ContractError as error:
        raise _differs(f"column {name} (type)", where, error.expected, error.found) from error
    hasher.update(column)
    return hasher.summary()


def _require(what: str, where: str, expected: object, found: object) -> None:
    if expected != found:
        raise _differs(what, where, expected, found)


def _differs(what: str, where: str, expected: object, found: object) -> DigestMismatch:
    return DigestMismatch(
        f"{what} is not what was sealed",
        where=where,
        expected=str(expected),
        found=str(found),
        remedy="take table and document as they were handed out, rows in the order of the key; ask who made them",
    )


def _require_none(what: str, names: Set[str]) -> None:
    if names:
        raise ContractError(
            f"there are {what}",
            where="disclosure of a table",
            expected="every column once, and those of the key shown",
            found=listed(sorted(names)),
            remedy="withhold columns of the table that are not of its key",
        )


def _unreadable(where: str, found: str) -> ContractError:
    return ContractError(
        "disclosure cannot be read",
        where=where,
        expected=f"a {SCHEMA} document",
        found=found,
        remedy="take the document as it was handed out",
    )
