"""``unslant train judge``: the judge that audits go by."""

from __future__ import annotations

from pathlib import Path

import click

from unslant.cli.progress import ProgressBar

__all__ = ["judge"]


@click.command()
@click.option(
    "--out", required=True, type=click.Path(path_type=Path, file_okay=False), help="The judge's folder."
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the corpora lie; else UNSLANT_DATA and the cache.",
)
@click.option("--encoder", help="A head on this frozen encoder, a hub name or a folder, instead of words.")
def judge(out: Path, data: Path | None, encoder: str | None) -> None:
    """Train the judge of 'unslant audit' on its half of the outlets; a minute or two on one core.

    With --encoder the articles are read by an encoder first, which takes some minutes more.
    """
    from unslant.lab.audit.judge_corpus import build_encoder_judge, build_judge

    trained = build_encoder_judge(out, encoder, data, ProgressBar()) if encoder else build_judge(out, data)
    click.echo(
        f"judge: {out}\n{trained.texts:,} articles of {trained.houses} outlets; loss on outlets left out in turn: "
        f"{trained.losses[trained.penalty]:.3f} (always one half: 0.693)"
    )
