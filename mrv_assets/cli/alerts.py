"""`mrv alerts test` and `mrv alerts status`: whether every target takes a message, and how far each was told."""

from __future__ import annotations

import os
import uuid

from mrv_assets.alerts.config import Alerts, read_alerts
from mrv_assets.alerts.message import Kind, Message, message_id
from mrv_assets.cli.deployment import enter, open_for_reading
from mrv_assets.cli.terminal import DONE, parts, plain_table, print_error, print_json, stdout
from mrv_assets.domain.errors import ContractError, MrvError, Refusal, Transient
from mrv_assets.pipeline.outbox import Standing, standings
from mrv_assets.settings import Settings
from mrv_assets.storage.cursors import Cursors


def send_tests(*, as_json: bool) -> int:
    """Send one test message to each target and say what came of it; return the code of the gravest failure."""
    settings = enter()
    configured, run = _configured(settings), uuid.uuid4().hex
    outcomes: dict[str, MrvError | None] = {}
    for target in configured.targets:
        try:
            target.send(_test(target.name, run))
            outcomes[target.name] = None
        except (Refusal, Transient) as error:  # the next target is tried as well
            outcomes[target.name] = error
    if as_json:
        told = {name: None if outcome is None else parts(outcome) for name, outcome in outcomes.items()}
        print_json({"targets": [{"target": n, "took_it": e is None, "error": e} for n, e in told.items()]})
    else:
        for name, outcome in outcomes.items():
            stdout().print(f"{name}: {'took the test message' if outcome is None else outcome.what}")
    return max((print_error(outcome) for outcome in outcomes.values() if outcome is not None), default=DONE)


def show_status(*, as_json: bool) -> int:
    """Print each target, whether its secret is set, and how far it was told the journal; return the exit code."""
    settings = enter()
    configured = _configured(settings)
    world = open_for_reading(settings)
    cursors = Cursors(settings.alert_cursors, store=world.store.uri)
    names = [target.name for target in configured.targets]
    known = {one.target: one for one in standings(world, cursors, names)}
    if as_json:
        print_json({"since": configured.since, "targets": _json(configured, known)})
    else:
        _print(configured, known)
    return DONE


def _configured(settings: Settings) -> Alerts:
    found = read_alerts(settings.alerts, os.environ)
    if found is None:
        raise ContractError(
            "no alerts are configured",
            where=str(settings.alerts),
            expected="a file that says where alerts go",
            found="none",
            remedy="write it as docs/runbooks/automation.md shows, or name it in MRV_ALERTS",
        )
    return found


def _test(name: str, run: str) -> Message:
    return Message(
        kind=Kind.TEST,
        id=message_id(Kind.TEST, name, run),
        title="Test of an alert target",
        lines=[f"This is what {name} shows of an alert. Nothing happened."],
        facts={"target": name},
    )


def _print(configured: Alerts, known: dict[str, Standing]) -> None:
    table = plain_table(title=f"Alerts, of what happened since {configured.since}")
    for name in ("target", "kind", "told of", "secret"):
        table.add_column(name, overflow="fold")
    for name in ("journal up to", "behind"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in _json(configured, known):
        table.add_row(*(", ".join(v) if isinstance(v, list) else str(v) for v in one.values()))
    stdout().print(table)


def _json(configured: Alerts, known: dict[str, Standing]) -> list[dict[str, object]]:
    return [
        {
            "target": target.name,
            "kind": type(target).__name__.lower(),
            "alerts": sorted(target.alerts),
            "secret": "none needed" if target.secret is None else "set" if target.secret.is_set else "not set",
            "journal": known[target.name].delivered,
            "behind": known[target.name].behind,
        }
        for target in configured.targets
    ]
