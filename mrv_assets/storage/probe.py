"""Does the store keep its one promise: that a key can be created only once?

Some services accept a conditional put and ignore the condition; every generation would then be overwritten by
the next writer. What does not belong here: testing a store in depth, which is the conformance suite's.
"""

from __future__ import annotations

import uuid

from mrv_assets.domain.errors import ContractError
from mrv_assets.storage.object_store import ObjectStore

_PREFIX = "probe/"
_trusted: set[tuple[type[ObjectStore], str]] = set()


def probe(store: ObjectStore) -> None:
    """Create one fresh key twice, and return when the second attempt was refused and changed nothing.

    Asks once per store and process, because a store without deletion keeps the key: one tiny object under
    `probe/`. Raises ContractError when the store breaks the promise.
    """
    identity = type(store), store.uri
    if identity in _trusted:
        return
    key = f"{_PREFIX}{uuid.uuid4().hex}"
    first, second = b"first", b"second"
    answers = store.put_if_absent(key, first), store.put_if_absent(key, second)
    kept = store.get(key)
    if answers != (True, False) or kept != first:
        raise ContractError(
            "store does not refuse to create a key twice",
            where=f"{store.uri}, key {key}",
            expected=f"answers (True, False) and the first bytes {first!r} kept",
            found=f"answers {answers} and {kept!r} kept",
            remedy="use a store that enforces conditional puts (If-None-Match), or a local disk",
        )
    _trusted.add(identity)
