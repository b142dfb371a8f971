"""Options that several commands of the lab share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, Number, open_output, split_commas
from unslant.core.generation import PRECISIONS
from unslant.report.printable import clean_lines
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.core.generation import Sampling

P = ParamSpec("P")
R = TypeVar("R")

data_option = click.option(
    "--data",
    metavar="DIR",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]",
)
"""Adds ``--data``."""

resamples_option = click.option(
    "--resamples",
    type=Count(0),
    default=1000,
    show_default=True,
    help="Bootstrap resamples for the 95 % intervals; 0 turns intervals off.",
)
"""Adds ``--resamples``."""


def seed_option(about: str = "Random seed.", default: int | None = 0) -> Any:
    """Add ``--seed``."""
    return click.option(
        "--seed", type=int, metavar="N", default=default, show_default=default is not None, help=about
    )


def threads_option(default: int | None = None) -> Any:
    """Add ``--threads``."""
    shown = "" if default else "  [default: PyTorch's choice]"
    return click.option(
        "--threads",
        type=Count(1),
        default=default,
        show_default=default is not None,
        help=f"Threads for PyTorch.{shown}",
    )


precision_option = click.option(
    "--precision",
    type=click.Choice(PRECISIONS),
    help="Floating-point precision of the language model's weights.  [default: float32]",
)
"""Adds ``--precision``."""


def generation_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options of every command that generates text with a language model."""
    for option in (
        precision_option,
        threads_option(),
        click.option(
            "--batch-size",
            type=Count(1),
            default=8,
            show_default=True,
            help="Texts to generate at the same time.",
        ),
        click.option(
            "--chat",
            is_flag=True,
            help="Send each prompt as a user's message, with the model's chat template.",
        ),
        click.option(
            "--system",
            metavar="TEXT",
            default="",
            help="System prompt, with --chat.  [default: what the chat template has]",
        ),
        click.option(
            "--top-k",
            type=Count(0),
            default=50,
            show_default=True,
            help="Sample from this many of the most likely tokens; 0 means all.",
        ),
        click.option(
            "--temperature",
            type=Number(0),
            default=1.0,
            show_default=True,
            help="Sampling temperature; 0 means greedy decoding.",
        ),
        click.option(
            "--max-tokens",
            type=Count(1),
            default=100,
            show_default=True,
            help="Maximum length of a text, in tokens.",
        ),
    ):
        command = option(command)
    return command


dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Only say how many requests, tokens and minutes it takes. A local model is timed on one batch, which is kept; "
    "a server is not asked.",
)
"""Adds ``--dry-run``."""


def vary_option(axes: str) -> Any:
    """Add ``--vary``, with what the command can vary."""
    return click.option(
        "--vary",
        multiple=True,
        metavar="AXIS=VALUE",
        help=f"Ask again with one thing changed, and report the spread: {axes}; all is a standard choice. Can be "
        "repeated.",
    )


def sampling_of(options: Mapping[str, Any], **more: Any) -> Sampling:
    """Return what these options say about sampling; ``more`` is what a command adds."""
    from unslant.core.generation import Sampling

    names = ("max_tokens", "temperature", "top_k", "chat", "system")
    return Sampling(**{name: options[name] for name in names}, **more)


balance_option = click.option(
    "--balance",
    type=Number(0),
    help="How strongly --debias embedding pulls to equal distance from both sides, relative to its pull away from "
    "both.  [default: 1]",
)
"""Adds ``--balance``."""

hold_side_option = click.option(
    "--hold-side",
    is_flag=True,
    help="Let --debias classifier push beyond the point where its classifier cannot tell the sides apart.",
)
"""Adds ``--hold-side``."""


def echo_result(text: str, wire: Any, output_format: str, output: Path | None = None) -> None:
    """Print a result as text or JSON, to a file if one is named."""
    shown = readable(wire, 2) if output_format == "json" else clean_lines(text)
    with open_output(output) as stream:
        click.echo(shown, file=stream)


def output_folder(about: str, *, required: bool = True) -> Any:
    """Return the option for the folder that a command writes."""
    return click.option(
        "-o",
        "--output",
        required=required,
        metavar="DIR",
        type=click.Path(path_type=Path, file_okay=False),
        help=about,
    )


def output_file(about: str) -> Any:
    """Return the option for the file that a command writes."""
    return click.option(
        "-o",
        "--output",
        required=True,
        metavar="FILE",
        type=click.Path(path_type=Path, dir_okay=False),
        help=about,
    )


columns_option = click.option(
    "--column",
    "columns",
    multiple=True,
    callback=split_commas,
    metavar="FIELD=COLUMN",
    help="Column of your own file that holds a field, such as text=sentence. Can be repeated.",
)
labels_option = click.option(
    "--label",
    "labels",
    multiple=True,
    callback=split_commas,
    metavar="VALUE=LABEL",
    help="Meaning of a label in your own file: VALUE=1 slanted, VALUE=0 not, VALUE= not judged. Can be repeated.",
)
