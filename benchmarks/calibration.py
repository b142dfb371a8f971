"""How long a token takes with calibration, against the same model without it, in one run.

    python benchmarks/calibration.py MODEL --debiaser DIR [--batch 8] [--tokens 100] [--rounds 3] [--no-full-loop]

Every round runs all ways in turn, so that a busy machine is busy for all of them; the best round of each counts. Time
of the processor is given beside that of the clock: with one thread it is what neighbours disturb least. The published
ratios are 1.375 (1.1 s against 0.8 s) for mode 1 and 1.625 (1.3 s) for mode 2, on a GPU with GPT-2 medium.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from unslant.calibration import Settings, calibrate
from unslant.core.generation import Sampling
from unslant.lm import open_model
from unslant.protocols import LanguageModel

PROMPTS = [
    "The council said that",
    "About voting, people from the town will",
    "I want to talk about taxes, because",
]
PUBLISHED = {"embedding": 1.375, "classifier": 1.625}


def main() -> None:
    """Time every way of writing and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("--debiaser", type=Path)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--tokens", type=int, default=100)
    parser.add_argument("--full-tokens", type=int, default=10, help="tokens for the full loop, which is slow")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--no-full-loop", action="store_true")
    given = parser.parse_args()
    model = open_model(given.model, batch=given.batch, threads=given.threads)
    ways = _ways(model, given.debiaser, full=not given.no_full_loop)
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ways}
    for _ in range(given.rounds):
        for name, (writer, short) in ways.items():
            tokens = given.full_tokens if short else given.tokens
            clock, processor = _seconds(writer, given.batch, tokens)
            times[name].append((clock / tokens, processor / tokens))
    _print(
        {name: (min(one for one, _ in all_), min(one for _, one in all_)) for name, all_ in times.items()},
        given,
    )


def _ways(
    model: LanguageModel, debiaser: Path | None, *, full: bool
) -> dict[str, tuple[LanguageModel, bool]]:
    modes = ["embedding", *(["classifier"] if debiaser else [])]
    ways: dict[str, tuple[LanguageModel, bool]] = {"vanilla": (model, False)}
    for mode in modes:
        ways[mode] = (calibrate(model, mode, guide=debiaser), False)
    if full:
        ways["vanilla, short"] = (model, True)
        for mode in modes:
            whole = Settings(mode, candidates=0)
            ways[f"{mode}, full loop"] = (calibrate(model, mode, guide=debiaser, settings=whole), True)
    return ways


def _seconds(writer: LanguageModel, batch: int, tokens: int) -> tuple[float, float]:
    prompts = [PROMPTS[at % len(PROMPTS)] for at in range(batch)]
    start = time.perf_counter(), time.process_time()
    writer.generate(prompts, range(batch), Sampling(max_tokens=tokens, to_length=True))
    return time.perf_counter() - start[0], time.process_time() - start[1]


def _print(best: dict[str, tuple[float, float]], given: argparse.Namespace) -> None:
    rows = {}
    for name, (clock, processor) in best.items():
        base = best["vanilla, short"] if "full loop" in name else best["vanilla"]
        ratios = clock / base[0], processor / base[1]
        rows[name] = {
            "ms_a_step": round(1000 * clock, 1),
            "processor_ms_a_step": round(1000 * processor, 1),
            "ratio": round(ratios[0], 3),
            "processor_ratio": round(ratios[1], 3),
            "published": PUBLISHED.get(name),
        }
        print(
            f"{name:<24} {1000 * clock:8.1f} ms ({1000 * processor:8.1f} ms of the processor) a step of {given.batch}, "
            f"{ratios[0]:7.3f} ({ratios[1]:7.3f}) x vanilla"
        )
    print(json.dumps({"model": given.model, "batch": given.batch, "tokens": given.tokens, "ways": rows}))


if __name__ == "__main__":
    main()
