"""``unslant harvest`` and ``unslant label``: training data from the history of a wiki."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit
from unslant.cli.options import Count, Number, output_format_option, output_option, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import InputError
from unslant.core.files import quote_name
from unslant.lab.cli.options import echo_result
from unslant.report.wire import readable


@click.command()
@click.argument("dumps", nargs=-1, metavar="[DUMP]...", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the pairs and the manifest to DIR.",
)
@click.option(
    "--comments",
    default="en",
    show_default=True,
    metavar="LANGUAGE|FILE",
    help="List of the edit comments that announce a neutrality edit.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    type=Count(),
    default=(0,),
    help="Read pages of this namespace. Can be repeated.  [default: 0, the articles]",
)
@click.option("--disable", multiple=True, metavar="FILTER", help="Turn this filter off. Can be repeated.")
@click.option(
    "--splits",
    default="train=0.8,dev=0.1,test=0.1",
    show_default=True,
    metavar="PART=SHARE,...",
    help="Splits and their shares of the pages.",
)
@click.option("--licence", help="Licence of the wiki's text.  [default: CC BY-SA 4.0]")
@click.option(
    "--engine",
    type=click.Choice(["local", "ray"]),
    default="local",
    show_default=True,
    help="Work on this machine or on a Ray cluster.",
)
@click.option("--workers", type=Count(1), help="Processes on this machine, or workers on Ray.")
@click.option("--address", help="Address of the Ray cluster.  [default: start one on this machine]")
@click.option("--api", metavar="URL", help="Download the histories of --page from this MediaWiki API.")
@click.option("--page", "titles", multiple=True, metavar="TITLE", help="With --api: a page. Can be repeated.")
@click.option(
    "--contact", default="", help="With --api: an e-mail address or web page for the wiki's operators."
)
@output_format_option("text", "json", default="text")
@quiet_option
def harvest(dumps: tuple[Path, ...], output: Path, **options: Any) -> int:
    """Extract neutrality edits from the history dumps of a wiki.

    DUMP is a pages-meta-history file or a full-history content export: .xml, .xml.bz2, .xml.gz, or .xml.7z if 7-Zip
    is installed. The sentence pairs go to pairs.parquet in the output folder, the counts to manifest.json. Running the
    same command again continues an interrupted harvest.
    """
    from unslant.lab.wiki.run import harvest as run
    from unslant.parallel import Engine

    dumps = (*dumps, *_fetch(output, options))
    if not dumps:
        raise click.UsageError("name a DUMP, or use --api with --page")
    total = sum(path.stat().st_size for path in dumps if path.is_file())
    progress = ProgressBar("harvesting", total)
    engine = Engine(options["engine"], options["workers"], options["address"])
    try:
        manifest = run(dumps, output, _settings(options), engine, progress.advance)
    finally:
        progress.clear()
    echo_result(_manifest_text(manifest, output), manifest, options["output_format"])
    for message in (*_notes(manifest), *(problem["message"] for problem in manifest["problems"])):
        click.echo(f"unslant: {message}", err=True)
    return Exit.USAGE if manifest["problems"] else Exit.CLEAN


def _fetch(output: Path, options: Mapping[str, Any]) -> list[Path]:
    if not options["api"]:
        return []
    from unslant.lab.wiki.api import WikiApi, fetch_histories

    return fetch_histories(WikiApi(options["api"], options["contact"]), options["titles"], output / "fetched")


def _settings(options: Mapping[str, Any]) -> Any:
    from unslant.lab.corpora.splits import parse_parts
    from unslant.lab.wiki.settings import LICENCE, HarvestSettings

    return HarvestSettings(
        comments=options["comments"],
        namespaces=tuple(sorted(set(options["namespaces"]))),
        without=frozenset(options["disable"]),
        splits=parse_parts(options["splits"], "--splits"),
        licence=options["licence"] or LICENCE,
    )


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


@click.command()
@click.argument("pairs", type=click.Path(path_type=Path))
@output_option("Write the examples to FILE (.jsonl or .parquet) instead of standard output.")
@click.option(
    "--threshold", type=Number(0, 1), help="Mark removed words as slanted at or above this probability."
)
@click.option(
    "--drop",
    type=Number(0, 1, max_open=True),
    default=0.0,
    metavar="SHARE",
    help="Drop this share of the pairs, the least likely ones.",
)
@click.option("--relabel", is_flag=True, help="Let the detector remove labels that it does not agree with.")
@click.option(
    "--parser",
    default="auto",
    show_default=True,
    metavar="auto|none|spacy:MODEL",
    help="Parser for constituents; auto uses spaCy with an English model if it is installed.",
)
def label(pairs: Path, output: Path | None, **options: Any) -> None:
    """Turn sentence pairs into weakly labelled training data.

    PAIRS is what 'unslant harvest' writes, or any .parquet, .jsonl, .csv or .tsv file with the columns source and
    target. Each pair gives two examples: the sentence before the edit, with the removed words marked where they are
    probably slanted, and the sentence after it, which counts as neutral.
    """
    from unslant.lab.wiki.weak_labels import LabelSettings, label_file, write_examples

    settings = LabelSettings(options["threshold"], options["drop"], options["relabel"], options["parser"])
    rows, summary = label_file(pairs, settings)
    if output is None:
        for row in rows:
            click.echo(readable(row))
    else:
        write_examples(rows, output)
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
