"""Words of people that are kept for good: they can be shown, and they say something.

What does not belong here: what the words are about.
"""

from __future__ import annotations

import unicodedata

from mrv_assets.domain.errors import ContractError

_UNSHOWN = ("Cc", "Cs")
"""Control codes, which a terminal obeys, and halves of surrogates, which are bytes that were no UTF-8."""

_LAYOUT = "\n\t"


def said(text: str, *, of: str, lacking: str, where: str, expected: str) -> str:
    """Return what somebody said, without blanks around it; it may have lines.

    `of` is the document that keeps it and `lacking` what that does not say without it. Raises ContractError naming
    `where` when the text has no letter and no digit, or has a control character.
    """
    hidden = [char for char in text if char not in _LAYOUT and unicodedata.category(char) in _UNSHOWN]
    if hidden:
        raise ContractError(
            f"{of} holds what cannot be shown",
            where=where,
            expected=f"{expected}, in letters, digits and signs",
            found=f"the character U+{ord(hidden[0]):04X}",
            remedy="leave it out, or type the text in UTF-8: it is shown with the figure for good",
        )
    if any(map(str.isalnum, text)):
        return text.strip()
    raise ContractError(
        f"{of} does not say {lacking}",
        where=where,
        expected=expected,
        found="no letter and no digit" if text else "nothing",
        remedy="say it: it is kept with the figure for good",
    )
