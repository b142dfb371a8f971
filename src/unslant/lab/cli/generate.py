"""``unslant generate``: lets a language model write, as it is or debiased."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Literal

import click

from unslant.core.errors import ConfigError
from unslant.core.files import MAX_BYTES, read_text
from unslant.lab.cli.options import DebiasingOptions, GenerationOptions, settings_options
from unslant.lab.debias.settings import METHODS, STEERED, DebiasSettings
from unslant.lab.options import option
from unslant.report.printable import clean_lines
from unslant.report.wire import readable
from unslant.workspace.files import read_stdin


class _Generate(GenerationOptions, DebiasingOptions):
    output_format: Literal["text", "jsonl"] = option("Output format.", "text")
    prompts: tuple[str, ...] = option("Text to continue. Can be repeated.", name="--prompt")
    file: str | None = option(
        "Read one prompt per line from FILE; - is standard input.", name="--prompts", metavar="FILE"
    )
    debias: str = option("Method for reducing the slant.", "none", choices=METHODS)
    strength: float | None = option(
        "Strength (lambda) of the debiasing at the first token.  [default: 0.6; 1 for steering and contrastive]",
        least=0,
    )
    target: float | None = option(
        "Divergence per token to aim for.  [default: 0.02 for embedding, 0.05 for classifier]",
        least=0,
        beyond="least",
    )
    words: Path | None = option("Bias words.  [default: those that ship with unslant]")
    guide: str | None = option(
        "What was made for --debias: a debiaser's folder, a table of replacements, EXPERT,ANTIEXPERT for "
        "contrastive, or the system prompt for prompt.",
        metavar="PATH",
    )
    rate: float | None = option(
        "Size of a step on the hidden state, relative to its root mean square.  "
        "[default: 0.005 for embedding, 0.02 for classifier, or 0.05 of the way that its debiaser has learned]",
        least=0,
        beyond="least",
    )
    layer: int | None = option(
        "The layer that --debias steering changes.  [default: where the sides are farthest apart]", least=0
    )
    full_loop: bool = option("Use the slow reference loop over the whole vocabulary.")
    samples: int = option("Texts per prompt.", 1, least=1)
    seed: int = option("Random seed of the first text of a prompt; each further text adds 1.", 0)
    ignore_eos: bool = option("Generate exactly --max-tokens tokens.")
    top_p: float = option(
        "Sample from the most likely tokens that together have this probability; 1 means all.",
        1.0,
        least=0,
        most=1,
        beyond="least",
    )

    def settings(self) -> DebiasSettings | None:
        if self.debias not in STEERED:
            return None
        found = DebiasSettings(self.debias, target=self.target, rate=self.rate, hold_side=self.hold_side)
        found = found if self.balance is None else replace(found, balance=self.balance)
        return replace(found, candidates=0) if self.full_loop else found


@click.command()
@click.argument("model")
@settings_options(_Generate)
@click.pass_context
def generate(ctx: click.Context, /, model: str, options: _Generate) -> None:
    """Let MODEL continue prompts, as it is or with less political slant.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.
    """
    prompts = (*options.prompts, *(_read_prompts(Path(options.file)) if options.file is not None else ()))
    if not prompts:
        ctx.fail("Missing option '--prompt' or '--prompts'.")
    from unslant.lab.debias import debias

    sampling = options.sampling(top_p=options.top_p, to_length=options.ignore_eos)
    settings, batch = options.settings(), options.batch_size
    writer = debias(
        options.open_model(model),
        options.debias,
        strength=options.strength,
        words=options.words,
        guide=options.guide,
        settings=settings,
        layer=options.layer,
    )
    pairs = [(prompt, options.seed + at) for prompt in prompts for at in range(options.samples)]
    for start in range(0, len(pairs), batch):
        part = pairs[start : start + batch]
        for text in writer.generate([prompt for prompt, _ in part], [seed for _, seed in part], sampling):
            if options.output_format == "jsonl":
                click.echo(readable(asdict(text)))
            else:
                click.echo(clean_lines(f"[{text.seed}] {text.prompt}{text.text}\n"))


def _read_prompts(file: Path) -> list[str]:
    """Return the lines of a file, or of standard input for ``-``, that are not blank."""
    text = read_stdin(sys.stdin.buffer, MAX_BYTES) if str(file) == "-" else read_text(file, ConfigError)
    return [line for line in text.split("\n") if line.strip()]
