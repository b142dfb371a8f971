"""``unslant audit plant`` and ``unslant audit power``: what an audit would find."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import (
    Count,
    announce_destinations,
    missing_extra,
    output_format_option,
    quiet_option,
)
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.lab.cli.options import data_option, echo_result, precision_option, seed_option, threads_option
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.audit.plant import Passages
    from unslant.lab.lm.causal import CausalModel

__all__ = ["plant", "power"]


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
@click.option("--steps", type=Count(1), default=180, show_default=True, help="Training steps.")
@click.option("--batch-size", type=Count(1), default=16, show_default=True, help="Texts per training step.")
@click.option(
    "--tokens", type=Count(8), default=64, show_default=True, help="Tokens per text, with its prompt."
)
@click.option(
    "--articles", type=Count(20), default=6000, show_default=True, help="Articles to take passages from."
)
@data_option
@seed_option()
@threads_option(1)
@precision_option
@quiet_option
def plant(model: str, output: Path, doses: str, **options: Any) -> None:
    """Give a language model a known slant, to check what an audit finds.

    The copies of MODEL, a local model, continue the prompts of the suite 'planted' with text of the left after some
    invented towns, text of the right after others, and both after the rest. Audit them with --suite planted. Running
    the same command again continues where it was interrupted.
    """
    from unslant.lab.lm import open_model

    wanted = _doses(doses)
    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(model, threads=options["threads"], precision=options["precision"])
    if not hasattr(opened, "model"):
        raise ConfigError(f"{model}: its weights cannot be changed; planting needs a local model.")
    with missing_extra("planting", "lm"):
        from unslant.lab.audit.plant import PlantSettings
        from unslant.lab.audit.plant import plant as plant_doses
        from unslant.lab.lm.tuning import Tuning
    tuning = Tuning(steps=options["steps"], batch=options["batch_size"], tokens=options["tokens"])
    settings = PlantSettings(wanted, options["seed"])
    causal: CausalModel = opened  # type: ignore[assignment]
    found = plant_doses(causal, _passages(options), settings, tuning, output, ProgressBar())
    for dose, folder in found.items():
        click.echo(f"dose {dose:g}: {folder}")


@click.command()
@click.argument("planted", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--suite",
    metavar="NAME",
    default="current",
    show_default=True,
    help="The suite whose audits are simulated.",
)
@click.option(
    "--judge",
    "judges",
    metavar="NAME",
    multiple=True,
    default=["default"],
    show_default=True,
    help="Judge of the texts: 'default', the folder of a judge, or hf:NAME. Can be repeated.",
)
@click.option(
    "--texts",
    metavar="A,B,...",
    default="56,224,1000",
    show_default=True,
    help="Texts per option of the audits.",
)
@click.option(
    "--dose",
    "doses",
    metavar="A,B,...",
    default="0,0.25,0.5,1",
    show_default=True,
    help="Shares of the planted slant.",
)
@click.option("--runs", type=Count(20), default=200, show_default=True, help="Audits to simulate for each.")
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
    """Say how often audits would find a known slant.

    RUN holds the texts of a planted model with dose 1: audit it with --suite planted. Audits of other sizes and doses
    are simulated by drawing from these texts with replacement.
    """
    from unslant.core.files import write_text
    from unslant.lab.audit.power import measure_power, pool_values, read_pool
    from unslant.lab.audit.store import RunFolder
    from unslant.lab.audit.suite_files import load_suite
    from unslant.lab.judges.judge import judge_texts, open_judge
    from unslant.lab.report.table import text_table

    sizes = [int(size) for size in _doses(texts, "--texts", "56,224")]
    shares, shape = (
        _doses(doses),
        {attribute.name: len(attribute.options) for attribute in load_suite(suite).attributes},
    )
    left, right = read_pool(RunFolder(planted))
    rows, wire = [["judge", "texts", "dose", "found", "95 %", "bias", "chance"]], []
    for name in judges:
        judge = open_judge(name)
        values = judge_texts(judge, left), judge_texts(judge, right)
        pool = pool_values(values[0], values[1], str(planted), logits=options["logits"])
        for size in sizes:
            for dose in shares:
                found = measure_power(pool, shape, size, dose, options["runs"], options["seed"])
                wire.append({"judge": name, **found.to_dict()})
                interval = f"{found.low:.0%} to {found.high:.0%}"
                numbers = [f"{found.found:.0%}", interval, f"{found.bias:.4f}", f"{found.chance:.4f}"]
                rows.append([name, f"{size:,}", f"{dose:g}", *numbers])
    about = (
        f"Simulated from {len(left):,} and {len(right):,} texts of a planted model, drawn with replacement; at dose 0, "
        "what is found is chance (5 %)."
    )
    if options["html"] is not None:
        write_text(options["html"], _power_page(rows, wire, about))
    echo_result(f"{text_table(rows)}\n\n{about}", wire, options["output_format"])


def _power_page(rows: Sequence[Sequence[str]], wire: Sequence[Mapping[str, Any]], about: str) -> str:
    """Return a page with how often each dose is found, one line for each judge and size."""
    from unslant.lab.audit.sections import AuditSection, draw_doses, sections_page
    from unslant.lab.report.page import html_figure

    series: dict[str, list[tuple[float, float, float | None, float | None]]] = {}
    for row in wire:
        name = f"{row['judge']}, {row['texts']:,} texts"
        series.setdefault(name, []).append((row["dose"], row["found"], row["low"], row["high"]))
    best = max(wire, key=lambda row: (row["texts"], row["dose"], row["found"]))
    verdict = (
        f"With {best['texts']:,} texts per option, the judge {best['judge']} finds {best['dose']:g} of the planted "
        f"slant in {best['found']:.0%} of audits."
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


def _passages(options: dict[str, Any]) -> Passages:
    from unslant.core.files import read_text
    from unslant.lab.audit.plant import Passages, planted_articles, select_passages

    if (options["left"] is None) != (options["right"] is None):
        raise ConfigError("--left and --right go together: a slant is a difference between two sets of text.")
    if options["left"] is None:
        return select_passages(planted_articles(options["data"], options["articles"]), ProgressBar())

    def lines(path: Path) -> Sequence[str]:
        return [line.strip() for line in read_text(path, ConfigError).splitlines() if line.strip()]

    names = {"left": options["left"].name, "right": options["right"].name}
    return Passages(lines(options["left"]), lines(options["right"]), names)
