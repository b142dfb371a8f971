"""A language model that is debiased while it generates, or whose words are replaced afterwards.

The baselines of the paper replace bias words in the finished text, whatever the context. The replacements come from
word vectors (``vectors.py``) and are kept as a table.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError, InputError, ModelError, UnknownName
from unslant.core.files import parse_json, quote_name, read_text, write_text
from unslant.core.generation import Generation, Sampling
from unslant.lab.debias.settings import CURRENT, METHODS, STRENGTHS, DebiasSettings
from unslant.lab.debias.words import BiasWords, default_words, load_words
from unslant.protocols import LanguageModel
from unslant.text.words import LETTERS

if TYPE_CHECKING:
    from torch import Tensor

    from unslant.lab.debias.debiaser import Debiaser
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.lm.decoding import Guide

BASELINES = ("naive", "naive-random", "in-glove")
"""Naive: the nearest word in plain GloVe vectors, always or for every second word at random (the paper replaces at
random and gives no rate). IN-GloVe: one of the ten nearest in ideology-neutral ones."""
_TABLES = {"naive": "naive", "naive-random": "naive", "in-glove": "in-glove"}
_RANDOM = 0.5
PROMPT = (
    "Write in neutral, factual wording. Do not take the side of any party, group or opinion, and describe everyone by "
    "the same standard."
)
"""What the mode ``prompt`` tells the model."""


@dataclass(frozen=True)
class WordReplacer:
    """A table of replacements for each bias word; where there are several, the seed of the text decides."""

    choices: Mapping[str, Sequence[str]]
    rate: float = 1.0
    """The share of bias words that are replaced, at random."""

    def digest(self) -> str:
        """Return a SHA-256 digest of the table and the rate."""
        rate = "" if self.rate == 1 else f"\0{self.rate}"
        return hashlib.sha256((json.dumps(self.choices, sort_keys=True) + rate).encode()).hexdigest()

    def replace(self, texts: Sequence[str], seeds: Sequence[int]) -> list[str]:
        """Return the texts with bias words replaced; letter case and everything else are kept."""
        return [self._replace_text(text, seed) for text, seed in zip(texts, seeds, strict=True)]

    def _replace_text(self, text: str, seed: int) -> str:
        rng = random.Random(f"replacement:{seed}")  # noqa: S311

        def substitute(match: re.Match[str]) -> str:
            word = match.group()
            choices = self.choices.get(word.lower(), ())
            if not choices or (self.rate < 1 and rng.random() >= self.rate):
                return word
            return _match_case(word, rng.choice(choices))

        return LETTERS.sub(substitute, text)


def load_replacer(mode: str, guide: Path | str | None = None) -> WordReplacer:
    """Return a baseline by its name, with the table in ``guide`` or the one that ships with unslant."""
    if mode not in BASELINES:
        raise UnknownName("baseline", mode, BASELINES)
    try:
        if guide is None:
            text = (files("unslant.lab.debias") / "replacements.json").read_text("utf-8")
        else:
            text = read_text(guide)
        table = _read_table(parse_json(text, quote_name(guide or ""))[_TABLES[mode]])
        return WordReplacer(table, _RANDOM if mode == "naive-random" else 1.0)
    except InputError as error:
        raise ConfigError(f"{error}; write a table with 'unslant train neutral-vectors'.") from error
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(
            f"{guide}: not a table of replacements; write one with 'unslant train neutral-vectors'."
        ) from error


def save_replacements(
    path: Path, tables: Mapping[str, Mapping[str, Sequence[str]]], card: Mapping[str, Any]
) -> None:
    """Write the tables of both baselines and the card that says where they come from."""
    content = {
        "schema": 1,
        "card": dict(card),
        **{name: dict(tables[name]) for name in set(_TABLES.values())},
    }
    write_text(path, json.dumps(content, indent=None, separators=(",", ":")) + "\n")


def _read_table(content: Any) -> dict[str, list[str]]:
    if not all(isinstance(word, str) for others in content.values() for word in others):
        raise TypeError
    return {str(word): list(others) for word, others in content.items()}


def _match_case(word: str, other: str) -> str:
    if word.isupper() and len(word) > 1:
        return other.upper()
    return other.capitalize() if word[:1].isupper() else other


class DebiasedModel:
    """A debiased language model; it is a :class:`LanguageModel` itself."""

    def __init__(
        self, base: LanguageModel, generate: Callable[..., list[Generation]], label: str, digest: str
    ) -> None:
        self.name = f"{base.name} ({label})"
        self._base, self._generate, self._digest = base, generate, digest

    def digest(self) -> str:
        """Return a digest of the model, the settings and the guide."""
        return hashlib.sha256(f"{self._base.digest()}\0{self._digest}".encode()).hexdigest()

    def generate(
        self,
        prompts: Sequence[str] | str,
        seeds: Sequence[int] | None = None,
        sampling: Sampling | None = None,
    ) -> list[Generation]:
        """Return one text per prompt and seed, in order; seeds count from 0 by default."""
        prompts = [prompts] if isinstance(prompts, str) else prompts
        return self._generate(
            prompts, range(len(prompts)) if seeds is None else seeds, sampling or Sampling()
        )

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return the log probabilities under the model without debiasing: a measure of fluency."""
        return self._base.logprobs(prompts, continuations, chat=chat)


