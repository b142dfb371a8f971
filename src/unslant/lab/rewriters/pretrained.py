"""Any sequence-to-sequence model of transformers (BART, T5), by hub name or folder, fine-tuned or as it is."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError, MissingExtra
from unslant.lab.rewriters.beam import Beams, Rewording
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase

__all__ = ["Pretrained", "load_pretrained"]

_IGNORED = -100
_ROOM = 16
"""Pieces that a wording may have more than its source."""


@dataclass(frozen=True)
class Pretrained:
    """A model with its tokenizer."""

    model: Any
    tokenizer: Any
    prefix: str = ""
    max_length: int = 128

    @property
    def module(self) -> nn.Module:
        """The model."""
        found: nn.Module = self.model
        return found

    def fits(self, text: str) -> bool:
        """Say whether a sentence is short enough to be read."""
        return bool(text.strip()) and len(self.tokenizer(self.prefix + text)["input_ids"]) <= self.max_length

    def _encoded(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:  # noqa: ARG002
        """Return the mean loss per piece."""
        if phase.name != "pairs":
            raise ConfigError(f"a pretrained rewriter has no phase {phase.name!r}; it learns from pairs")
        given = self._encoded([self.prefix + one.source for one in pairs])
        wanted = self._encoded([one.target for one in pairs])
        labels = wanted["input_ids"].masked_fill(wanted["attention_mask"] == 0, _IGNORED)
        logits = self.model(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
        ).logits
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED, label_smoothing=phase.smoothing
        )

    @torch.no_grad()
    def rewrite(self, texts: Sequence[str], beams: Beams) -> list[list[Rewording]]:
        """Search for the likeliest wordings."""
        places = [at for at, text in enumerate(texts) if self.fits(text)]
        found: list[list[Rewording]] = [[] for _ in texts]
        if not places:
            return found
        self.model.eval()
        given = self._encoded([self.prefix + texts[at] for at in places])
        made = self.model.generate(
            input_ids=given["input_ids"],
            attention_mask=given["attention_mask"],
            num_beams=beams.size,
            num_return_sequences=beams.size,
            length_penalty=beams.length_penalty,
            max_new_tokens=given["input_ids"].shape[1] + _ROOM,
            do_sample=False,
            return_dict_in_generate=True,
            output_scores=True,
        )
        wordings = self.tokenizer.batch_decode(
            made.sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        scores = getattr(made, "sequences_scores", None)
        for row, at in enumerate(places):
            for rank in range(row * beams.size, (row + 1) * beams.size):
                score = float(scores[rank]) if scores is not None else 0.0
                found[at].append(Rewording(" ".join(wordings[rank].split()), score))
        return found


def load_pretrained(
    name: str | Path, prefix: str = "", max_length: int = 128, dropout: float | None = None
) -> Pretrained:
    """Load a model; weights are read from safetensors only, and no code of the model is run."""
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("a sequence-to-sequence model", "transformers", "train") from error
    logs: Any = transformers.utils.logging
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        config = transformers.AutoConfig.from_pretrained(str(name))
        for key in ("dropout", "dropout_rate"):
            if dropout is not None and hasattr(config, key):
                setattr(config, key, dropout)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            str(name), config=config, use_safetensors=True
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name))
    except (OSError, ValueError, KeyError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigError(
            f"{name}: no sequence-to-sequence model could be loaded from there ({first[:200]}); name a hub model or "
            "a folder"
        ) from None
    return Pretrained(model, tokenizer, prefix, max_length)
