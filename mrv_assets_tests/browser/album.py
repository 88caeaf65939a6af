"""Pictures of what a person sees, small enough to be committed."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Locator, Page

MAX_BYTES = 200_000
_COLOURS = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Album:
    """A folder of pictures."""

    folder: Path

    def take(self, shown: Page | Locator, name: str) -> None:
        """Keep the window or a part of it as `NAME.png` in few colours. Fails when it is too large to be committed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        taken = Image.open(io.BytesIO(shown.screenshot(animations="disabled", caret="hide")))
        path = self.folder / f"{name}.png"
        taken.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)
        assert path.stat().st_size < MAX_BYTES, f"{path} has {path.stat().st_size} bytes, {MAX_BYTES} are the limit"