def debias(
    model: Any,
    mode: str = "embedding",
    *,
    strength: float | None = None,
    words: BiasWords | Path | str | None = None,
    guide: Path | str | None = None,
    settings: DebiasSettings | None = None,
    layer: int | None = None,
) -> LanguageModel:
    """Return a model that generates less slanted text.

    ``model`` is an opened language model, a name that ``open_model`` takes, or a pair of a transformers model and its
    tokenizer. ``mode`` is ``embedding``, ``classifier``, ``steering``, ``contrastive``, ``prompt``, one of the
    baselines ``naive``, ``naive-random`` and ``in-glove``, or ``none``, which returns the model unchanged. ``words``
    are the bias words of both sides, by default those that ship with unslant; ``guide`` is what was made for the mode:
    a file of bias words, the folder of a debiaser (by default the cached one for this model), ``EXPERT,ANTIEXPERT`` for
    ``contrastive``, the folder of the corpora for ``steering``, or the baselines' table. ``layer`` is the one that
    ``steering`` changes, by default that in which the sides are farthest apart.
    """
    if mode not in METHODS:
        raise UnknownName("debiasing mode", mode, METHODS)
    base = _open(model)
    if mode == "none":
        return base
    if mode in BASELINES:
        return _replace_words(base, mode, guide)
    if mode in CURRENT:
        power = STRENGTHS.get(mode, 0.0) if strength is None else strength
        return _prompt(base, guide) if mode == "prompt" else _current(base, mode, power, guide, layer)
    settings = replace(settings or DebiasSettings(mode), mode=mode)
    if strength is not None:
        settings = replace(settings, strength=strength)
    causal = _require_hidden_states(base)
    if mode == "classifier":
        debiaser = _load_debiaser(causal, guide)
        return _guide_model(causal, settings, debiaser, str(debiaser.card["sha256"]))
    words = words or guide
    listed = words if isinstance(words, BiasWords) else load_words(Path(words)) if words else default_words()
    key = "\0".join([*listed.left, "", *listed.right])
    return _guide_model(causal, settings, side_vectors(causal, listed), key)


def debiaser_folder(model_digest: str) -> Path:
    """Return the default folder of a model's debiaser: in ``UNSLANT_GUIDES``, or in the user's data folder."""
    named = os.environ.get("UNSLANT_GUIDES")
    if named:
        return Path(named) / f"debiaser-{model_digest[:16]}"
    import platformdirs

    return Path(platformdirs.user_data_dir("unslant", appauthor=False)) / f"debiaser-{model_digest[:16]}"


def _open(model: Any) -> LanguageModel:
    if isinstance(model, str):
        from unslant.lab.lm import open_model

        return open_model(model)
    if isinstance(model, tuple):
        from unslant.lab.lm.causal import CausalModel

        return CausalModel(*model)
    if not isinstance(model, LanguageModel):
        raise ConfigError(
            f"{type(model).__name__} is not a language model; pass a name, an opened model, or a pair of a "
            "transformers model and its tokenizer."
        )
    return model


def _require_hidden_states(model: LanguageModel) -> CausalModel:
    """Return the model if it exposes its hidden states and only the output layer follows them."""
    if not hasattr(model, "step") or not hasattr(model, "head"):
        raise ModelError(
            f"{model.name}: this model does not expose its hidden states, so it cannot be debiased; use a local model."
        )
    causal: CausalModel = model  # type: ignore[assignment]
    state = causal.prefill(["a"])
    if state.hidden.shape[-1:] != causal.head.weight.shape[1:] or not _is_head_last(causal, state):
        raise ModelError(
            f"{model.name}: this model changes its logits after the output layer, so the effect of a hidden state "
            "on them is unknown; use another model."
        )
    return causal


def _is_head_last(causal: CausalModel, state: Any) -> bool:
    import torch

    with torch.no_grad():
        again = causal.head(state.hidden.to(causal.head.weight.dtype)).float()
    return bool(torch.allclose(again, state.logits, rtol=1e-2, atol=1e-2))


def side_vectors(causal: CausalModel, words: BiasWords) -> tuple[Tensor, Tensor]:
    """Return the vectors of each side's words: the mean output row of a word's subwords, as after a space."""
    import torch

    def side(members: Sequence[str]) -> Tensor:
        subwords = [causal.tokenizer(f" {word}", add_special_tokens=False)["input_ids"] for word in members]
        return torch.stack([causal.head.weight.detach()[ids].float().mean(0) for ids in subwords if ids])

    return side(words.left), side(words.right)


