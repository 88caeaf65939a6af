"""Whether the quotes of a delimited file open and close cells, as RFC 4180 has it.

Fast readers forgive a stray quote, and then take half of the file for one cell, or a cell for another. What does not
belong here: reading the cells (delimited).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mrv_assets.stages.delivery import unreadable
from mrv_assets.stages.formats.encodings import line_of

_QUOTE = ord('"')
_STRETCH = 2**24


def refuse_stray_quotes(text: bytes, delimiter: str, *, where: str) -> None:
    """Refuse quotes that do not enclose a whole cell; a quote inside of a quoted cell is written twice.

    `text` is UTF-8. Raises GateError (gate `source_readable`) naming the line.
    """
    if b'"' not in text:
        return
    quotes = _places(text)
    data = np.frombuffer(text, dtype=np.uint8)
    outside = np.zeros(256, dtype=np.bool_)
    outside[list(b'\r\n"' + delimiter.encode())] = True
    opening, closing = quotes[0::2], quotes[1::2]
    is_stray_opening = (opening > 0) & ~outside[data[opening - 1]]
    is_stray_closing = (closing < len(data) - 1) & ~outside[data[np.minimum(closing + 1, len(data) - 1)]]
    stray = [*opening[is_stray_opening][:1].tolist(), *closing[is_stray_closing][:1].tolist()]
    if stray:
        raise unreadable(
            f"{where}, line {_line(text, min(stray))}",
            expected="quotes around whole cells, and a quote inside of one written twice",
            found=f"a quote in the middle of a cell: {_around(text, min(stray))}",
        )
    if len(quotes) % 2:
        last = int(quotes[-1])
        raise unreadable(
            f"{where}, line {_line(text, last)}",
            expected="a closing quote",
            found=f"a quoted cell that never ends, as in a file that was cut short: {_around(text, last)}",
        )


def _places(text: bytes) -> NDArray[np.int64]:
    data = np.frombuffer(text, dtype=np.uint8)
    return np.concatenate(
        [np.flatnonzero(data[at : at + _STRETCH] == _QUOTE) + at for at in range(0, len(data), _STRETCH)]
    )


def _line(text: bytes, place: int) -> int:
    return line_of(text[:place].decode("utf-8", "ignore"))


def _around(text: bytes, place: int) -> str:
    return repr(text[max(0, place - 20) : place + 20].decode("utf-8", "ignore"))
