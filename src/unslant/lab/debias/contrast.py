"""Contrastive decoding in the manner of DExperts (Liu et al., ACL 2021).

Before each token is drawn, the logits of the model are moved by what an expert finds likelier than an anti-expert:

    z' = z + strength · (z_expert - z_anti)

The anti-expert is a model with a planted slant, the expert the same model without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from unslant.core.errors import ModelError
from unslant.lab.lm.causal import CausalModel
from unslant.lab.lm.decoding import Decoding


class ContrastiveModel(CausalModel):
    """A model whose logits an expert and an anti-expert change; all three have the same tokens."""

    def __init__(self, base: CausalModel, expert: CausalModel, anti: CausalModel, strength: float) -> None:
        super().__init__(base.model, base.tokenizer, base.name, batch=base.batch)
        self._others, self._strength = (expert, anti), strength
        for other in self._others:
            if other.tokenizer.get_vocab() != base.tokenizer.get_vocab():
                raise ModelError(
                    f"{other.name}: other tokens than those of {base.name}; use models of one family."
                )

    def _read(self, ids: list[list[int]]) -> Decoding:
        return self._combine([super()._read(ids), *(other._read(ids) for other in self._others)])

    def step(self, state: Decoding, tokens: Tensor) -> Decoding:
        """Add one token to each text in all three models."""
        own, *rest = state.cache
        others = [model.step(part, tokens) for model, part in zip(self._others, rest, strict=True)]
        return self._combine([super().step(own, tokens), *others])

    def _combine(self, states: Sequence[Decoding]) -> Decoding:
        own, expert, anti = states
        logits = own.logits + self._strength * (expert.logits - anti.logits)
        return replace(own, cache=states, logits=logits)
