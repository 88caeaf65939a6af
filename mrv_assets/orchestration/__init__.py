"""All of Dagster: partitions, resources, the IO manager, assets, checks, jobs, and how to launch one partition.

Nothing here computes or judges; it shows the pipeline to Dagster. What does not belong here: anything that would be
true without Dagster.
"""

import warnings

from dagster import PreviewWarning

# A partitions_def on a check is in preview in the pinned release; without one a check is not recorded by partition.
warnings.filterwarnings("ignore", category=PreviewWarning, message="Specifying a partitions_def on an AssetCheckSpec")
