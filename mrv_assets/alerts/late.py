"""Late figures as alerts: each is told once to each target, and again when it was in time meanwhile.

What was told is a small file for each target. One that is lost or cannot be read is no memory: everything that is late
is told again, rather than never. What does not belong here: what is late (pipeline/freshness).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path

from mrv_assets.alerts.message import Kind, Message, message_id, shown
from mrv_assets.alerts.targets import Target
from mrv_assets.domain.digest import canonical_json, sha256_hex
from mrv_assets.pipeline.freshness import Freshness, Missing
from mrv_assets.storage.cursors import Cursors
from mrv_assets.storage.small_file import read_file, replace_file

_LATE = "late figures"


def tell_late(target: Target, found: Sequence[Freshness], *, today: date, since: date, folder: Path) -> int:
    """Send one message for all that is late and was not told yet; return how many figures it names.

    A figure whose last day in time was before `since` is not told. Raises what `Target.send` raises, and Transient
    when another delivery to the target is at work; what was told is written down when the target has it.
    """
    if Kind.LATE not in target.alerts:
        return 0
    with Cursors(folder, store=_LATE).held(target.name):
        file = folder / "told" / f"{sha256_hex(target.name.encode())[:16]}.json"
        told = _read(file)
        late = {_name(one, m): (one, m) for one in found for m in one.late(today) if m.due and m.due >= since}
        fresh = [late[name] for name in sorted(late.keys() - told)]
        if fresh:
            target.send(late_message(fresh, today))
        looked_at = {one.project_id for one in found}
        known = {*late, *(name for name in told if name.split()[0] not in looked_at)}
        if known != told:
            replace_file(file, canonical_json(sorted(known)))
        return len(fresh)


def late_message(late: Sequence[tuple[Freshness, Missing]], today: date) -> Message:
    """Return the alert of one or several figures that are late."""
    [(first, missing), *others] = late
    one = f"{first.project_id} {missing.period}, due {missing.due}"
    return Message(
        kind=Kind.LATE,
        id=message_id(Kind.LATE, *(_name(*each) for each in late)),
        title=f"{len(late)} figures are late" if others else f"Figure is late: {one}",
        lines=shown([_line(one, missing, today) for one, missing in late]),
        facts={
            "late": [
                {
                    "project_id": one.project_id,
                    "period": missing.period,
                    "due": str(missing.due),
                    "days_late": missing.days_late(today),
                    "why": missing.why.value,
                    "detail": missing.detail,
                }
                for one, missing in late
            ]
        },
    )


def _line(one: Freshness, missing: Missing, today: date) -> str:
    detail = f" ({missing.detail})" if missing.detail else ""
    days = missing.days_late(today)
    return f"{one.project_id} {missing.period}: due {missing.due}, {days} days late; {missing.why}{detail}"


def _name(one: Freshness, missing: Missing) -> str:
    return f"{one.project_id} {missing.period} {missing.due}"


def _read(file: Path) -> set[str]:
    data = read_file(file)
    try:
        names = json.loads(data or b"[]")
        return {name for name in names if isinstance(name, str) and name.strip()} if isinstance(names, list) else set()
    except ValueError:
        return set()
