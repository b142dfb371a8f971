"""The constraints as logits processors of transformers, for ``model.generate`` and other work of one's own.

>>> spans = DocumentSpans(tokenizer(document).input_ids)  # doctest: +SKIP
>>> keep = ConstraintProcessor(spans, prompt_length=inputs.shape[1], ends=[tokenizer.eos_token_id])  # doctest: +SKIP
>>> model.generate(inputs, logits_processor=[keep], max_new_tokens=20)  # doctest: +SKIP
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor
from transformers import LogitsProcessor

from unslant.lab.probing.constraints import Constraint

__all__ = ["ConstraintProcessor"]


class ConstraintProcessor(LogitsProcessor):
    """Makes everything impossible that a constraint does not allow after what was written so far.

    One constraint serves all rows; of several, each serves its text, with as many rows as there are beams. A text that
    has ended stays ended. The state is found anew from what was written, so that beams may change places.
    """

    def __init__(
        self, constraint: Constraint | Sequence[Constraint], prompt_length: int, ends: Sequence[int]
    ) -> None:
        """Take constraints, how long the (padded) prompts are, and the tokens that end an answer."""
        self._constraints = list(constraint) if isinstance(constraint, Sequence) else [constraint]
        self._prompt = prompt_length
        self._ends = list(ends)
        if not self._ends:
            raise ValueError("an answer needs at least one token to end with")

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores (batch, vocabulary) with what is not allowed at minus infinity."""
        rows = len(input_ids) // len(self._constraints)
        kept = torch.full_like(scores, -torch.inf)
        for row, written in enumerate(input_ids[:, self._prompt :].tolist()):
            allowed = self._allowed(self._constraints[row // rows], written)
            kept[row, allowed] = scores[row, allowed]
        return kept

    def _allowed(self, constraint: Constraint, written: Sequence[int]) -> list[int]:
        state = constraint.start
        for token in written:
            # a token can both go on and end an answer; where it may go on, it does
            if token in constraint.following(state):
                state = constraint.after(state, token)
            else:
                return self._ends
        allowed = list(constraint.following(state))
        return [*allowed, *self._ends] if constraint.may_end(state) or not allowed else allowed
