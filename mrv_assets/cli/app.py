"""The commands of `mrv`: their names, arguments and help, and nothing that costs time to import.

Each hands its arguments to the module that does the work. What does not belong here: the work.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from mrv_assets.cli import backfill_app, evidence_app
from mrv_assets.cli.alerts_app import alerts
from mrv_assets.cli.checkpoint_app import checkpoint
from mrv_assets.cli.factors_app import factors
from mrv_assets.cli.keys_app import keys
from mrv_assets.cli.ledger_app import ledger
from mrv_assets.cli.lineage_app import lineage
from mrv_assets.cli.options import AsJson, CertificateWords, FactorVersion, PeriodText, ProjectId
from mrv_assets.cli.registry_app import registry
from mrv_assets.cli.standards_app import standards
from mrv_assets.domain.errors import MrvError

_EPILOG = """\
Exit codes: 0 done; 1 refused: correct the input; 2 wrong usage; 3 the platform is at fault: report it;
70 the record is at fault: stop, keep everything; 75 the world is at fault: try again later.

Environment: MRV_HOME (.mrv), MRV_STORE, MRV_REFERENCE, MRV_LANDING, MRV_DAGSTER_YAML; S3: the AWS variables.
Alerts: MRV_ALERTS (`alerts.toml` in the home), and the variables that it names.
Signing: MRV_KEYS (`keys` in the home), MRV_SIGNING_KEY (a private key as PEM text, instead of a file).
Structured events go to logs/mrv.jsonl in the home.
"""


class Door(TyperGroup):
    """Turn every way the platform says no into a panel and an exit code; a defect still shows its traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except MrvError as error:
            from mrv_assets.cli.terminal import print_error

            raise typer.Exit(print_error(error)) from error


