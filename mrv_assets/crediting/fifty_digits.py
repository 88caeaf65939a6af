"""The decimal context of statistics: 50 digits, so that roots and quotients are far finer than what is kept of them.

What does not belong here: tonnes, which are exact (domain).
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, DivisionByZero, InvalidOperation, Overflow

FIFTY_DIGITS = Context(prec=50, rounding=ROUND_HALF_EVEN, traps=[InvalidOperation, DivisionByZero, Overflow])
