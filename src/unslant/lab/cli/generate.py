"""``unslant generate``: lets a language model write, as it is or debiased."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from unslant.cli.options import Count, Number, announce_destinations, output_format_option
from unslant.core.errors import ConfigError
from unslant.core.files import MAX_BYTES, read_text
from unslant.lab.cli.options import (
    balance_option,
    generation_options,
    hold_side_option,
    sampling_of,
    seed_option,
)
from unslant.lab.debias.settings import METHODS, STEERED
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.spec import destination
from unslant.workspace.files import read_stdin


@click.command()
@click.argument("model")
@click.option("--prompt", "prompts", multiple=True, help="Text to continue. Can be repeated.")
@click.option(
    "--prompts",
    "file",
    metavar="FILE",
    type=click.Path(path_type=Path, allow_dash=True),
    help="Read one prompt per line from FILE; - is standard input.",
)
@click.option(
    "--debias",
    type=click.Choice(METHODS),
    default="none",
    show_default=True,
    help="Method for reducing the slant.",
)
@click.option(
    "--strength",
    type=Number(0),
    help="Strength (lambda) of the debiasing at the first token.  [default: 0.6; 1 for steering and contrastive]",
)
@click.option(
    "--target",
    type=Number(0, min_open=True),
    help="Divergence per token to aim for.  [default: 0.02 for embedding, 0.05 for classifier]",
)
@click.option(
    "--words",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Bias words.  [default: those that ship with unslant]",
)
@click.option(
    "--guide",
    metavar="PATH",
    help="What was made for --debias: a debiaser's folder, a table of replacements, EXPERT,ANTIEXPERT for "
    "contrastive, or the system prompt for prompt.",
)
@click.option(
    "--rate",
    type=Number(0, min_open=True),
    help="Size of a step on the hidden state, relative to its root mean square.  "
    "[default: 0.005 for embedding, 0.02 for classifier, or 0.05 of the way that its debiaser has learned]",
)
@click.option(
    "--layer",
    type=Count(0),
    help="The layer that --debias steering changes.  [default: where the sides are farthest apart]",
)
@balance_option
@hold_side_option
@click.option("--full-loop", is_flag=True, help="Use the slow reference loop over the whole vocabulary.")
@click.option("--samples", type=Count(1), default=1, show_default=True, help="Texts per prompt.")
@seed_option("Random seed of the first text of a prompt; each further text adds 1.")
@click.option("--ignore-eos", is_flag=True, help="Generate exactly --max-tokens tokens.")
@click.option(
    "--top-p",
    type=Number(0, 1, min_open=True),
    default=1.0,
    show_default=True,
    help="Sample from the most likely tokens that together have this probability; 1 means all.",
)
@generation_options
@output_format_option("text", "jsonl", default="text")
@click.pass_context
def generate(
    ctx: click.Context, /, model: str, prompts: tuple[str, ...], file: Path | None, **options: Any
) -> None:
    """Let MODEL continue prompts, as it is or with less political slant.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.
    """
    prompts = (*prompts, *(_read_prompts(file) if file is not None else ()))
    if not prompts:
        ctx.fail("Missing option '--prompt' or '--prompts'.")
    from unslant.lab.debias import DebiasSettings, debias
    from unslant.lab.lm import open_model

    sampling = sampling_of(options, top_p=options["top_p"], to_length=options["ignore_eos"])
    mode = options["debias"]
    settings = None
    if mode in STEERED:
        settings = DebiasSettings(
            mode, target=options["target"], rate=options["rate"], hold_side=options["hold_side"]
        )
        settings = settings if options["balance"] is None else replace(settings, balance=options["balance"])
        settings = replace(settings, candidates=0) if options["full_loop"] else settings
    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(
        model, batch=options["batch_size"], threads=options["threads"], precision=options["precision"]
    )
    writer = debias(
        opened,
        mode,
        strength=options["strength"],
        words=options["words"],
        guide=options["guide"],
        settings=settings,
        layer=options["layer"],
    )
    pairs = [(prompt, options["seed"] + at) for prompt in prompts for at in range(options["samples"])]
    for start in range(0, len(pairs), options["batch_size"]):
        part = pairs[start : start + options["batch_size"]]
        texts = writer.generate([prompt for prompt, _ in part], [seed for _, seed in part], sampling)
        for text in texts:
            if options["output_format"] == "jsonl":
                click.echo(readable(asdict(text)))
            else:
                click.echo(clean_lines(f"[{text.seed}] {text.prompt}{text.text}\n"))


def _read_prompts(file: Path) -> list[str]:
    """Return the lines of a file, or of standard input for ``-``, that are not blank."""
    text = read_stdin(sys.stdin.buffer, MAX_BYTES) if str(file) == "-" else read_text(file, ConfigError)
    return [line for line in text.split("\n") if line.strip()]
