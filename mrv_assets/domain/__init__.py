"""The nouns of the platform: partitions, contracts, factors, gates, generations, lineage, certificates.

Everything here is a pure value or a pure function of values. What does not belong here: input and output,
logging, clocks, randomness, the environment, and any word of Dagster.
"""
