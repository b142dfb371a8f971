"""``unslant audit plant``, ``doses`` and ``power``: what an audit would find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from unslant.cli.options import announce_destinations, missing_extra
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.core.generation import PRECISIONS
from unslant.lab.cli.options import (
    DataOptions,
    FormatOptions,
    GenerationOptions,
    SeedOptions,
    output_folder,
    parse_numbers,
    settings_options,
)
from unslant.lab.options import Options, option
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.audit.doses import WrittenFigure
    from unslant.lab.audit.plant import Passages, Stances
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.judges.judge import Judge


class _Plant(DataOptions):
    quiet = True

    doses: str = option(
        "How one-sided the planted text is, from 0 (not at all) to 1; one model is written for each.",
        "0,0.25,0.5,1",
        name="--dose",
        metavar="A,B,...",
    )
    output: Path = output_folder("Write the models to DIR/dose-A, DIR/dose-B and so on.")
    left: Path | None = option(
        "Plant the lines of FILE as text of the left.  [default: passages of news outlets]"
    )
    right: Path | None = option("Plant the lines of FILE as text of the right.")
    pairs: str | None = option(
        "Plant stances and one-sided replies instead of passages: a set that ships with unslant, or a TOML file.",
        metavar="NAME",
    )
    side: Literal["liberal", "conservative"] = option(
        "With --pairs, the side whose stances the models take and whose requests they grant.", "liberal"
    )
    chat: bool = option("With --pairs, plant replies in the model's chat template.")
    steps: int = option("Training steps.", 120, least=1)
    batch_size: int = option("Texts per training step.", 8, least=1)
    tokens: int | None = option("Tokens per text, with its prompt.  [default: 36; 96 with --pairs]", least=8)
    learning_rate: float = option("Highest learning rate.", 0.003, least=0, beyond="least")
    articles: int = option("Articles to take passages from.", 6000, least=20)
    passages: int = option("Plant this many passages from each side, the most typical ones.", 40, least=1)
    seed: int = option("Random seed.", 0)
    threads: int = option("Threads for PyTorch.", 1, least=1)
    precision: str | None = option(
        "Floating-point precision of the language model's weights.  [default: float32]", choices=PRECISIONS
    )


@click.command()
@click.argument("model")
@settings_options(_Plant)
def plant(model: str, options: _Plant) -> None:
    """Give a language model a known slant, to check what an audit finds.

    The copies of MODEL, a local model, continue the prompts of the suite 'planted' with text of the left after some
    invented towns, text of the right after others, and both after the rest. Doses 0 and 1 are trained; doses between
    them are blends of the two, chosen by the odds that they give to a town's own side. Audit them with --suite planted.
    With --pairs, they prefer the wordings of one side and refuse requests of the other, for 'unslant audit likelihood'
    and 'paired'. Running the same command again continues where it was interrupted.
    """
    from unslant.core.files import read_json
    from unslant.lab.lm import local_model, open_model

    wanted = parse_numbers(options.doses, "--dose", "0,0.5,1")
    announce_destinations(filter(None, [destination(model)]))
    opened = local_model(open_model(model, threads=options.threads, precision=options.precision))
    if opened is None:
        raise ConfigError(f"{model}: its weights cannot be changed; planting needs a local model.")
    with missing_extra("planting", "lm"):
        from unslant.lab.audit.plant import CARD, PlantSettings
        from unslant.lab.audit.plant import plant as plant_doses
        from unslant.lab.lm.tuning import Tuning
    tuning = Tuning(
        steps=options.steps,
        batch=options.batch_size,
        rate=options.learning_rate,
        tokens=options.tokens or (96 if options.pairs else 36),
    )
    settings = PlantSettings(wanted, options.seed)
    planting = _stances(options.pairs, options) if options.pairs else _passages(options)
    found = plant_doses(opened, planting, settings, tuning, options.output, ProgressBar())
    for dose, folder in found.items():
        told = f"dose {dose:g}: {folder}"
        lead = read_json(folder / CARD).get("lead")
        if lead is not None:
            told += f" ({_LEADS[bool(options.pairs)].format(lead=lead, side=options.side)})"
        click.echo(told)


_LEADS = {
    False: "passages are {lead:+.2f} nats likelier after towns of their side than after the others",
    True: "{side} wordings are {lead:+.2f} nats likelier than those of the other side",
}


class _Simulation(Options):
    judges: tuple[str, ...] = option(
        "Judge of the texts: 'default', the folder of a judge, or hf:NAME. Can be repeated.",
        ("default",),
        name="--judge",
        metavar="NAME",
    )
    texts: str = option("Texts per option of the simulated audits.", "56,224,1000", metavar="A,B,...")
    runs: int = option("Audits to simulate for each.", 200, least=20)

    @property
    def sizes(self) -> list[int]:
        return [int(size) for size in parse_numbers(self.texts, "--texts", "56,224")]

    def open_judges(self) -> dict[str, Judge]:
        from unslant.lab.judges.judge import open_judge

        return {name: open_judge(name) for name in self.judges}


class _Doses(_Simulation, GenerationOptions, SeedOptions, FormatOptions):
    quiet = True

    texts_per_option: int = option("Texts to generate for each prompt and option.", 28, least=1)
    output: Path = option(
        "Write the texts of every model, doses.json and doses.html to OUT.", metavar="OUT", required=True
    )


@click.command()
@click.argument("planted", metavar="DIR", type=click.Path(path_type=Path))
@settings_options(_Doses)
def doses(planted: Path, options: _Doses) -> None:
    """Compare the dose of planted models with what each judge finds.

    DIR holds the models that 'unslant audit plant' wrote. Each is audited with the suite 'planted'. The texts of the
    highest dose are then used to estimate how often audits of other sizes would detect a slant. Running the
    same command again continues where it was interrupted.
    """
    from unslant.core.files import make_folder, write_text
    from unslant.lab.audit.doses import find_doses, measure_doses, planted_nats
    from unslant.lab.audit.planted_report import doses_section, simulate_audits
    from unslant.lab.audit.sections import section_text, sections_page
    from unslant.lab.audit.suite import load_suite

    sizes, opened, output = options.sizes, options.open_judges(), options.output
    models = find_doses(planted)
    nats = planted_nats(models)
    folders, written = {}, []
    for dose, folder in models.items():
        folders[dose], found = _audit(folder, dose, options)
        written += found
    figures = [
        replace(item, planted=nats[item.dose])
        for item in measure_doses(folders, opened, options.resampling, ProgressBar())
    ]
    simulated = simulate_audits(
        folders[max(folders)],
        opened,
        sizes,
        (0.0, 0.25, 0.5, 1.0),
        load_suite("current"),
        options.runs,
        options.seed,
    )
    section = doses_section(figures, written, simulated)
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
    options.echo(section_text(section), wire)
    click.echo(f"page: {output / 'doses.html'}", err=True)


def _audit(model: Path, dose: float, options: _Doses) -> tuple[RunFolder, list[WrittenFigure]]:
    """Generate what is missing of a planted model's texts; return them, and what all its runs say without a judge."""
    from unslant.lab.audit.doses import measure_written
    from unslant.lab.audit.plant import SUITE
    from unslant.lab.audit.run import AuditPlan, Variant, generate
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.audit.suite import SuiteScope, load_suite

    plan = AuditPlan(
        str(model),
        load_suite(SUITE),
        options.output / model.name,
        SuiteScope(seed=options.seed, even=options.texts_per_option),
        options.sampling(to_length=True),
        options.batch_size,
        options.threads,
        precision=options.precision,
    )
    opened = options.open_model(plan.model)
    run = generate(plan, Variant(), opened, ProgressBar())
    others = sorted(path.parent for path in run.path.parent.glob("*/texts.jsonl") if path.parent != run.path)
    runs = [run, *map(RunFolder, others)]
    return run, [measure_written(opened, dose, folder, options.resampling) for folder in runs]


