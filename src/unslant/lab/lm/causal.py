"""A causal language model from transformers, run token by token."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from unslant.core.errors import ModelError
from unslant.core.generation import PRECISIONS, Generation, Sampling, chat_turns
from unslant.lab.lm.decoding import DecodedText, Decoding, Dice, Steering, decode


class CausalModel:
    """Generates, scores and shows hidden states; takes any model that ``AutoModelForCausalLM`` loads."""

    def __init__(self, model: Any, tokenizer: Any, name: str = "", *, batch: int = 8) -> None:
        self.name = name or str(getattr(model.config, "_name_or_path", "")) or type(model).__name__
        self.model, self.tokenizer, self.batch = model.eval(), tokenizer, max(1, batch)
        self.head: Any = model.get_output_embeddings()
        if self.head is None:
            raise ModelError(f"{self.name}: not a causal language model: it has no output layer.")
        accepted = inspect.signature(model.forward).parameters
        self._positions, self._last = "position_ids" in accepted, "logits_to_keep" in accepted
        self._seen: list[Tensor] = []

    @classmethod
    def load(
        cls, name: str, *, batch: int = 8, threads: int | None = None, precision: str | None = None
    ) -> CausalModel:
        """Load a hub name, a folder or a GGUF file; see ``load_weights``."""
        if threads:
            torch.set_num_threads(threads)
        return cls(*load_weights(name, precision), name, batch=batch)

    @property
    def precision(self) -> str:
        """The floating-point type, such as ``float32``; the digest of the weights depends on it."""
        return str(self.head.weight.dtype).removeprefix("torch.")

    def digest(self) -> str:
        """Return a digest of all weights, the same whatever file they came from."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        total = hashlib.sha256()
        for name, value in sorted(self.model.state_dict().items()):
            total.update(f"{name}\0{tuple(value.shape)}\0".encode())
            total.update(value.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy())
        return total.hexdigest()

    def generate(
        self,
        prompts: Sequence[str],
        seeds: Sequence[int],
        sampling: Sampling,
        *,
        steering: Steering | None = None,
    ) -> list[Generation]:
        """Return one text per prompt and seed, in order; ``steering`` changes logits on the way."""
        pairs = list(zip(prompts, seeds, strict=True))
        self._check_lengths(prompts, sampling)
        # prompts of the same length share a batch, because the model is fastest without padding
        order = sorted(range(len(pairs)), key=lambda at: len(self._encode(prompts[at], sampling)))
        found: dict[int, Generation] = {}
        for start in range(0, len(order), self.batch):
            part = order[start : start + self.batch]
            found |= zip(part, self._batch([pairs[at] for at in part], sampling, steering), strict=True)
        return [found[at] for at in range(len(pairs))]

    def _batch(
        self, pairs: list[tuple[str, int]], sampling: Sampling, steering: Steering | None
    ) -> list[Generation]:
        prompts, seeds = [prompt for prompt, _ in pairs], [seed for _, seed in pairs]
        guide = steering(seeds, sampling) if steering else None
        ids = [self._encode(prompt, sampling) for prompt in prompts]

        def stopped(row: int, tokens: list[int]) -> bool:
            text = self._decode(ids[row], tokens)
            return any(stop in text for stop in sampling.stop)

        written = decode(
            self.step,
            self._read(ids),
            Dice(seeds),
            sampling,
            ends=self.ends,
            stopped=stopped if sampling.stop else None,
            guide=guide,
        )
        return [
            self._generation(pair, before, text, sampling)
            for pair, before, text in zip(pairs, ids, written, strict=True)
        ]

    def _generation(
        self, pair: tuple[str, int], before: list[int], written: DecodedText, sampling: Sampling
    ) -> Generation:
        text = self._decode(before, written.tokens)
        if written.reason == "stop":
            text = text[: min(at for stop in sampling.stop if (at := text.find(stop)) >= 0)]
        return Generation(pair[0], text, pair[1], len(written.tokens), written.reason)

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return the log probability of every token of each continuation; a shared prompt is read once."""
        groups: dict[tuple[int, ...], list[tuple[int, list[int]]]] = {}
        for place, (prompt, continuation) in enumerate(zip(prompts, continuations, strict=True)):
            before, after = self._divide(prompt, continuation, chat=chat)
            groups.setdefault(tuple(before), []).append((place, after))
        found: list[list[float]] = [[] for _ in prompts]
        for shared, members in groups.items():
            state = self._read([list(shared)])
            for start in range(0, len(members), self.batch):
                part = members[start : start + self.batch]
                for (place, _), scores in zip(
                    part, self._scores(state, [tokens for _, tokens in part]), strict=True
                ):
                    found[place] = scores
        return found

    @torch.no_grad()
    def _scores(self, state: Decoding, continuations: list[list[int]]) -> list[list[float]]:
        longest = max(map(len, continuations))
        logits = state.logits.expand(len(continuations), -1)[:, None]
        if longest > 1:
            ids = torch.zeros(len(continuations), longest - 1, dtype=torch.long, device=self._device)
            for row, tokens in enumerate(continuations):
                ids[row, : max(0, len(tokens) - 1)] = torch.tensor(tokens[:-1], dtype=torch.long)
            more = self._forward(state.fork(len(continuations)), ids, last=False)
            logits = torch.cat([logits, more.logits], dim=1)
        # one text at a time: all at once would need texts · tokens · vocabulary numbers
        return [
            logits[row, : len(tokens)]
            .float()
            .log_softmax(-1)
            .gather(1, torch.tensor(tokens, device=self._device)[:, None])[:, 0]
            .tolist()
            if tokens
            else []
            for row, tokens in enumerate(continuations)
        ]

    def prefill(self, prompts: Sequence[str], *, chat: bool = False) -> Decoding:
        """Read the prompts; the state has the logits and hidden states of the next token."""
        return self._read([self.encode(prompt, chat=chat) for prompt in prompts])

    @torch.no_grad()
    def step(self, state: Decoding, tokens: Tensor) -> Decoding:
        """Add one token to each text and return the next state; the old one cannot be used again."""
        more = self._forward(state, tokens[:, None].to(self._device))
        mask = torch.cat([state.mask, torch.ones_like(state.mask[:, :1])], dim=1)
        return Decoding(
            more.past_key_values, mask, state.position + 1, self._hidden(), more.logits[:, -1].float()
        )

    @torch.no_grad()
    def states(self, texts: Sequence[str], tokens: int) -> list[Tensor]:
        """Return the last hidden states of the first tokens of each text: the input of the output layer."""
        found: list[Tensor] = []
        for start in range(0, len(texts), self.batch):
            ids = [self.encode(text)[:tokens] for text in texts[start : start + self.batch]]
            padded = torch.full((len(ids), max(map(len, ids))), self._filler, device=self._device)
            for row, text_ids in enumerate(
                ids
            ):  # padding is on the right: no token attends to later ones, so no mask is needed
                padded[row, : len(text_ids)] = torch.tensor(text_ids)
            seen: list[Tensor] = []
            # the layer gets only one state, because logits are not needed
            with self.head.register_forward_pre_hook(lambda _, given, to=seen: _first(to, given[0])):
                self.model(input_ids=padded, use_cache=False)
            found += [seen[-1][row, : len(text_ids)].float().cpu() for row, text_ids in enumerate(ids)]
        return found

    def _encode(self, prompt: str, sampling: Sampling) -> list[int]:
        return self.encode(prompt, chat=sampling.chat, system=sampling.system)

    def encode(self, prompt: str, *, chat: bool = False, system: str = "") -> list[int]:
        """Return the tokens of a prompt, with the model's chat template if ``chat`` is set; never empty."""
        if not chat:
            ids = [int(token) for token in self.tokenizer(prompt)["input_ids"]]
            return ids or [self._filler]
        if not getattr(self.tokenizer, "chat_template", None):
            raise ModelError(f"{self.name}: this model has no chat template; leave out --chat.")
        turns = chat_turns(prompt, system)
        try:
            text = self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        except Exception as error:  # a template raises what it likes
            raise ModelError(
                f"{self.name}: its chat template refuses the turns ({_first_line(error)})."
            ) from error
        return [int(token) for token in self.tokenizer(text, add_special_tokens=False)["input_ids"]]

    @cached_property
    def ends(self) -> frozenset[int]:
        """The tokens with which the model ends a text."""
        named = getattr(getattr(self.model, "generation_config", None), "eos_token_id", None)
        named = self.model.config.eos_token_id if named is None else named
        found = named if isinstance(named, list) else [named, self.tokenizer.eos_token_id]
        return frozenset(token for token in found if token is not None)

    def _decode(self, before: list[int], tokens: list[int]) -> str:
        """Return the text of new tokens; alone they could lose the space they begin with."""
        whole: str = self.tokenizer.decode(before + tokens)
        start: str = self.tokenizer.decode(before)
        return whole[len(start) :] if whole.startswith(start) else str(self.tokenizer.decode(tokens))

    def _divide(self, prompt: str, continuation: str, *, chat: bool) -> tuple[list[int], list[int]]:
        """Return the tokens of both parts; a token that would span the border is split there."""
        before = self.encode(prompt, chat=chat)
        if not chat and prompt:
            whole = self.encode(prompt + continuation)
            if whole[: len(before)] == before:
                return before, whole[len(before) :]
        return before, [
            int(token) for token in self.tokenizer(continuation, add_special_tokens=False)["input_ids"]
        ]

    def _check_lengths(self, prompts: Sequence[str], sampling: Sampling) -> None:
        room = getattr(self.model.config, "max_position_embeddings", None)
        for prompt in dict.fromkeys(prompts):
            if room is None:
                return
            length = len(self._encode(prompt, sampling))
            if length + sampling.max_tokens > room:
                raise ModelError(
                    f"{self.name}: a prompt of {length} tokens and {sampling.max_tokens} more do not fit into "
                    f"the {room} of this model's context; shorten the prompt or ask for fewer tokens."
                )

    @torch.no_grad()
    def _read(self, ids: list[list[int]]) -> Decoding:
        longest = max(map(len, ids))
        tokens = torch.full((len(ids), longest), self._filler, device=self._device)
        mask = torch.zeros_like(tokens)
        for row, text_ids in enumerate(ids):  # padded on the left: all texts continue at the same position
            tokens[row, longest - len(text_ids) :] = torch.tensor(text_ids)
            mask[row, longest - len(text_ids) :] = 1
        # without padding the mask is left out, which is faster
        extra: dict[str, Any] = {"attention_mask": mask} if mask.min() == 0 else {}
        extra |= {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)} if self._positions else {}
        extra |= {"logits_to_keep": 1} if self._last else {}
        with self._watch_head():
            out = self.model(input_ids=tokens, use_cache=True, **extra)
        return Decoding(out.past_key_values, mask, mask.sum(1), self._hidden(), out.logits[:, -1].float())

    def _forward(self, state: Decoding, ids: Tensor, *, last: bool = True) -> Any:
        extra: dict[str, Any] = {}
        if state.mask.min() == 0:
            extra["attention_mask"] = torch.cat([state.mask, torch.ones_like(ids)], dim=1)
        if self._positions:
            extra["position_ids"] = state.position[:, None] + torch.arange(ids.shape[1], device=self._device)
        if self._last and last:
            extra["logits_to_keep"] = 1
        with self._watch_head():
            return self.model(input_ids=ids, past_key_values=state.cache, use_cache=True, **extra)

    def _watch_head(self) -> Any:
        """Record the input of the output layer: the definition of a last hidden state that fits every architecture."""
        self._seen.clear()
        return self.head.register_forward_pre_hook(lambda _, given: self._seen.append(given[0]))

    def _hidden(self) -> Tensor:
        return self._seen[-1][:, -1].float() if self._seen else torch.empty(0)

    @property
    def _device(self) -> torch.device:
        device: torch.device = self.head.weight.device
        return device

    @cached_property
    def _filler(self) -> int:
        """The token to pad with: many models define none, and the mask hides it anyway."""
        for name in ("pad_token_id", "bos_token_id", "eos_token_id"):
            with suppress(AttributeError):
                found = getattr(self.tokenizer, name)
                if found is not None and found < self.head.weight.shape[0]:  # an added token has no vector
                    return int(found)
        return 0


