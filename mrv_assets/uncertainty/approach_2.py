"""IPCC Approach 2: a sum of products drawn many times (Monte Carlo), the same bits however the draws are split.

Draw number n of a source of uncertainty has an address of its own in the stream of that source, and terms are summed in
one order, which their content gives. So blocks may be made in any order and on any number of threads, which are the
caller's. What does not belong here: the first order of it (approach_1).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from mrv_assets.domain.errors import ContractError
from mrv_assets.uncertainty.digits import exact
from mrv_assets.uncertainty.distributions import Floats, Shape, parameters
from mrv_assets.uncertainty.streams import BLOCK, uniforms


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """An uncertain number. Variables of one `source` move together: equal shapes in value, others in rank."""

    source: str
    shape: Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """A part of the sum: a certain number times the draws of its variables, each of another source."""

    value: Decimal
    variables: Sequence[Variable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A sum of products, prepared for drawing: products with the same variables are one, in an order of their own.

    `seed` is the idempotency key of the partition, or any other text that names the work.
    """

    seed: str
    merged: Sequence[tuple[float, Sequence[Variable]]]

    @classmethod
    def of(cls, products: Sequence[Product], *, seed: str, where: str) -> Simulation:
        """Prepare a sum. Raises ContractError for no product, a value that is no number, a source twice in one."""
        sums: dict[tuple[Variable, ...], Fraction] = {}
        for part in products:
            variables = tuple(sorted(part.variables, key=_order))
            _require_distinct([variable.source for variable in variables], where)
            sums[variables] = sums.get(variables, Fraction(0)) + exact(part.value, what="product", where=where)
        if not sums:
            raise _refused("nothing to simulate", where, "at least one product", "none")
        ordered = sorted(sums, key=lambda variables: [_order(variable) for variable in variables])
        return cls(seed=seed, merged=[(float(sums[variables]), variables) for variables in ordered])

    def block(self, number: int) -> Floats:
        """Return the sums of the 4096 draws of one block, counted from 0. Blocks know nothing of one another."""
        drawn: dict[Variable, Floats] = {}
        sums = np.zeros(BLOCK)
        for value, variables in self.merged:
            draws = np.full(BLOCK, value)
            for variable in variables:
                if variable not in drawn:
                    drawn[variable] = variable.shape.draws(uniforms(self.seed, variable.source, number))
                draws *= drawn[variable]
            sums += draws
        return sums

    def draws(self, first: int, last: int) -> Floats:
        """Return the sums of the draws from `first` up to, not including, `last`; any split gives the same bits."""
        if not 0 <= first < last:
            raise _refused("draws are not a range", self.seed, "0 <= first < last", f"{first} and {last}")
        begin = first // BLOCK
        # Whole blocks always: vector instructions may treat the end of an array otherwise than its middle.
        blocks = [self.block(number) for number in range(begin, (last - 1) // BLOCK + 1)]
        return np.concatenate(blocks)[first - begin * BLOCK : last - begin * BLOCK]


def _order(variable: Variable) -> tuple[Any, ...]:
    return (variable.source, type(variable.shape).__name__, *parameters(variable.shape))


def _require_distinct(sources: Sequence[str], where: str) -> None:
    if len(set(sources)) < len(sources):
        raise _refused("product has a source twice", where, "every source of uncertainty once", ", ".join(sources))


def _refused(what: str, where: str, expected: str, found: str) -> ContractError:
    return ContractError(what, where=where, expected=expected, found=found, remedy="correct what is simulated")
