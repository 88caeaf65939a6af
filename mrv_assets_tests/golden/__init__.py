"""Published figures that have to come out, to the last digit that was published."""
