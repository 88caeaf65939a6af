"""Which encoding the text of a dBase table is in, by its .cpg and by what the project declares.

What does not belong here: decoding (dbf_cells).
"""

from __future__ import annotations

import codecs
import re

from mrv_assets.stages.delivery import unreadable

_ASCII = "ascii"
_NUMBERED = re.compile(r"(?:ansi|oem|cp|windows-?)?[ -]?([0-9]{3,5})", re.IGNORECASE)
_NUMBERS = {"65001": "utf-8", **{f"8859{part}": f"iso8859-{part}" for part in range(1, 17)}}


def dbf_codec(cpg: bytes | None, declared: str | None, *, where: str) -> str:
    """Return the name of Python's codec for the text of a table.

    The .cpg says it, or the project declares it, None for no declaration. When neither does it is plain ASCII, since
    such a table may be in anything. Raises GateError (gate `source_readable`) when a name is not known, or when the
    .cpg says another than the project.
    """
    ours = _ASCII if declared is None else _codec(declared, where, "the encoding under [source]")
    if cpg is None:
        return ours
    theirs = _codec(cpg.decode("ascii", "replace").strip(), where, "the .cpg")
    if declared is not None and theirs != ours:
        raise unreadable(
            where,
            expected=f"the encoding that the project declares, {declared}",
            found=f"a .cpg that says {theirs}",
            remedy="ask who made the file; then correct encoding under [source], or the .cpg",
        )
    return theirs


def _codec(name: str, where: str, who: str) -> str:
    numbered = _NUMBERED.fullmatch(name)
    known = _NUMBERS.get(numbered[1], f"cp{numbered[1]}") if numbered else name.replace(" ", "-")
    try:
        "".encode(known)  # a codec that is no text encoding is only found out in use
        return codecs.lookup(known).name.removesuffix("-sig")
    except (LookupError, ValueError) as error:
        raise unreadable(where, expected=f"an encoding that is known, in {who}", found=repr(name)) from error
