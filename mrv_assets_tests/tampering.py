"""Changes to stored documents as somebody would make them who knows the format: in canonical form, and sealed anew."""

from __future__ import annotations

import json

from mrv_assets.domain.digest import Json, self_sealed_json


def rewritten(data: bytes, **changes: Json) -> bytes:
    """Return a record or journal entry that says something else and carries the right digest of itself."""
    document = json.loads(data)
    del document["self_sha256"]
    return self_sealed_json({**document, **changes})
