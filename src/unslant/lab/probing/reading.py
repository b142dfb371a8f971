"""Reads many prompts at once: what they share is read once, and nothing is padded."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import Tensor

from unslant.lab.probing.choosing import Pen
from unslant.lab.probing.packing import TokenTree, groups, shared_length
from unslant.lab.probing.requests import Request, Written

__all__ = ["PromptReader"]

_PIECE = 512
"""Tokens that the model reads at a time: more would look at too much that does not concern them."""
_BUDGET = 1536
"""New tokens of a group of prompts that are written to together."""
_TOLERANCE = 2e-3
"""How far the logits of a packed and of a plain reading may differ, in units of their own spread."""


class PromptReader:
    """Writes after prompts with a causal model of transformers.

    Prompts are packed into a tree and their keys and values kept, also from one group of prompts to the next. A model
    that does not take positions and masks of that form, as a trial at the beginning shows, reads prompt by prompt.
    """

    def __init__(self, model: Any, ends: Sequence[int], *, packed: bool | None = None) -> None:
        self._model = model
        self._ends = tuple(ends)
        accepted = inspect.signature(model.forward).parameters
        self._some_logits = "logits_to_keep" in accepted
        self._device = model.get_output_embeddings().weight.device
        self.tokens_read = 0
        """How many tokens went through the model."""
        self.packed = ("position_ids" in accepted and self._agrees()) if packed is None else packed

    def write(
        self, requests: Sequence[Request], finished: Callable[[list[int], list[Written]], None] | None = None
    ) -> list[Written]:
        """Return what the model writes after each prompt, in order; ``finished`` hears of each group as it is done."""
        found: list[Written] = [Written()] * len(requests)
        trunk: tuple[list[int], Any] = ([], None)
        for places in self._groups(requests):
            pens = [Pen(requests[place], self._ends) for place in places]
            trunk = self._group([requests[place] for place in places], pens, trunk)
            for place, pen in zip(places, pens, strict=True):
                found[place] = pen.written
            if finished is not None:
                finished(places, [pen.written for pen in pens])
        return found

    def _groups(self, requests: Sequence[Request]) -> Iterator[list[int]]:
        if self.packed:
            return groups([list(one.tokens) for one in requests], _BUDGET)
        return iter([[place] for place in range(len(requests))])

    @torch.no_grad()
    def _group(
        self, requests: Sequence[Request], pens: Sequence[Pen], trunk: tuple[list[int], Any]
    ) -> tuple[list[int], Any]:
        tree = TokenTree()
        kept = shared_length(trunk[0], list(requests[0].tokens)) if self.packed else 0
        # the last token has to be read again: its logits were not kept
        kept = max(0, min(kept, min(len(one.tokens) for one in requests) - 1))
        cache = _cut(trunk[1], range(kept)) if kept else None
        tree.add(trunk[0][:kept])
        leaves = [tree.add(list(one.tokens) + pen.pending) for one, pen in zip(requests, pens, strict=True)]
        for pen in pens:
            pen.pending.clear()
        start = kept
        while True:
            active = [at for at, pen in enumerate(pens) if not pen.done]
            if not active:
                break
            wanted = sorted({leaves[at] for at in active})
            logits, cache = self._read(tree, start, wanted, cache)
            start = len(tree)
            rows = {node: row for row, node in enumerate(wanted)}
            for at in active:
                pens[at].take(logits[rows[leaves[at]]])
            for at in active:
                if not pens[at].done:
                    leaves[at] = tree.grow(pens[at].pending, leaves[at])
                    pens[at].pending.clear()
        return self._trunk(tree, list(requests[-1].tokens), cache)

    def _trunk(self, tree: TokenTree, tokens: list[int], cache: Any) -> tuple[list[int], Any]:
        if cache is None or not self.packed:
            return [], None
        path = [node for node in tree.path(tree.add(tokens[:-1])) if node < cache.get_seq_length()]
        return tokens[: len(path)], _cut(cache, path)

    def _read(self, tree: TokenTree, start: int, wanted: Sequence[int], cache: Any) -> tuple[Tensor, Any]:
        """Read the nodes from ``start`` on; return the logits of the wanted ones and what is remembered."""
        found: list[Tensor] = []
        end = len(tree)
        step = _PIECE if self.packed else end
        for low in range(start, end, step):
            high = min(low + step, end)
            inside = [node - low for node in wanted if low <= node < high]
            logits, cache = self._forward(tree, low, high, inside, cache)
            found.append(logits)
        return torch.cat(found), cache

    def _forward(
        self, tree: TokenTree, low: int, high: int, inside: list[int], cache: Any
    ) -> tuple[Tensor, Any]:
        extra: dict[str, Any] = {}
        places = torch.tensor(inside, dtype=torch.long, device=self._device)
        if self.packed:
            sees = torch.from_numpy(tree.sees(low, high)).to(self._device)
            mask = torch.zeros(sees.shape, dtype=self._model.dtype, device=self._device)
            extra["attention_mask"] = mask.masked_fill(~sees, torch.finfo(self._model.dtype).min)[None, None]
            extra["position_ids"] = torch.tensor([tree.depths[low:high]], device=self._device)
        if self._some_logits:
            extra["logits_to_keep"] = places
        tokens = torch.tensor([tree.tokens[low:high]], device=self._device)
        self.tokens_read += high - low
        out = self._model(input_ids=tokens, past_key_values=cache, use_cache=True, **extra)
        logits = out.logits[0] if self._some_logits else out.logits[0, places]
        return logits.float(), out.past_key_values

    @torch.no_grad()
    def _agrees(self) -> bool:
        """Say whether two prompts packed together get the logits that they get alone."""
        vocabulary = int(self._model.get_output_embeddings().weight.shape[0])
        tokens = [(7 * at + 3) % vocabulary for at in range(12)]
        prompts = [tokens, [*tokens[:6], *tokens[8:11]]]
        self.packed = True
        tree = TokenTree()
        leaves = [tree.add(one) for one in prompts]
        try:
            first, cache = self._read(tree, 0, sorted(leaves), None)
            leaf = tree.grow(tokens[:1], leaves[1])
            later, _ = self._read(tree, leaf, [leaf], cache)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError):
            return False
        order = sorted(range(2), key=leaves.__getitem__)
        for found, prompt in [
            *((first[row], prompts[at]) for row, at in enumerate(order)),
            (later[0], [*prompts[1], tokens[0]]),
        ]:
            alone = self._model(input_ids=torch.tensor([prompt], device=self._device)).logits[0, -1].float()
            if not torch.allclose(found, alone, atol=_TOLERANCE * float(alone.std() + 1), rtol=0):
                return False
        return True


def _cut(cache: Any, places: Sequence[int]) -> Any:
    """Return what is remembered of some tokens, in their order; the original stays as it is."""
    if cache is None:
        return None
    from transformers import DynamicCache

    index = torch.tensor(list(places), dtype=torch.long)
    found = DynamicCache()
    for number, layer in enumerate(cache.layers):
        at = index.to(layer.keys.device)
        found.update(layer.keys.index_select(2, at), layer.values.index_select(2, at), number)
    return found
