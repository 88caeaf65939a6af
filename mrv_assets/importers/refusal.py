"""How an importer says no.

What does not belong here: when it does.
"""

from __future__ import annotations

from mrv_assets.domain.errors import FactorError

_REMEDY = "check that this is the publisher's file and the right --format; correct a CSV and import it again"


def refused(what: str, *, where: str, expected: str, found: str, remedy: str = _REMEDY) -> FactorError:
    """Return the refusal of a published file, or of a row of it."""
    return FactorError(what, where=where, expected=expected, found=found, remedy=remedy)
