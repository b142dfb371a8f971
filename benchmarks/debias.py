"""How long a token takes with debiasing, against the same model without it, in one run.

    python benchmarks/debias.py MODEL --debiaser DIR [--batch 8] [--tokens 100] [--rounds 3] [--no-full-loop]

Every round runs all methods, each right after the plain model, so that other work on the machine slows both. The result
is the median over rounds of the ratio within a round. CPU time is printed next to wall-clock time: with one thread,
other processes disturb it least. The published ratios are 1.375 (1.1 s against 0.8 s) for mode 1 and 1.625 (1.3 s) for
mode 2, on a GPU with GPT-2 medium.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from unslant.core.generation import Sampling
from unslant.lab.debias import DebiasSettings, debias
from unslant.lab.lm import open_model
from unslant.protocols import LanguageModel

PROMPTS = [
    "The council said that",
    "About voting, people from the town will",
    "I want to talk about taxes, because",
]
PUBLISHED = {"embedding": 1.375, "classifier": 1.625}


def main() -> None:
    """Time each method and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--debiaser", type=Path)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--full-tokens", type=int, default=10, help="tokens for the slow full loop")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-full-loop", action="store_true")
    given = parser.parse_args()
    model = open_model(given.model, batch=given.batch, threads=given.threads)
    _seconds(model, given.batch, 2)  # warm up: one-time costs are not measured
    ways = _ways(model, given.debiaser, full=not given.no_full_loop)
    rounds: dict[str, list[Times]] = {name: [] for name in ways}
    for _ in range(given.rounds):
        for name, (writer, short) in ways.items():
            tokens = given.full_tokens if short else given.tokens
            before = _seconds(model, given.batch, tokens)
            rounds[name].append(Times(tokens, before, _seconds(writer, given.batch, tokens)))
    _print(rounds, given)


class Times(NamedTuple):
    """Wall-clock and CPU time of the plain model and of one method, measured one right after the other."""

    tokens: int
    vanilla: tuple[float, float]
    way: tuple[float, float]


def _ways(
    model: LanguageModel, debiaser: Path | None, *, full: bool
) -> dict[str, tuple[LanguageModel, bool]]:
    modes = ["embedding", *(["classifier"] if debiaser else [])]
    guides = {"classifier": debiaser}
    ways: dict[str, tuple[LanguageModel, bool]] = {
        mode: (debias(model, mode, guide=guides.get(mode)), False) for mode in modes
    }
    if full:
        for mode in modes:
            whole = DebiasSettings(mode, candidates=0)
            ways[f"{mode}, full loop"] = (debias(model, mode, guide=guides.get(mode), settings=whole), True)
    return ways


def _seconds(writer: LanguageModel, batch: int, tokens: int) -> tuple[float, float]:
    prompts = [PROMPTS[at % len(PROMPTS)] for at in range(batch)]
    start = time.perf_counter(), time.process_time()
    writer.generate(prompts, range(batch), Sampling(max_tokens=tokens, to_length=True))
    return time.perf_counter() - start[0], time.process_time() - start[1]


def _print(rounds: dict[str, list[Times]], given: argparse.Namespace) -> None:
    rows: dict[str, Any] = {}
    for name, times in rounds.items():
        told: dict[str, Any] = {
            "rounds": len(times),
            "tokens": times[0].tokens,
            "published": PUBLISHED.get(name),
        }
        for at, kind in enumerate(("clock", "processor")):
            ratios = [item.way[at] / item.vanilla[at] for item in times]
            told[kind] = {
                "vanilla_ms_a_step": round(
                    1000 * median(item.vanilla[at] / item.tokens for item in times), 1
                ),
                "ms_a_step": round(1000 * median(item.way[at] / item.tokens for item in times), 1),
                "ratio": round(median(ratios), 3),
                "lowest": round(min(ratios), 3),
                "highest": round(max(ratios), 3),
            }
        rows[name] = told
        clock, processor = told["clock"], told["processor"]
        print(
            f"{name:<24} clock {clock['ratio']:6.3f} ({clock['lowest']:.3f} to {clock['highest']:.3f}), "
            f"processor {processor['ratio']:6.3f} ({processor['lowest']:.3f} to {processor['highest']:.3f}) x vanilla, "
            f"which takes {processor['vanilla_ms_a_step']} ms of the processor for a step of {given.batch}"
        )
    print(json.dumps({"model": given.model, "batch": given.batch, "ways": rows}))


if __name__ == "__main__":
    main()
