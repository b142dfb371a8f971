"""What a trainable rewriter is, and pretrained sequence-to-sequence models as rewriters."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError
from unslant.neural.hub import transformers_to_load

if TYPE_CHECKING:
    from unslant.lab.rewriters.pairs import Pair
    from unslant.lab.rewriters.recipe import Phase


@dataclass(frozen=True, slots=True)
class BeamSettings:
    """The settings of a beam search."""

    size: int = 5
    length_penalty: float = 1.0
    """The exponent of the length that divides the log probability; 0 favours short hypotheses."""


@dataclass(frozen=True, slots=True)
class Rewording:
    """Another wording of a text."""

    text: str
    score: float = 0.0
    """The score of its rewriter; comparable only between wordings of the same rewriter."""


class RewriterSystem(Protocol):
    """A trainable rewriter."""

    @property
    def module(self) -> nn.Module:
        """The module with all weights."""
        ...

    def fits(self, text: str) -> bool:
        """Return whether a sentence is within the maximum length."""
        ...

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:
        """Return the loss of a phase on a batch of pairs."""
        ...

    def rewrite(self, texts: Sequence[str], beams: BeamSettings) -> list[list[Rewording]]:
        """Return rewrites of each text, best first; none for a text that is too long."""
        ...

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the weights to a folder, and return what else is needed to load them."""
        ...


_IGNORED = -100
_MAX_GROWTH = 16
"""How many subwords a rewrite may exceed its source by."""


@dataclass(frozen=True)
class PretrainedSystem:
    """A pretrained sequence-to-sequence model with its tokenizer."""

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
        """Return whether a sentence is within the maximum length."""
        return bool(text.strip()) and len(self.tokenizer(self.prefix + text)["input_ids"]) <= self.max_length

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the model and its tokenizer."""
        self.model.save_pretrained(folder)
        self.tokenizer.save_pretrained(folder)
        return {}

    def _encode(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:  # noqa: ARG002
        """Return the mean loss per subword."""
        if phase.name != "pairs":
            raise ConfigError(f"a pretrained rewriter has no phase {phase.name!r}; use 'pairs'")
        given = self._encode([self.prefix + pair.source for pair in pairs])
        wanted = self._encode([pair.target for pair in pairs])
        labels = wanted["input_ids"].masked_fill(wanted["attention_mask"] == 0, _IGNORED)
        logits = self.model(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
        ).logits
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED, label_smoothing=phase.smoothing
        )

    @torch.no_grad()
    def rewrite(self, texts: Sequence[str], beams: BeamSettings) -> list[list[Rewording]]:
        """Return the most probable rewrites by beam search."""
        places = [at for at, text in enumerate(texts) if self.fits(text)]
        found: list[list[Rewording]] = [[] for _ in texts]
        if not places:
            return found
        self.model.eval()
        given = self._encode([self.prefix + texts[at] for at in places])
        made = self.model.generate(
            input_ids=given["input_ids"],
            attention_mask=given["attention_mask"],
            num_beams=beams.size,
            num_return_sequences=beams.size,
            length_penalty=beams.length_penalty,
            max_new_tokens=given["input_ids"].shape[1] + _MAX_GROWTH,
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
) -> PretrainedSystem:
    """Load a model and its weights, from safetensors only and without remote code."""
    what = "sequence-to-sequence model"
    with transformers_to_load(str(name), what, f"a {what}", "train", ConfigError) as transformers:
        config = transformers.AutoConfig.from_pretrained(str(name), trust_remote_code=False)
        for key in ("dropout", "dropout_rate"):
            if dropout is not None and hasattr(config, key):
                setattr(config, key, dropout)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            str(name), config=config, use_safetensors=True, trust_remote_code=False
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name), trust_remote_code=False)
    return PretrainedSystem(model, tokenizer, prefix, max_length)
