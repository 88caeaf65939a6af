"""The terminal: `mrv` and its commands, what they print for people and, with `--json`, for scripts.

`app` holds the commands' names, arguments and help and imports nothing that costs time; each command's work
is in a module of its own, imported when it is called. What does not belong here: deciding anything about a
figure (pipeline), launching Dagster (orchestration) and pages (report).
"""

from __future__ import annotations


def main() -> None:
    """Run the `mrv` command with the arguments of the process, and exit with its code."""
    from mrv_assets.garbage import collect_rarely

    collect_rarely()
    from mrv_assets.cli.app import app

    app()
