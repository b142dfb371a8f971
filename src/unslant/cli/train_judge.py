"""``unslant train judge``: the judge that audits go by."""

from __future__ import annotations

from pathlib import Path

import click

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
def judge(out: Path, data: Path | None) -> None:
    """Train the judge of 'unslant audit' on its half of the outlets; a minute or two on one core."""
    from unslant.audit.judge_corpus import build_judge

    trained = build_judge(out, data)
    click.echo(
        f"judge: {out}\n{trained.texts:,} articles of {trained.houses} outlets; loss on outlets left out in turn: "
        f"{trained.losses[trained.penalty]:.3f} (always one half: 0.693)"
    )
