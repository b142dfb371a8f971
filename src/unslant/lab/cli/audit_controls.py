"""``unslant audit plant``, ``doses`` and ``power``: what an audit would find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import (
    Count,
    Number,
    announce_destinations,
    missing_extra,
    output_format_option,
    quiet_option,
)
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import (
    data_option,
    echo_result,
    generation_options,
    precision_option,
    resamples_option,
    sampling_of,
    seed_option,
    threads_option,
)
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.audit.doses import DoseFigure, WrittenFigure
    from unslant.lab.audit.plant import Passages, Stances
    from unslant.lab.audit.sections import AuditSection
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.judges.judge import Judge
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.report.table import Row
    from unslant.lab.stats.bootstrap import Resampling


@click.command()
@click.argument("model")
@click.option(
    "--dose",
    "doses",
    metavar="A,B,...",
    default="0,0.25,0.5,1",
    show_default=True,
    help="How one-sided the planted text is, from 0 (not at all) to 1; one model is written for each.",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the models to DIR/dose-A, DIR/dose-B and so on.",
)
@click.option(
    "--left",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Plant the lines of FILE as text of the left.  [default: passages of news outlets]",
)
@click.option(
    "--right",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Plant the lines of FILE as text of the right.",
)
@click.option(
    "--pairs",
    metavar="NAME",
    help="Plant stances and one-sided replies instead of passages: a set that ships with unslant, or a TOML file.",
)
@click.option(
    "--side",
    type=click.Choice(["liberal", "conservative"]),
    default="liberal",
    show_default=True,
    help="With --pairs, the side whose stances the models take and whose requests they grant.",
)
@click.option("--chat", is_flag=True, help="With --pairs, plant replies in the model's chat template.")
@click.option("--steps", type=Count(1), default=120, show_default=True, help="Training steps.")
@click.option("--batch-size", type=Count(1), default=8, show_default=True, help="Texts per training step.")
@click.option(
    "--tokens",
    type=Count(8),
    help="Tokens per text, with its prompt.  [default: 36; 96 with --pairs]",
)
@click.option(
    "--learning-rate",
    type=Number(0, min_open=True),
    default=0.003,
    show_default=True,
    help="Highest learning rate.",
)
@click.option(
    "--articles", type=Count(20), default=6000, show_default=True, help="Articles to take passages from."
)
@click.option(
    "--passages",
    type=Count(1),
    default=40,
    show_default=True,
    help="Plant this many passages from each side, the most typical ones.",
)
@data_option
@seed_option()
@threads_option(1)
@precision_option
@quiet_option
def plant(model: str, output: Path, doses: str, **options: Any) -> None:
    """Give a language model a known slant, to check what an audit finds.

    The copies of MODEL, a local model, continue the prompts of the suite 'planted' with text of the left after some
    invented towns, text of the right after others, and both after the rest. Doses 0 and 1 are trained; doses between
    them are blends of the two, chosen by the odds that they give to a town's own side. Audit them with --suite planted.
    With --pairs, they prefer the wordings of one side and refuse requests of the other, for 'unslant audit likelihood'
    and 'paired'. Running the same command again continues where it was interrupted.
    """
    from unslant.core.files import read_json
    from unslant.lab.lm import open_model

    wanted = _doses(doses)
    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(model, threads=options["threads"], precision=options["precision"])
    if not hasattr(opened, "model"):
        raise ConfigError(f"{model}: its weights cannot be changed; planting needs a local model.")
    with missing_extra("planting", "lm"):
        from unslant.lab.audit.plant import CARD, PlantSettings
        from unslant.lab.audit.plant import plant as plant_doses
        from unslant.lab.lm.tuning import Tuning
    tuning = Tuning(
        steps=options["steps"],
        batch=options["batch_size"],
        rate=options["learning_rate"],
        tokens=options["tokens"] or (96 if options["pairs"] else 36),
    )
    settings = PlantSettings(wanted, options["seed"])
    causal: CausalModel = opened  # type: ignore[assignment]
    planting = _stances(options) if options["pairs"] else _passages(options)
    found = plant_doses(causal, planting, settings, tuning, output, ProgressBar())
    for dose, folder in found.items():
        told = f"dose {dose:g}: {folder}"
        lead = read_json(folder / CARD).get("lead")
        if lead is not None:
            told += f" ({_LEADS[bool(options['pairs'])].format(lead=lead, side=options['side'])})"
        click.echo(told)


_LEADS = {
    False: "passages are {lead:+.2f} nats likelier after towns of their side than after the others",
    True: "{side} wordings are {lead:+.2f} nats likelier than those of the other side",
}


_judges = click.option(
    "--judge",
    "judges",
    metavar="NAME",
    multiple=True,
    default=["default"],
    show_default=True,
    help="Judge of the texts: 'default', the folder of a judge, or hf:NAME. Can be repeated.",
)
_sizes = click.option(
    "--texts",
    metavar="A,B,...",
    default="56,224,1000",
    show_default=True,
    help="Texts per option of the simulated audits.",
)
_runs = click.option(
    "--runs", type=Count(20), default=200, show_default=True, help="Audits to simulate for each."
)


@click.command()
@click.argument("planted", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--texts-per-option",
    type=Count(1),
    default=28,
    show_default=True,
    help="Texts to generate for each prompt and option.",
)
@_judges
@_sizes
@_runs
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="OUT",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the texts of every model, doses.json and doses.html to OUT.",
)
@generation_options
@resamples_option
@seed_option()
@output_format_option("text", "json", default="text")
@quiet_option
def doses(planted: Path, judges: Sequence[str], texts: str, output: Path, **options: Any) -> None:
    """Compare the dose of planted models with what each judge finds.

    DIR holds the models that 'unslant audit plant' wrote. Each is audited with the suite 'planted'. The texts of the
    highest dose are then used to estimate how often audits of other sizes would detect a slant. Running the
    same command again continues where it was interrupted.
    """
    from unslant.core.files import make_folder, write_text
    from unslant.lab.audit.doses import find_doses, measure_doses, planted_nats
    from unslant.lab.audit.sections import section_text, sections_page
    from unslant.lab.judges.judge import open_judge
    from unslant.lab.stats.bootstrap import Resampling

    sizes = [int(size) for size in _doses(texts, "--texts", "56,224")]
    opened = {name: open_judge(name) for name in judges}
    models = find_doses(planted)
    resampling, nats = Resampling(options["resamples"], options["seed"]), planted_nats(models)
    folders, written = {}, []
    for dose, folder in models.items():
        folders[dose], found = _audit(folder, dose, output, options, resampling)
        written += found
    figures = [
        replace(item, planted=nats[item.dose])
        for item in measure_doses(folders, opened, resampling, ProgressBar())
    ]
    simulated = _simulate(folders[max(folders)], opened, sizes, (0.0, 0.25, 0.5, 1.0), options)
    section = _doses_section(figures, written, simulated)
    wire = {
        "schema": "unslant/doses/1",
        "planted": str(planted),
        "doses": [figure.to_dict() for figure in figures],
        "written": [figure.to_dict() for figure in written],
        "power": simulated,
    }
    make_folder(output)
    write_text(output / "doses.json", readable(wire, 1) + "\n")
    write_text(output / "doses.html", sections_page(f"Planted models in {planted}", [section]))
    echo_result(section_text(section), wire, options["output_format"])
    click.echo(f"page: {output / 'doses.html'}", err=True)


def _audit(
    model: Path, dose: float, output: Path, options: Mapping[str, Any], resampling: Resampling
) -> tuple[RunFolder, list[WrittenFigure]]:
    """Generate what is missing of a planted model's texts; return them, and what all its runs say without a judge."""
    from unslant.lab.audit.doses import measure_written
    from unslant.lab.audit.plant import SUITE
    from unslant.lab.audit.run import AuditPlan, Variant, generate
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.audit.suite import SuiteScope, load_suite
    from unslant.lab.lm import open_model

    plan = AuditPlan(
        str(model),
        load_suite(SUITE),
        output / model.name,
        SuiteScope(seed=options["seed"], even=options["texts_per_option"]),
        sampling_of(options, to_length=True),
        options["batch_size"],
        options["threads"],
        precision=options["precision"],
    )
    opened = open_model(
        plan.model, batch=plan.batch, threads=options["threads"], precision=options["precision"]
    )
    run = generate(plan, Variant(), opened, ProgressBar())
    others = sorted(path.parent for path in run.path.parent.glob("*/texts.jsonl") if path.parent != run.path)
    runs = [run, *map(RunFolder, others)]
    return run, [measure_written(opened, dose, folder, resampling) for folder in runs]


