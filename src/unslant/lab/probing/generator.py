"""Constrained generation with transformers, for many prompts at once.

``PackedGenerator`` packs prompts into a tree of tokens: shared prefixes are processed once and nothing is padded. The
tree is laid out as one sequence; the position of a token is its depth, and it attends only to its ancestors.

``ConstraintProcessor`` applies a constraint in ``model.generate``:

>>> spans = DocumentSpans(tokenizer(document).input_ids)  # doctest: +SKIP
>>> keep = ConstraintProcessor(spans, prompt_length=inputs.shape[1], ends=[tokenizer.eos_token_id])  # doctest: +SKIP
>>> model.generate(inputs, logits_processor=[keep], max_new_tokens=20)  # doctest: +SKIP
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from transformers import DynamicCache, LogitsProcessor

from unslant.lab.probing.constraints import Constraint, DecodedAnswer, DecodingRequest, TokenSelector

_CHUNK = 512
"""Tokens in one forward pass; in a longer one most of the attention matrix would be masked."""
_BUDGET = 1536
"""New tokens in a group of prompts that is decoded together."""
_TOLERANCE = 2e-3
"""How far packed and plain logits may differ in 32 bits, relative to their standard deviation."""
_ROUGH_TOLERANCE = 0.2
"""How far they may differ on average in half precision, where sums in another order are rounded to other values."""


class PackedGenerator:
    """Completes prompts with a causal transformers model.

    The keys and values of a shared prefix are also reused from one group of prompts to the next. A model that does not
    support custom positions and attention masks, which a trial run determines, processes prompts one at a time; so does
    one whose layers see a limited number of tokens (a sliding window) that some prompt exceeds.
    """

    def __init__(self, model: Any, ends: Sequence[int], *, packed: bool | None = None) -> None:
        self._model = model
        self._ends = tuple(ends)
        accepted = inspect.signature(model.forward).parameters
        self._some_logits = "logits_to_keep" in accepted
        self._device = model.get_output_embeddings().weight.device
        self._window: int | None = getattr(model.config, "sliding_window", None)
        self.tokens_read = 0
        """How many tokens the model has processed."""
        self.packed = ("position_ids" in accepted and self._supports_packing()) if packed is None else packed

    def generate(
        self,
        requests: Sequence[DecodingRequest],
        on_group: Callable[[list[int], list[DecodedAnswer]], None] | None = None,
    ) -> list[DecodedAnswer]:
        """Return one completion per prompt, in order; ``on_group`` receives each group as it completes."""
        packed = self.packed
        longest = max((len(request.tokens) + request.max_tokens for request in requests), default=0)
        self.packed = packed and (self._window is None or longest <= self._window)
        try:
            return self._generate(requests, on_group)
        finally:
            self.packed = packed

    def _generate(
        self,
        requests: Sequence[DecodingRequest],
        on_group: Callable[[list[int], list[DecodedAnswer]], None] | None,
    ) -> list[DecodedAnswer]:
        completions: list[DecodedAnswer] = [DecodedAnswer()] * len(requests)
        prefix: tuple[list[int], Any] = ([], None)
        groups: Iterable[list[int]] = ([at] for at in range(len(requests)))
        if self.packed:
            groups = group_prompts([list(request.tokens) for request in requests], _BUDGET)
        for indices in groups:
            selectors = [TokenSelector(requests[at], self._ends) for at in indices]
            prefix = self._generate_group([requests[at] for at in indices], selectors, prefix)
            for at, selector in zip(indices, selectors, strict=True):
                completions[at] = selector.completion
            if on_group is not None:
                on_group(indices, [selector.completion for selector in selectors])
        return completions

    def tokens_to_read(self, prompts: Sequence[list[int]]) -> int:
        """Return how many tokens the model must process for these prompts."""
        return tree_size(prompts) if self.packed else sum(map(len, prompts))

    @torch.no_grad()
    def _generate_group(
        self,
        requests: Sequence[DecodingRequest],
        selectors: Sequence[TokenSelector],
        prefix: tuple[list[int], Any],
    ) -> tuple[list[int], Any]:
        tree = TokenTree()
        kept = shared_prefix_length(prefix[0], list(requests[0].tokens)) if self.packed else 0
        # the last token must be processed again: its logits were not kept
        kept = max(0, min(kept, min(len(request.tokens) for request in requests) - 1))
        cache = _select_cache(prefix[1], range(kept)) if kept else None
        tree.add(prefix[0][:kept])
        leaves = [
            tree.add(list(request.tokens) + selector.pending)
            for request, selector in zip(requests, selectors, strict=True)
        ]
        for selector in selectors:
            selector.pending.clear()
        start = kept
        while True:
            active = [at for at, selector in enumerate(selectors) if not selector.done]
            if not active:
                break
            wanted = sorted({leaves[at] for at in active})
            logits, cache = self._process(tree, start, wanted, cache)
            start = len(tree)
            rows = {node: row for row, node in enumerate(wanted)}
            for at in active:
                selectors[at].select(logits[rows[leaves[at]]])
            for at in active:
                if not selectors[at].done:
                    leaves[at] = tree.grow(selectors[at].pending, leaves[at])
                    selectors[at].pending.clear()
        return self._last_prefix(tree, list(requests[-1].tokens), cache)

    def _last_prefix(self, tree: TokenTree, tokens: list[int], cache: Any) -> tuple[list[int], Any]:
        if cache is None or not self.packed:
            return [], None
        path = [node for node in tree.path(tree.add(tokens[:-1])) if node < cache.get_seq_length()]
        return tokens[: len(path)], _select_cache(cache, path)

    def _process(self, tree: TokenTree, start: int, wanted: Sequence[int], cache: Any) -> tuple[Tensor, Any]:
        """Process the nodes from ``start`` on; return the logits of the wanted nodes and the cache."""
        chunks: list[Tensor] = []
        end = len(tree)
        step = _CHUNK if self.packed else end
        for low in range(start, end, step):
            high = min(low + step, end)
            inside = [node - low for node in wanted if low <= node < high]
            logits, cache = self._forward(tree, low, high, inside, cache)
            chunks.append(logits)
        return torch.cat(chunks), cache

    def _forward(
        self, tree: TokenTree, low: int, high: int, inside: list[int], cache: Any
    ) -> tuple[Tensor, Any]:
        extra: dict[str, Any] = {}
        places = torch.tensor(inside, dtype=torch.long, device=self._device)
        if self.packed:
            visible = torch.from_numpy(tree.attention_mask(low, high)).to(self._device)
            mask = torch.zeros(visible.shape, dtype=self._model.dtype, device=self._device)
            extra["attention_mask"] = mask.masked_fill(~visible, torch.finfo(self._model.dtype).min)[
                None, None
            ]
            extra["position_ids"] = torch.tensor([tree.depths[low:high]], device=self._device)
            # the cache that a model with a sliding window would create drops what is far away in the sequence, which is
            # not what is far away in the tree
            cache = DynamicCache() if cache is None else cache
        if self._some_logits:
            extra["logits_to_keep"] = places
        tokens = torch.tensor([tree.tokens[low:high]], device=self._device)
        self.tokens_read += high - low
        out = self._model(input_ids=tokens, past_key_values=cache, use_cache=True, **extra)
        logits = out.logits[0] if self._some_logits else out.logits[0, places]
        return logits.float(), out.past_key_values

    @torch.no_grad()
    def _supports_packing(self) -> bool:
        """Return whether two packed prompts get the same logits as each prompt alone."""
        vocabulary = int(self._model.get_output_embeddings().weight.shape[0])
        tokens = [(7 * at + 3) % vocabulary for at in range(12)]
        prompts = [tokens, [*tokens[:6], *tokens[8:11]]]
        self.packed = True
        tree = TokenTree()
        leaves = [tree.add(prompt) for prompt in prompts]
        try:
            first, cache = self._process(tree, 0, sorted(leaves), None)
            leaf = tree.grow(tokens[:1], leaves[1])
            later, _ = self._process(tree, leaf, [leaf], cache)
        except (RuntimeError, TypeError, ValueError, IndexError, AttributeError):
            return False
        order = sorted(range(2), key=leaves.__getitem__)
        for packed, prompt in [
            *((first[row], prompts[at]) for row, at in enumerate(order)),
            (later[0], [*prompts[1], tokens[0]]),
        ]:
            alone = self._model(input_ids=torch.tensor([prompt], device=self._device)).logits[0, -1].float()
            if not _agree(packed, alone, exact=torch.finfo(self._model.dtype).eps < _TOLERANCE):
                return False
        return True


def _agree(packed: Tensor, alone: Tensor, *, exact: bool) -> bool:
    """Return whether logits are the same but for rounding."""
    spread, distance = float(alone.std()), (packed - alone).abs()
    if exact:
        return float(distance.max()) <= _TOLERANCE * (spread + 1)
    return float(distance.square().mean().sqrt()) <= _ROUGH_TOLERANCE * spread


def _select_cache(cache: Any, positions: Sequence[int]) -> Any:
    """Return a new cache that holds only the given positions, in that order."""
    if cache is None:
        return None
    index = torch.tensor(list(positions), dtype=torch.long)
    selected = DynamicCache()
    for number, layer in enumerate(cache.layers):
        at = index.to(layer.keys.device)
        selected.update(layer.keys.index_select(2, at), layer.values.index_select(2, at), number)
    return selected


ROOT = -1
"""The parent of the first token of a prompt."""


class TokenTree:
    """Tokens with their parents; parents come first."""

    def __init__(self) -> None:
        self.tokens: list[int] = []
        self.depths: list[int] = []
        self._parents: list[int] = []
        self._children: list[dict[int, int]] = []
        self._roots: dict[int, int] = {}
        self._ancestors: NDArray[np.bool_] = np.zeros((0, 0), dtype=bool)
        self._computed = 0

    def __len__(self) -> int:
        return len(self.tokens)

    def add(self, path: Sequence[int], parent: int = ROOT) -> int:
        """Add a path of tokens below a node, reusing nodes that exist, and return its last node."""
        node = parent
        for token in path:
            children = self._roots if node == ROOT else self._children[node]
            child = children.get(token)
            if child is None:
                child = children[token] = len(self.tokens)
                self.tokens.append(token)
                self.depths.append(0 if node == ROOT else self.depths[node] + 1)
                self._parents.append(node)
                self._children.append({})
            node = child
        return node

    def grow(self, path: Sequence[int], parent: int) -> int:
        """Add a path of new nodes below a node without reusing any, and return the last."""
        node = parent
        for token in path:
            self.tokens.append(token)
            self.depths.append(self.depths[node] + 1)
            self._parents.append(node)
            self._children.append({})
            node = len(self.tokens) - 1
        return node

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root to this node."""
        path = []
        while node != ROOT:
            path.append(node)
            node = self._parents[node]
        return path[::-1]

    def attention_mask(self, start: int, end: int) -> NDArray[np.bool_]:
        """Return, for each node from ``start`` to ``end``, which nodes before ``end`` it attends to."""
        capacity = len(self._ancestors)
        if capacity < end:
            grown = np.zeros((max(end, 2 * capacity),) * 2, dtype=bool)
            grown[:capacity, :capacity] = self._ancestors
            self._ancestors = grown
        rows = self._ancestors
        for node in range(self._computed, end):
            if self._parents[node] != ROOT:
                rows[node, :node] = rows[self._parents[node], :node]
            rows[node, node] = True
        self._computed = max(self._computed, end)
        return rows[start:end, :end]


