"""``unslant harvest`` and ``unslant label``: training data from the history of a wiki."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import click

from unslant.cli.exits import Exit
from unslant.cli.progress import ProgressBar
from unslant.core.errors import InputError
from unslant.core.files import quote_name
from unslant.lab.cli.options import FormatOptions, settings_options
from unslant.lab.options import Options, option
from unslant.report.wire import readable


class _Harvest(FormatOptions):
    quiet = True

    output: Path = option("Write the pairs and the manifest to DIR.", metavar="DIR", required=True)
    comments: str = option(
        "List of the edit comments that announce a neutrality edit.", "en", metavar="LANGUAGE|FILE"
    )
    namespaces: tuple[int, ...] = option(
        "Read pages of this namespace. Can be repeated.  [default: 0, the articles]",
        (0,),
        name="--namespace",
        shown=False,
    )
    disable: tuple[str, ...] = option("Turn this filter off. Can be repeated.", metavar="FILTER")
    splits: str = option(
        "Splits and their shares of the pages.", "train=0.8,dev=0.1,test=0.1", metavar="PART=SHARE,..."
    )
    licence: str | None = option("Licence of the wiki's text.  [default: CC BY-SA 4.0]")
    engine: Literal["local", "ray"] = option("Work on this machine or on a Ray cluster.", "local")
    workers: int | None = option("Processes on this machine, or workers on Ray.", least=1)
    address: str | None = option("Address of the Ray cluster.  [default: start one on this machine]")
    api: str | None = option("Download the histories of --page from this MediaWiki API.", metavar="URL")
    titles: tuple[str, ...] = option("With --api: a page. Can be repeated.", name="--page", metavar="TITLE")
    contact: str = option("With --api: an e-mail address or web page for the wiki's operators.", "")


@click.command()
@click.argument("dumps", nargs=-1, metavar="[DUMP]...", type=click.Path(path_type=Path))
@settings_options(_Harvest)
def harvest(dumps: tuple[Path, ...], options: _Harvest) -> int:
    """Extract neutrality edits from the history dumps of a wiki.

    DUMP is a pages-meta-history file or a full-history content export: .xml, .xml.bz2, .xml.gz, or .xml.7z if 7-Zip
    is installed. The sentence pairs go to pairs.parquet in the output folder, the counts to manifest.json. Running the
    same command again continues an interrupted harvest.
    """
    from unslant.lab.corpora.splits import parse_parts
    from unslant.lab.wiki.api import WikiApi, fetch_histories
    from unslant.lab.wiki.run import harvest as run
    from unslant.lab.wiki.settings import LICENCE, HarvestSettings
    from unslant.parallel import Engine

    output = options.output
    if options.api:
        wiki = WikiApi(options.api, options.contact)
        dumps = (*dumps, *fetch_histories(wiki, options.titles, output / "fetched"))
    if not dumps:
        raise click.UsageError("name a DUMP, or use --api with --page")
    settings = HarvestSettings(
        comments=options.comments,
        namespaces=tuple(sorted(set(options.namespaces))),
        without=frozenset(options.disable),
        splits=parse_parts(options.splits, "--splits"),
        licence=options.licence or LICENCE,
    )
    progress = ProgressBar("harvesting", sum(path.stat().st_size for path in dumps if path.is_file()))
    engine = Engine(options.engine, options.workers, options.address)
    try:
        manifest = run(dumps, output, settings, engine, progress.advance)
    finally:
        progress.clear()
    options.echo(_manifest_text(manifest, output), manifest)
    for message in (*_notes(manifest), *(problem["message"] for problem in manifest["problems"])):
        click.echo(f"unslant: {message}", err=True)
    return Exit.USAGE if manifest["problems"] else Exit.CLEAN


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    from unslant.lab.wiki.revisions import comment_list

    listed = comment_list(manifest["settings"]["comments"]).language
    spoken = {part["site"]["language"] for part in manifest["parts"] if part["site"]} - {listed, ""}
    return [
        f"the wiki is in {language!r}, but the list of comments is for {listed!r}; set --comments"
        for language in sorted(spoken)
    ]


def _manifest_text(manifest: Mapping[str, Any], output: Path) -> str:
    from unslant.lab.wiki.settings import FILTERS

    counts = dict(manifest["counts"])
    seen = ("pages", "other pages", "revisions", "candidates")
    lines = [f"{manifest['pairs']} pairs in {output}"]
    lines += [f"  {counts.pop(name, 0):>12}  {name}" for name in seen]
    lines.append("left out:")
    lines += [f"  {count:>12}  {name:<18} {FILTERS.get(name, '')}".rstrip() for name, count in counts.items()]
    return "\n".join(lines)


class _Label(Options):
    output: Path | None = option(
        "Write the examples to FILE (.jsonl or .parquet) instead of standard output."
    )
    threshold: float | None = option(
        "Mark removed words as slanted at or above this probability.", least=0, most=1
    )
    drop: float = option(
        "Drop this share of the pairs, the least likely ones.",
        0.0,
        metavar="SHARE",
        least=0,
        most=1,
        beyond="most",
        shown=False,
    )
    relabel: bool = option("Let the detector remove labels that it does not agree with.")
    parser: str = option(
        "Parser for constituents; auto uses spaCy with an English model if it is installed.",
        "auto",
        metavar="auto|none|spacy:MODEL",
    )


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@settings_options(_Label)
def label(pairs: Path, options: _Label) -> None:
    """Turn sentence pairs into weakly labelled training data.

    PAIRS is what 'unslant harvest' writes, or any .parquet, .jsonl, .csv or .tsv file with the columns source and
    target. Each pair gives two examples: the sentence before the edit, with the removed words marked where they are
    probably slanted, and the sentence after it, which counts as neutral.
    """
    from unslant.lab.wiki.weak_labels import LabelSettings, label_file, write_examples

    settings = LabelSettings(options.threshold, options.drop, options.relabel, options.parser)
    rows, summary = label_file(pairs, settings)
    if options.output is None:
        for row in rows:
            click.echo(readable(row))
    else:
        write_examples(rows, options.output)
    click.echo(
        f"{summary['pairs']} pairs: {summary['slanted']} slanted sources with {summary['spans']} spans, "
        f"{summary['dropped']} dropped, {summary['unusable']} not usable; "
        f"parser: {summary['parser']}",
        err=True,
    )
    if summary["unusable"] and not summary["pairs"]:
        raise InputError(
            f"{quote_name(pairs)} has no usable pair: a row needs the columns source and target, as UTF-8 text"
        )
