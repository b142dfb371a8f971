"""A language model that is calibrated while it writes, or whose words are replaced afterwards."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.errors import ConfigError, ModelError, UnknownName
from unslant.core.generation import Generation, Sampling
from unslant.lab.debias.baselines import BASELINES, replacer
from unslant.lab.debias.settings import METHODS, Settings
from unslant.lab.debias.words import BiasWords, default_words, load_words
from unslant.protocols import LanguageModel

if TYPE_CHECKING:
    from torch import Tensor

    from unslant.lab.debias.debiaser import Debiaser
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.lm.decoding import Guide

__all__ = ["Calibrated", "calibrate", "debiased"]


class Calibrated:
    """A language model in its own right: what takes a model takes this one."""

    def __init__(
        self, base: LanguageModel, write: Callable[..., list[Generation]], label: str, digest: str
    ) -> None:
        self.name = f"{base.name} ({label})"
        self._base, self._write, self._digest = base, write, digest

    def digest(self) -> str:
        """Return a digest of the model, the settings and what guides it."""
        return hashlib.sha256(f"{self._base.digest()}\0{self._digest}".encode()).hexdigest()

    def generate(
        self,
        prompts: Sequence[str] | str,
        seeds: Sequence[int] | None = None,
        sampling: Sampling | None = None,
    ) -> list[Generation]:
        """Return one text per prompt and seed, in order; seeds count from 0 where none are given."""
        prompts = [prompts] if isinstance(prompts, str) else prompts
        return self._write(prompts, range(len(prompts)) if seeds is None else seeds, sampling or Sampling())

    def logprobs(
        self, prompts: Sequence[str], continuations: Sequence[str], *, chat: bool = False
    ) -> list[list[float]]:
        """Return what the model itself thinks of the continuations: a measure of fluency."""
        return self._base.logprobs(prompts, continuations, chat=chat)


def calibrate(
    model: Any,
    mode: str = "embedding",
    *,
    strength: float | None = None,
    words: BiasWords | Path | str | None = None,
    guide: Path | str | None = None,
    settings: Settings | None = None,
) -> LanguageModel:
    """Return a model that writes less slanted text.

    ``model`` is an opened language model, a name that ``open_model`` takes, or a pair of a transformers model and its
    tokenizer. ``mode`` is ``embedding``, ``classifier``, one of the baselines ``naive`` and ``in-glove``, or ``none``,
    which returns the model as it is. ``words`` are the words of both sides, by default those that come with unslant;
    ``guide`` is what was trained for the mode: the debiaser's folder (by default the one kept for this model), or the
    baselines' table.
    """
    if mode not in METHODS:
        raise UnknownName("mode of calibration", mode, METHODS)
    base = _opened(model)
    if mode == "none":
        return base
    if mode in BASELINES:
        return _replacing(base, mode, guide)
    settings = replace(settings or Settings(mode), mode=mode)
    if strength is not None:
        settings = replace(settings, strength=strength)
    causal = _open_inside(base)
    if mode == "classifier":
        debiaser = _debiaser(causal, guide)
        return _steered(causal, settings, debiaser, str(debiaser.card["sha256"]))
    listed = words if isinstance(words, BiasWords) else load_words(Path(words)) if words else default_words()
    key = "\0".join([*listed.left, "", *listed.right])
    return _steered(causal, settings, _vectors(causal, listed), key)


def debiased(
    model: LanguageModel, mode: str, strength: float | None = None, guide: Path | str | None = None
) -> LanguageModel:
    """Return a calibrated model; in short, for those who have one opened."""
    return calibrate(model, mode, strength=strength, guide=guide)


def _opened(model: Any) -> LanguageModel:
    if isinstance(model, str):
        from unslant.lab.lm import open_model

        return open_model(model)
    if isinstance(model, tuple):
        from unslant.lab.lm.causal import CausalModel

        return CausalModel(*model)
    if not isinstance(model, LanguageModel):
        raise ConfigError(
            f"{type(model).__name__} is no language model; give a name, an opened model, or a pair of a transformers "
            "model and its tokenizer."
        )
    return model


def _open_inside(model: LanguageModel) -> CausalModel:
    """Return the model if its hidden states can be seen and its output layer is all that follows them."""
    if not hasattr(model, "step") or not hasattr(model, "head"):
        raise ModelError(
            f"{model.name}: this model does not show its hidden states, so it cannot be calibrated; use a local model."
        )
    causal: CausalModel = model  # type: ignore[assignment]
    state = causal.prefill(["a"])
    if state.hidden.shape[-1:] != causal.head.weight.shape[1:] or not _straight(causal, state):
        raise ModelError(
            f"{model.name}: this model changes its logits after the output layer, so calibration does not know how a "
            "hidden state becomes a word; use another model."
        )
    return causal


def _straight(causal: CausalModel, state: Any) -> bool:
    import torch

    with torch.no_grad():
        again = causal.head(state.hidden.to(causal.head.weight.dtype)).float()
    return bool(torch.allclose(again, state.logits, rtol=1e-2, atol=1e-2))


def _vectors(causal: CausalModel, words: BiasWords) -> tuple[Tensor, Tensor]:
    """Return the vectors of the words of each side: the mean of the rows of a word's pieces, as after a space."""
    import torch

    def side(members: Sequence[str]) -> Tensor:
        pieces = [causal.tokenizer(f" {word}", add_special_tokens=False)["input_ids"] for word in members]
        return torch.stack([causal.head.weight.detach()[ids].float().mean(0) for ids in pieces if ids])

    return side(words.left), side(words.right)


