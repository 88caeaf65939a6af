"""What Dagster loads: the platform, wired for the deployment that the environment describes.

Settings are read once, when the code location starts (`MRV_HOME`, `MRV_STORE`, `MRV_REFERENCE`, `MRV_LANDING`).
"""

import os

from mrv_assets.orchestration.deployment import deployment
from mrv_assets.settings import Settings
from mrv_assets.telemetry import configure

# Structured events of runs and services go to stderr, where Dagster captures them with the run.
configure(None)
definitions = deployment(Settings.from_env(os.environ))
