"""What the path of a file in a foreign hive tree says: which partition, and what kind of object by its name.

Identity is text from end to end: folder names are URL-decoded and never typed, so `0042` is not 42 and `2024.10` is
not `2024.1`. What does not belong here: looking into a file (hive).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from mrv_assets.domain.errors import ContractError, IdentityError
from mrv_assets.domain.partition import Period, checked_id
from mrv_assets.storage.object_store import checked_key

IDENTITY = ("project_id", "period", "factor_version")
_NULL = "__HIVE_DEFAULT_PARTITION__"
_TABLE_ENDINGS = (".parquet", ".parq", ".pq")
_TEMPORARY = re.compile(
    r"(\.te?mp\b|\.te?mp-|\.partial|\.inprogress|\.crdownload|~$|(^|/)(_temporary/|_?te?mp[-_.]))", re.IGNORECASE
)
_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|[+-]?(inf|infinity|nan)", re.IGNORECASE)
_INT64 = 1 << 63


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a path puts a file. `fault` says why that is no partition, None when it is one.

    Parts that the path does not name in canonical form are None; a partition may lack the factor version only.
    """

    project_id: str | None
    period: str | None
    factor_version: str | None
    fault: str | None


def place_of(path: str) -> Place:
    """Read the `name=value` folders of a path, in any order and with any other folders between them."""
    found: dict[str, str | None] = dict.fromkeys(IDENTITY)
    faults: list[str] = []
    named = [segment.partition("=") for segment in path.split("/")[:-1]]
    for name in IDENTITY:
        texts = [unquote(text) for other, separator, text in named if separator and other == name]
        if len(texts) > 1:
            faults.append(f"{len(texts)} folders {name}=")
        elif texts:
            found[name], fault = _canonical(name, texts[0])
            faults += fault
    missing = [name for name in IDENTITY[:2] if found[name] is None]
    if missing and not faults:
        faults.append(f"no folder {' and '.join(f'{name}=' for name in missing)}")
    return Place(
        project_id=found["project_id"],
        period=found["period"],
        factor_version=found["factor_version"],
        fault=", ".join([*faults, *_fault_of_name(path)]) or None,
    )


def is_temporary_name(path: str) -> bool:
    """Tell whether a path is that of a write in progress, by the habits of common writers."""
    # Folders of the form name=value hold identity, which may look like anything.
    return _TEMPORARY.search("/".join(part for part in path.split("/") if "=" not in part)) is not None


def is_table_name(path: str) -> bool:
    """Tell whether a path ends as a Parquet file does and no reader takes it for hidden."""
    return path.lower().endswith(_TABLE_ENDINGS) and not _is_hidden(path)


def is_marker_name(path: str) -> bool:
    """Tell whether a path is that of a hidden file that is no table, such as `_SUCCESS`: all readers pass it over."""
    return _is_hidden(path) and not path.lower().endswith(_TABLE_ENDINGS)


def retyped(text: str) -> str | None:
    """Return what a reader that types folder names makes of `text`, None when the text survives.

    Polars and pandas read a number wherever every folder of a column looks like one; only a number that is written
    back as the same text is harmless.
    """
    if _WHOLE_NUMBER.fullmatch(text):
        number = int(text)
        read = str(number) if abs(number) < _INT64 else repr(float(number))
    elif _NUMBER.fullmatch(text):
        read = repr(float(text))
    else:
        return None
    return read if read != text else None


def _canonical(name: str, text: str) -> tuple[str | None, list[str]]:
    if name == "factor_version" and text == _NULL:
        return None, []
    try:
        return Period.parse(text).text if name == "period" else checked_id(text, what=name), []
    except IdentityError:
        return None, [f"{name} {text!r} is not canonical"]


def _fault_of_name(path: str) -> list[str]:
    try:
        checked_key(path)
    except ContractError as error:
        return [error.found]
    return []


def _is_hidden(path: str) -> bool:
    return path.rpartition("/")[2].startswith(("_", "."))
