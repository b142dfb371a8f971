"""Rewriters of the registry that transformers can run, and the door for those that write whole sentences.

Weights are read from safetensors only, and no code that comes with a model is run.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any

from unslant.core.types import Span
from unslant.neural.hub import transformers_to_load
from unslant.protocols import Wording, WordsInSentence
from unslant.spec import Spec
from unslant.text.diff import UnrelatedText, edits_between
from unslant.text.edits import apply_edits

_BATCH = 8
_BEAMS = 4
_REWORDINGS = 2
"""Wordings per sentence; further ones hardly differ."""
_LONGER = 1.5
"""No rewording is longer than this many times the sentence."""
_WORDS = 3
_LIKELY = 0.05
"""A masked language model proposes no word that is less likely in its place."""
_LEAST = 1e-6


class NoRewriter:
    """Proposes nothing beside the rules, the list and the model."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return no wording for any passage."""
        return [[] for _ in passages]


class SentenceRewriter(ABC):
    """A rewriter that writes whole sentences; of each, what it writes for the words in question is taken."""

    @abstractmethod
    def reword(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return other wordings of each sentence, the best first, with their probabilities."""

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return what the rewordings have in the place of each passage; a sentence is reworded once."""
        texts = list(dict.fromkeys(passage.sentence for passage in passages))
        reworded = dict(zip(texts, self.reword(texts), strict=True))
        return [list(_within(passage, reworded[passage.sentence])) for passage in passages]


def _within(passage: WordsInSentence, rewordings: Sequence[tuple[str, float]]) -> Iterator[Wording]:
    start, end = passage.span.start, passage.span.end
    for text, probability in rewordings:
        try:
            edits = edits_between(passage.sentence, text) if text.strip() else []
        except UnrelatedText:
            continue
        own = [edit for edit in edits if edit.start < end and start < max(edit.end, edit.start + 1)]
        if own and all(start <= edit.start and edit.end <= end for edit in own):
            inside = [edit.shift(-start) for edit in own]
            yield Wording(
                apply_edits(passage.sentence[start:end], inside).strip(), math.log(max(probability, _LEAST))
            )


def load(name: str, auto: str, what: str) -> tuple[Any, Any, Any]:
    """Return torch, a tokenizer and a model of one of transformers' ``Auto`` classes."""
    with transformers_to_load(name, what, f"the rewriter {name!r}", "lm") as transformers:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        auto_class = getattr(transformers, auto)
        model = auto_class.from_pretrained(name, use_safetensors=True, trust_remote_code=False).eval()
    import torch

    return torch, tokenizer, model


class Seq2SeqRewriter(SentenceRewriter):
    """Rewords sentences with any sequence-to-sequence model that transformers can load: ``hf:NAME_OR_FOLDER``."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForSeq2SeqLM", "sequence-to-sequence model"
        )
        self._longest = min(int(self._tokenizer.model_max_length), 512)

    def reword(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return the best wordings by beam search, each with the mean probability of its subwords."""
        found: list[list[tuple[str, float]]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._reword([" ".join(text.split()) for text in texts[start : start + _BATCH]])
        return found

    def _reword(self, texts: Sequence[str]) -> list[list[tuple[str, float]]]:
        encoded = self._tokenizer(
            list(texts), return_tensors="pt", padding=True, truncation=True, max_length=self._longest
        )
        with self._torch.no_grad():
            made = self._model.generate(
                input_ids=encoded["input_ids"],
                attention_mask=encoded["attention_mask"],
                num_beams=_BEAMS,
                num_return_sequences=_REWORDINGS,
                max_new_tokens=int(encoded["input_ids"].shape[1] * _LONGER) + 8,
                return_dict_in_generate=True,
                output_scores=True,
            )
        written = self._tokenizer.batch_decode(made.sequences, skip_special_tokens=True)
        scores = self._torch.exp(made.sequences_scores).clamp(0, 1).tolist()
        rows = [(text.strip(), float(score)) for text, score in zip(written, scores, strict=True)]
        return [rows[at : at + _REWORDINGS] for at in range(0, len(rows), _REWORDINGS)]


class MaskedRewriter:
    """Proposes the likeliest words for findings of one word: ``mlm:NAME_OR_FOLDER``."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForMaskedLM", "masked language model"
        )

    def propose(self, passages: Sequence[WordsInSentence]) -> list[list[Wording]]:
        """Return the words that the model finds likely in the place of each passage."""
        return [list(self._propose(passage.sentence, passage.span)) for passage in passages]

    def _propose(self, text: str, span: Span) -> Iterator[Wording]:
        stood = text[span.start : span.end]
        if stood.isalpha():
            masked = f"{text[: span.start]}{self._tokenizer.mask_token}{text[span.end :]}"
            for word, probability in self._likeliest(" ".join(masked.split())):
                if word.lower() != stood.lower():
                    yield Wording(word, math.log(probability))

    def _likeliest(self, masked: str) -> Iterator[tuple[str, float]]:
        encoded = self._tokenizer(masked, return_tensors="pt", truncation=True, max_length=512)
        places = (encoded["input_ids"][0] == self._tokenizer.mask_token_id).nonzero()
        if not len(places):
            return
        with self._torch.no_grad():
            logits = self._model(
                input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"]
            ).logits[0, int(places[0])]
        best = self._torch.softmax(logits, -1).topk(_WORDS)
        for probability, subword in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            word = self._tokenizer.decode([subword]).strip()
            if probability >= _LIKELY and word.isalpha():
                yield word, float(probability)
