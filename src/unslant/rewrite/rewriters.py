"""Rewriters: who proposes edits beside the rules.

The edit model and a masked language model know which words they would change, and return exact edits. A
sequence-to-sequence model writes whole sentences. Weights are read from safetensors only, and no code that comes with a
model is run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from unslant.core.errors import MissingExtra, ModelError
from unslant.core.types import Analysis, Edit, Sentence
from unslant.rewrite.result import CONFIDENT
from unslant.spec import Spec

__all__ = ["EditRewriter", "MaskedRewriter", "NoRewriter", "Seq2SeqRewriter"]

_WORTH_A_LOOK = 0.2
"""Less likely edits are not worth anyone's attention."""
_BATCH = 8
_BEAMS = 4
_REWORDINGS = 2
"""Wordings per sentence; further ones hardly differ."""
_LONGER = 1.5
"""No rewording is longer than this many times the sentence."""
_WORDS = 3
_LIKELY = 0.05
"""A masked language model proposes no word that is less likely in its place."""


class NoRewriter:
    """Proposes nothing, so that only the rules' wordings and deletions remain."""

    def __init__(self, _spec: Spec) -> None:
        """Need nothing."""

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:  # noqa: ARG002
        """Return no edits for any sentence."""
        return [[] for _ in sentences]


class EditRewriter:
    """Returns the edits that the model proposed along with its findings, in the same pass."""

    def __init__(self, _spec: Spec) -> None:
        """Load nothing: the analyzers have done the work."""

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:
        """Return the edits that the model is confident of and others in the same places, the likeliest first."""
        return [
            [edit for edit in _worth_a_look(analysis.proposals) if _is_usable(edit, sentence)]
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]


def _worth_a_look(proposals: Sequence[Edit]) -> list[Edit]:
    ordered = sorted(proposals, key=lambda edit: -(edit.probability or 0.0))
    sure = [edit for edit in ordered if (edit.probability or 0.0) >= CONFIDENT]
    return [
        edit
        for edit in ordered
        if (edit.probability or 0.0) >= _WORTH_A_LOOK and any(_is_inside(edit, place) for place in sure)
    ]


def _is_inside(edit: Edit, place: Edit) -> bool:
    """Say whether an edit is about the words of another, give or take a space."""
    return place.start - 1 <= edit.start and edit.end <= place.end + 1


def _is_usable(edit: Edit, sentence: Sentence) -> bool:
    """Say whether an edit lies in its sentence and is of whole words: no part of "so-called", no lone comma."""
    if not sentence.span.start <= edit.start <= edit.end <= sentence.span.end:
        return False
    source = sentence.document.source
    hyphenated = source[max(0, edit.start - 1) : edit.start + 1] + source[max(0, edit.end - 1) : edit.end + 1]
    wordless = edit.replacement != "" and not edit.replacement.lstrip()[:1].isalnum()
    return "-" not in hyphenated and not wordless


def load(name: str, auto: str, what: str) -> tuple[Any, Any, Any]:
    """Return torch, a tokenizer and a model of one of transformers' ``Auto`` classes."""
    try:
        import torch
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra(f"the rewriter {name!r}", error.name or "transformers", "lm") from None
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
        model = (
            getattr(transformers, auto)
            .from_pretrained(name, use_safetensors=True, trust_remote_code=False)
            .eval()
        )
    except (OSError, ValueError, KeyError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ModelError(
            f"no {what} could be loaded from {name!r} ({first[:200]}); name a hub model or a folder"
        ) from None
    return torch, tokenizer, model


class Seq2SeqRewriter:
    """Rewords sentences with any sequence-to-sequence model that transformers can load: ``hf:NAME_OR_FOLDER``."""

    def __init__(self, name: str, _spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForSeq2SeqLM", "sequence-to-sequence model"
        )
        self._longest = min(int(self._tokenizer.model_max_length), 512)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:  # noqa: ARG002
        """Return the best wordings by beam search, each with the mean probability of its subwords."""
        texts = [" ".join(sentence.text.split()) for sentence in sentences]
        found: list[list[tuple[str, float]]] = []
        for start in range(0, len(texts), _BATCH):
            found += self._reword(texts[start : start + _BATCH])
        return [
            [sentence.reword(text, score) for text, score in wordings]
            for sentence, wordings in zip(sentences, found, strict=True)
        ]

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
    """Proposes the likeliest words for findings of one word, beside the edit model's edits: ``mlm:NAME_OR_FOLDER``."""

    def __init__(self, name: str, spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForMaskedLM", "masked language model"
        )
        self._edits = EditRewriter(spec)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:
        """Return the edit model's edits first, then the masked language model's."""
        known = self._edits.rewrite(sentences, analyses)
        own = [
            Analysis(proposals=tuple(self._propose(sentence, analysis)))
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]
        added = self._edits.rewrite(sentences, own)
        return [[*edits, *more] for edits, more in zip(known, added, strict=True)]

    def _propose(self, sentence: Sentence, analysis: Analysis) -> Iterator[Edit]:
        base, text = sentence.span.start, sentence.text
        for finding in analysis.findings:
            start, end = finding.span.start - base, finding.span.end - base
            if not text[start:end].isalpha():
                continue
            masked = f"{text[:start]}{self._tokenizer.mask_token}{text[end:]}"
            for word, probability in self._likeliest(" ".join(masked.split())):
                if word.lower() != text[start:end].lower():
                    yield Edit(finding.span.start, finding.span.end, word, probability=probability)

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
