"""Options that several commands of the lab share."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

import click

from unslant.cli.options import (
    Count,
    Number,
    announce_destinations,
    open_output,
    quiet_option,
    split_commas,
)
from unslant.core.errors import ConfigError
from unslant.core.generation import PRECISIONS, Sampling
from unslant.lab.options import Option, Options, option
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.corpora.own_files import FileDataset
    from unslant.lab.stats.bootstrap import Resampling
    from unslant.protocols import LanguageModel

R = TypeVar("R")


def settings_options(settings: type[Options]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Add an option for each field of a dataclass that is one, and give the command an instance as ``options``.

    Options are listed in the order of the fields, those of base classes after those of the class itself.
    """
    hints = get_type_hints(settings)
    by_name = {field.name: field for field in fields(settings) if "option" in field.metadata}
    names = list(
        dict.fromkeys(name for part in settings.__mro__ for name in vars(part).get("__annotations__", {}))
    )

    def add(command: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(command)
        def run(*args: Any, **given: Any) -> R:
            chosen = settings(**{name: given.pop(name) for name in by_name})
            return command(*args, options=chosen, **given)

        if settings.quiet:
            run = quiet_option(run)
        for name in reversed(names):
            if name in by_name:
                found = by_name[name]
                run = _click_option(name, hints[name], found.default, found.metadata["option"])(run)
        return run

    return add


def _click_option(name: str, hint: Any, default: Any, about: Option) -> Callable[[Any], Any]:
    if get_origin(hint) in (types.UnionType, Union):
        (hint,) = (part for part in get_args(hint) if part is not types.NoneType)
    several = get_origin(hint) is tuple
    hint = get_args(hint)[0] if several else hint
    usual = {int: "N", Path: "FILE"}
    shown = "-o/--output" if name == "output" else f"--{name.replace('_', '-')}"
    return click.option(
        *(about.name or shown).split("/"),
        name,
        **({} if default is None else {"default": default}),
        required=about.required,
        show_default=about.shown and default not in (None, "", ()) and hint is not bool,
        is_flag=hint is bool,
        multiple=several,
        callback=(_split_numbers if hint is int else split_commas) if about.commas else None,
        metavar=about.metavar or usual.get(hint),
        type=str if about.commas else _click_type(hint, about),
        help=about.help,
    )


def _split_numbers(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> tuple[int, ...]:
    try:
        found = tuple(dict.fromkeys(map(int, split_commas(context, parameter, tuple(map(str, values))))))
    except ValueError:
        found = (-1,)
    if min(found, default=-1) < 0:
        raise click.BadParameter("must be numbers of 0 or more, such as 0,5,10,20", param=parameter)
    return found


def _click_type(hint: Any, about: Option) -> Any:
    if get_origin(hint) is Literal or about.choices:
        return click.Choice(about.choices or get_args(hint))
    if hint is Path:
        is_file, is_folder = about.metavar not in ("DIR", "OUT"), about.metavar is not None
        return click.Path(path_type=Path, exists=about.exists, file_okay=is_file, dir_okay=is_folder)
    bounds: Any = (about.least, about.most)
    if bounds == (None, None):
        return hint
    if hint is int:
        return Count(*bounds)
    return Number(about.least, about.most, min_open=about.beyond == "least", max_open=about.beyond == "most")


class DataOptions(Options):
    """Where corpora are."""

    data: Path | None = option(
        "Read corpora from DIR.  [default: $UNSLANT_DATA, then the cache]", metavar="DIR", exists=True
    )


class IntervalOptions(Options):
    """How intervals are computed."""

    resamples: int = option(
        "Bootstrap resamples for the 95 % intervals; 0 turns intervals off.", 1000, least=0
    )
    seed: int = option("Random seed of the resamples.", 0)

    @property
    def resampling(self) -> Resampling:
        """The same for the library."""
        from unslant.lab.stats.bootstrap import Resampling

        return Resampling(self.resamples, self.seed)


class SeedOptions(IntervalOptions):
    """A seed of everything that is drawn, resamples and texts."""

    seed: int = option("Random seed.", 0)


class FormatOptions(Options):
    """How a result is printed."""

    output_format: Literal["text", "json"] = option("Output format.", "text")

    def echo(self, text: str, wire: Any) -> None:
        """Print a result as text or JSON."""
        echo_result(text, wire, self.output_format)


class OutputOptions(FormatOptions):
    """How and where a result is written."""

    output: Path | None = option("Write the result to FILE instead of standard output.")

    def echo(self, text: str, wire: Any) -> None:
        """Write a result as text or JSON, to the file if one is named."""
        echo_result(text, wire, self.output_format, self.output)


def output_folder(about: str) -> Any:
    """Return the option for the folder that a command writes."""
    return option(about, metavar="DIR", required=True)


class ModelOptions(Options):
    """How a language model runs."""

    batch_size: int = option("Texts to generate at the same time.", 8, least=1)
    threads: int | None = option("Threads for PyTorch.  [default: PyTorch's choice]", least=1)
    precision: str | None = option(
        "Floating-point precision of the language model's weights.  [default: float32]", choices=PRECISIONS
    )

    def open_model(self, name: str) -> LanguageModel:
        """Open a language model, after saying where the texts go if it is on a server."""
        from unslant.lab.lm import open_model

        announce_destinations(filter(None, [destination(name)]))
        return open_model(name, batch=self.batch_size, threads=self.threads, precision=self.precision)


class GenerationOptions(ModelOptions):
    """How a language model generates text."""

    max_tokens: int = option("Maximum length of a text, in tokens.", 100, least=1)
    temperature: float = option("Sampling temperature; 0 means greedy decoding.", 1.0, least=0)
    top_k: int = option("Sample from this many of the most likely tokens; 0 means all.", 50, least=0)
    chat: bool = option("Send each prompt as a user's message, with the model's chat template.")
    system: str = option(
        "System prompt, with --chat.  [default: what the chat template has]", "", metavar="TEXT"
    )

    def sampling(self, **more: Any) -> Sampling:
        """Return the same for the library; ``more`` is what a command adds."""
        names = ("max_tokens", "temperature", "top_k", "chat", "system")
        return Sampling(**{name: getattr(self, name) for name in names}, **more)


class DebiasingOptions(Options):
    """How a language model is debiased, where one word says it for all modes."""

    balance: float | None = option(
        "How strongly --debias embedding pulls to equal distance from both sides, relative to its pull away from "
        "both.  [default: 1]",
        least=0,
    )
    hold_side: bool = option(
        "Let --debias classifier push beyond the point where its classifier cannot tell the sides apart."
    )


class TableOptions(Options):
    """What the columns of a table of one's own mean."""

    columns: tuple[str, ...] = option(
        "Column of your own file that holds a field, such as text=sentence. Can be repeated.",
        name="--column",
        metavar="FIELD=COLUMN",
        commas=True,
    )
    labels: tuple[str, ...] = option(
        "Meaning of a label in your own file: VALUE=1 slanted, VALUE=0 not, VALUE= not judged. Can be repeated.",
        name="--label",
        metavar="VALUE=LABEL",
        commas=True,
    )

    def open(self, path: str | Path) -> FileDataset:
        """Return the table; rows that cannot be used are counted."""
        from unslant.lab.corpora.own_files import ColumnMap, FileDataset, parse_columns, parse_labels

        meaning = {"labels": parse_labels(",".join(self.labels))} if self.labels else {}
        return FileDataset(path, ColumnMap(parse_columns(",".join(self.columns)), **meaning), strict=False)


def parse_numbers(given: str, option: str, example: str) -> tuple[float, ...]:
    """Return the numbers of an option that takes several, with commas between them."""
    try:
        found = tuple(float(part) for part in given.split(","))
    except ValueError:
        found = (-1.0,)
    if not all(0 <= number < math.inf for number in found):
        raise ConfigError(f"{option} {given}: write numbers of 0 or more, such as {example}")
    return found


def echo_result(text: str, wire: Any, output_format: str, output: Path | None = None) -> None:
    """Print a result as text or JSON, to a file if one is named."""
    shown = readable(wire, 2) if output_format == "json" else clean_lines(text)
    with open_output(output) as stream:
        click.echo(shown, file=stream)
