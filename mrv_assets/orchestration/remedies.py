"""From our three families of errors to what Dagster does about them.

Refusals and tampering fail the step at once and are never retried; what is transient is retried a bounded number of
times, with exponential backoff and jitter. One mechanism covers the asset body and the IO manager alike.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager

from dagster import Failure, RetryRequested

from mrv_assets.domain.errors import MrvError, Transient

MAX_RETRIES = 4
FIRST_DELAY_S = 0.5


@contextmanager
def remedied(retry_number: int) -> Iterator[None]:
    """Turn platform errors of the enclosed block into Dagster's: retried if transient, final otherwise.

    `retry_number` is 0 at the first attempt; delays are 0.5, 1, 2 and 4 s, each varied by up to a half.
    """
    try:
        yield
    except Transient as error:
        raise RetryRequested(max_retries=MAX_RETRIES, seconds_to_wait=delay_s(retry_number)) from error
    except MrvError as error:
        raise failure(error) from error


def delay_s(retry_number: int) -> float:
    """Return how long to wait before an attempt after `retry_number` retries: twice as long each time, with jitter."""
    return FIRST_DELAY_S * float(2**retry_number) * random.uniform(0.5, 1.5)


def failure(error: MrvError) -> Failure:
    """Return the final failure that tells the parts of `error` in columns."""
    return Failure(
        description=str(error),
        metadata={
            "family": error.family,
            "what": error.what,
            "where": error.where,
            "expected": error.expected,
            "found": error.found,
            "remedy": error.remedy,
        },
        allow_retries=False,
    )
