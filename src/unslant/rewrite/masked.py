"""A masked language model that proposes other words in place of those in question: ``mlm:NAME_OR_FOLDER``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unslant.core.types import Analysis, Proposal, Rewrite, Sentence
from unslant.rewrite.proposed import EditRewriter
from unslant.rewrite.seq2seq import load
from unslant.spec import Spec

__all__ = ["MaskedRewriter"]

_OFFERED = 3
_LIKELY = 0.05
"""Words that are less likely in their place are not proposed."""


class MaskedRewriter:
    """Proposes the likeliest single words for each finding of one word, beside what the edit model proposes."""

    def __init__(self, name: str, spec: Spec) -> None:
        self._torch, self._tokenizer, self._model = load(
            name, "AutoModelForMaskedLM", "masked language model"
        )
        self._edits = EditRewriter(spec)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Rewrite]]:
        """Return a wording for each proposal, the edit model's first."""
        known = self._edits.rewrite(sentences, analyses)
        own = [
            Analysis(proposals=tuple(self._proposals(sentence, analysis)))
            for sentence, analysis in zip(sentences, analyses, strict=True)
        ]
        added = self._edits.rewrite(sentences, own)
        return [[*one, *other] for one, other in zip(known, added, strict=True)]

    def _proposals(self, sentence: Sentence, analysis: Analysis) -> Iterator[Proposal]:
        base, text = sentence.span.start, sentence.text
        for finding in analysis.findings:
            start, end = finding.span.start - base, finding.span.end - base
            if not text[start:end].isalpha():
                continue
            masked = f"{text[:start]}{self._tokenizer.mask_token}{text[end:]}"
            for word, chance in self._likeliest(" ".join(masked.split())):
                if word.lower() != text[start:end].lower():
                    yield Proposal(finding.span.start, finding.span.end, word, chance)

    def _likeliest(self, masked: str) -> Iterator[tuple[str, float]]:
        encoded = self._tokenizer(masked, return_tensors="pt", truncation=True, max_length=512)
        places = (encoded["input_ids"][0] == self._tokenizer.mask_token_id).nonzero()
        if not len(places):
            return
        with self._torch.no_grad():
            logits = self._model(
                input_ids=encoded["input_ids"], attention_mask=encoded["attention_mask"]
            ).logits[0, int(places[0])]
        best = self._torch.softmax(logits, -1).topk(_OFFERED)
        for chance, piece in zip(best.values.tolist(), best.indices.tolist(), strict=True):
            word = self._tokenizer.decode([piece]).strip()
            if chance >= _LIKELY and word.isalpha():
                yield word, float(chance)
