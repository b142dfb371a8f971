"""The analyzer that asks the model."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from unslant.core.types import Analysis, Edit, Finding, Sentence, Severity, Span
from unslant.neural.calibrate import even_odds, sentence_probability, sigmoid, softmax
from unslant.neural.checkpoint import identity, load_package, locate
from unslant.neural.network import Network, Reading
from unslant.neural.pieces import Squeezed
from unslant.neural.proposals import Proposals
from unslant.neural.spans import BEGIN, INSIDE, marked_words, snap
from unslant.neural.stretches import Chosen
from unslant.neural.voices import Voice, first_of, voices
from unslant.neural.why import reason
from unslant.spec import Spec
from unslant.text.function_words import FUNCTION

__all__ = ["Marked", "ModelAnalyzer", "joined"]

_REMEMBERED = 4096
"""Sentences of which is kept what was made of them: whoever fixes texts asks about the same ones again."""
_SURE = 0.5
"""A dimension is named only if it is likelier than all others together."""


@dataclass(frozen=True, slots=True)
class Marked:
    """Words that the model marks, in the squeezed text."""

    span: Span
    probability: float
    kind: str


@dataclass(frozen=True, slots=True)
class _Said:
    """All that the model says of a text, wherever it stands."""

    squeezed: Squeezed
    probability: float | None
    marked: Sequence[Marked]
    dimension: str | None
    chosen: Chosen | None


@lru_cache(maxsize=2)
def _network(folder: Path, digest: str) -> Network:  # noqa: ARG001
    """Load a network once, however many pipelines ask it; one whose files have changed is loaded anew."""
    return Network(load_package(folder))


class ModelAnalyzer:
    """Finds what a trained network marks: the model that ships, or one in a folder of the user's."""

    def __init__(self, spec: Spec) -> None:
        digest = identity(spec.model)
        package = load_package(locate(spec.model))
        self.network = _network(package.folder, digest)
        self.provenance: Mapping[str, str] = {"model": digest}
        self._heads = package.heads
        self._said = lru_cache(maxsize=_REMEMBERED)(self._say)
        self._voices = voices(package)
        self._sentence = first_of(package, "sentence")
        self._kinds = first_of(package, "kinds")
        self._span_kinds = first_of(package, "span_kinds")
        self._dimension = first_of(package, "dimension")
        self._edits = first_of(package, "edits")
        self._threshold = spec.threshold
        self._warns_from = spec.uncertain[1]

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        return self.network.map(self._analysis, sentences)

    def probability(self, reading: Reading, head: str | None = None) -> float | None:
        """Return how likely the text is slanted, by one head; None where no head judges that."""
        head = head or self._sentence
        if head is None:
            return None
        return sentence_probability(reading.of_text[head][0], self._heads[head].decision)

    def dimension(self, reading: Reading) -> str | None:
        """Return against whom the text slants, if that is likelier than everything else."""
        if self._dimension is None:
            return None
        chances = softmax(reading.of_text[self._dimension])
        best = max(range(len(chances)), key=chances.__getitem__)
        name = self._heads[self._dimension].labels[best]
        return name if chances[best] >= _SURE and name != "none" else None

    def marked(self, reading: Reading) -> list[Marked]:
        """Return the words that slant, in order, none overlapping another; the surest voice counts."""
        found = [one for voice in self._voices for one in self._heard(voice, reading)]
        kept: list[Marked] = []
        for one in sorted(found, key=lambda one: (-one.probability, one.span)):
            if not any(one.span.overlaps(other.span) for other in kept):
                kept.append(one)
        return joined(reading.squeezed.text, sorted(kept, key=lambda one: one.span))

    def _analysis(self, sentence: Sentence) -> Analysis:
        said = self._said(sentence.text)
        return Analysis(
            probability=said.probability,
            findings=tuple(_finding(sentence, said, one, self._warns_from) for one in said.marked),
            proposals=self._proposals(sentence, said),
        )

    def _say(self, text: str) -> _Said:
        reading = self.network.read(text)
        marked = self.marked(reading)
        chosen = None if self._edits is None else self.network.choices(reading, self._edits)
        return _Said(
            reading.squeezed,
            self.probability(reading),
            marked,
            self.dimension(reading) if marked else None,
            chosen,
        )

    def _proposals(self, sentence: Sentence, said: _Said) -> Sequence[Edit]:
        if self._edits is None or said.chosen is None:
            return ()
        even = float(self._heads[self._edits].decision.get("threshold", 0.5))
        return Proposals(sentence, said.squeezed, said.chosen, even)

    def _heard(self, voice: Voice, reading: Reading) -> list[Marked]:
        """Return what one voice marks; it is as sure as the less sure of its two heads."""
        partner = self.probability(reading, voice.sentence) if voice.sentence else None
        if partner is not None and partner < self._threshold:
            return []
        logits = reading.of_pieces[voice.spans]
        rows = [softmax(logits[index]) for index, _ in reading.words]
        decision = self._heads[voice.spans].decision
        even = float(decision.get("threshold", 0.5))
        # whoever asks for less sure findings gets them; for surer ones, whole spans are left out, not their ends
        least = even * min(1.0, 2 * self._threshold)
        text = reading.squeezed.text
        places = [word for _, word in reading.words]
        found = []
        for span in snap(text, marked_words(text, places, rows, {**decision, "threshold": least})):
            covered = [at for at, word in enumerate(places) if span.overlaps(word)]
            inside = [reading.words[at][0] for at in covered]
            scores = [rows[at][BEGIN] + rows[at][INSIDE] for at in covered]
            # words that a span only grew to, or closed a gap with, say nothing of how sure it is
            sure = [score for score in scores if score >= least] or scores
            chance = even_odds(sum(sure) / len(sure), even)
            chance = chance if partner is None else min(chance, partner)
            found.append(Marked(span, chance, voice.kind or self._kind(reading, inside)))
        return found

    def _kind(self, reading: Reading, inside: Sequence[int]) -> str:
        """Return how some words slant: by their own head, else by the sentence's, else by the commonest kind."""
        if self._span_kinds is not None:
            rows = [reading.of_pieces[self._span_kinds][index] for index in inside]
            chances = [sum(map(sigmoid, column)) for column in zip(*rows, strict=True)]
            labels = self._heads[self._span_kinds].labels
        elif self._kinds is not None:
            chances = reading.of_text[self._kinds]
            labels = self._heads[self._kinds].labels
        else:
            return "framing"
        return labels[max(range(len(labels)), key=chances.__getitem__)]


