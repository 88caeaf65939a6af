"""What a spreadsheet leaves of an id that it took for a number or a date.

What does not belong here: where ids come from (stages) and what follows (the gates).
"""

from __future__ import annotations

_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"

MANGLED_ID = (
    r"(?i)^(?:[+-]?[0-9](?:[.,][0-9]+)?e\+[0-9]+"
    rf"|[0-9]{{1,2}}[-. ](?:{_MONTHS})[a-z]*\.?(?:[-. ][0-9]{{2,4}})?"
    rf"|(?:{_MONTHS})[a-z]*\.?[-. ][0-9]{{2,4}}"
    r"|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9:.]+)?)$"
)
"""RE2 pattern of what is left of the ids 891e3, 1914310000010100016 and 3-4."""
