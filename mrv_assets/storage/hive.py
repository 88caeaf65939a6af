"""Looking at a foreign hive tree: the tables of an append-mode writer, and everything else, as they are.

`project_id=…/period=…[/factor_version=…]/*.parquet`; without a factor version folder the version comes from the file.
Reads footers, and rows only where a footer does not show what an identity column holds. Never writes. What does not
belong here: judging what is found (preflight) and choosing among files (pipeline).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Protocol, runtime_checkable

from mrv_assets.domain.adoption import ForeignKey
from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.partition import checked_id
from mrv_assets.storage.footers import Footer, constant, read_footer
from mrv_assets.storage.hive_paths import (
    IDENTITY,
    Place,
    is_marker_name,
    is_table_name,
    is_temporary_name,
    place_of,
)
from mrv_assets.storage.hive_tree import HiveFile, HiveTree, Stray, StrayKind
from mrv_assets.storage.object_store import ObjectStore
from mrv_assets.storage.parquet import read_parquet

_TEXT_TYPES = frozenset({"string", "large_string", "string_view"})
_HASH, _VERSION, _GENERATED = "content_hash", "factor_version", "generated_utc"


@runtime_checkable
class DatedStore(Protocol):
    """A store that can tell when an object was last changed."""

    def modified(self, key: str) -> datetime | None:
        """Return the time of the last change, None when the object is absent."""
        ...


MARKER = StrayKind.MARKER, "hidden from every reader"
Scope = Callable[[str | None, str | None], bool]


def everywhere(project_id: str | None, period: str | None) -> bool:  # noqa: ARG001 - the widest scope looks at nothing
    """Take every object of the tree."""
    return True


def scan(tree: ObjectStore, *, scope: Scope) -> HiveTree:
    """Look at every object whose project and period, None where its path names none, are in `scope`.

    Raises ContractError when there is nothing at all, because a mistyped location would pass as a clean tree.
    """
    paths = list(tree.list(""))
    if not paths:
        raise ContractError(
            "there is no tree to look at",
            where=tree.uri,
            expected="folders project_id=…/period=…/ with Parquet files",
            found="no object",
            remedy="correct the location; it names the folder that holds the project_id= folders",
        )
    found = list(_look_at_all(tree, paths, scope))
    return HiveTree(
        files=tuple(one for one in found if isinstance(one, HiveFile)),
        strays=tuple(one for one in found if isinstance(one, Stray)),
    )


def _look_at_all(tree: ObjectStore, paths: list[str], scope: Scope) -> Iterator[HiveFile | Stray]:
    for path in paths:
        place = place_of(path)
        if scope(place.project_id, place.period):
            yield look(tree, path, place)


def look(tree: ObjectStore, path: str, place: Place) -> HiveFile | Stray:
    """Look at one object, at its footer when it may be a table."""
    try:
        size = tree.head(path) or 0
    except ContractError as error:
        return _stray(path, 0, place, StrayKind.UNPLACED, error.found)
    if size == 0 or _is_marker(path):
        kind, why = MARKER if _is_marker(path) else (StrayKind.EMPTY, "no bytes")
        return _stray(path, size, place, kind, why)
    footer = read_footer(tree, path, size=size)
    objection = _objection(path, place, footer)
    if objection is not None or isinstance(footer, str):
        kind, why = objection or (StrayKind.UNREADABLE, str(footer))
        return _stray(path, size, place, kind, why, footer)
    try:
        return _table(tree, path, size, place, footer)
    except (ContractError, OSError) as error:
        return _stray(path, size, place, StrayKind.UNREADABLE, f"columns cannot be read: {str(error).splitlines()[0]}")


def _is_marker(path: str) -> bool:
    return is_marker_name(path) and not is_temporary_name(path)


def _objection(path: str, place: Place, footer: Footer | str) -> tuple[StrayKind, str] | None:
    """Say why an object that has bytes is no table of a partition, None when it may be one."""
    if is_temporary_name(path):
        return StrayKind.TEMPORARY, "left over by a writer"
    if not is_table_name(path):
        is_table = isinstance(footer, Footer)
        return StrayKind.FOREIGN, "a table under a name that only some readers take for one" if is_table else "no table"
    if isinstance(footer, str):
        return StrayKind.UNREADABLE, footer
    return (StrayKind.UNPLACED, place.fault) if place.fault is not None else None


def _stray(path: str, size: int, place: Place, kind: StrayKind, why: str, footer: Footer | str | None = None) -> Stray:
    table = footer if isinstance(footer, Footer) else None
    return Stray(
        path=path,
        size=size,
        kind=kind,
        why=why,
        project_id=place.project_id,
        period=place.period,
        factor_version=place.factor_version or _canonical_version(table.metadata.get(_VERSION) if table else None),
        rows=table.rows if table else None,
    )


def _table(tree: ObjectStore, path: str, size: int, place: Place, footer: Footer) -> HiveFile:
    said = {name: _values(tree, path, name, footer) for name in IDENTITY if name in footer.types}
    version, faults = _version(place, footer, said.get(_VERSION))
    key = ForeignKey(project_id=str(place.project_id), period=str(place.period), factor_version=version)
    for name, values in said.items():
        wanted = getattr(key, name)
        if wanted is not None and values not in ((), (wanted,)):
            faults.append(f"its column {name} says {_shown(values)}, not {wanted!r}")
    return HiveFile(
        path=path,
        size=size,
        key=key,
        rows=footer.rows,
        recorded_hash=footer.metadata.get(_HASH) or None,
        generated_utc=footer.metadata.get(_GENERATED) or None,
        types={name: _plain_type(footer.types[name]) for name in said},
        contradictions=tuple(faults),
    )


def _version(place: Place, footer: Footer, said: tuple[str | None, ...] | None) -> tuple[str | None, list[str]]:
    """Return the factor version by path, else by metadata, else by column, with what contradicts it."""
    noted = footer.metadata.get(_VERSION)
    faults = []
    if noted and _canonical_version(noted) is None:
        faults.append(f"its metadata names factor_version {noted!r}, which is not canonical")
    elif noted and place.factor_version not in (None, noted):
        faults.append(f"its metadata names factor_version {noted!r}, not {place.factor_version!r}")
    version = place.factor_version or _canonical_version(noted)
    if version is None and said:
        version = _canonical_version(said[0]) if len(said) == 1 else None
        if version is None:
            faults.append(f"its column factor_version says {_shown(said)}, which names no one version")
    return version, faults


def _canonical_version(text: str | None) -> str | None:
    try:
        return checked_id(text, what=_VERSION)
    except IdentityError:
        return None


def _values(tree: ObjectStore, path: str, name: str, footer: Footer) -> tuple[str | None, ...]:
    """Return the different values of a column as text, from the footer when it shows that there is only one."""
    if footer.rows == 0:
        return ()
    only = constant(footer.extremes.get(name))
    if only is not None:
        return (only,)
    data = tree.get(path)
    values = read_parquet(data or b"").column(name).unique().to_pylist()
    return tuple(sorted((None if value is None else str(value) for value in values), key=lambda text: text or ""))


def _plain_type(text: str) -> str:
    """Return the type of a column as a reader sees it: dictionaries by their values, all texts as `string`."""
    if text.startswith("dictionary<values="):
        text = text.removeprefix("dictionary<values=").partition(",")[0]
    return "string" if text in _TEXT_TYPES else text


def _shown(values: tuple[str | None, ...]) -> str:
    return " and ".join("nothing" if value is None else repr(value) for value in values[:3])
