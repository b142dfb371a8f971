"""``unslant generate``: a language model writes, as it is or calibrated."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.core.generation import PRECISIONS
from unslant.lab.debias.settings import METHODS

if TYPE_CHECKING:
    from unslant.core.generation import Generation

__all__ = ["generate"]


@click.command()
@click.argument("model")
@click.option("--prompt", "prompts", multiple=True, help="A text to go on with; may be given again.")
@click.option(
    "--prompts", "file", type=click.File(encoding="utf-8"), help="A file with a prompt a line; - is stdin."
)
@click.option("--debias", type=click.Choice(METHODS), default="none", show_default=True, help="How to write.")
@click.option(
    "--strength", type=click.FloatRange(0), help="Of calibration at the first token.  [default: 0.6]"
)
@click.option(
    "--target",
    type=click.FloatRange(0, min_open=True),
    help="Divergence a token to aim at.  [default: 0.02 embedding, 0.05 classifier]",
)
@click.option(
    "--words", type=click.Path(path_type=Path, dir_okay=False), help="Bias words; else those that ship."
)
@click.option(
    "--guide", type=click.Path(path_type=Path), help="The debiaser's folder, or a table of replacements."
)
@click.option("--full-loop", is_flag=True, help="Calibrate by the slow loop over the whole vocabulary.")
@click.option("--samples", type=click.IntRange(1), default=1, show_default=True, help="Texts a prompt.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Of the first sample; the next count on."
)
@click.option(
    "--tokens", type=click.IntRange(1), default=100, show_default=True, help="Where a text is cut off."
)
@click.option("--to-length", is_flag=True, help="No text ends before it is cut off.")
@click.option("--temperature", type=click.FloatRange(0), default=1.0, show_default=True, help="0: no chance.")
@click.option("--top-k", type=click.IntRange(0), default=50, show_default=True, help="0: any token can come.")
@click.option(
    "--top-p", type=click.FloatRange(0, 1, min_open=True), default=1.0, show_default=True, help="1: any."
)
@click.option("--chat", is_flag=True, help="A prompt is a user's turn, not a text to go on with.")
@click.option("--batch", type=click.IntRange(1), default=8, show_default=True, help="Texts at a time.")
@click.option("--threads", type=click.IntRange(1), help="Threads for torch.  [default: torch's choice]")
@click.option(
    "--precision", type=click.Choice(PRECISIONS), help="Of the model's numbers.  [default: float32]"
)
@click.option(
    "--format", "form", type=click.Choice(["text", "jsonl"]), default="text", help="How to print them."
)
@click.pass_context
def generate(ctx: click.Context, /, model: str, prompts: tuple[str, ...], file: Any, **options: Any) -> None:
    """Let MODEL go on with prompts, as it is or with less political slant.

    MODEL is a hub name, a folder, a .gguf file, an OpenAI-compatible address, or mock:ANY.
    """
    asked = [*prompts, *(line.rstrip("\n") for line in file or () if line.strip())]
    if not asked:
        ctx.fail("Missing option '--prompt': a text to go on with.")
    from unslant.core.generation import Sampling
    from unslant.lab.debias import Settings, calibrate
    from unslant.lab.lm import open_model

    sampling = Sampling(
        max_tokens=options["tokens"],
        temperature=options["temperature"],
        top_k=options["top_k"],
        top_p=options["top_p"],
        to_length=options["to_length"],
        chat=options["chat"],
    )
    mode = options["debias"]
    settings = None
    if mode in ("embedding", "classifier"):
        settings = Settings(mode, target=options["target"])
        settings = replace(settings, candidates=0) if options["full_loop"] else settings
    opened = open_model(
        model, batch=options["batch"], threads=options["threads"], precision=options["precision"]
    )
    writer = calibrate(
        opened,
        mode,
        strength=options["strength"],
        words=options["words"],
        guide=options["guide"],
        settings=settings,
    )
    pairs = [(prompt, options["seed"] + at) for prompt in asked for at in range(options["samples"])]
    for start in range(0, len(pairs), options["batch"]):
        part = pairs[start : start + options["batch"]]
        for one in writer.generate([prompt for prompt, _ in part], [seed for _, seed in part], sampling):
            click.echo(_line(one) if options["form"] == "jsonl" else f"[{one.seed}] {one.prompt}{one.text}\n")


def _line(one: Generation) -> str:
    return json.dumps(asdict(one), ensure_ascii=False)
