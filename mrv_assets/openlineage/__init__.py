"""OpenLineage: the journal told to lineage catalogues, as run events of spec 2-0-2, and delivered at least once.

What does not belong here: what the journal holds (domain, storage) and the terminal or Dagster around an export.
"""
