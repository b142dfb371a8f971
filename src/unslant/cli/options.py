"""Options that several commands share, and the settings that they lead to."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TextIO, TypedDict, TypeVar

import click

import unslant
from unslant.cli.exits import Exit
from unslant.cli.progress import QUIET
from unslant.config import Settings, SettingsCache
from unslant.config.settings import FAIL_ON
from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.files import explain_unwritten
from unslant.core.types import Severity
from unslant.profiles import AUTO, profiles
from unslant.report.printable import clean_lines
from unslant.spec import TIERS
from unslant.text.formats import FORMATS
from unslant.workspace.plan import Inputs

P = ParamSpec("P")
R = TypeVar("R")

_WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""


class ConfigOptions(TypedDict):
    """What :func:`config_options` adds."""

    config: Path | None
    no_config: bool


class AnalyzerOptions(ConfigOptions):
    """What :func:`analyzer_options` adds."""

    tier: str | None
    model: str | None


class SelectionOptions(AnalyzerOptions):
    """What :func:`selection_options` adds."""

    select: tuple[str, ...]
    ignore: tuple[str, ...]
    include: tuple[str, ...]


class JudgingOptions(SelectionOptions):
    """What :func:`judging_options` adds."""

    profile: str | None
    threshold: float | None
    min_severity: str | None
    quotations: bool | None


class TextOptions(JudgingOptions):
    """What :func:`text_options` adds beside ``--output-format``, which not every command may leave open."""

    analyzer: tuple[str, ...]
    exclude: tuple[str, ...]
    input_format: str | None
    stdin_name: str | None
    sample: bool
    fail_on: str | None
    output: Path | None
    color: str
    show_config: bool


class Count(click.IntRange):
    """A whole number with limits; the help text says what matters about them."""

    name = "N"

    def _describe_range(self) -> str:
        return ""


class Number(click.FloatRange):
    """A number with limits; the help text says what matters about them."""

    name = "X"

    def _describe_range(self) -> str:
        return ""


def split_commas(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """Accept a repeated option as well as one value with commas."""
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _add(options: Sequence[Callable[[Any], Any]], command: Callable[P, R]) -> Callable[P, R]:
    """Add options to a command, in the order in which they are to be listed."""
    for option in reversed(options):
        command = option(command)
    return command


def config_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--config`` and ``--no-config``."""
    return _add(
        (
            click.option(
                "--config",
                metavar="FILE",
                type=click.Path(path_type=Path),
                help="Read this configuration file instead of the nearest unslant.toml or pyproject.toml.",
            ),
            click.option("--no-config", is_flag=True, help="Do not read any configuration file."),
        ),
        command,
    )


def _remember_quiet(context: click.Context, _: click.Parameter, value: bool) -> None:
    context.meta[QUIET] = value


quiet_option = click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=_remember_quiet,
    help="Do not show progress.",
)
"""Adds ``--quiet``."""

color_option = click.option(
    "--color",
    type=click.Choice(["auto", "always", "never"]),
    default="auto",
    show_default=True,
    help="When to use color.",
)
"""Adds ``--color``."""


def output_format_option(
    *formats: str, default: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add ``--output-format``; without a default the configuration decides."""
    shown = "" if default else f"  [default: {formats[0]}]"
    return click.option(
        "--output-format",
        type=click.Choice(formats),
        default=default,
        show_default=default is not None,
        help=f"Output format.{shown}",
    )


def output_option(
    about: str = "Write to FILE instead of standard output.",
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add ``--output`` for a file."""
    return click.option(
        "-o", "--output", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False), help=about
    )


_LISTED: dict[str, Any] = {"multiple": True, "callback": split_commas, "metavar": "LIST"}
_TIER = click.option(
    "--tier", type=click.Choice(list(TIERS)), help="Use the rules, the model, or both.  [default: all]"
)
_MODEL = click.option(
    "--model", metavar="DIR", help="Use the model in DIR instead of the one that ships with unslant."
)


