"""``unslant data``: the corpora, one door."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.progress import ProgressBar
from unslant.lab.report.table import text_table

if TYPE_CHECKING:
    from unslant.lab.corpora.dataset import Dataset

__all__ = ["data"]

_FOLDER = click.option(
    "--data", "folder", metavar="DIR", type=click.Path(file_okay=False), help="Where the corpora are."
)
_JSON = click.option("--json", "as_json", is_flag=True, help="Write JSON.")
_COLUMNS = click.option(
    "--columns", default="", metavar="FIELD=COLUMN,…", help="Which column holds what (own files)."
)
_LABELS = click.option(
    "--labels", default="", metavar="VALUE=1,…", help="What label values mean (own files)."
)


@click.group()
def data() -> None:
    """Load, check, compare and split corpora of slanted wording.

    NAME is a corpus of `unslant data list`, or the path of your own .jsonl, .csv, .tsv, .parquet or .xlsx file.
    """


def open_dataset(name: str, folder: str | None, columns: str = "", labels: str = "") -> Dataset:
    """Return the corpus or file that a name stands for."""
    from unslant.lab import corpora
    from unslant.lab.corpora.own_files import ColumnMap, FileDataset, parse_columns, parse_labels

    if name in corpora.names() or not (Path(name).suffix and Path(name).exists()):
        return corpora.load(name, folder)
    meaning = {"labels": parse_labels(labels)} if labels else {}
    return FileDataset(name, ColumnMap(parse_columns(columns), **meaning), strict=False)


def _table(rows: Sequence[Sequence[object]]) -> str:
    return text_table(rows, indent="", align_numbers=True)


def _write(value: Any) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))


@data.command("list")
@_FOLDER
@_JSON
def list_(folder: str | None, as_json: bool) -> None:
    """List the corpora, their licences, and which are here."""
    from unslant.lab import corpora
    from unslant.lab.corpora.files import find_folder

    def here(name: str) -> bool:
        try:
            find_folder(corpora.card(name), folder)
        except corpora.CorpusMissing:
            return False
        return True

    entries = [(card, here(card.name)) for card in corpora.cards()]
    if as_json:
        _write([card.to_dict() | {"here": found} for card, found in entries])
        return
    rows: list[list[object]] = [["name", "here", "parts", "title", "licence"]]
    rows += [
        [c.name, "yes" if found else "", " ".join(c.variants), c.title, c.licence] for c, found in entries
    ]
    click.echo(_table(rows))


@data.command()
@click.argument("name")
@_JSON
def show(name: str, as_json: bool) -> None:
    """Show what is known of a corpus: citation, licence, files, traps."""
    from unslant.lab import corpora

    card = corpora.card(name)
    if as_json:
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
        click.echo(f"Beware:   {trap}")
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
@_COLUMNS
@_LABELS
@click.option("--top", default=15, show_default=True, help="How many outlets and topics to show.")
@_JSON
def stats(name: str, folder: str | None, columns: str, labels: str, top: int, as_json: bool) -> None:
    """Count a corpus, with the published tables beside ours."""
    from unslant.lab.corpora.statistics import compare_published, count_corpus, largest_groups

    dataset = open_dataset(name, folder, columns, labels)
    counts, compared = count_corpus(dataset), compare_published(dataset)
    if as_json:
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
@_COLUMNS
@_LABELS
@_JSON
@click.pass_context
def verify(
    context: click.Context, name: str, folder: str | None, columns: str, labels: str, as_json: bool
) -> None:
    """Check digests and every row; exit 1 if anything is wrong."""
    from unslant.lab.corpora.dataset import verify as check

    count = 0
    for problem in check(open_dataset(name, folder, columns, labels)):
        count += 1
        click.echo(json.dumps(problem.to_dict(), ensure_ascii=False) if as_json else str(problem))
    if not as_json:
        click.echo(f"{name}: {count} problem{'s' if count != 1 else ''}" if count else f"{name}: all is well")
    context.exit(1 if count else 0)


@data.command()
@click.argument("names", nargs=-1, required=True)
@_FOLDER
@click.option(
    "--threshold", default=0.8, show_default=True, type=click.FloatRange(0.6, 1), help="From how alike on."
)
@_JSON
def overlap(names: tuple[str, ...], folder: str | None, threshold: float, as_json: bool) -> None:
    """Find texts that corpora share, exactly or nearly."""
    from unslant.lab.corpora.overlap import find_overlaps

    if len(names) < 2:
        raise click.UsageError("name at least two corpora")
    found = find_overlaps([open_dataset(name, folder) for name in names], threshold)
    if as_json:
        _write([pair.to_dict() for pair in found])
        return
    body = [[p.left, p.sizes[0], p.right, p.sizes[1], len(p.exact), len(p.near)] for p in found]
    click.echo(_table([["corpus", "texts", "with", "texts", "same", "nearly the same"], *body]))


@data.command()
@click.argument("name")
@_FOLDER
@_COLUMNS
@_LABELS
@click.option(
    "--parts", default="train=0.8,dev=0.1,test=0.1", show_default=True, help="Parts and their shares."
)
@click.option(
    "--keep",
    default="pair,page,outlet",
    show_default=True,
    help="What stays together; equal texts always do.",
)
@click.option("--seed", default=0, show_default=True, help="Another seed gives another split.")
@click.option("--ids", is_flag=True, help="Write ids and parts only.")
@click.option("--output", "-o", default="-", type=click.File("w", encoding="utf-8"), help="Where to write.")
def split(name: str, folder: str | None, columns: str, labels: str, **options: Any) -> None:
    """Split a corpus into parts that share no pair, page, outlet or text; writes JSON lines."""
    from unslant.lab.corpora.own_files import example_to_json
    from unslant.lab.corpora.splits import assign_splits, parse_parts

    dataset = open_dataset(name, folder, columns, labels)
    keep = [part.strip() for part in options["keep"].split(",") if part.strip()]
    where = assign_splits(dataset, parse_parts(options["parts"]), keep=keep, seed=options["seed"])
    lines: Iterable[dict[str, Any]]
    if options["ids"]:
        lines = ({"id": name, "split": part} for name, part in where.items())
    else:
        lines = (example_to_json(example) | {"split": where[example.id]} for example in dataset)
    for line in lines:
        options["output"].write(json.dumps(line, ensure_ascii=False) + "\n")


@data.command()
@click.argument("name")
@_FOLDER
@click.option("--yes", is_flag=True, help="Accept the licence without being asked.")
def get(name: str, folder: str | None, yes: bool) -> None:
    """Fetch a corpus from its publisher, its licence shown first."""
    from unslant.lab import corpora
    from unslant.lab.corpora.files import data_folders, fetch, missing_files

    card = corpora.card(name)
    target = data_folders(folder)[0] / card.folder
    click.echo(
        f"{card.title}\nCitation: {card.citation}\nLicence:  {card.licence}\nFrom:     {card.url}\nInto:     {target}"
    )
    if card.warning:
        click.echo(f"Note:     {card.warning}")
    if missing_files(card, target) and not yes:
        click.confirm("Fetch it under this licence?", abort=True)
    for item in fetch(card, target, ProgressBar()):
        click.echo(f"{item.file}: {'fetched' if item.fresh else 'already there'}")
