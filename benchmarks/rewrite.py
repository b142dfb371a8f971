"""Compare the speed of the edit model with a BART-base that writes whole sentences, in one run.

    python benchmarks/rewrite.py [--model DIR] [--data DIR] [--sentences N] [--threads N] [--repeat N]

BART-base has random weights, because its speed does not depend on them. It reads as many subwords as the sentence has
(about 1.3 per word) and writes as many, like a rewriter that changes little: once greedily, the cheapest way to
generate, and once with a beam of five, as in papers. All alternate on the same sentences, the edit model without a
cache from the turn before; medians are shown. With one thread, CPU time is measured, which other work on the machine
hardly disturbs. Needs the extra `train`, and the WIKIBIAS test sentences.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parents[1] / "src"
PIECES = 1.3
"""Subwords per word of English prose in BART's own tokenizer."""
BATCH = 16


def why_not(model: Path | None) -> str | None:
    """Return a sentence that says why nothing can be measured, or None if it can."""
    from unslant.neural.checkpoint import shipped_model

    if importlib.util.find_spec("unslant.edits") is None:
        return "nothing to measure: this build of unslant has no fixer"
    if model is None and shipped_model() is None:
        return "nothing to measure: this build of unslant has no model; name the package of a trained one with --model"
    missing = [name for name in ("torch", "transformers") if importlib.util.find_spec(name) is None]
    if missing:
        return f"nothing to compare with: {' and '.join(missing)} not installed; try: pip install 'unslant[train]'"
    return None


def fixing(texts: Sequence[str], model: Path | None, repeat: int) -> Callable[[], object]:
    """Return a function that fixes all sentences as the product does, gates and convergence included."""
    import unslant

    spec = unslant.Spec(analyzers=("rules", "model"), model=str(model) if model else "")
    # a fixer caches what it has read, so each turn gets a new one
    fixers: list[Any] = [importlib.import_module("unslant.edits.fixer").Fixer(spec) for _ in range(repeat)]
    for fixer in fixers:
        list(fixer.fix([unslant.read("It was a truly great day for the whole town.")]))
    documents = [unslant.read(text) for text in texts]
    return lambda: list(fixers.pop().fix(documents))


def writing(texts: Sequence[str], beams: int, threads: int) -> Callable[[], object]:
    """Return a function that lets BART-base write as many subwords as each sentence has, in batches."""
    import torch
    from transformers import BartConfig, BartForConditionalGeneration

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    config = BartConfig(
        d_model=768,
        encoder_layers=6,
        decoder_layers=6,
        encoder_ffn_dim=3072,
        decoder_ffn_dim=3072,
        encoder_attention_heads=12,
        decoder_attention_heads=12,
    )
    network = BartForConditionalGeneration(config).eval()
    lengths = sorted(max(4, round(PIECES * len(text.split()))) for text in texts)

    def write() -> None:
        for start in range(0, len(lengths), BATCH):
            some = lengths[start : start + BATCH]
            ids = torch.randint(4, config.vocab_size, (len(some), some[-1]))
            # the median length of the batch, because short sentences would have ended earlier
            count = some[len(some) // 2]
            with torch.no_grad():
                network.generate(
                    input_ids=ids,
                    attention_mask=torch.ones_like(ids),
                    num_beams=beams,
                    min_new_tokens=count,
                    max_new_tokens=count,
                    do_sample=False,
                )

    return write


def in_turns(
    count: int, measured: dict[str, Callable[[], object]], repeat: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Return sentences per second, the median of several turns."""
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for _ in range(repeat):
        for name, call in measured.items():
            start = clock()
            call()
            rates[name].append(count / (clock() - start))
    return {name: statistics.median(found) for name, found in rates.items()}


def main() -> None:
    """Run the benchmark, or say why it cannot run."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", type=Path, help="the package of a trained model (default: the one that ships)"
    )
    parser.add_argument("--data", type=Path, help="the folder with the corpora")
    parser.add_argument("--sentences", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    sys.path.insert(0, str(SOURCE))
    os.environ["UNSLANT_THREADS"] = str(options.threads)
    reason = why_not(options.model)
    if reason is not None:
        print(reason)
        return

    from unslant.lab import corpora

    examples = (example for example in corpora.load("wikibias", options.data) if example.split == "test")
    texts = [example.text for example in examples if example.side == "source"][: options.sentences]
    rates = in_turns(
        len(texts),
        {
            "edit model": fixing(texts, options.model, options.repeat),
            "BART-base, greedy": writing(texts, 1, options.threads),
            "BART-base, beam of 5": writing(texts, 5, options.threads),
        },
        options.repeat,
        time.process_time if options.threads == 1 else time.perf_counter,
    )
    for name, rate in rates.items():
        print(f"  {name + ', sentences/s':<40} {rate:10.2f}")
    for name in list(rates)[1:]:
        print(f"  {'times ' + name:<40} {rates['edit model'] / rates[name]:10.2f}")


if __name__ == "__main__":
    main()
