"""The auditor's door: what it accepts, and by which name it refuses everything else."""
