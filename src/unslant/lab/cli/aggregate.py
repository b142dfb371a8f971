"""``unslant aggregate``: what annotators say together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.lab.cli.agree import chosen_tasks, corpus_of, read, source_options
from unslant.lab.report.table import text_table

if TYPE_CHECKING:
    from unslant.lab.annotation.aggregation import AggregationSummary

__all__ = ["aggregate"]


@click.command()
@click.argument("source")
@source_options
@click.option(
    "--rule",
    type=click.Choice(["most", "half"]),
    default="most",
    show_default=True,
    help="A majority is the label given most often, or the label of more than half.",
)
@click.option("--least", type=click.IntRange(1), help="Leave out items with fewer judgements [default: 2].")
@click.option(
    "--threshold", type=click.IntRange(1), help="Votes from which a marked word counts [default: 2]."
)
@click.option("--mentions", is_flag=True, help="Count every mark of a word, not every annotator once.")
@click.option("--out", type=click.Path(path_type=Path), help="Write one JSON line per item and task.")
def aggregate(source: str, **options: Any) -> None:
    """Take majorities, soft labels and commonly marked words out of the annotations in SOURCE.

    SOURCE is what 'unslant agree' reads.
    """
    from unslant.lab.annotation.aggregation import SummarySettings, published_sentences, summarize

    annotations = read(source, options["form"], options["columns"], options["data"])
    spans = {one.task for one in annotations if one.span is not None}
    sentences = published_sentences(corpus_of(source), _data(source, options["data"]))
    settings = SummarySettings(
        options["rule"], options["least"], options["threshold"], options["mentions"], sentences
    )
    found = [
        summarize(corpus_of(source), annotations, task, settings)
        for task in chosen_tasks(annotations, options["tasks"], skip=tuple(spans))
    ]
    if options["out"]:
        lines = [json.dumps(row, ensure_ascii=False) for summary in found for row in summary.rows]
        Path(options["out"]).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    if options["as_json"]:
        click.echo(json.dumps([summary.to_dict() for summary in found], indent=2, ensure_ascii=False))
    else:
        click.echo("\n\n".join(map(_text, found)) or "only spans were marked; 'unslant agree' compares them")


def _data(source: str, data: Path | None) -> Path | None:
    """Return where the corpus is: where the raw file is, if it was named."""
    return Path(source).resolve().parent.parent if Path(source).is_file() else data


def _text(summary: AggregationSummary) -> str:
    apart = f"; {summary.left_out} more have too few judgements" if summary.left_out else ""
    parts = [f"{summary.task}: {summary.items} items{apart}"]
    words = summary.task == "words"
    figures = {name: value if words else 100 * value for name, value in summary.figures.items()}
    if not summary.compared:
        parts.append(
            text_table(
                [(name, f"{value:g}" if words else f"{value:.2f} %") for name, value in figures.items()]
            )
        )
        return "\n".join(parts)
    rows = [("", "ours", "their way", "published", "")]
    for one in summary.compared:
        numbers = (figures.get(one.name), one.ours, one.published)
        own, theirs, published = ("" if value is None else f"{value:.{one.digits}f}" for value in numbers)
        rows.append((one.name, own, theirs, published, one.why))
    parts.append(_noted(rows))
    return "\n".join(parts)


def _noted(rows: list[tuple[str, str, str, str, str]]) -> str:
    """Return a table whose last column is a remark, to the left."""
    body = text_table([row[:4] for row in rows]).splitlines()
    width = max(map(len, body))
    return "\n".join(f"{line:<{width}}  {row[4]}".rstrip() for line, row in zip(body, rows, strict=True))
