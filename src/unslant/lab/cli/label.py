"""``unslant label``: weak labels for sentence pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

__all__ = ["label"]


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A .jsonl or .parquet file.  [default: print]",
)
@click.option(
    "--threshold", type=click.FloatRange(0, 1), help="From which probability on words are taken for slanted."
)
@click.option(
    "--drop",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.0,
    help="Leave out this share, the least likely.",
)
@click.option("--relabel", is_flag=True, help="Let the checker take labels back that it does not share.")
@click.option(
    "--parser",
    default="auto",
    show_default=True,
    metavar="auto|none|spacy:MODEL",
    help="What tells constituents apart; auto: spaCy with an English model, where it is installed.",
)
def label(pairs: Path, out: Path | None, **options: Any) -> None:
    """Label sentence pairs without annotators, as training data.

    PAIRS is what 'unslant harvest' writes, or any .parquet, .jsonl, .csv or .tsv file with the columns source and
    target. Each pair gives two rows, before and after the edit: the words that the edit took away are marked in the
    first where they are probably slanted; the second is neutral.
    """
    from unslant.lab.wiki.weak_labels import LabelSettings, label_file, write_examples

    settings = LabelSettings(options["threshold"], options["drop"], options["relabel"], options["parser"])
    rows, summary = label_file(pairs, settings)
    if out is None:
        for row in rows:
            click.echo(json.dumps(row, ensure_ascii=False))
    else:
        write_examples(rows, out)
    click.echo(
        f"{summary['pairs']} pairs: {summary['slanted']} slanted sources with {summary['spans']} spans, "
        f"{summary['dropped']} dropped, {summary['unusable']} not usable; "
        f"parser: {summary['parser']}",
        err=True,
    )
