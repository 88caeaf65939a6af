"""The auditor's door: check a certificate, a history, a figure or a signature with nothing but the nouns.

Every function returns what it has found to hold, or raises; a check never answers with a boolean that a caller may
forget to look at. Importing this package loads neither Dagster nor geopandas nor great_expectations; what needs
cryptography is in `verify.signatures`. What does not belong here: fetching the bytes that are checked.
"""

from mrv_assets.verify.figures import (
    verify_approvals,
    verify_certificate,
    verify_figure,
    verify_history,
    verify_set_aside,
    verify_table,
)
from mrv_assets.verify.withdrawals import verify_nothing_reported, verify_withdrawals

__all__ = [
    "verify_approvals",
    "verify_certificate",
    "verify_figure",
    "verify_history",
    "verify_nothing_reported",
    "verify_set_aside",
    "verify_table",
    "verify_withdrawals",
]
