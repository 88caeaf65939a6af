"""One partition through one stage: read, make, judge, keep, remember.

This room joins the three that do not know each other: stages make content, compliance judges it, storage
keeps it. What does not belong here: how a number is computed, what a gate asks, how a byte becomes durable,
and any word of Dagster.
"""
