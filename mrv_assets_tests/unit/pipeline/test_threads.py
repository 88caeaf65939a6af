"""Work done at the same time gives what it would give one after the other."""

from __future__ import annotations

from threading import Event, get_ident

import pytest

from mrv_assets.pipeline.threads import at_once, beside, on_all_cores


@pytest.mark.parametrize("count", [0, 1, 2, 50])
def test_results_come_in_the_order_of_the_items(count: int) -> None:
    """However many there are and whichever is done first."""
    assert on_all_cores(lambda number: number * number, range(count)) == [number * number for number in range(count)]


def test_an_item_that_fails_is_heard_of() -> None:
    """Nothing is left out because it could not be done."""
    with pytest.raises(ZeroDivisionError, match="by zero"):
        on_all_cores(lambda number: 1 // number, [1, 0, 1])


def test_what_is_done_beside_a_block_is_there_when_it_is_asked_for() -> None:
    """The block goes on meanwhile, in its own thread."""
    may_end = Event()

    def waits() -> int:
        assert may_end.wait(timeout=600)
        return get_ident()

    with beside(waits) as answer:
        may_end.set()
        assert answer() != get_ident()


def test_an_error_beside_a_block_is_raised_where_the_result_is_asked_for() -> None:
    """A block that does not ask ends without it."""
    with beside(int, "none"):
        pass
    with beside(int, "none") as answer, pytest.raises(ValueError, match="invalid literal"):
        answer()


def test_what_is_done_at_once_is_done_in_the_thread_that_asks_for_it() -> None:
    """And not at all where nobody asks, whose error then nobody hears of, as beside a block."""
    with at_once(get_ident) as answer:
        assert answer() == get_ident()
    with at_once(int, "none"):
        pass
    with at_once(int, "none") as answer, pytest.raises(ValueError, match="invalid literal"):
        answer()