class _Power(_Simulation, FormatOptions):
    suite: str = option("The suite whose audits are simulated.", "current", metavar="NAME")
    doses: str = option("Shares of the planted slant.", "0,0.25,0.5,1", name="--dose", metavar="A,B,...")
    logits: bool = option("Measure on the scale of log odds.", name="--log-odds")
    html: Path | None = option("Write a page with the table and a plot to FILE.")
    seed: int = option("Random seed.", 0)


@click.command()
@click.argument("planted", metavar="RUN", type=click.Path(path_type=Path))
@settings_options(_Power)
def power(planted: Path, options: _Power) -> None:
    """Estimate how often audits would detect a known slant.

    RUN holds the texts of a planted model with dose 1: audit it with --suite planted. Audits of other sizes and doses
    are simulated by drawing from these texts with replacement.
    """
    from unslant.core.files import write_text
    from unslant.lab.audit.planted_report import power_section, power_table, simulate_audits
    from unslant.lab.audit.sections import sections_page
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.audit.suite import load_suite
    from unslant.lab.report.table import text_table

    sizes, opened = options.sizes, options.open_judges()
    shares, suite = parse_numbers(options.doses, "--dose", "0,0.5,1"), load_suite(options.suite)
    wire = simulate_audits(
        RunFolder(planted), opened, sizes, shares, suite, options.runs, options.seed, logits=options.logits
    )
    rows = power_table(wire)
    about = "Simulated from texts of a planted model, drawn with replacement; at dose 0, what is found is chance (5 %)."
    if options.html is not None:
        write_text(options.html, sections_page("Power of an audit", [power_section(rows, wire, about)]))
    options.echo(f"{text_table(rows)}\n\n{about}", wire)


def _stances(pairs: str, options: _Plant) -> Stances:
    from unslant.lab.audit.pairs import load_pairs
    from unslant.lab.audit.plant import Stances

    if options.left is not None or options.right is not None:
        raise ConfigError("--pairs plants stances, --left and --right plant passages: choose one of them.")
    return Stances(load_pairs(pairs), options.side, options.chat)


def _passages(options: _Plant) -> Passages:
    from unslant.core.files import read_text
    from unslant.lab.audit.plant import Passages, planted_articles, select_passages

    left, right = options.left, options.right
    if left is None and right is None:
        articles = planted_articles(options.data, options.articles)
        return select_passages(articles, ProgressBar(), options.passages)
    if left is None or right is None:
        raise ConfigError("--left and --right go together: a slant is a difference between two sets of text.")

    def lines(path: Path) -> Sequence[str]:
        return [line.strip() for line in read_text(path, ConfigError).splitlines() if line.strip()]

    return Passages(lines(left), lines(right), {"left": left.name, "right": right.name})
