"""Any classifier or tagger that transformers can load, as an analyzer: ``hf:NAME_OR_FOLDER``.

A sequence classifier gives the probability that a sentence is slanted, a token classifier marks words. Weights are read
from safetensors only, and no code of the model is run.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from unslant.core.errors import ModelError
from unslant.core.taxonomy import kinds
from unslant.core.types import Analysis, Finding, Sentence, Severity, Span
from unslant.neural.hub import transformers_to_load
from unslant.neural.subwords import (
    BEGIN,
    INSIDE,
    OUTSIDE,
    NormalizedText,
    find_words,
    normalize_whitespace,
    snap_to_words,
)
from unslant.neural.why import reason
from unslant.neural.word_tags import decode_tags
from unslant.spec import Spec

_BATCH = 16
_SLANTED = re.compile(
    r"bias|slant|subjectiv|propagand|loaded|toxic|hate|offens|stereotyp|opinion", re.IGNORECASE
)
_NOT = re.compile(r"\b(?:non|not|no|un|neutral|factual|objective)\b|^(?:non|un|no)[-_ ]?", re.IGNORECASE)


class HuggingFaceAnalyzer:
    """Runs a classifier or tagger from the hub or from a folder."""

    def __init__(self, name: str, spec: Spec) -> None:
        self._name = name
        self._spec = spec
        with transformers_to_load(
            name, "classifier or tagger", "a model of the hub", "lm", given=f"hf:{name}"
        ) as transformers:
            config = transformers.AutoConfig.from_pretrained(name, trust_remote_code=False)
            tagger = any("TokenClassification" in name for name in config.architectures or ())
            auto = getattr(transformers, f"AutoModelFor{'Token' if tagger else 'Sequence'}Classification")
            self._tokenizer: Any = transformers.AutoTokenizer.from_pretrained(name, trust_remote_code=False)
            self._model: Any = auto.from_pretrained(
                name, use_safetensors=True, trust_remote_code=False
            ).eval()
        self._torch: Any = importlib.import_module("torch")
        if tagger and not self._tokenizer.is_fast:
            raise ModelError(f"{name!r}: its tokenizer gives no offsets; a tagger needs a fast tokenizer")
        self._labels: Mapping[int, str] = {
            int(at): str(label) for at, label in self._model.config.id2label.items()
        }
        self._tagger = self.marks_words = tagger
        self._positive = None if tagger else positive_label(self._labels, name)
        self._longest = min(
            int(self._tokenizer.model_max_length), int(getattr(config, "max_position_embeddings", 512))
        )
        self.provenance: Mapping[str, str] = {
            f"hf:{name}": str(getattr(config, "_commit_hash", None) or "local")
        }

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order; sentences of similar length share a batch."""
        texts = [normalize_whitespace(sentence.text) for sentence in sentences]
        found: list[Analysis] = [Analysis()] * len(sentences)
        order = sorted(range(len(sentences)), key=lambda at: len(texts[at].text))
        for start in range(0, len(order), _BATCH):
            places = order[start : start + _BATCH]
            for at, analysis in zip(
                places, self._batch([sentences[p] for p in places], [texts[p] for p in places]), strict=True
            ):
                found[at] = analysis
        return found

    def _batch(self, sentences: Sequence[Sentence], texts: Sequence[NormalizedText]) -> Iterator[Analysis]:
        encoded = self._tokenizer(
            [text.text for text in texts],
            padding=True,
            truncation=True,
            max_length=self._longest,
            return_tensors="pt",
            return_offsets_mapping=self._tagger,
        )
        offsets = encoded.pop("offset_mapping").tolist() if self._tagger else [[]] * len(texts)
        with self._torch.no_grad():
            logits = self._model(**encoded).logits
        one_label = len(self._labels) == 1
        chances = (self._torch.sigmoid(logits) if one_label else self._torch.softmax(logits, dim=-1)).tolist()
        for sentence, text, row, places in zip(sentences, texts, chances, offsets, strict=True):
            if self._tagger:
                marked = [(int(start), int(end)) for start, end in places]
                yield Analysis(findings=tuple(self._findings(sentence, text, marked, row)))
            else:
                yield Analysis(probability=row[self._positive])

    def _findings(
        self,
        sentence: Sentence,
        text: NormalizedText,
        offsets: Sequence[tuple[int, int]],
        rows: Sequence[Sequence[float]],
    ) -> Iterator[Finding]:
        best = [max(range(len(row)), key=row.__getitem__) for row in rows]
        tags = [parse_tag(self._labels[at]) for at in best]
        words = find_words(text.text, offsets)
        for local in snap_to_words(text.text, decode_tags((word, tags[index]) for index, word in words)):
            inside = [index for index, word in words if local.overlaps(word)]
            outside = [at for at, label in self._labels.items() if parse_tag(label) == OUTSIDE]
            chance = 1 - sum(rows[index][at] for index in inside for at in outside) / len(inside)
            kind = parse_kind(self._labels[best[inside[0]]])
            place = text.original(local)
            span = Span(sentence.span.start + place.start, sentence.span.start + place.end)
            yield Finding(
                span=span,
                text=sentence.document.source[span.start : span.end],
                kind=kind,
                why=reason(text.text[local.start : local.end], kind, None, chance),
                origin="hf",
                severity=Severity.WARNING if chance >= self._spec.uncertain[1] else Severity.SUGGESTION,
                probability=chance,
            )


def positive_label(labels: Mapping[int, str], name: str) -> int:
    """Return the label that means slanted: the only one, the one that says so, or the second of two."""
    named = [at for at, label in labels.items() if _SLANTED.search(label) and not _NOT.search(label)]
    if len(named) == 1:
        return named[0]
    if len(labels) == 1:
        return next(iter(labels))
    if len(labels) == 2:
        return max(labels)
    raise ModelError(f"{name!r}: none of its labels ({', '.join(labels.values())}) is recognized as slanted")


def parse_tag(label: str) -> int:
    """Return the tag of a tagger's label: ``O`` and the like are outside, ``B-…`` is begin, all others are inside."""
    plain = label.upper()
    if plain in ("O", "LABEL_0", "0") or _NOT.search(label):
        return OUTSIDE
    return BEGIN if plain.startswith("B-") or plain == "B" else INSIDE


def parse_kind(label: str) -> str:
    """Return the kind that a label names, or else ``framing``, the most frequent."""
    return next((kind for kind in kinds() if kind in label.lower()), "framing")
