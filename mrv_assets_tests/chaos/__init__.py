"""Chaos: Dagster's own processes are killed while they work, and the store has to end as if nothing had happened."""
