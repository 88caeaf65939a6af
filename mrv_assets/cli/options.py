"""Options that commands of several groups share.

What does not belong here: options of one command or group.
"""

from __future__ import annotations

from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, decimals as text.")]
