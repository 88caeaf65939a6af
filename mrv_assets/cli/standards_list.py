"""`mrv standards list`: every rule set, and the projects that declare it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mrv_assets.cli.deployment import enter, open_references
from mrv_assets.cli.terminal import DONE, REFUSED, plain_table, print_error, print_json, stdout
from mrv_assets.domain.errors import Refusal
from mrv_assets.domain.rule_set import RuleSet
from mrv_assets.storage.references import ReferenceData


def show_list(*, as_json: bool) -> int:
    """Print every rule set and return the exit code: not 0 when one, or a project, cannot be read."""
    references = open_references(enter())
    broken: list[Refusal] = []
    rule_sets = [found for name in references.rule_set_files() if (found := _read(references, name, broken))]
    declared = _declared(references, broken)
    if as_json:
        print_json({"rule_sets": [_json(one, declared.get(one.name, ())) for one in rule_sets]})
    else:
        _print(rule_sets, declared)
    for refusal in broken:
        print_error(refusal)
    return REFUSED if broken else DONE


def _read(references: ReferenceData, file: str, broken: list[Refusal]) -> RuleSet | None:
    try:
        return references.rule_set_file(file)
    except Refusal as refusal:
        broken.append(refusal)
        return None


def _declared(references: ReferenceData, broken: list[Refusal]) -> Mapping[str, Sequence[str]]:
    """Return who declares each rule set: project and window."""
    found: dict[str, list[str]] = {}
    for project_id in references.project_ids():
        try:
            project = references.project(project_id)
        except Refusal as refusal:
            broken.append(refusal)
            continue
        for declared in project.standards:
            for name in declared.rule_sets:
                found.setdefault(name, []).append(f"{project_id} {declared.window}")
    return found


def _json(rule_set: RuleSet, declared: Sequence[str]) -> dict[str, object]:
    return {
        "id": rule_set.id,
        "version": rule_set.version,
        "title": rule_set.title,
        "effective_from": rule_set.effective_from,
        "effective_until": rule_set.effective_until,
        "lines": len(rule_set.lines),
        "controls": len(rule_set.controls),
        "sha256": rule_set.digest,
        "declared_by": list(declared),
    }


def _print(rule_sets: Sequence[RuleSet], declared: Mapping[str, Sequence[str]]) -> None:
    table = plain_table(title="Rule sets")
    table.add_column("rule set", overflow="fold")
    table.add_column("in force", no_wrap=True)
    table.add_column("lines", justify="right")
    table.add_column("controls", justify="right")
    table.add_column("what it is", overflow="fold")
    table.add_column("declared by", overflow="fold")
    for one in rule_sets:
        until = f"to {one.effective_until}" if one.effective_until else "on"
        table.add_row(
            one.name,
            f"{one.effective_from} {until}",
            str(len(one.lines)),
            str(len(one.controls)),
            one.title,
            ", ".join(declared.get(one.name, ())) or "nobody",
        )
    stdout().print(table)