def _debiaser(causal: CausalModel, guide: Path | str | None) -> Debiaser:
    from unslant.lab.debias.debiaser import load_debiaser
    from unslant.lab.debias.store import debiaser_folder

    folder = debiaser_folder(causal.digest()) if guide is None else Path(guide)
    if guide is None and not folder.is_dir():
        raise ModelError(
            f"{causal.name}: mode 'classifier' needs a debiaser made for this model; "
            "'unslant train debiaser' makes one."
        )
    return load_debiaser(folder, causal.digest()).to(causal.head.weight.device)


def _steered(
    causal: CausalModel, settings: Settings, sides: tuple[Tensor, Tensor] | Debiaser, key: str
) -> Calibrated:
    from torch.nn.functional import linear

    from unslant.lab.debias.debiaser import Debiaser
    from unslant.lab.debias.gains import ClassifierGain, EmbeddingGain, Gain
    from unslant.lab.debias.policy import FastGuide
    from unslant.lab.debias.reference import ReferenceGuide

    # whatever the model calculates with, the loop on the hidden state is in 32 bits: its steps are small
    rows = causal.head.weight.detach().float()
    bias = getattr(causal.head, "bias", None)

    def head(hidden: Tensor) -> Tensor:
        return linear(hidden, rows, None if bias is None else bias.detach().float())

    def steering(seeds: Sequence[int], sampling: Sampling) -> Guide:
        if settings.candidates == 0:
            return ReferenceGuide(head, sides, settings, seeds, sampling)
        gain: Gain
        if isinstance(sides, Debiaser):
            gain = ClassifierGain(sides, settings.window, settings.discount, hold_side=settings.hold_side)
        else:
            gain = EmbeddingGain(*sides, settings.balance)
        return FastGuide(rows, gain, settings, seeds, sampling)

    def write(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        return causal.generate(prompts, seeds, sampling, steering=steering)

    label = f"{settings.mode}, strength {settings.strength:g}"
    return Calibrated(causal, write, label, f"{settings.digest()}\0{key}")


def _replacing(base: LanguageModel, mode: str, guide: Path | str | None) -> Calibrated:
    replacement = replacer(mode, guide)

    def write(prompts: Sequence[str], seeds: Sequence[int], sampling: Sampling) -> list[Generation]:
        found = base.generate(prompts, seeds, sampling)
        texts = replacement.replace([one.text for one in found], seeds)
        return [replace(one, text=text) for one, text in zip(found, texts, strict=True)]

    return Calibrated(base, write, mode, f"{mode}\0{replacement.digest()}")
