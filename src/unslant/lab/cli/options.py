"""Options that several commands of the lab share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from unslant.cli.options import open_output

__all__ = [
    "batch_size_option",
    "data_option",
    "echo_result",
    "precision_option",
    "resamples_option",
    "seed_option",
    "threads_option",
]

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]",
)
"""Adds ``--data``."""

resamples_option = click.option(
    "--resamples",
    type=click.IntRange(0),
    default=1000,
    show_default=True,
    help="Bootstrap resamples for the 95 % intervals; 0 turns intervals off.",
)
"""Adds ``--resamples``."""


def seed_option(about: str = "Random seed.", default: int | None = 0) -> Any:
    """Add ``--seed``."""
    return click.option("--seed", type=int, default=default, show_default=default is not None, help=about)


def threads_option(default: int | None = None) -> Any:
    """Add ``--threads``."""
    shown = "" if default else "  [default: PyTorch's choice]"
    return click.option(
        "--threads",
        type=click.IntRange(1),
        default=default,
        show_default=default is not None,
        help=f"Threads for PyTorch.{shown}",
    )


def batch_size_option(default: int, about: str) -> Any:
    """Add ``--batch-size``."""
    return click.option(
        "--batch-size", type=click.IntRange(1), default=default, show_default=True, help=about
    )


def precision_option(*precisions: str) -> Any:
    """Add ``--precision``."""
    return click.option(
        "--precision",
        type=click.Choice(precisions),
        help="Floating-point precision of the model's weights.  [default: float32]",
    )


def echo_result(text: str, wire: Any, output_format: str, output: Path | None = None) -> None:
    """Print a result as text or JSON, to a file if one is named."""
    shown = json.dumps(wire, indent=2, ensure_ascii=False) if output_format == "json" else text
    with open_output(output) as stream:
        click.echo(shown, file=stream)