def _first(seen: list[Tensor], states: Tensor) -> tuple[Tensor]:
    seen.append(states)
    return (states[:, :1],)


def load_weights(name: str, precision: str | None = None) -> tuple[Any, Any]:
    """Return a model and its tokenizer, from a hub name, a folder or a GGUF file; code that comes with it is not run.

    The default precision is 32 bits on a CPU, where all operations support it, and the model's own on a GPU.
    """
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # our commands show their own progress
    if precision is not None and precision not in PRECISIONS:
        raise ModelError(
            f"{name}: precision {precision!r} is unknown; choose one of {', '.join(PRECISIONS)}."
        )
    where: dict[str, Any] = {"pretrained_model_name_or_path": name, "trust_remote_code": False}
    weights: dict[str, Any] = {"use_safetensors": True}
    if name.endswith(".gguf"):
        where |= {"pretrained_model_name_or_path": str(Path(name).parent), "gguf_file": Path(name).name}
        weights = {}
    gpu = torch.cuda.is_available()
    dtype: Any = getattr(torch, precision) if precision else "auto" if gpu else torch.float32
    try:
        tokenizer = AutoTokenizer.from_pretrained(**where)
        if name.endswith(".gguf") and begins_texts(Path(name)):
            begin_texts(tokenizer)
        model = AutoModelForCausalLM.from_pretrained(**where, **weights, dtype=dtype)
    except ImportError as error:
        raise ModelError(f"{name}: {str(error).splitlines()[0]}") from error
    except Exception as error:  # what a damaged file raises is not documented
        raise ModelError(
            f"{name}: not a language model that can be loaded ({_first_line(error)})."
        ) from error
    placed: Any = model  # transformers decorates `to`, which hides its types
    return placed.to("cuda") if gpu else placed, tokenizer


def begins_texts(gguf: Path) -> bool:
    """Return whether a GGUF file asks for the token that begins a text, which transformers does not read."""
    from gguf import GGUFReader

    field = GGUFReader(str(gguf)).fields.get("tokenizer.ggml.add_bos_token")
    return field is not None and bool(field.contents())


def begin_texts(tokenizer: Any) -> None:
    """Let a tokenizer put the token that begins a text before every text, unless it does so already."""
    from tokenizers.processors import TemplateProcessing

    first = tokenizer.bos_token_id
    if first is None or tokenizer("a")["input_ids"][:1] == [first]:
        return
    name = tokenizer.bos_token
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single=f"{name} $A", pair=f"{name} $A {name} $B:1", special_tokens=[(name, first)]
    )


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).strip().splitlines()[0].rstrip(".")
