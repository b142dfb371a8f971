"""Any sequence-to-sequence model that transformers can load (BART, T5, …), as a rewriter: ``hf:NAME_OR_FOLDER``.

Weights are read from safetensors only, and no code of the model is run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unslant.core.errors import MissingExtra, ModelError
from unslant.core.types import Analysis, Rewrite, Sentence
from unslant.spec import Spec

__all__ = ["Seq2SeqRewriter", "load"]

_BATCH = 8
_BEAMS = 4
_OFFERED = 2
"""Wordings per sentence; further ones hardly differ."""
_LONGER = 1.5
"""No rewording is longer than this many times the sentence."""


def load(name: str, auto: str, what: str) -> tuple[Any, Any, Any]:
    """Return torch, a tokenizer and a model of one of transformers' ``Auto`` classes."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the rewriter {name!r}", error.name or "transformers", "lm") from None
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name)
        model = getattr(transformers, auto).from_pretrained(name, use_safetensors=True).eval()
    except (OSError, ValueError, KeyError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"no {what} could be loaded from {name!r} ({first[:200]}); name a hub model or a folder"
        ) from None
    return torch, tokenizer, model


class Seq2SeqRewriter:
    """Lets one model of the hub or in a folder word sentences anew."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForSeq2SeqLM", "sequence-to-sequence model"
        )
        self._longest = min(int(self._tokenizer.model_max_length), 512)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Rewrite]]:  # noqa: ARG002
        """Return the best wordings by beam search, each with the probability of its average piece."""
        texts = [" ".join(sentence.text.split()) for sentence in sentences]
        found: list[list[Rewrite]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._batch(texts[start : start + _BATCH])
        return found

    def _batch(self, texts: Sequence[str]) -> list[list[Rewrite]]:
        encoded = self._tokenizer(
            list(texts), return_tensors="pt", padding=True, truncation=True, max_length=self._longest
        )
        with self._torch.no_grad():
            made = self._model.generate(
                input_ids=encoded["input_ids"],
                attention_mask=encoded["attention_mask"],
                num_beams=_BEAMS,
                num_return_sequences=_OFFERED,
                max_new_tokens=int(encoded["input_ids"].shape[1] * _LONGER) + 8,
                return_dict_in_generate=True,
                output_scores=True,
            )
        written = self._tokenizer.batch_decode(made.sequences, skip_special_tokens=True)
        scores = self._torch.exp(made.sequences_scores).clamp(0, 1).tolist()
        rows = [Rewrite(text.strip(), float(score)) for text, score in zip(written, scores, strict=True)]
        return [rows[at : at + _OFFERED] for at in range(0, len(rows), _OFFERED)]