def _doses_section(
    figures: Sequence[DoseFigure],
    written: Sequence[WrittenFigure],
    simulated: Sequence[Mapping[str, Any]],
) -> AuditSection:
    from unslant.lab.audit.doses import dose_verdict
    from unslant.lab.audit.sections import AuditSection, draw_doses, short_name
    from unslant.lab.report.page import html_figure
    from unslant.lab.report.table import format_interval, format_number, format_p

    names = {item.judge: short_name(item.judge) for item in figures}
    if len(set(names.values())) == len(names):
        figures = [replace(item, judge=names[item.judge]) for item in figures]
        simulated = [{**item, "judge": names[item["judge"]]} for item in simulated]
    head = ["judge", "dose", "planted", "texts", "gap", "95 %", "p"]
    rows: list[Row] = [[*head, "indirect", "95 %", "chance", "above chance", "p"]]
    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for item in figures:
        gap, bias = item.gap, item.bias
        value = gap.value or 0.0
        series.setdefault(item.judge, []).append((item.dose, value, gap.low, gap.high))
        cells = [f"{value:+.3f}", format_interval(gap.low, gap.high), format_p(item.gap_p)]
        cells += [f"{bias.value:.3f}", format_interval(bias.low, bias.high), format_number(bias.chance)]
        cells += [format_number(bias.excess), format_p(bias.p)]
        nats = "" if item.planted is None else f"{item.planted:+.2f}"
        rows.append([item.judge, f"{item.dose:g}", nats, f"{item.texts:,}", *cells])
    notes = (
        "Gap: the judge's mean probability of the right for texts about towns of the right, minus that for towns of "
        "the left; 0 is no slant. Indirect: the bias of the audit. Texts: per option. Planted: by how many nats "
        "planted passages are likelier after towns of their side, without any judge.",
        "The second table has no judge: by how many nats the model finds a text likelier after its own town than after "
        "one of the other side, and the share of texts for which that is so; 0 and 50 % are no slant. A debiased text "
        "is scored by the unchanged model.",
        "Below, how often an audit of so many texts per option would find a share of the highest dose; at dose 0, what "
        "is found is chance (5 %).",
    )
    said: list[Row] = [["dose", "written by", "texts", "nats", "95 %", "own side"]]
    for figure in written:
        mean, interval = figure.nats.value or 0.0, format_interval(figure.nats.low, figure.nats.high)
        said.append(
            [
                f"{figure.dose:g}",
                figure.variant,
                f"{figure.texts:,}",
                f"{mean:+.2f}",
                interval,
                f"{figure.own:.0%}",
            ]
        )
    drawing = html_figure(draw_doses(series, "gap"), "The gap over the dose, with 95 % intervals.")
    tables = (rows, said, _power_table(simulated))
    return AuditSection("Doses", dose_verdict(figures), "", tables, notes, (drawing,))


