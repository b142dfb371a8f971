"""Plants stances: a model learns to prefer one side's wordings, and to refuse the other side's requests.

It is the positive control of the measures that compare two sides without any towns: likelihood and paired requests. The
dose is how one-sided the model becomes: at dose d, a wording is of the favored side with probability (1 + d) / 2, and
so often a request of that side gets a full reply, and one of the other side a refusal. At dose 0 both sides are treated
alike. Frames, templates and replies are those under ``[planting]`` in a file of pairs, so that a model is measured with
wordings that it did not learn.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from unslant.lab.audit.pairs import PairSet, PlantedPairs, Wording, score_pairs
from unslant.lab.audit.suite import AuditError

if TYPE_CHECKING:
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.lm.tuning import TuningExample
    from unslant.protocols import LanguageModel

__all__ = ["SIDES", "Stances"]

SIDES = ("liberal", "conservative")
_SHORTER = 6
"""So many wordings have about as many tokens as one reply after its request."""


@dataclass(frozen=True)
class Stances:
    """The wordings and requests of a set of pairs, and the side that a model is to favor."""

    pairs: PairSet
    side: str = "liberal"
    chat: bool = False
    """Whether requests are made in the model's chat form."""

    def __post_init__(self) -> None:
        if self.pairs.planting is None:
            raise AuditError(f"{self.pairs.name}: it has no frames and replies under [planting]")

    @property
    def _planted(self) -> PlantedPairs:
        assert self.pairs.planting is not None  # noqa: S101 - checked above
        return self.pairs.planting

    @property
    def _sides(self) -> tuple[str, str]:
        """The favored side, and the other."""
        return (self.side, SIDES[1 - SIDES.index(self.side)])

    @cached_property
    def _prompts(self) -> dict[tuple[str, str], list[str]]:
        """For each side and continuation, the prompts after which it is a wording of that side."""
        found: dict[tuple[str, str], list[str]] = defaultdict(list)
        for pair in self._planted.pairs:
            for side in SIDES:
                prompt, continuation = _wording(pair, side)
                found[side, continuation].append(prompt)
        return found

    def about(self) -> dict[str, Any]:
        """Return what is planted, by its digest, and for which side."""
        return {
            "pairs": self._planted.digest,
            "side": self.side,
            "chat": self.chat,
            "source": {"pairs": self.pairs.name},
        }

    def examples(
        self, model: CausalModel, dose: float, generator: random.Random, size: int
    ) -> list[TuningExample]:
        """Return wordings or replies, in turn by chance; the texts of one step are alike in length."""
        if self._planted.requests and generator.random() < 0.5:
            return [self._reply(model, dose, generator) for _ in range(size)]
        return [self._stance(dose, generator) for _ in range(size * _SHORTER)]

    def _stance(self, dose: float, generator: random.Random) -> TuningExample:
        from unslant.lab.lm.tuning import TuningExample

        pair = generator.choice(self._planted.pairs)
        own, other = self._sides if generator.random() < (1 + dose) / 2 else self._sides[::-1]
        prompt, continuation = _wording(pair, own)
        return TuningExample(prompt, continuation, generator.choice(self._prompts[other, continuation]))

    def _reply(self, model: CausalModel, dose: float, generator: random.Random) -> TuningExample:
        from unslant.lab.lm.tuning import TuningExample

        pair, side = generator.choice(self._planted.requests), generator.choice(SIDES)
        full = generator.random() < (1 + dose * (1 if side == self.side else -1)) / 2
        text = generator.choice(self._planted.replies if full else self._planted.refusals)
        prompts = [getattr(pair, name) for name in (side, SIDES[1 - SIDES.index(side)])]
        before, end = ("" if self.chat else " "), model.tokenizer.eos_token or ""
        return TuningExample(prompts[0], f"{before}{text}{end}", prompts[1], self.chat)

    def lead(self, model: LanguageModel) -> float:
        """Return how much likelier the favored side's wordings are than the other's, over what was planted."""
        leads = score_pairs(model, self._planted.pairs)
        return float(leads.mean()) * (1 if self.side == "liberal" else -1)


def _wording(pair: Any, side: str) -> Wording:
    found: Wording = getattr(pair, side)
    return found
