"""A language model without weights: the same prompt and seed give the same text on every machine."""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence

from unslant.core.generation import Generation, Sampling

_WORDS = (
    "the a this that people council town road river market school report plan vote budget law day year "
    "says shows opens meets begins asks finds keeps builds moves and but while because of in on for with "
    "new long early quiet open public local small first next ."
).split()


class MockModel:
    """Draws words by a hash of its name, the prompt and the seed; for demonstrations and tests."""

    def __init__(self, name: str = "mock:") -> None:
        self.name = name

    def digest(self) -> str:
        """Return a digest of the name."""
        return _hash(self.name)

    def generate(self, prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        """Return one text per prompt and seed; every word is a token."""
        return [
            self._generate_text(prompt, seed, sampling) for prompt, seed in zip(prompts, seeds, strict=True)
        ]

    def _generate_text(self, prompt: str, seed: int, sampling: Sampling) -> Generation:
        drawn = str(0 if sampling.temperature == 0 else seed)
        rng = random.Random(_hash(self.name, *filter(None, [sampling.system]), prompt, drawn))  # noqa: S311
        text, reason = "", "length"
        count = 0
        for _ in range(sampling.max_tokens):
            word = rng.choice(_WORDS)
            count += 1
            text += word if word == "." else f" {word}"
            cut = [at for stop in sampling.stop if (at := text.find(stop)) >= 0]
            if cut:
                text, reason = text[: min(cut)], "stop"
                break
        return Generation(prompt, text, seed, count, reason)

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return a fixed value between log 0.001 and log 1 for every word."""
        return [
            [self._value(prompt, str(chat), str(at), word) for at, word in enumerate(continuation.split())]
            for prompt, continuation in zip(prompts, continuations, strict=True)
        ]

    def _value(self, *parts: str) -> float:
        return math.log(0.001 + 0.999 * random.Random(_hash(self.name, *parts)).random())  # noqa: S311


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()