@click.command()
@click.argument("planted", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--suite",
    metavar="NAME",
    default="current",
    show_default=True,
    help="The suite whose audits are simulated.",
)
@_judges
@_sizes
@click.option(
    "--dose",
    "doses",
    metavar="A,B,...",
    default="0,0.25,0.5,1",
    show_default=True,
    help="Shares of the planted slant.",
)
@_runs
@click.option("--log-odds", "logits", is_flag=True, help="Measure on the scale of log odds.")
@click.option(
    "--html",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write a page with the table and a plot to FILE.",
)
@seed_option()
@output_format_option("text", "json", default="text")
def power(planted: Path, suite: str, judges: Sequence[str], texts: str, doses: str, **options: Any) -> None:
    """Estimate how often audits would detect a known slant.

    RUN holds the texts of a planted model with dose 1: audit it with --suite planted. Audits of other sizes and doses
    are simulated by drawing from these texts with replacement.
    """
    from unslant.core.files import write_text
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.judges.judge import open_judge
    from unslant.lab.report.table import text_table

    sizes = [int(size) for size in _doses(texts, "--texts", "56,224")]
    run, opened = RunFolder(planted), {name: open_judge(name) for name in judges}
    wire = _simulate(run, opened, sizes, _doses(doses), options, suite)
    rows = _power_table(wire)
    about = "Simulated from texts of a planted model, drawn with replacement; at dose 0, what is found is chance (5 %)."
    if options["html"] is not None:
        write_text(options["html"], _power_page(rows, wire, about))
    echo_result(f"{text_table(rows)}\n\n{about}", wire, options["output_format"])