def _load_debiaser(causal: CausalModel, guide: Path | str | None) -> Debiaser:
    from unslant.lab.debias.debiaser import load_debiaser

    folder = debiaser_folder(causal.digest()) if guide is None else Path(guide)
    if guide is None and not folder.is_dir():
        raise ModelError(
            f"{causal.name}: mode 'classifier' needs a debiaser for this model; train one with "
            "'unslant train debiaser'."
        )
    return load_debiaser(folder, causal.digest()).to(causal.head.weight.device)


def _guide_model(
    causal: CausalModel, settings: DebiasSettings, sides: tuple[Tensor, Tensor] | Debiaser, key: str
) -> DebiasedModel:
    from torch.nn.functional import linear

    from unslant.lab.debias.debiaser import Debiaser
    from unslant.lab.debias.guide import ClassifierGain, EmbeddingGain, FastGuide, Gain
    from unslant.lab.debias.reference import ReferenceGuide

    # in 32 bits whatever the model's precision, because the steps on the hidden state are small
    rows = causal.head.weight.detach().float()
    bias = getattr(causal.head, "bias", None)

    def head(hidden: Tensor) -> Tensor:
        return linear(hidden, rows, None if bias is None else bias.detach().float())

    def make_guide(seeds: Sequence[int], sampling: Sampling) -> Guide:
        if settings.candidates == 0:
            return ReferenceGuide(head, sides, settings, seeds, sampling)
        gain: Gain
        if isinstance(sides, Debiaser):
            gain = ClassifierGain(sides, settings.window, settings.discount, hold_side=settings.hold_side)
        else:
            gain = EmbeddingGain(*sides, settings.balance)
        return FastGuide(rows, gain, settings, seeds, sampling)

    def generate(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        return causal.generate(prompts, seeds, sampling, steering=make_guide)

    label = f"{settings.mode}, strength {settings.strength:g}"
    return DebiasedModel(causal, generate, label, f"{settings.digest()}\0{key}")


def _current(
    base: LanguageModel, mode: str, strength: float, guide: Path | str | None, layer: int | None
) -> DebiasedModel:
    """Return a model that is steered, or decoded against a slanted one."""
    causal = _require_hidden_states(base)
    if mode == "contrastive":
        from unslant.lab.debias.contrast import ContrastiveModel
        from unslant.lab.lm.causal import CausalModel

        names = str(guide or "").split(",")
        if len(names) != 2 or not all(names):
            raise ConfigError(
                "mode 'contrastive' needs two models as its guide, EXPERT,ANTIEXPERT, such as "
                "planted/dose-0,planted/dose-1."
            )
        expert, anti = (
            CausalModel.load(name, batch=causal.batch, precision=causal.precision) for name in names
        )
        contrastive = ContrastiveModel(causal, expert, anti, strength)
        key = f"{expert.digest()}\0{anti.digest()}\0{strength}"
        return DebiasedModel(causal, contrastive.generate, f"contrastive, strength {strength:g}", key)
    from unslant.lab import corpora
    from unslant.lab.debias.steering import STATEMENTS, learn_vectors, steered

    sides: dict[str, list[str]] = {"left": [], "right": []}
    for example in corpora.load("twinviews", guide):
        sides[str(example.extra["stance"])].append(example.text)
    # evenly over the corpus, which is sorted by nothing in particular but has neighbours on the same topic
    every = max(1, len(sides["left"]) // STATEMENTS)
    vectors = learn_vectors(causal, sides["left"][::every], sides["right"][::every])
    at = vectors.best_layer() if layer is None else layer
    with steered(causal, vectors, at, strength):
        pass  # a layer that is not there is reported before hours of work

    def generate(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        with steered(causal, vectors, at, strength):
            return causal.generate(prompts, seeds, sampling)

    label = f"steering, layer {at}, strength {strength:g}"
    return DebiasedModel(causal, generate, label, f"{vectors.digest()}\0{at}\0{strength}")


def _prompt(base: LanguageModel, guide: Path | str | None) -> DebiasedModel:
    """Return a model that is told to be neutral: by a system prompt in a chat, else before the text."""
    told = PROMPT if guide is None else str(guide)

    def generate(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        if sampling.chat:
            asked = f"{told} {sampling.system}".strip()
            return base.generate(prompts, seeds, replace(sampling, system=asked))
        found = base.generate([f"{told}\n\n{prompt}" for prompt in prompts], seeds, sampling)
        return [replace(text, prompt=prompt) for text, prompt in zip(found, prompts, strict=True)]

    return DebiasedModel(base, generate, "prompt", f"prompt\0{told}")


def _replace_words(base: LanguageModel, mode: str, guide: Path | str | None) -> DebiasedModel:
    replacer = load_replacer(mode, guide)

    def generate(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        found = base.generate(prompts, seeds, sampling)
        texts = replacer.replace([generation.text for generation in found], seeds)
        return [replace(generation, text=text) for generation, text in zip(found, texts, strict=True)]

    return DebiasedModel(base, generate, mode, f"{mode}\0{replacer.digest()}")
