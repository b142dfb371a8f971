"""``unslant data``: the corpora."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import (
    Count,
    Number,
    open_output,
    output_format_option,
    output_option,
    quiet_option,
)
from unslant.cli.progress import ProgressBar
from unslant.lab.cli.options import columns_option, labels_option, seed_option
from unslant.lab.report.table import text_table
from unslant.report.printable import clean_lines
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.lab.corpora.dataset import Dataset

_FOLDER = click.option(
    "--data",
    "folder",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]",
)
_FORMAT = output_format_option("text", "json", default="text")


@click.group()
def data() -> None:
    """Download, verify, describe, compare and split corpora.

    NAME is a corpus from 'unslant data list', or the path of your own .jsonl, .csv, .tsv, .parquet or .xlsx file.
    """


def _open_dataset(
    name: str, folder: str | None, columns: Sequence[str] = (), labels: Sequence[str] = ()
) -> Dataset:
    """Return the corpus or file that a name stands for."""
    from unslant.lab import corpora
    from unslant.lab.corpora.own_files import ColumnMap, FileDataset, parse_columns, parse_labels

    if name in corpora.names() or not (Path(name).suffix and Path(name).exists()):
        return corpora.load(name, folder)
    meaning = {"labels": parse_labels(",".join(labels))} if labels else {}
    return FileDataset(name, ColumnMap(parse_columns(",".join(columns)), **meaning), strict=False)


def _table(rows: Sequence[Sequence[object]]) -> str:
    return text_table(rows, indent="", align_numbers=True)


def _write(value: Any) -> None:
    click.echo(readable(value, 2))


@data.command("list")
@_FOLDER
@_FORMAT
def list_(folder: str | None, output_format: str) -> None:
    """List the corpora, their licences, and which are on this machine."""
    from unslant.lab import corpora
    from unslant.lab.corpora.catalogue import find_folder

    def here(name: str) -> bool:
        try:
            find_folder(corpora.card(name), folder)
        except corpora.CorpusMissing:
            return False
        return True

    entries = [(card, here(card.name)) for card in corpora.cards()]
    if output_format == "json":
        _write([card.to_dict() | {"here": found} for card, found in entries])
        return
    rows: list[list[object]] = [["name", "here", "parts", "title", "licence"]]
    rows += [
        [c.name, "yes" if found else "", " ".join(c.variants), c.title, c.licence] for c, found in entries
    ]
    click.echo(_table(rows))


@data.command()
@click.argument("name")
@_FORMAT
def show(name: str, output_format: str) -> None:
    """Show the citation, licence, files and pitfalls of a corpus."""
    from unslant.lab import corpora

    card = corpora.card(name)
    if output_format == "json":
        _write(card.to_dict())
        return
    click.echo(
        f"{card.name}: {card.title}\n\nCitation: {card.citation}\nLicence:  {card.licence}\nFrom:     {card.url}"
    )
    if card.variants:
        base = name.partition("/")[0]
        click.echo("Parts:    " + ", ".join(f"{base}/{part}" for part in card.variants))
    if card.warning:
        click.echo(f"Note:     {card.warning}")
    for trap in card.traps:
        click.echo(f"Pitfall:  {trap}")
    click.echo()
    click.echo(
        _table(
            [
                ["file", "offered", "SHA-256"],
                *([f.name, "yes" if f.url else "", f.sha256] for f in card.files),
            ]
        )
    )


@data.command()
@click.argument("name")
@_FOLDER
@columns_option
@labels_option
@click.option("--top", default=15, show_default=True, type=Count(0), help="Outlets and topics to show.")
@_FORMAT
def stats(
    name: str,
    folder: str | None,
    columns: tuple[str, ...],
    labels: tuple[str, ...],
    top: int,
    output_format: str,
) -> None:
    """Count the examples of a corpus and compare with the published counts."""
    from unslant.lab.corpora.statistics import compare_published, count_corpus, largest_groups

    dataset = _open_dataset(name, folder, columns, labels)
    counts, compared = count_corpus(dataset), compare_published(dataset)
    if output_format == "json":
        _write(counts.to_dict() | {"published": [row.to_dict() for row in compared]})
        return
    plain: list[list[object]] = [
        ["examples", counts.examples],
        ["words", counts.words],
        ["spans", counts.spans],
    ]
    plain += [["pairs", counts.pairs]]
    for title in ("labels", "splits", "kinds", "dimensions", "leanings"):
        plain += [[f"{title[:-1]}: {key}", count] for key, count in getattr(counts, title).most_common()]
    plain += [[f"left out: {reason}", count] for reason, count in counts.skipped.items()]
    click.echo(_table([["what", "count"], *plain]))
    for title, by in (("outlet", counts.outlets), ("topic", counts.topics)):
        if by:
            heads = ("slanted", "not slanted", "not judged")
            body = [
                [key, row.total(), *(row[head] for head in heads)] for key, row in largest_groups(by, top)
            ]
            click.echo("\n" + _table([[title, "all", *heads], *body]))
    if compared:
        body = [[c.name, c.published, c.ours, "" if c.same else c.why] for c in compared]
        click.echo("\n" + _table([["figure", "published", "ours", "why they differ"], *body]))


@data.command()
@click.argument("name")
@_FOLDER
@columns_option
@labels_option
@_FORMAT
@click.pass_context
def verify(
    context: click.Context,
    name: str,
    folder: str | None,
    columns: tuple[str, ...],
    labels: tuple[str, ...],
    output_format: str,
) -> None:
    """Verify the checksums and every row of a corpus.

    The exit code is 1 if there is a problem.
    """
    from unslant.lab.corpora.dataset import verify as check

    count = 0
    for problem in check(_open_dataset(name, folder, columns, labels)):
        count += 1
        click.echo(readable(problem.to_dict()) if output_format == "json" else clean_lines(str(problem)))
    if output_format == "text":
        click.echo(f"{name}: {count} problem{'s' if count != 1 else ''}" if count else f"{name}: no problems")
    context.exit(1 if count else 0)


@data.command()
@click.argument("names", nargs=-1, required=True)
@_FOLDER
@click.option(
    "--threshold",
    default=0.8,
    show_default=True,
    type=Number(0.6, 1),
    help="Minimum similarity of near duplicates.",
)
@_FORMAT
def overlap(names: tuple[str, ...], folder: str | None, threshold: float, output_format: str) -> None:
    """Find exact and near duplicates across two or more corpora."""
    from unslant.lab.corpora.splits import find_overlaps

    if len(names) < 2:
        raise click.UsageError("name at least two corpora")
    found = find_overlaps([_open_dataset(name, folder) for name in names], threshold)
    if output_format == "json":
        _write([pair.to_dict() for pair in found])
        return
    body = [[p.left, p.sizes[0], p.right, p.sizes[1], len(p.exact), len(p.near)] for p in found]
    click.echo(_table([["corpus", "texts", "with", "texts", "same", "nearly the same"], *body]))


@data.command()
@click.argument("name")
@_FOLDER
@columns_option
@labels_option
@click.option(
    "--parts",
    default="train=0.8,dev=0.1,test=0.1",
    show_default=True,
    metavar="PART=SHARE,...",
    help="Parts and their shares.",
)
@click.option(
    "--keep",
    default="pair,document,outlet",
    show_default=True,
    metavar="LIST",
    help="Keep examples with the same value of these in one part; equal texts always stay together.",
)
@seed_option()
@click.option("--ids", is_flag=True, help="Write only ids and parts.")
@output_option()
def split(
    name: str, folder: str | None, columns: tuple[str, ...], labels: tuple[str, ...], **options: Any
) -> None:
    """Split a corpus into parts that share no pair, document, outlet or text.

    The examples are written as JSON lines, each with its part.
    """
    from unslant.lab.corpora.own_files import example_to_json
    from unslant.lab.corpora.splits import assign_splits, parse_parts

    dataset = _open_dataset(name, folder, columns, labels)
    keep = [part.strip() for part in options["keep"].split(",") if part.strip()]
    where = assign_splits(dataset, parse_parts(options["parts"]), keep=keep, seed=options["seed"])
    lines: Iterable[dict[str, Any]]
    if options["ids"]:
        lines = ({"id": name, "split": part} for name, part in where.items())
    else:
        lines = (example_to_json(example) | {"split": where[example.id]} for example in dataset)
    with open_output(options["output"]) as stream:
        for line in lines:
            click.echo(readable(line), file=stream)


@data.command()
@click.argument("name")
@_FOLDER
@quiet_option
@click.option("-y", "--yes", is_flag=True, help="Accept the licence without asking.")
def get(name: str, folder: str | None, yes: bool) -> None:
    """Download a corpus from its publisher, after showing its licence."""
    from unslant.lab import corpora
    from unslant.lab.corpora.catalogue import data_folders, fetch, missing_files

    card = corpora.card(name)
    if card.packaged:
        click.echo(f"{card.name} ships with unslant: there is nothing to download.")
        return
    target = data_folders(folder)[0] / card.folder
    click.echo(
        f"{card.title}\nCitation: {card.citation}\nLicence:  {card.licence}\nFrom:     {card.url}\nInto:     {target}"
    )
    if card.warning:
        click.echo(f"Note:     {card.warning}")
    if missing_files(card, target) and not yes:
        click.confirm("Download it under this licence?", abort=True)
    for item in fetch(card, target, ProgressBar()):
        click.echo(f"{item.file}: {'downloaded' if item.fresh else 'already there'}")


@data.command()
@click.option(
    "--data",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Read the copies from DIR.  [default: $UNSLANT_DATA, then the cache]",
)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write each corpus to its folder in DIR.",
)
def join(folder: Path | None, output: Path) -> None:
    """Join the labels of the editors' corpora, which ship with unslant, to your copies of their text.

    The text comes from the corpora allsides, ptc and wikibias; 'unslant data show NAME' says where to get each.
    Sentences that you have no copy of are left out and counted.
    """
    from unslant.lab.corpora.catalogue import data_folders
    from unslant.lab.corpora.editor import LABELLED, join_labels

    for corpus in LABELLED:
        joined = join_labels(corpus, folder or data_folders()[0], output / corpus)
        for source in sorted({*joined.sentences, *joined.missing}):
            found, missing = joined.sentences.get(source, 0), joined.missing.get(source, 0)
            click.echo(
                f"{corpus}, {source}: {found:,} sentences joined"
                + (f", {missing:,} without text" if missing else "")
            )