def shared_prefix_length(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the length of the longest common prefix."""
    pairs = zip(left, right, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(left), len(right)))


def tree_size(prompts: Sequence[list[int]]) -> int:
    """Return the number of distinct tokens in the tree of these prompts."""
    previous: Sequence[int] = ()
    total = 0
    for prompt in sorted(prompts):
        total += len(prompt) - shared_prefix_length(previous, prompt)
        previous = prompt
    return total


def group_prompts(prompts: Sequence[list[int]], budget: int) -> Iterator[list[int]]:
    """Yield the indices of prompts in groups that share prefixes and add about ``budget`` new tokens each.

    Prompts are sorted by their tokens, so that those with a common prefix are neighbours.
    """
    order = sorted(range(len(prompts)), key=prompts.__getitem__)
    group: list[int] = []
    size = 0
    previous: Sequence[int] = ()
    for at in order:
        added = len(prompts[at]) - shared_prefix_length(previous, prompts[at])
        if group and size + added > budget:
            yield group
            group, size = [], 0
        group.append(at)
        size += added
        previous = prompts[at]
    if group:
        yield group


class ConstraintProcessor(LogitsProcessor):
    """A logits processor that masks every token a constraint does not permit.

    A single constraint applies to all rows; of several, each applies to one text and its beams. A text that has ended
    stays ended. The state is recomputed from the generated tokens, because beams may be reordered.
    """

    def __init__(
        self, constraint: Constraint | Sequence[Constraint], prompt_length: int, ends: Sequence[int]
    ) -> None:
        """Create a processor from constraints, the length of the padded prompts and the end tokens."""
        self._constraints = list(constraint) if isinstance(constraint, Sequence) else [constraint]
        self._prompt_length = prompt_length
        self._ends = list(ends)
        if not self._ends:
            raise ValueError("ends is empty; name at least one end token")

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """Return the scores (batch, vocabulary) with forbidden tokens at minus infinity."""
        rows = len(input_ids) // len(self._constraints)
        kept = torch.full_like(scores, -torch.inf)
        for row, generated in enumerate(input_ids[:, self._prompt_length :].tolist()):
            allowed = self._allowed_tokens(self._constraints[row // rows], generated)
            kept[row, allowed] = scores[row, allowed]
        return kept

    def _allowed_tokens(self, constraint: Constraint, generated: Sequence[int]) -> list[int]:
        state = constraint.start
        for token in generated:
            # an end token can also be part of an answer; continuing has precedence
            if token in constraint.following(state):
                state = constraint.after(state, token)
            else:
                return self._ends
        allowed = list(constraint.following(state))
        return [*allowed, *self._ends] if constraint.may_end(state) or not allowed else allowed
