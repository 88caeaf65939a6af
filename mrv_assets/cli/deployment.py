"""The deployment that the environment names, opened for a command.

What does not belong here: the meaning of the environment (settings) and what a command does.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

from mrv_assets import telemetry
from mrv_assets.pipeline.world import World, utc_now
from mrv_assets.settings import Settings
from mrv_assets.storage.opening import open_store
from mrv_assets.storage.references import ReferenceData


def enter() -> Settings:
    """Return the settings of this process and send its structured events to `<home>/logs/mrv.jsonl`."""
    settings = Settings.from_env(os.environ)
    telemetry.configure(log_file(settings))
    return settings


def log_file(settings: Settings) -> Path:
    """Return where the structured events of commands go."""
    return settings.logs / "mrv.jsonl"


def open_for_reading(settings: Settings) -> World:
    """Open the world without probing the store, which would write to it: looking leaves no trace."""
    opened = partial(open_store, allow_network_fs=settings.allow_network_fs)
    return World.over(
        store=opened(settings.store),
        references=opened(settings.reference),
        landing=opened(settings.landing),
        clock=utc_now,
    )


def open_for_writing(settings: Settings) -> World:
    """Open the world for a command that adds to the store, with the key that signs what it adds if there is one.

    Raises what `World.open` and `signer_from` raise.
    """
    # The cryptography of a key costs time that reading commands do not have to spend.
    from mrv_assets.storage.signing import signer_from

    return World.open(settings, signer=signer_from(os.environ, settings.keys))


def open_references(settings: Settings) -> ReferenceData:
    """Open the reference data alone, for a command that asks nothing of the store."""
    return ReferenceData(open_store(settings.reference, allow_network_fs=settings.allow_network_fs))
