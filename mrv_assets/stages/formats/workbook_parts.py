"""The parts of an XLSX file: is it one, which part is which sheet, and are its counts true.

The reader takes memory for whatever a file claims; one false count ends the process. What does not belong here: how
far a sheet reaches (sheets) and its cells (workbook).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mrv_assets.domain.errors import GateError, listed
from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.archives import members, read_member
from mrv_assets.stages.formats.plain_xml import Attributes, hand_out

WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
_STRINGS = "xl/sharedstrings.xml"
_LEAST_STRING = 5  # bytes of XML that one shared string takes at least
_HEAD = 2**16
_COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OTHER_PARTS = {"xl/workbook.bin": "a binary workbook (.xlsb)", "mimetype": "an OpenDocument file (.ods)"}


def workbook_members(data: bytes, *, where: str) -> Mapping[str, int]:
    """Return the members of a workbook's archive with their sizes, once it is known to be one, safe and honest.

    Raises GateError (gate `source_readable`) for another kind of file, an encrypted workbook, an unsafe zip archive, or
    more shared strings than there can be.
    """
    if data.startswith(_COMPOUND):
        is_encrypted = "EncryptedPackage".encode("utf-16-le") in data
        raise _other_kind(where, "an encrypted workbook" if is_encrypted else "an old workbook (.xls)")
    if data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise _other_kind(where, "HTML or XML text")
    held = members(data, where=where)
    if WORKBOOK not in held:
        other = [kind for name, kind in _OTHER_PARTS.items() if name in held]
        raise _other_kind(where, other[0] if other else f"a zip archive without {WORKBOOK}")
    _refuse_false_counts(data, held, where)
    return held


def sheet_parts(data: bytes, held: Mapping[str, int], *, where: str) -> Mapping[str, str]:
    """Return the member that holds each sheet, by the sheet's name, in the order of the workbook.

    Raises GateError (gate `source_readable`) when the XML is broken, or a sheet or relation is named twice.
    """
    sheets, relations = list[Attributes](), list[Attributes]()
    hand_out(read_member(data, WORKBOOK, where=where), {"sheet": sheets.append}, where=f"{where}, {WORKBOOK}")
    hand_out(read_member(data, _RELATIONS, where=where), {"Relationship": relations.append}, where=where)
    targets = _once([(relation.get("Id", ""), relation.get("Target", "")) for relation in relations], where)
    spelled = {name.casefold(): name for name in held}
    parts = []
    for sheet in sheets:
        target = targets.get(next((text for key, text in sheet.items() if key.endswith(" id")), ""), "")
        part = target[1:] if target.startswith("/xl/") else f"xl/{target}"
        parts.append((sheet.get("name", ""), spelled.get(part.casefold(), part)))
    return _once(parts, where)


def _other_kind(where: str, found: str) -> GateError:
    return unreadable(
        where,
        expected="an XLSX workbook",
        found=found,
        remedy="save it as an XLSX workbook without a password, or as CSV; or correct format under [source]",
    )


def _refuse_false_counts(data: bytes, held: Mapping[str, int], where: str) -> None:
    for name, size in held.items():
        if name.casefold() != _STRINGS:
            continue
        roots: list[Attributes] = []
        head = read_member(data, name, where=where)[:_HEAD]
        hand_out(head, {"sst": roots.append}, where=f"{where}, {name}", is_whole=False)
        counts = [text for root in roots for key, text in root.items() if key in ("count", "uniqueCount")]
        if not roots or any(not re.fullmatch("[0-9]{1,12}", text) for text in counts):
            raise unreadable(
                f"{where}, {name}", expected="shared strings and their count", found=listed(counts) or "none"
            )
        promised = int(roots[0].get("uniqueCount", "0"))
        if promised * _LEAST_STRING > size:
            raise unreadable(f"{where}, {name}", expected=f"strings in {size} bytes", found=f"a count of {promised}")


def _once(pairs: Sequence[tuple[str, str]], where: str) -> dict[str, str]:
    names = [name.casefold() for name, _ in pairs]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise unreadable(
            f"{where}, {WORKBOOK}", expected="every sheet and relation once", found=f"twice: {listed(twice)}"
        )
    return dict(pairs)
