"""A language model as an analyzer and a rewriter: ``llm:MODEL``.

A local model is led token by token, so that its answers are right in form and positions exact by construction. An
endpoint only answers in words: what is not an answer, or not a stretch of the sentence, is left out, never mended.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from unslant.core.taxonomy import kind as kind_named
from unslant.core.types import Analysis, Edit, Finding, Sentence, Severity, Span
from unslant.lab.lm import open_model
from unslant.lab.probing.asking import (
    about_dimension,
    about_kind,
    about_slant,
    about_words,
    for_neutral,
    version,
)
from unslant.lab.probing.prompts import Answer, Question
from unslant.lab.probing.voices import Voice, open_voice
from unslant.neural.pieces import Squeezed, squeeze
from unslant.neural.spans import snap
from unslant.neural.why import reason
from unslant.spec import Spec

__all__ = ["LlmAnalyzer", "LlmRewriter"]

_TRUST = 0.5
"""How far a wording is trusted whose model does not say how likely it is."""
_LONGER = 1.5
"""A neutral wording that is so many times longer than the sentence adds what was not there."""


def _voice(name: str) -> Voice:
    # servers are built for the chat form, and a model that only goes on with texts is rarely served
    return open_voice(open_model(name), chat=name.startswith(("http://", "https://")))


class LlmAnalyzer:
    """Asks a language model whether a sentence slants, then where, how and against whom."""

    def __init__(self, name: str, spec: Spec) -> None:
        self._voice = _voice(name)
        self._threshold, self._warns_from = spec.threshold, spec.uncertain[1]
        self.provenance: Mapping[str, str] = {
            "language model": self._voice.digest(),
            "questions": str(version()),
        }

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        texts = [squeeze(sentence.text) for sentence in sentences]
        found = [_analysis(answer) for answer in self._ask(about_slant, texts)]
        slanted = [
            at
            for at, (one, answer) in enumerate(found)
            if answer.judged and (answer.text == "yes" if one is None else one >= self._threshold)
        ]
        marked = {at: texts[at] for at in slanted}
        words = dict(zip(marked, self._ask(about_words, list(marked.values())), strict=True))
        kinds = dict(zip(marked, self._ask(about_kind, list(marked.values())), strict=True))
        people = {at: texts[at] for at in marked if kinds[at].judged and kinds[at].text == "demographic"}
        whom = dict(zip(people, self._ask(about_dimension, list(people.values())), strict=True))
        analyses = []
        for at, (probability, _) in enumerate(found):
            findings: tuple[Finding, ...] = ()
            if at in marked and words[at].place and kinds[at].judged:
                dimension = whom[at].text if at in whom and whom[at].judged else None
                said = (words[at], kinds[at].text, dimension, probability)
                findings = self._findings(sentences[at], texts[at], *said)
            analyses.append(Analysis(probability=probability, findings=findings))
        return analyses

    def _ask(self, question: Callable[[str], Question], texts: Sequence[Squeezed]) -> list[Answer]:
        return _asked(self._voice, [question(one.text) for one in texts])

    def _findings(
        self,
        sentence: Sentence,
        text: Squeezed,
        answer: Answer,
        kind: str,
        dimension: str | None,
        probability: float | None,
    ) -> tuple[Finding, ...]:
        assert answer.place is not None  # noqa: S101 - looked at by the caller
        found = []
        for local in snap(text.text, [Span(*answer.place)]):
            place = text.back(local)
            span = Span(sentence.span.start + place.start, sentence.span.start + place.end)
            said = text.text[local.start : local.end]
            sure = probability is not None and probability >= self._warns_from
            found.append(
                Finding(
                    span=span,
                    text=sentence.document.source[span.start : span.end],
                    kind=kind,
                    why=_why(said, kind, dimension, probability),
                    origin="llm",
                    dimension=dimension,
                    severity=Severity.WARNING if sure else Severity.SUGGESTION,
                    probability=None if probability is None else round(probability, 4),
                )
            )
        return tuple(found)


def _analysis(answer: Answer) -> tuple[float | None, Answer]:
    return (answer.probability if answer.judged else None), answer


def _asked(voice: Voice, questions: Sequence[Question]) -> list[Answer]:
    """Ask what the model can see as a whole; a sentence that is too long stays unjudged."""
    room = voice.room
    fits = [
        room is None or voice.length(one.prompt) + voice.length(one.document) <= room for one in questions
    ]
    said = iter(voice.ask([one for one, fit in zip(questions, fits, strict=True) if fit]))
    return [next(said) if fit else Answer("", judged=False) for fit in fits]


def _why(text: str, kind: str, dimension: str | None, probability: float | None) -> str:
    if probability is not None:
        return reason(text, kind, dimension, probability)
    named = kind_named(kind)
    about = f" (about {dimension})" if dimension else ""
    return f"A language model sees slant here, {named.title}{about}: {named.meaning}. How sure it is, it does not say."


class LlmRewriter:
    """Asks a language model for a neutral wording of the sentences in which something was found."""

    def __init__(self, name: str, spec: Spec) -> None:  # noqa: ARG002 - every rewriter is made from a spec
        self._voice = _voice(name)

    def rewrite(self, sentences: Sequence[Sentence], analyses: Sequence[Analysis]) -> list[list[Edit]]:
        """Return at most one wording for each sentence: other words, and not many more than there were."""
        texts = [squeeze(sentence.text).text for sentence in sentences]
        asked = [at for at, analysis in enumerate(analyses) if analysis.findings]
        answers = _asked(self._voice, [for_neutral(texts[at]) for at in asked])
        found: list[list[Edit]] = [[] for _ in sentences]
        for at, answer in zip(asked, answers, strict=True):
            said = " ".join(answer.text.split())
            fits = 0 < len(said) <= _LONGER * len(texts[at])
            if answer.judged and fits and said.casefold() != texts[at].casefold():
                trust = _TRUST if answer.probability is None else answer.probability
                found[at] = [sentences[at].reword(said, trust)]
        return found