app = typer.Typer(
    cls=Door,
    name="mrv",
    help="From raw activity data to reported carbon tonnes, a certificate behind every figure. Start with `mrv demo`.",
    epilog=_EPILOG,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.add_typer(alerts, name="alerts")
app.add_typer(checkpoint, name="checkpoint")
app.add_typer(factors, name="factors")
app.add_typer(keys, name="keys")
app.add_typer(ledger, name="ledger")
app.add_typer(registry, name="registry")
app.add_typer(lineage, name="lineage")
app.add_typer(standards, name="standards")
evidence_app.add_to(app)

Stage = Literal["activity", "normalized", "factored", "aggregated", "certificate", "ledger"]


@app.command(epilog="Example: `MRV_HOME=/srv/mrv mrv init`")
def init() -> None:
    """Create the home folder and Dagster's instance in it; doing it again changes nothing."""
    from mrv_assets.cli.init import create_home

    create_home()


@app.command(epilog="Example: `mrv source metc-anoka`; one period, as far as normalized: `mrv source metc-anoka 2021`")
def source(
    project: ProjectId,
    period: Annotated[
        str | None, typer.Argument(metavar="PERIOD", help="Also show what the rows of this period would become.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what a project's source file is, and with PERIOD what it would become. Nothing is kept.

    The exit code is 1 when a run would be refused.
    """
    from mrv_assets.cli.source import show_source

    raise typer.Exit(show_source(project, period, as_json=as_json))


@app.command(
    epilog="Example: `mrv run metc-anoka 2021`; with a named release: `mrv run metc-anoka 2021 mrow-2024.06.24`"
)
def run(
    project: ProjectId,
    period: PeriodText,
    factor_version: FactorVersion = None,
    force: Annotated[bool, typer.Option("--force", help="Compute again even when no input has changed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Carry one partition through all six assets in a Dagster run. What has not changed is skipped."""
    from mrv_assets.cli.run import run_one

    raise typer.Exit(run_one(project, period, factor_version, force=force, as_json=as_json))


backfill_app.add_to(app)


@app.command(
    epilog="Example: `mrv report metc-anoka 2024`, of four quarters; `mrv report metc-anoka 2019-01-01_2022-12-31`"
)
def report(project: ProjectId, period: PeriodText, as_json: AsJson = False) -> None:
    """Roll the reported figures of a project up to a longer period: each day once, shared errors kept.

    Refused when days are missing or reported twice. Nothing is stored.
    """
    from mrv_assets.cli.report import show_report

    show_report(project, period, as_json=as_json)


@app.command(
    epilog="Example: `mrv show certificate metc-anoka 2021 mrow-2025.05.20`; "
    "a table as file: `mrv show normalized metc-anoka 2021 --out anoka.csv`"
)
def show(
    stage: Annotated[
        Stage,
        typer.Argument(metavar="STAGE", help="activity, normalized, factored, aggregated, certificate or ledger."),
    ],
    project: ProjectId,
    period: PeriodText,
    factor_version: Annotated[
        str | None,
        typer.Argument(
            metavar="FACTOR_VERSION",
            help="Only where factors matter (factored, aggregated, certificate); left out: the one that is reported.",
        ),
    ] = None,
    generation: Annotated[
        int | None, typer.Option("--generation", metavar="N", min=1, help="An earlier generation.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="FILE",
            dir_okay=False,
            help="Write the content: .parquet or .csv for a table, .json for any.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show one generation: its record, inputs, pins and gates, and the content itself, checked before it is shown."""
    from mrv_assets.cli.show import show_generation

    show_generation(stage, project, period, factor_version, generation=generation, out=out, as_json=as_json)


@app.command(epilog="Example: `mrv status --json`")
def status(as_json: AsJson = False) -> None:
    """Show where everything is, how much there is, which inventories are complete and what is behind."""
    from mrv_assets.cli.status import show_status

    show_status(as_json=as_json)


@app.command(
    epilog="Example: `mrv freshness`; for a script, 1 when a figure is late: `mrv freshness metc-anoka --strict`"
)
def freshness(
    projects: Annotated[
        list[str] | None, typer.Argument(metavar="[PROJECT...]", help="These projects; left out: all.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 when a figure is late.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show for each project what it has reported, what is next, when that is due, and why it is missing."""
    from mrv_assets.cli.freshness import show_freshness

    raise typer.Exit(show_freshness(projects or [], is_strict=strict, as_json=as_json))


@app.command(epilog="Example: `mrv fsck`; complete what a crash left: `mrv fsck --repair`")
def fsck(
    repair: Annotated[
        bool,
        typer.Option(
            "--repair", help="Publish missing figures and journal entries anew; sealed objects are never touched."
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Read everything that is stored and show each breach; exit with 0 when there is none, else with 70."""
    from mrv_assets.cli.fsck import run_fsck

    raise typer.Exit(run_fsck(is_repairing=repair, as_json=as_json))


@app.command(
    epilog="Example: `mrv certificate metc-anoka 2021 --out anoka.mrv.json`; by its digest: "
    "`mrv certificate 0f3c5a7d --out anoka.mrv.json`"
)
def certificate(
    words: CertificateWords,
    out: Annotated[Path, typer.Option("--out", metavar="FILE.mrv.json", dir_okay=False, help="A new file.")],
    envelope_only: Annotated[
        bool, typer.Option("--envelope-only", help="Write the DSSE envelope alone, for other tools; it proves less.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Hand out a certificate in one file: the signed statement, its records, the ledger's row and the journal's proofs.

    Whoever gets it checks it with `mrv verify FILE`, or with `python -m mrv_assets.verify FILE`.
    """
    from mrv_assets.cli.certificate import write_certificate

    raise typer.Exit(write_certificate(words, out, envelope_only=envelope_only, as_json=as_json))


@app.command(
    epilog="Example: `mrv verify anoka.mrv.json --trust trust.toml`; out of the store: `mrv verify metc-anoka 2021`; "
    "every certificate: `mrv verify --all`. "
    "Exit codes: 0 what could be checked held; 1 not to be trusted (unsigned, unknown key, red gate, another file); "
    "70 altered, and the leaf is named; 75 the store did not answer."
)
def verify(
    words: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE | PROJECT PERIOD [FACTOR_VERSION] | SHA256]", help="One certificate."),
    ] = None,
    all_: Annotated[bool, typer.Option("--all", help="Every generation of every certificate in the store.")] = False,
    trust: Annotated[
        Path | None,
        typer.Option("--trust", metavar="FILE", help="Keys that count; left out: trust.toml in the folder of keys."),
    ] = None,
    blobs: Annotated[
        Path | None, typer.Option("--blobs", metavar="DIR", help="With FILE: a folder of the tables it names.")
    ] = None,
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option("--checkpoint", metavar="FILE", help="A checkpoint that was published; may be repeated."),
    ] = None,
    allow_unsigned: Annotated[
        bool, typer.Option("--allow-unsigned", help="Check digests although nobody vouches for them.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check certificates: signature, gates, records, ledger, journal, contents. Names the leaf that was altered.

    FILE is checked offline. Certificates of the store are checked with all that they rest on. An outsider needs
    less: `python -m mrv_assets.verify --help`.
    """
    from mrv_assets.cli.verify import Asked, run_verify

    asked = Asked(
        words=tuple(words or ()),
        is_all=all_,
        trust=trust,
        blobs=blobs,
        checkpoints=tuple(checkpoint or ()),
        allow_unsigned=allow_unsigned,
    )
    raise typer.Exit(run_verify(asked, as_json=as_json))


@app.command(
    epilog="Example: `mrv trace metc-anoka 2021`; a certificate: `mrv trace 0f3c5a7d9b1e`; a credit or retirement: "
    "`mrv trace SERIAL --plot trace.svg`"
)
def trace(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="WHAT",
            help="PROJECT PERIOD (what the ledger reports), PROJECT PERIOD FACTOR_VERSION (a certificate), a "
            "certificate's sha256 or 8 digits of it or more, or a serial number as its registry shows it.",
        ),
    ],
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", dir_okay=False, help="Draw it: .svg or .png.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show everything that a figure, certificate, credit or retirement rests on, down to source file, code and run.

    Every record and content on the way is checked; the exit code is 70 when one is not as it was sealed.
    """
    from mrv_assets.cli.trace import show_trace

    raise typer.Exit(show_trace(what, plot=plot, as_json=as_json))


@app.command(epilog="Example: `mrv doctor`; for a script: `mrv doctor --json`")
def doctor(as_json: AsJson = False) -> None:
    """Say what ails the record, what can be rebuilt and how, and what cannot.

    The exit code is 0 when nothing does, 1 when something is to be done, 70 when what is stored was tampered with.
    """
    from mrv_assets.cli.doctor import run_doctor

    raise typer.Exit(run_doctor(as_json=as_json))


@app.command(epilog="Example: `mrv gc`, which removes nothing; later: `mrv gc --sweep 0f3c5a7d9b1e2468`")
def gc(
    sweep: Annotated[
        str | None,
        typer.Option("--sweep", metavar="PLAN", help="Remove what this plan lists, as far as it is still garbage."),
    ] = None,
    longest_run: Annotated[
        int,
        typer.Option("--longest-run", metavar="HOURS", min=1, help="No run takes longer; see dagster.yaml."),
    ] = 2,
    as_json: AsJson = False,
) -> None:
    """List garbage older than seven days and four times the longest run, and publish the list as a plan."""
    from mrv_assets.cli.gc import run_gc

    raise typer.Exit(run_gc(plan_id=sweep, longest_run_h=longest_run, as_json=as_json))


@app.command(
    epilog="Example: `mrv preflight metc-anoka 2019..2022`; a foreign tree: "
    "`mrv preflight metc-anoka 2021 --uri file:///srv/old/ledger`"
)
def preflight(
    project: ProjectId,
    window: Annotated[str, typer.Argument(metavar="WINDOW", help="2021, 2019..2022, 2024-Q1..2024-Q3, or several.")],
    uri: Annotated[
        str | None, typer.Option("--uri", metavar="URI", help="A foreign hive tree instead of the store.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what stands in the way of a backfill; exit with 0 when running it is safe, else with 1."""
    from mrv_assets.cli.preflight import run_preflight

    raise typer.Exit(run_preflight(project, window, uri=uri, as_json=as_json))


@app.command(
    epilog="Example: `mrv adopt file:///srv/old/ledger --keep newest`, which only shows what would be kept; "
    "then with `--apply`"
)
def adopt(
    uri: Annotated[str, typer.Argument(metavar="URI", help="A hive tree that another pipeline wrote.")],
    keep: Annotated[
        Literal["newest", "largest", "list"],
        typer.Option("--keep", metavar="RULE", help="Which of several copies is the one: newest, largest or list."),
    ],
    authoritative: Annotated[
        Path | None,
        typer.Option(
            "--authoritative", metavar="FILE", dir_okay=False, help="The list of authoritative files, for --keep list."
        ),
    ] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Record the adoption; left out: only show it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Adopt a foreign tree: one authoritative copy of each partition, recorded beside what was found."""
    from mrv_assets.cli.adopt import run_adopt

    code = run_adopt(uri, keep=keep, authoritative=authoritative, is_dry_run=not apply, as_json=as_json)
    raise typer.Exit(code)


@app.command(epilog="Example: `mrv demo`; into a home of its own: `MRV_HOME=/tmp/try mrv demo`")
def demo(
    replay: Annotated[
        Path | None,
        typer.Option(
            "--replay", metavar="FOLDER", help="Another folder with published.toml and landing/.", file_okay=False
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Replay a published inventory, restatement by restatement, and compare every total with the published one."""
    from mrv_assets.cli.demo import run_demo

    raise typer.Exit(run_demo(replay, as_json=as_json))


@app.command(
    name="data-docs",
    epilog="Example: `mrv data-docs --out docs-for-auditor`; one figure: `mrv data-docs metc-anoka 2021 --out anoka`",
)
def data_docs(
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="A new or empty folder, or one that this command wrote before.")
    ],
    project: Annotated[str | None, typer.Argument(metavar="PROJECT", help="Only this project.")] = None,
    period: Annotated[str | None, typer.Argument(metavar="PERIOD", help="Only this period.")] = None,
    as_json: AsJson = False,
) -> None:
    """Judge every table behind the live figures again, by Great Expectations, and write pages for an auditor."""
    from mrv_assets.cli.data_docs import write_data_docs

    raise typer.Exit(write_data_docs(project, period, out, as_json=as_json))


@app.command(epilog="Example: `mrv docs --check`")
def docs(
    check: Annotated[bool, typer.Option("--check", help="Change nothing; exit with 1 when the file is stale.")] = False,
    file: Annotated[
        Path | None,
        typer.Option("--file", metavar="FILE", help="Where the dictionary is; left out: docs/ of this checkout."),
    ] = None,
) -> None:
    """Write docs/data-dictionary.md from the contract and the gates."""
    from mrv_assets.cli.docs import write_dictionary

    raise typer.Exit(write_dictionary(file, check=check))
