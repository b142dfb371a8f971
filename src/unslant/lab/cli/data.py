"""``unslant data``: the corpora."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import open_output
from unslant.cli.progress import ProgressBar
from unslant.lab.cli.options import FormatOptions, TableOptions, settings_options
from unslant.lab.options import Options, option
from unslant.lab.report.table import text_table
from unslant.report.printable import clean_lines
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.lab.corpora.dataset import Dataset


@click.group()
def data() -> None:
    """Download, verify, describe, compare and split corpora.

    NAME is a corpus from 'unslant data list', or the path of your own .jsonl, .csv, .tsv, .parquet or .xlsx file.
    """


class _InFolder(Options):
    data: str | None = option(
        "Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]", metavar="DIR"
    )

    def dataset(self, name: str) -> Dataset:
        """Return the corpus or file that a name stands for."""
        from unslant.lab import corpora

        if name in corpora.names() or not (Path(name).suffix and Path(name).exists()):
            return corpora.load(name, self.data)
        return (self if isinstance(self, TableOptions) else TableOptions()).open(name)


def _table(rows: Sequence[Sequence[object]]) -> str:
    return text_table(rows, indent="", align_numbers=True)


def _write(value: Any) -> None:
    click.echo(readable(value, 2))


class _List(_InFolder, FormatOptions):
    pass


@data.command("list")
@settings_options(_List)
def list_(options: _List) -> None:
    """List the corpora, their licences, and which are on this machine."""
    from unslant.lab import corpora
    from unslant.lab.corpora.catalogue import find_folder

    def here(name: str) -> bool:
        try:
            find_folder(corpora.card(name), options.data)
        except corpora.CorpusMissing:
            return False
        return True

    entries = [(card, here(card.name)) for card in corpora.cards()]
    if options.output_format == "json":
        _write([card.to_dict() | {"here": found} for card, found in entries])
        return
    rows: list[list[object]] = [["name", "here", "parts", "title", "licence"]]
    rows += [
        [c.name, "yes" if found else "", " ".join(c.variants), c.title, c.licence] for c, found in entries
    ]
    click.echo(_table(rows))


@data.command()
@click.argument("name")
@settings_options(FormatOptions)
def show(name: str, options: FormatOptions) -> None:
    """Show the citation, licence, files and pitfalls of a corpus."""
    from unslant.lab import corpora

    card = corpora.card(name)
    if options.output_format == "json":
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


class _Verify(_InFolder, TableOptions, FormatOptions):
    pass


class _Stats(_Verify):
    top: int = option("Outlets and topics to show.", 15, least=0)


@data.command()
@click.argument("name")
@settings_options(_Stats)
def stats(name: str, options: _Stats) -> None:
    """Count the examples of a corpus and compare with the published counts."""
    from unslant.lab.corpora.statistics import compare_published, count_corpus, largest_groups

    dataset = options.dataset(name)
    counts, compared = count_corpus(dataset), compare_published(dataset)
    if options.output_format == "json":
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
                [key, row.total(), *(row[head] for head in heads)]
                for key, row in largest_groups(by, options.top)
            ]
            click.echo("\n" + _table([[title, "all", *heads], *body]))
    if compared:
        body = [[c.name, c.published, c.ours, "" if c.same else c.why] for c in compared]
        click.echo("\n" + _table([["figure", "published", "ours", "why they differ"], *body]))


@data.command()
@click.argument("name")
@settings_options(_Verify)
@click.pass_context
def verify(context: click.Context, name: str, options: _Verify) -> None:
    """Verify the checksums and every row of a corpus.

    The exit code is 1 if there is a problem.
    """
    from unslant.lab.corpora.dataset import verify as check

    count = 0
    for problem in check(options.dataset(name)):
        count += 1
        click.echo(
            readable(problem.to_dict()) if options.output_format == "json" else clean_lines(str(problem))
        )
    if options.output_format == "text":
        click.echo(f"{name}: {count} problem{'s' if count != 1 else ''}" if count else f"{name}: no problems")
    context.exit(1 if count else 0)


class _Overlap(_InFolder, FormatOptions):
    threshold: float = option("Minimum similarity of near duplicates.", 0.8, least=0.6, most=1)


@data.command()
@click.argument("names", nargs=-1, required=True)
@settings_options(_Overlap)
def overlap(names: tuple[str, ...], options: _Overlap) -> None:
    """Find exact and near duplicates across two or more corpora."""
    from unslant.lab.corpora.splits import find_overlaps

    if len(names) < 2:
        raise click.UsageError("name at least two corpora")
    found = find_overlaps(list(map(options.dataset, names)), options.threshold)
    if options.output_format == "json":
        _write([pair.to_dict() for pair in found])
        return
    body = [[p.left, p.sizes[0], p.right, p.sizes[1], len(p.exact), len(p.near)] for p in found]
    click.echo(_table([["corpus", "texts", "with", "texts", "same", "nearly the same"], *body]))


class _Split(_InFolder, TableOptions):
    parts: str = option("Parts and their shares.", "train=0.8,dev=0.1,test=0.1", metavar="PART=SHARE,...")
    keep: str = option(
        "Keep examples with the same value of these in one part; equal texts always stay together.",
        "pair,document,outlet",
        metavar="LIST",
    )
    seed: int = option("Random seed.", 0)
    ids: bool = option("Write only ids and parts.")
    output: Path | None = option("Write to FILE instead of standard output.")


@data.command()
@click.argument("name")
@settings_options(_Split)
def split(name: str, options: _Split) -> None:
    """Split a corpus into parts that share no pair, document, outlet or text.

    The examples are written as JSON lines, each with its part.
    """
    from unslant.lab.corpora.own_files import example_to_json
    from unslant.lab.corpora.splits import assign_splits, parse_parts

    dataset = options.dataset(name)
    keep = [part.strip() for part in options.keep.split(",") if part.strip()]
    where = assign_splits(dataset, parse_parts(options.parts), keep=keep, seed=options.seed)
    with open_output(options.output) as stream:
        if options.ids:
            for id_, part in where.items():
                click.echo(readable({"id": id_, "split": part}), file=stream)
        else:
            for example in dataset:
                click.echo(readable(example_to_json(example) | {"split": where[example.id]}), file=stream)


class _Get(_InFolder):
    quiet = True

    yes: bool = option("Accept the licence without asking.", name="-y/--yes")


@data.command()
@click.argument("name")
@settings_options(_Get)
def get(name: str, options: _Get) -> None:
    """Download a corpus from its publisher, after showing its licence."""
    from unslant.lab import corpora
    from unslant.lab.corpora.catalogue import data_folders, fetch, missing_files

    card = corpora.card(name)
    if card.packaged:
        click.echo(f"{card.name} ships with unslant: there is nothing to download.")
        return
    target = data_folders(options.data)[0] / card.folder
    click.echo(
        f"{card.title}\nCitation: {card.citation}\nLicence:  {card.licence}\nFrom:     {card.url}\nInto:     {target}"
    )
    if card.warning:
        click.echo(f"Note:     {card.warning}")
    if missing_files(card, target) and not options.yes:
        click.confirm("Download it under this licence?", abort=True)
    for item in fetch(card, target, ProgressBar()):
        click.echo(f"{item.file}: {'downloaded' if item.fresh else 'already there'}")


class _Join(Options):
    data: Path | None = option(
        "Read the copies from DIR.  [default: $UNSLANT_DATA, then the cache]", metavar="DIR", exists=True
    )
    output: Path = option("Write each corpus to its folder in DIR.", metavar="DIR", required=True)


@data.command()
@settings_options(_Join)
def join(options: _Join) -> None:
    """Join the labels of the editors' corpora, which ship with unslant, to your copies of their text.

    The text comes from the corpora allsides, ptc and wikibias; 'unslant data show NAME' says where to get each.
    Sentences that you have no copy of are left out and counted.
    """
    from unslant.lab.corpora.catalogue import data_folders
    from unslant.lab.corpora.editor import LABELLED, join_labels

    for corpus in LABELLED:
        joined = join_labels(corpus, options.data or data_folders()[0], options.output / corpus)
        for source in sorted({*joined.sentences, *joined.missing}):
            found, missing = joined.sentences.get(source, 0), joined.missing.get(source, 0)
            click.echo(
                f"{corpus}, {source}: {found:,} sentences joined"
                + (f", {missing:,} without text" if missing else "")
            )