def analyzer_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--tier`` and ``--model``."""
    return _add((_TIER, _MODEL), command)


def selection_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--select``, ``--ignore`` and ``--include``."""
    return _add(
        (
            click.option(
                "--select",
                **_LISTED,
                help="Use only these rules, kinds or dimensions (separate with commas, or repeat).",
            ),
            click.option("--ignore", **_LISTED, help="Do not use these rules, kinds or dimensions."),
            click.option(
                "--include",
                **_LISTED,
                help="Also use these rules, or sets of rules such as docs/plain, which are off by default.",
            ),
        ),
        command,
    )


rewriter_option = click.option(
    "--rewriter",
    metavar="NAME",
    help="Take wordings from this rewriter as well as from the rules and the model: auto, none, unslant, mlm:MODEL, "
    "hf:MODEL, llm:MODEL or trained:DIR.  [default: auto]",
)
"""Adds ``--rewriter``."""

tier_option = click.option(
    "--tier",
    type=click.Choice(list(TIERS)),
    default="all",
    show_default=True,
    help="Use the rules, the model, or both.",
)
"""Adds ``--tier`` to a command that reads no configuration."""


def text_options(
    *output_formats: str, default: str | None = None
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Add what every command that reads texts takes: what to read, what to look for, how to report it."""

    def add(command: Callable[P, R]) -> Callable[P, R]:
        return _add((*_reading(), *_reporting(output_formats, default), config_options), command)

    return add


def judging_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add what decides how strictly texts are judged."""
    return _add(
        (
            click.option(
                "--profile",
                type=click.Choice([AUTO, *profiles()]),
                help="Judge the texts by the standard of this kind of text.  [default: auto]",
            ),
            click.option(
                "--threshold",
                type=Number(),
                help="Drop findings that editors would accept less often than this.  [default: by profile]",
            ),
            click.option(
                "--min-severity",
                type=click.Choice([severity.value for severity in Severity]),
                help="Drop findings of a lower severity.  [default: suggestion]",
            ),
            click.option("--quotations", is_flag=True, default=None, help="Include direct quotations."),
        ),
        command,
    )


def _reading() -> tuple[Callable[[Any], Any], ...]:
    return (
        click.argument("paths", nargs=-1),
        selection_options,
        _TIER,
        click.option(
            "--analyzer",
            multiple=True,
            callback=split_commas,
            metavar="NAME",
            help="Use this analyzer instead of a tier: rules, model, hf:MODEL or llm:MODEL. Can be repeated.",
        ),
        _MODEL,
        judging_options,
        click.option(
            "--exclude",
            multiple=True,
            callback=split_commas,
            metavar="PATTERN",
            help="Skip paths that match this pattern, written as in .gitignore. Can be repeated.",
        ),
        click.option(
            "--input-format",
            type=click.Choice(sorted(FORMATS)),
            help="Read every input in this format.  [default: by suffix]",
        ),
        click.option(
            "--stdin-name",
            metavar="PATH",
            help="Report standard input under this name; its suffix sets the format.",
        ),
        click.option("--sample", is_flag=True, help="Use the sample text that ships with unslant."),
    )


def _reporting(output_formats: Sequence[str], default: str | None) -> tuple[Callable[[Any], Any], ...]:
    return (
        click.option(
            "--fail-on",
            type=click.Choice(FAIL_ON),
            help="Exit with code 1 if a finding of at least this severity is left.  [default: warning]",
        ),
        output_format_option(*output_formats, default=default),
        output_option("Write the report to FILE instead of standard output."),
        color_option,
        quiet_option,
        click.option(
            "--show-config",
            is_flag=True,
            help="Print every setting and where it was set, then exit.",
        ),
    )


_KEYS = (
    "select",
    "ignore",
    "include",
    "fail_on",
    "output_format",
    "model",
    "quotations",
    "profile",
    "threshold",
    "min_severity",
    "exclude",
    "jobs",
    "rewriter",
    "budget",
)
"""The options that override a setting of the same name."""


def settings_cache(
    config: Path | None, no_config: bool, overrides: Mapping[str, object] | None = None
) -> SettingsCache:
    """Return the settings of every folder, overridden by the command line."""
    return SettingsCache(
        Path.cwd(),
        known_rules=known_rules,
        config=config,
        use_config=not no_config,
        overrides=overrides or {},
    )


def read_settings(options: Mapping[str, Any]) -> SettingsCache:
    """Return the settings of every folder, overridden by the options of a command."""
    overrides = {key.replace("_", "-"): options[key] for key in _KEYS if key in options}
    tier = options.get("tier")
    overrides["analyzers"] = options.get("analyzer") or (TIERS[tier] if tier else None)
    overrides["cache"] = False if options.get("no_cache") else None
    return settings_cache(options["config"], options["no_config"], overrides)


def current_settings(options: Mapping[str, Any]) -> Settings:
    """Return the settings of the current folder, overridden by the options of a command."""
    return read_settings(options).for_path(Path.cwd())


def known_rules(rule_files: tuple[tuple[str, str], ...]) -> Collection[str]:
    """Return the ids that a selector may name."""
    from unslant.rules.analyzer import selectable_ids

    return selectable_ids(rule_files)


def input_paths(paths: tuple[str, ...], sample: bool) -> tuple[str, ...]:
    """Return what to read: the paths, the sample, or standard input if it is not a terminal."""
    if sample:
        return (*paths, str(Path(unslant.__file__).with_name("samples") / "sample.md"))
    if paths:
        return paths
    if sys.stdin.isatty():
        raise click.UsageError("no input: name files or folders, - for standard input, or try --sample")
    return ("-",)


def given_text(text: str, paths: tuple[str, ...], input_format: str | None) -> Inputs:
    """Return a text of the command line as what to read."""
    if paths:
        raise click.UsageError("give PATHS or --text, not both")
    return Inputs(("-",), io.BytesIO(text.encode("utf-8", "replace")), input_format, "<text>")


def announce_destinations(addresses: Iterable[str]) -> None:
    """Say on standard error where text is sent, before any is; nothing is sent without a word."""
    for address in addresses:
        click.echo(clean_lines(f"unslant: the text is sent to {address}"), err=True)


@contextmanager
def open_output(output: Path | None) -> Iterator[TextIO]:
    """Open the file of ``--output``, or give standard output."""
    if output is None:
        yield sys.stdout
        return
    try:
        with _open_for_writing(output) as stream:
            yield stream
    except OSError as error:
        # the disk may be full
        raise ConfigError(f"--output {explain_unwritten(output, error)}") from error


def _open_for_writing(output: Path) -> TextIO:
    """Open a file or a device; a pipe without a reader is an error, and not waited for."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NONBLOCK", 0)
    descriptor = os.open(output, flags, 0o666)
    os.set_blocking(descriptor, True)
    return open(descriptor, "w", encoding="utf-8")  # noqa: PTH123 - it is a descriptor


def use_color(color: str, stream: TextIO) -> bool:
    """Return whether to use color, by ``--color``, the terminal and ``NO_COLOR``."""
    on_terminal = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return color == "always" or (color == "auto" and on_terminal)


def terminal_width() -> int:
    """Return how many cells a line may have."""
    return min(shutil.get_terminal_size().columns, _WIDEST)


def exit_code(worst: Severity | None, fail_on: str) -> Exit:
    """Return the exit code of a run whose worst finding has this severity."""
    if fail_on == "never" or worst is None or worst.rank < Severity(fail_on).rank:
        return Exit.CLEAN
    return Exit.FINDINGS


@contextmanager
def missing_extra(what: str, extra: str) -> Iterator[None]:
    """Turn a failed import of somebody else's package into a sentence that says what to install."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("unslant", ""):
            raise
        raise MissingExtra(what, package, extra) from error
