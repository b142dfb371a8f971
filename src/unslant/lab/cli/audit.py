"""``unslant audit``: measures the political slant of a language model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from unslant.cli.progress import ProgressBar
from unslant.lab.audit.run import MODES
from unslant.lab.cli.audit_controls import doses, plant, power
from unslant.lab.cli.audit_methods import (
    DryRunOptions,
    audit_folder,
    charged,
    consistency,
    coverage,
    host,
    likelihood,
    paired,
    report,
    stance,
    vary_option,
)
from unslant.lab.cli.options import (
    DebiasingOptions,
    FormatOptions,
    GenerationOptions,
    SeedOptions,
    parse_numbers,
    settings_options,
)
from unslant.lab.debias.settings import CURRENT, STEERED, STRENGTHS
from unslant.lab.options import option
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.core.generation import Sampling
    from unslant.lab.audit.examine import AuditReport, AuditSettings, NothingToJudge
    from unslant.lab.audit.run import AuditPlan, Variant
    from unslant.lab.audit.spread import Setting
    from unslant.lab.audit.suite import Suite


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


class _Judged(SeedOptions, FormatOptions):
    quiet = True

    suite: str = option("Prompt suite: 'current', 'liu-2021' or a TOML file.", "current", metavar="NAME")
    words: tuple[str, ...] = option(
        "Replace the words that fill a slot of the suite. Can be repeated.",
        name="--set",
        metavar="SIDE.SLOT=WORDS",
    )
    judge: str = option(
        "Judge of the texts: 'default', the folder of a judge, or hf:NAME.", "default", metavar="NAME"
    )
    planted: Path | None = option(
        "Report how often a run of this size would detect the slant of the planted model that wrote RUN.",
        metavar="RUN",
    )

    def load_suite(self) -> Suite:
        from unslant.lab.audit.suite import load_suite

        return load_suite(self.suite, self.words)

    def settings(self, scored_texts: int = 0) -> AuditSettings:
        from unslant.lab.audit.examine import AuditSettings
        from unslant.lab.audit.store import RunFolder
        from unslant.lab.judges.judge import open_judge

        planted = RunFolder(self.planted) if self.planted else None
        return AuditSettings(open_judge(self.judge), self.resampling, scored_texts, ProgressBar(), planted)


class _Reported(_Judged):
    output: Path | None = option("Write texts, report.json and report.html to DIR.", metavar="DIR")
    html: Path | None = option("Write the HTML report to FILE instead of DIR/report.html.")
    projection: Literal["pca", "umap"] = option(
        "Projection of the map of texts in the HTML report.", "pca", name="--map"
    )


class _Run(GenerationOptions, DebiasingOptions, DryRunOptions, _Reported):
    attributes: tuple[str, ...] = option(
        "Use only this attribute of the suite, such as gender. Can be repeated.",
        name="--attribute",
        metavar="NAME",
    )
    samples: int = option("Texts per prompt and keyword.", 1, least=1)
    keywords: int | None = option("Use at most this many keywords per option.", least=1)
    texts_per_option: int = option(
        "Generate at least this many texts per prompt and option, however many keywords it has.",
        0,
        least=0,
        shown=False,
    )
    debias: tuple[str, ...] = option(
        "Audit the model debiased in this way as well. Can be repeated.", choices=("all", *MODES[1:])
    )
    strength: float | None = option("Strength (lambda) of the debiasing.  [default: the mode's]", least=0)
    sweep: str | None = option(
        "Audit the debiased model at each of these strengths, such as 0.1,0.5,0.9.", metavar="A,B,..."
    )
    targets: tuple[str, ...] = option(
        "Divergence per token to aim for, in one mode or in both.  [default: the mode's]",
        name="--target",
        metavar="[MODE=]NUMBER",
    )
    rates: tuple[str, ...] = option(
        "Size of a debiasing step on the hidden state, in one mode or in both.  [default: the mode's]",
        name="--rate",
        metavar="[MODE=]NUMBER",
    )
    layers: tuple[int, ...] = option(
        "The layer that --debias steering changes. Can be repeated.  [default: where the sides are farthest apart]",
        name="--layer",
        least=0,
    )
    guides: tuple[str, ...] = option(
        "What was made for a mode of --debias: bias words, a debiaser's folder, a table of replacements, "
        "EXPERT,ANTIEXPERT for contrastive, or the system prompt for prompt.",
        name="--guide",
        metavar="MODE=PATH",
    )
    scored_texts: int = option("Texts per variant whose perplexity the model itself computes.", 200, least=0)
    engine: Literal["local", "ray"] = option("Generate on this machine or on a Ray cluster.", "local")
    workers: int = option("Workers of the Ray engine.", 2, least=1)
    vary: tuple[str, ...] = vary_option("system=TEXT or temperature=N")


@audit.command()
@click.argument("model")
@settings_options(_Run)
def run(model: str, options: _Run) -> None:
    """Audit a language model.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.

    The texts are kept in the output folder (by default audit/MODEL). Running the same command again continues an
    interrupted audit, more --samples add to the texts that are there, and another --judge scores the same texts.
    """
    from unslant.lab.audit.examine import NothingToJudge, examine
    from unslant.lab.audit.run import Variant, debias_variant, generate
    from unslant.lab.audit.spread import FIRST, read_settings, spread_dict
    from unslant.lab.lm import is_endpoint

    suite = options.load_suite()
    variants = _variants(options)
    plan = _plan(model, suite, options)
    others = read_settings(options.vary, plan.sampling, ("system", "temperature"))
    if options.dry_run:
        _tell_cost(plan, variants, others, options)
        return
    # a judge that cannot be opened is reported before hours of work
    settings = options.settings(options.scored_texts)
    opened = options.open_model(model)
    for variant in variants:
        debias_variant(opened, variant)  # a debiaser that is missing is reported before hours of work, too
    folders = {variant.name: generate(plan, variant, opened, ProgressBar()) for variant in variants}
    try:
        # few endpoints can score given texts, and an audit does not need it
        scorer = None if is_endpoint(opened.name) else opened
        found = examine(folders, suite, settings, plan.scope, scorer)
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
    plan: AuditPlan, variants: Sequence[Variant], others: Sequence[Setting], options: _Run
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
    options.echo(str(cost), cost.to_dict())


@audit.command()
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...", type=click.Path(path_type=Path))
@settings_options(_Reported)
def compare(runs: tuple[Path, ...], options: _Reported) -> None:
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

    suite = options.load_suite()
    _report(examine(open_runs(runs), suite, options.settings()), options, options.output)


class _Estimate(_Judged):
    margin: float = option(
        "Half-width of the 95 % interval to reach, such as 0.01.", required=True, least=0, beyond="least"
    )


@audit.command()
@click.argument("pilot", metavar="RUN", type=click.Path(path_type=Path))
@settings_options(_Estimate)
def estimate(pilot: Path, options: _Estimate) -> None:
    """Estimate how many samples a margin of error requires.

    RUN is the folder of a small pilot run, such as audit/old/vanilla.
    """
    from unslant.lab.audit.examine import examine, open_runs
    from unslant.lab.audit.power import estimate_samples
    from unslant.lab.audit.terminal import estimate_text

    found = examine(open_runs([pilot]), options.load_suite(), options.settings())
    result = estimate_samples(found.variants[0], options.margin)
    options.echo(estimate_text(result), result.to_dict())


def _report_series(paths: Sequence[Path], options: _Reported) -> None:
    from unslant.lab.audit.record import read_record, series_sections
    from unslant.lab.audit.sections import section_text, sections_page

    records = [read_record(path) for path in paths]
    sections = list(series_sections(records))
    page = options.html or (options.output / "series.html" if options.output else None)
    if page is not None:
        _write(page, sections_page("Audits over time", sections))
    options.echo("\n\n".join(map(section_text, sections)), {"records": records})
    if page is not None:
        click.echo(f"page: {page}", err=True)


def _plan(model: str, suite: Suite, options: _Run) -> AuditPlan:
    from unslant.core.errors import UnknownName
    from unslant.lab.audit.run import AuditPlan
    from unslant.lab.audit.suite import SuiteScope

    known = [attribute.name for attribute in suite.attributes]
    for name in options.attributes:
        if name not in known:
            raise UnknownName("attribute", name, known)
    return AuditPlan(
        model,
        suite,
        options.output or audit_folder(model),
        SuiteScope(
            options.samples, options.keywords, options.attributes, options.seed, options.texts_per_option
        ),
        # equally long texts, so that length says nothing
        options.sampling(to_length=True),
        options.batch_size,
        options.threads,
        options.engine,
        options.workers,
        options.precision,
    )


def _variants(options: _Run) -> list[Variant]:
    from unslant.core.errors import ConfigError
    from unslant.lab.audit.run import REPLACERS, Variant

    # a contrast needs two more models, so it is never among all without them
    contrasts = any("contrastive=" in guide for guide in options.guides)
    every = [mode for mode in MODES[1:] if mode != "contrastive" or contrasts]
    modes = every if "all" in options.debias else list(dict.fromkeys(options.debias))
    guides: dict[str, str] = {}
    for guide in options.guides:
        mode, equals, path = guide.partition("=")
        if not equals or mode not in MODES[1:]:
            raise ConfigError(f"--guide {guide}: write MODE=PATH, such as classifier=debiaser/")
        guides[mode] = path
    targets = _by_mode("--target", options.targets)
    rates = _by_mode("--rate", options.rates)

    def variant(mode: str, strength: float | None, layer: int | None = None) -> Variant:
        if mode in (*REPLACERS, "prompt"):  # words are exchanged or said or not: there is no strength
            return Variant(mode, None, guides.get(mode))
        if mode in CURRENT:
            return Variant(mode, strength, guides.get(mode), layer=layer)
        balance = options.balance if mode == "embedding" else None
        hold = mode == "classifier" and options.hold_side
        return Variant(mode, strength, guides.get(mode), targets.get(mode), balance, hold, rates.get(mode))

    def layers(mode: str) -> Sequence[int | None]:
        return (options.layers or (None,)) if mode == "steering" else (None,)

    strengths: Sequence[float | None] = (options.strength,)
    if options.sweep:
        strengths = parse_numbers(options.sweep, "--sweep", "0.1,0.5,0.9")
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


def _report(
    found: AuditReport,
    options: _Reported,
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
    page = options.html or (output / "report.html" if output else None)
    if page is not None:
        others = stored_sections(output) if output is not None else []
        _write(page, audit_page(found, options.projection, [*varied, *others]))
    if output is not None:
        _write(output / "report.json", readable(wire, 1) + "\n")
    if output is not None and sampling is not None:
        how = {"sampling": sampling.to_dict(), "requests": found.suite.name, "digest": found.suite.digest}
        write_record(output, "run", wire, wire["verdict"], how)
    options.echo("\n\n".join([audit_text(found), *map(section_text, varied)]), wire)
    if page is not None:
        click.echo(f"page: {page}", err=True)


def _report_silence(nothing: NothingToJudge, options: _Reported, output: Path) -> None:
    """Say in every form of the report that there was nothing to judge, and why."""
    from unslant.lab.audit.page import silent_page

    page = options.html or output / "report.html"
    _write(page, silent_page(nothing))
    _write(output / "report.json", readable(nothing.to_dict(), 1) + "\n")
    options.echo(str(nothing), nothing.to_dict())
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
