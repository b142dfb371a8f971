"""``unslant harvest``: neutrality edits out of a wiki's history."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from unslant.cli.exits import Exit

__all__ = ["harvest"]


@click.command()
@click.argument("dumps", nargs=-1, metavar="DUMP…", type=click.Path(path_type=Path))
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="Where to write to."
)
@click.option(
    "--comments",
    default="en",
    show_default=True,
    metavar="LANGUAGE|FILE",
    help="Which list says what comments mean.",
)
@click.option(
    "--namespace",
    "namespaces",
    multiple=True,
    type=int,
    default=(0,),
    help="Pages of this namespace; may be given again.  [default: 0, the articles]",
)
@click.option("--without", multiple=True, metavar="FILTER", help="Switch a filter off; may be given again.")
@click.option(
    "--splits", default="train=0.8,dev=0.1,test=0.1", show_default=True, help="Shares of pages a split."
)
@click.option("--licence", help="The licence of the wiki's text.  [default: CC BY-SA 4.0]")
@click.option(
    "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where to work."
)
@click.option("--workers", type=click.IntRange(1), help="Processes here, or workers on Ray.")
@click.option("--address", help="Of a Ray cluster; without, one is started here.")
@click.option("--api", metavar="URL", help="Fetch the --page histories from here; for small jobs.")
@click.option(
    "--page", "titles", multiple=True, metavar="TITLE", help="With --api: a page; may be given again."
)
@click.option("--contact", default="", help="With --api: a mail address or page, for the wiki's operators.")
@click.option("--json", "as_json", is_flag=True, help="Print the manifest as JSON.")
def harvest(dumps: tuple[Path, ...], out: Path, **options: Any) -> int:
    """Find neutrality edits in history dumps and write them as sentence pairs.

    DUMP is a pages-meta-history file or a full-history content export: .xml, .xml.bz2, .xml.gz, or .xml.7z where 7-Zip
    is installed. The pairs go to OUT/pairs.parquet, what was read and left out to OUT/manifest.json. A run that was
    stopped goes on where it was.
    """
    from unslant.cli.progress import ProgressBar
    from unslant.lab.wiki.run import HarvestEngine
    from unslant.lab.wiki.run import harvest as run

    dumps = (*dumps, *_fetched(out, options))
    if not dumps:
        raise click.UsageError("give a DUMP, or --api with --page")
    total = sum(path.stat().st_size for path in dumps if path.is_file())
    progress = ProgressBar("harvesting", total)
    engine = HarvestEngine(options["engine"], options["workers"], options["address"], progress.advance)
    try:
        manifest = run(dumps, out, _settings(options), engine)
    finally:
        progress.clear()
    click.echo(
        json.dumps(manifest, indent=2, ensure_ascii=False) if options["as_json"] else _text(manifest, out)
    )
    for message in (*_notes(manifest), *(problem["message"] for problem in manifest["problems"])):
        click.echo(f"unslant: {message}", err=True)
    return Exit.USAGE if manifest["problems"] else Exit.CLEAN


def _fetched(out: Path, options: Mapping[str, Any]) -> list[Path]:
    if not options["api"]:
        return []
    from unslant.lab.wiki.api import WikiApi, fetch_histories

    return fetch_histories(WikiApi(options["api"], options["contact"]), options["titles"], out / "fetched")


def _settings(options: Mapping[str, Any]) -> Any:
    from unslant.lab.corpora.splits import parse_parts
    from unslant.lab.wiki.settings import LICENCE, HarvestSettings

    return HarvestSettings(
        comments=options["comments"],
        namespaces=tuple(sorted(set(options["namespaces"]))),
        without=frozenset(options["without"]),
        splits=parse_parts(options["splits"]),
        licence=options["licence"] or LICENCE,
    )


def _notes(manifest: Mapping[str, Any]) -> list[str]:
    from unslant.lab.wiki.revisions import comment_list

    listed = comment_list(manifest["settings"]["comments"]).language
    spoken = {part["site"]["language"] for part in manifest["parts"] if part["site"]} - {listed, ""}
    return [
        f"a wiki is in {language!r}, the list of comments in {listed!r}; is --comments right?"
        for language in sorted(spoken)
    ]


def _text(manifest: Mapping[str, Any], out: Path) -> str:
    from unslant.lab.wiki.settings import FILTERS

    counts = dict(manifest["counts"])
    seen = ("pages", "other pages", "revisions", "candidates")
    lines = [f"{manifest['pairs']} pairs in {out}"]
    lines += [f"  {counts.pop(name, 0):>12}  {name}" for name in seen]
    lines.append("left out:")
    lines += [f"  {count:>12}  {name:<18} {FILTERS.get(name, '')}".rstrip() for name, count in counts.items()]
    return "\n".join(lines)