def _finding(sentence: Sentence, said: _Said, marked: Marked, warns_from: float) -> Finding:
    local = said.squeezed.back(marked.span)
    span = Span(sentence.span.start + local.start, sentence.span.start + local.end)
    # a group may be spoken of without the wording being about it
    about = said.dimension if marked.kind == "demographic" else None
    words = said.squeezed.text[marked.span.start : marked.span.end]
    return Finding(
        span=span,
        text=sentence.document.source[span.start : span.end],
        kind=marked.kind,
        why=reason(words, marked.kind, about, marked.probability),
        origin="model",
        dimension=about,
        severity=Severity.WARNING if marked.probability >= warns_from else Severity.SUGGESTION,
        probability=round(marked.probability, 4),
    )


def joined(text: str, marked: Sequence[Marked]) -> list[Marked]:
    """Make neighbours of one kind one, as sure as the surest; what has no word of its own meaning is left out."""
    found: list[Marked] = []
    for one in marked:
        last = found[-1] if found else None
        if last and last.kind == one.kind and not text[last.span.end : one.span.start].strip():
            span = Span(last.span.start, one.span.end)
            found[-1] = Marked(span, max(last.probability, one.probability), one.kind)
        else:
            found.append(one)
    whole = []
    for one in found:
        said = text[one.span.start : one.span.end]
        words = re.findall(r"[^\W_]+", said.lower())
        if any(word not in FUNCTION for word in words):
            end = one.span.start + len(said.rstrip(".,;:!?"))
            whole.append(Marked(Span(one.span.start, end), one.probability, one.kind))
    return whole
