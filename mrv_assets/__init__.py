"""Carbon MRV on Dagster: from raw activity data to reported tonnes that an outsider can re-derive."""