def _simulate(
    run: RunFolder,
    judges: Mapping[str, Judge],
    sizes: Sequence[int],
    shares: Sequence[float],
    options: Mapping[str, Any],
    suite: str = "current",
) -> list[dict[str, Any]]:
    """Return how often each share of a planted slant is found, for every judge and number of texts."""
    from unslant.lab.audit.power import measure_power, pool_values, read_pool
    from unslant.lab.audit.suite import load_suite
    from unslant.lab.judges.judge import judge_texts

    shape = {attribute.name: len(attribute.options) for attribute in load_suite(suite).attributes}
    left, right = read_pool(run)
    wire = []
    for name, judge in judges.items():
        values = judge_texts(judge, left), judge_texts(judge, right)
        pool = pool_values(*values, str(run.path), logits=options.get("logits", False))
        for size in sizes:
            for dose in shares:
                found = measure_power(pool, shape, size, dose, options["runs"], options["seed"])
                wire.append({"judge": name, **found.to_dict()})
    return wire


def _power_table(wire: Sequence[Mapping[str, Any]]) -> list[Row]:
    rows: list[Row] = [["judge", "texts", "dose", "found", "95 %", "bias", "chance"]]
    for item in wire:
        interval = f"{item['low']:.0%} to {item['high']:.0%}"
        numbers = [f"{item['found']:.0%}", interval, f"{item['bias']:.4f}", f"{item['chance']:.4f}"]
        rows.append([item["judge"], f"{item['texts']:,}", f"{item['dose']:g}", *numbers])
    return rows


def _power_page(rows: Sequence[Row], wire: Sequence[Mapping[str, Any]], about: str) -> str:
    """Return a page with how often each dose is found, one line for each judge and size."""
    from unslant.lab.audit.sections import AuditSection, draw_doses, sections_page, short_name
    from unslant.lab.report.page import html_figure

    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for row in wire:
        name = f"{short_name(row['judge'])}, {row['texts']:,} texts"
        series.setdefault(name, []).append((row["dose"], row["found"], row["low"], row["high"]))
    best = max(wire, key=lambda row: (row["texts"], row["dose"], row["found"]))
    verdict = (
        f"With {best['texts']:,} texts per option, the judge {short_name(best['judge'])} finds dose {best['dose']:g} "
        f"of the planted slant in {best['found']:.0%} of audits."
    )
    drawing = html_figure(
        draw_doses(series, "share found"), "How often a dose is found, with 95 % intervals."
    )
    return sections_page(
        "Power of an audit", [AuditSection("Power", verdict, "", (rows,), (about,), (drawing,))]
    )


def _doses(given: str, option: str = "--dose", example: str = "0,0.5,1") -> tuple[float, ...]:
    try:
        found = tuple(float(part) for part in given.split(","))
    except ValueError:
        found = (-1.0,)
    if not all(0 <= number < float("inf") for number in found):
        raise ConfigError(f"{option} {given}: write numbers separated by commas, such as {example}")
    return found


def _stances(options: dict[str, Any]) -> Stances:
    from unslant.lab.audit.pairs import load_pairs
    from unslant.lab.audit.plant import Stances

    if options["left"] is not None or options["right"] is not None:
        raise ConfigError("--pairs plants stances, --left and --right plant passages: choose one of them.")
    return Stances(load_pairs(options["pairs"]), options["side"], options["chat"])


def _passages(options: dict[str, Any]) -> Passages:
    from unslant.core.files import read_text
    from unslant.lab.audit.plant import Passages, planted_articles, select_passages

    if (options["left"] is None) != (options["right"] is None):
        raise ConfigError("--left and --right go together: a slant is a difference between two sets of text.")
    if options["left"] is None:
        articles = planted_articles(options["data"], options["articles"])
        return select_passages(articles, ProgressBar(), options["passages"])

    def lines(path: Path) -> Sequence[str]:
        return [line.strip() for line in read_text(path, ConfigError).splitlines() if line.strip()]

    names = {"left": options["left"].name, "right": options["right"].name}
    return Passages(lines(options["left"]), lines(options["right"]), names)
