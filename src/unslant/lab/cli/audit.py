"""``unslant audit``: measures the political slant of a language model."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, Number, announce_destinations, output_format_option, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.lab.audit.run import MODES
from unslant.lab.cli.audit_controls import doses, plant, power
from unslant.lab.cli.audit_methods import (
    charged,
    consistency,
    coverage,
    host,
    likelihood,
    paired,
    report,
    stance,
)
from unslant.lab.cli.options import (
    balance_option,
    dry_run_option,
    echo_result,
    generation_options,
    hold_side_option,
    resamples_option,
    sampling_of,
    seed_option,
    vary_option,
)
from unslant.lab.debias.settings import CURRENT, STEERED, STRENGTHS
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.core.generation import Sampling
    from unslant.lab.audit.examine import AuditReport, AuditSettings, NothingToJudge
    from unslant.lab.audit.run import AuditPlan, Variant
    from unslant.lab.audit.spread import Setting
    from unslant.lab.audit.suite import Suite
    from unslant.protocols import LanguageModel


P = ParamSpec("P")
R = TypeVar("R")


@click.group()
def audit() -> None:
    """Measure the political slant of a language model.

    A model completes prompts about people and topics; a judge scores how far left or right each text leans. Indirect
    bias is how much the score depends on the people or topic, direct bias how far it leans beyond the prompt's side.
    """


for _command in (
    charged,
    consistency,
    coverage,
    doses,
    host,
    likelihood,
    paired,
    plant,
    power,
    report,
    stance,
):
    audit.add_command(_command)


def _add(options: Sequence[Callable[[Any], Any]], command: Callable[P, R]) -> Callable[P, R]:
    for option in reversed(options):
        command = option(command)
    return command


def _judge_options(command: Callable[P, R]) -> Callable[P, R]:
    return _add(
        (
            click.option(
                "--suite",
                metavar="NAME",
                default="current",
                show_default=True,
                help="Prompt suite: 'current', 'liu-2021' or a TOML file.",
            ),
            click.option(
                "--set",
                "words",
                multiple=True,
                metavar="SIDE.SLOT=WORDS",
                help="Replace the words that fill a slot of the suite. Can be repeated.",
            ),
            click.option(
                "--judge",
                metavar="NAME",
                default="default",
                show_default=True,
                help="Judge of the texts: 'default', the folder of a judge, or hf:NAME.",
            ),
            click.option(
                "--planted",
                metavar="RUN",
                type=click.Path(path_type=Path),
                help="Report how often a run of this size would detect the slant of the planted model that wrote RUN.",
            ),
            resamples_option,
            seed_option(),
            output_format_option("text", "json", default="text"),
            quiet_option,
        ),
        command,
    )


def _report_options(command: Callable[P, R]) -> Callable[P, R]:
    return _add(
        (
            click.option(
                "-o",
                "--output",
                metavar="DIR",
                type=click.Path(path_type=Path, file_okay=False),
                help="Write texts, report.json and report.html to DIR.",
            ),
            click.option(
                "--html",
                metavar="FILE",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Write the HTML report to FILE instead of DIR/report.html.",
            ),
            click.option(
                "--map",
                "projection",
                type=click.Choice(["pca", "umap"]),
                default="pca",
                show_default=True,
                help="Projection of the map of texts in the HTML report.",
            ),
        ),
        command,
    )


@audit.command()
@click.argument("model")
@click.option(
    "--attribute",
    "attributes",
    multiple=True,
    metavar="NAME",
    help="Use only this attribute of the suite, such as gender. Can be repeated.",
)
@click.option(
    "--samples",
    type=Count(1),
    default=1,
    show_default=True,
    help="Texts per prompt and keyword.",
)
@click.option("--keywords", type=Count(1), help="Use at most this many keywords per option.")
@click.option(
    "--texts-per-option",
    type=Count(0),
    default=0,
    help="Generate at least this many texts per prompt and option, however many keywords it has.",
)
@generation_options
@click.option(
    "--debias",
    multiple=True,
    type=click.Choice(["all", *MODES[1:]]),
    help="Audit the model debiased in this way as well. Can be repeated.",
)
@click.option("--strength", type=Number(0), help="Strength (lambda) of the debiasing.  [default: the mode's]")
@click.option(
    "--sweep",
    metavar="A,B,...",
    help="Audit the debiased model at each of these strengths, such as 0.1,0.5,0.9.",
)
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="[MODE=]NUMBER",
    help="Divergence per token to aim for, in one mode or in both.  [default: the mode's]",
)
@click.option(
    "--rate",
    "rates",
    multiple=True,
    metavar="[MODE=]NUMBER",
    help="Size of a debiasing step on the hidden state, in one mode or in both.  [default: the mode's]",
)
@click.option(
    "--layer",
    "layers",
    multiple=True,
    type=Count(0),
    help="The layer that --debias steering changes. Can be repeated.  [default: where the sides are farthest apart]",
)
@balance_option
@hold_side_option
@click.option(
    "--guide",
    "guides",
    multiple=True,
    metavar="MODE=PATH",
    help="What was made for a mode of --debias: bias words, a debiaser's folder, a table of replacements, "
    "EXPERT,ANTIEXPERT for contrastive, or the system prompt for prompt.",
)
@click.option(
    "--scored-texts",
    type=Count(0),
    default=200,
    show_default=True,
    help="Texts per variant whose perplexity the model itself computes.",
)
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Generate on this machine or on a Ray cluster.",
)
@click.option("--workers", type=Count(1), default=2, show_default=True, help="Workers of the Ray engine.")
@vary_option("system=TEXT or temperature=N")
@dry_run_option
@_report_options
@_judge_options
def run(model: str, **options: Any) -> None:
    """Audit a language model.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.

    The texts are kept in the output folder (by default audit/MODEL). Running the same command again continues an
    interrupted audit, more --samples add to the texts that are there, and another --judge scores the same texts.
    """
    from unslant.lab.audit.examine import NothingToJudge, examine
    from unslant.lab.audit.run import Variant, debias_variant, generate
    from unslant.lab.audit.spread import FIRST, read_settings, spread_dict
    from unslant.lab.audit.suite import load_suite
    from unslant.lab.lm import open_model

    suite = load_suite(options["suite"], options["words"])
    variants = _variants(options)
    plan = _plan(model, suite, options)
    others = read_settings(options["vary"], plan.sampling, ("system", "temperature"))
    if options["dry_run"]:
        _tell_cost(plan, variants, others, options)
        return
    settings = _audit_settings(
        options, options["scored_texts"]
    )  # a judge that cannot be opened is reported before hours of work
    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(model, batch=plan.batch, threads=plan.threads, precision=plan.precision)
    for variant in variants:
        debias_variant(opened, variant)  # a debiaser that is missing is reported before hours of work, too
    folders = {variant.name: generate(plan, variant, opened, ProgressBar()) for variant in variants}
    try:
        found = examine(folders, suite, settings, plan.scope, opened if _scores(opened) else None)
        wires = {FIRST: found.to_dict()}
        for other in others:
            out, sampling = plan.out / "vary" / other.folder, other.vary_sampling(plan.sampling)
            folder = generate(replace(plan, out=out, sampling=sampling), Variant(), opened, ProgressBar())
            varied = examine({"vanilla": folder}, suite, replace(settings, scored_texts=0), plan.scope)
            wires[other.name] = varied.to_dict()
    except NothingToJudge as nothing:
        _report_silence(nothing, options, plan.out)
    else:
        _report(found, options, plan.out, spread_dict(wires), plan.sampling)


def _tell_cost(
    plan: AuditPlan, variants: Sequence[Variant], others: Sequence[Setting], options: Mapping[str, Any]
) -> None:
    """Say what generating takes, at the speed of the unchanged model; debiasing is slower."""
    from unslant.lab.audit.paired import cost_of_tasks
    from unslant.lab.audit.run import REPLACERS, Variant, generate
    from unslant.lab.lm import is_endpoint, open_model

    first = plan.folder(Variant())
    if not is_endpoint(plan.model) and not (first / "run.json").exists():
        opened = open_model(plan.model, batch=plan.batch, threads=plan.threads, precision=plan.precision)
        generate(plan, Variant(), opened, ProgressBar(), plan.batch)
    folders = [
        *(plan.folder(variant) for variant in variants if variant.mode not in REPLACERS),
        *(plan.out / "vary" / other.folder / "vanilla" for other in others),
    ]
    tasks = list(plan.suite.tasks(plan.scope))
    cost = cost_of_tasks([(folder, tasks, plan.sampling.max_tokens) for folder in folders])
    echo_result(str(cost), cost.to_dict(), options["output_format"])


@audit.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...", type=click.Path(path_type=Path))
@_report_options
@_judge_options
def compare(runs: tuple[Path, ...], **options: Any) -> None:
    """Compare two or more runs, or records of results over time.

    RUN is the folder of a variant, such as audit/old/vanilla; every run is compared with the first. Or each RUN is a
    record from a folder records, such as audit/old/records/paired-20260101T120000.json; they become a series.
    """
    if len(runs) < 2:
        raise click.UsageError("name at least two runs")
    if all(run.suffix == ".json" for run in runs):
        _report_series(runs, options)
        return
    from unslant.lab.audit.examine import examine, open_runs
    from unslant.lab.audit.suite import load_suite

    suite = load_suite(options["suite"], options["words"])
    _report(examine(open_runs(runs), suite, _audit_settings(options)), options, options["output"])


@audit.command()
@click.argument("pilot", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--margin",
    required=True,
    type=Number(0, min_open=True),
    help="Half-width of the 95 % interval to reach, such as 0.01.",
)
@_judge_options
def estimate(pilot: Path, margin: float, **options: Any) -> None:
    """Estimate how many samples a margin of error requires.

    RUN is the folder of a small pilot run, such as audit/old/vanilla.
    """
    from unslant.lab.audit.examine import examine, open_runs
    from unslant.lab.audit.power import estimate_samples
    from unslant.lab.audit.suite import load_suite
    from unslant.lab.audit.terminal import estimate_text

    suite = load_suite(options["suite"], options["words"])
    result = estimate_samples(
        examine(open_runs([pilot]), suite, _audit_settings(options)).variants[0], margin
    )
    echo_result(estimate_text(result), result.to_dict(), options["output_format"])


def _report_series(paths: Sequence[Path], options: Mapping[str, Any]) -> None:
    from unslant.lab.audit.record import read_record, series_sections
    from unslant.lab.audit.sections import section_text, sections_page

    records = [read_record(path) for path in paths]
    sections = list(series_sections(records))
    page = options["html"] or (options["output"] / "series.html" if options["output"] else None)
    if page is not None:
        _write(page, sections_page("Audits over time", sections))
    echo_result("\n\n".join(map(section_text, sections)), {"records": records}, options["output_format"])
    if page is not None:
        click.echo(f"page: {page}", err=True)


def _plan(model: str, suite: Suite, options: Mapping[str, Any]) -> AuditPlan:
    from unslant.core.errors import UnknownName
    from unslant.lab.audit.run import AuditPlan
    from unslant.lab.audit.suite import SuiteScope

    known = [attribute.name for attribute in suite.attributes]
    for name in options["attributes"]:
        if name not in known:
            raise UnknownName("attribute", name, known)
    return AuditPlan(
        model,
        suite,
        options["output"] or Path("audit") / re.sub(r"[^\w.-]+", "-", model).strip("-."),
        SuiteScope(
            options["samples"],
            options["keywords"],
            tuple(options["attributes"]),
            options["seed"],
            options["texts_per_option"],
        ),
        # equally long texts, so that length says nothing
        sampling_of(options, to_length=True),
        options["batch_size"],
        options["threads"],
        options["engine"],
        options["workers"],
        options["precision"],
    )


def _variants(options: Mapping[str, Any]) -> list[Variant]:
    from unslant.core.errors import ConfigError
    from unslant.lab.audit.run import REPLACERS, Variant

    # a contrast needs two more models, so it is never among all without them
    every = [
        mode
        for mode in MODES[1:]
        if mode != "contrastive" or any("contrastive=" in g for g in options["guides"])
    ]
    modes = every if "all" in options["debias"] else list(dict.fromkeys(options["debias"]))
    guides: dict[str, str] = {}
    for guide in options["guides"]:
        mode, equals, path = guide.partition("=")
        if not equals or mode not in MODES[1:]:
            raise ConfigError(f"--guide {guide}: write MODE=PATH, such as classifier=debiaser/")
        guides[mode] = path
    targets = _by_mode("--target", options["targets"])
    rates = _by_mode("--rate", options["rates"])

    def variant(mode: str, strength: float | None, layer: int | None = None) -> Variant:
        if mode in (*REPLACERS, "prompt"):  # words are exchanged or said or not: there is no strength
            return Variant(mode, None, guides.get(mode))
        if mode in CURRENT:
            return Variant(mode, strength, guides.get(mode), layer=layer)
        balance = options["balance"] if mode == "embedding" else None
        hold = mode == "classifier" and options["hold_side"]
        return Variant(mode, strength, guides.get(mode), targets.get(mode), balance, hold, rates.get(mode))

    def layers(mode: str) -> Sequence[int | None]:
        return (options["layers"] or (None,)) if mode == "steering" else (None,)

    if not options["sweep"]:
        return [
            Variant(),
            *(variant(mode, options["strength"], layer) for mode in modes for layer in layers(mode)),
        ]
    try:
        strengths = [float(part) for part in options["sweep"].split(",")]
    except ValueError:
        strengths = [-1.0]
    if min(strengths) < 0:
        raise ConfigError(f"--sweep {options['sweep']}: write numbers of 0 or more, such as 0.1,0.5,0.9")
    modes = [mode for mode in modes if mode in (*STEERED, *STRENGTHS)] or ["embedding"]
    return [
        Variant(),
        *(
            variant(mode, strength, layer)
            for mode in modes
            for layer in layers(mode)
            for strength in strengths
        ),
    ]


def _by_mode(option: str, given: Sequence[str]) -> dict[str, float]:
    """Return the number for each mode that one was named for."""
    from unslant.core.errors import ConfigError

    found: dict[str, float] = {}
    for text in given:
        mode, equals, number = text.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not 0 < value < math.inf or (equals and mode not in STEERED):
            raise ConfigError(
                f"{option} {text}: write a number above 0, or MODE=NUMBER, such as classifier=0.3"
            )
        found |= {mode: value} if mode else {**dict.fromkeys(STEERED, value), **found}
    return found


def _audit_settings(options: Mapping[str, Any], scored_texts: int = 0) -> AuditSettings:
    from unslant.lab.audit.examine import AuditSettings
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.judges.judge import open_judge
    from unslant.lab.stats.bootstrap import Resampling

    resampling = Resampling(options["resamples"], options["seed"])
    planted = RunFolder(options["planted"]) if options["planted"] else None
    return AuditSettings(open_judge(options["judge"]), resampling, scored_texts, ProgressBar(), planted)


def _scores(model: LanguageModel) -> bool:
    """Return whether the model can score given texts; few endpoints can, and an audit does not need it."""
    from unslant.lab.lm import is_endpoint

    return not is_endpoint(model.name)


def _report(
    found: AuditReport,
    options: Mapping[str, Any],
    output: Path | None,
    spread: Sequence[Mapping[str, Any]] = (),
    sampling: Sampling | None = None,
) -> None:
    from unslant.lab.audit.page import audit_page
    from unslant.lab.audit.record import write_record
    from unslant.lab.audit.sections import section_text, stored_sections
    from unslant.lab.audit.spread import spread_section
    from unslant.lab.audit.terminal import audit_reach, audit_text, audit_verdict

    # what a page at a glance says is written down, because only the report itself knows it
    wire = {
        **found.to_dict(),
        "verdict": audit_verdict(found),
        "reach": audit_reach(found),
        "spread": list(spread),
    }
    varied = [*filter(None, [spread_section(wire)])]
    page = options["html"] or (output / "report.html" if output else None)
    if page is not None:
        others = stored_sections(output) if output is not None else []
        _write(page, audit_page(found, options["projection"], [*varied, *others]))
    if output is not None:
        _write(output / "report.json", readable(wire, 1) + "\n")
    if output is not None and sampling is not None:
        how = {"sampling": sampling.to_dict(), "requests": found.suite.name, "digest": found.suite.digest}
        write_record(output, "run", wire, wire["verdict"], how)
    echo_result("\n\n".join([audit_text(found), *map(section_text, varied)]), wire, options["output_format"])
    if page is not None:
        click.echo(f"page: {page}", err=True)


def _report_silence(nothing: NothingToJudge, options: Mapping[str, Any], output: Path) -> None:
    """Say in every form of the report that there was nothing to judge, and why."""
    from unslant.lab.audit.page import silent_page

    page = options["html"] or output / "report.html"
    _write(page, silent_page(nothing))
    _write(output / "report.json", readable(nothing.to_dict(), 1) + "\n")
    echo_result(str(nothing), nothing.to_dict(), options["output_format"])
    click.echo(f"page: {page}", err=True)


def _write(path: Path, text: str) -> None:
    from unslant.core.errors import InputError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); the texts are kept, so run the same command again"
        ) from None
