"""A language model as an analyzer: ``llm:MODEL``.

The answers of a local model are decoded under constraints, so they are always well formed and their positions exact. An
endpoint returns only text: an answer that is not permitted, or not a span of the sentence, is discarded. The questions
and their few-shot examples are data (``analyzer.toml``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from unslant.core.taxonomy import kind as kind_named
from unslant.core.taxonomy import kinds
from unslant.core.types import Analysis, Finding, Sentence, Severity, Span
from unslant.lab.lm import is_endpoint, open_model
from unslant.lab.probing.answerers import Answerer, open_answerer
from unslant.lab.probing.descriptions import ProbeAnswer, ProbeQuestion, dimension_answers, layout
from unslant.neural.subwords import NormalizedText, normalize_whitespace, snap_to_words
from unslant.neural.why import reason
from unslant.spec import Spec


class LlmAnalyzer:
    """Asks a language model whether a sentence is slanted, then where, how and against whom."""

    def __init__(self, name: str, spec: Spec) -> None:
        # endpoints are built for chat; base models are rarely served
        self._answerer = open_answerer(open_model(name), chat=is_endpoint(name))
        self._threshold, self._warns_from = spec.least_probability, spec.uncertain[1]
        self.provenance: Mapping[str, str] = {
            "language model": self._answerer.digest(),
            "questions": str(_questions()["version"]),
        }

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        texts = [normalize_whitespace(sentence.text) for sentence in sentences]
        verdicts = _answer_all(self._answerer, [ask_slant(text.text) for text in texts])
        slanted = [at for at, verdict in enumerate(verdicts) if self._is_slanted(verdict)]
        words = self._ask(ask_words, texts, slanted)
        kind_answers = self._ask(ask_kind, texts, slanted)
        demographic = [at for at, kind in kind_answers.items() if kind.valid and kind.text == "demographic"]
        dimension_answers = self._ask(ask_dimension, texts, demographic)
        analyses = []
        for at, verdict in enumerate(verdicts):
            probability = verdict.probability if verdict.valid else None
            findings: tuple[Finding, ...] = ()
            if at in words and words[at].span and kind_answers[at].valid:
                dimension = dimension_answers.get(at)
                findings = self._findings(
                    sentences[at],
                    texts[at],
                    words[at],
                    kind_answers[at].text,
                    dimension.text if dimension and dimension.valid else None,
                    probability,
                )
            analyses.append(Analysis(probability=probability, findings=findings))
        return analyses

    def _is_slanted(self, verdict: ProbeAnswer) -> bool:
        if verdict.probability is None:
            return verdict.valid and verdict.text == "yes"
        return verdict.valid and verdict.probability >= self._threshold

    def _ask(
        self,
        question: Callable[[str], ProbeQuestion],
        texts: Sequence[NormalizedText],
        indices: Sequence[int],
    ) -> dict[int, ProbeAnswer]:
        answers = _answer_all(self._answerer, [question(texts[at].text) for at in indices])
        return dict(zip(indices, answers, strict=True))

    def _findings(
        self,
        sentence: Sentence,
        text: NormalizedText,
        answer: ProbeAnswer,
        kind: str,
        dimension: str | None,
        probability: float | None,
    ) -> tuple[Finding, ...]:
        assert answer.span is not None  # noqa: S101 - checked by the caller
        findings = []
        for local in snap_to_words(text.text, [answer.span]):
            original = text.original(local)
            span = Span(sentence.span.start + original.start, sentence.span.start + original.end)
            words = text.text[local.start : local.end]
            certain = probability is not None and probability >= self._warns_from
            findings.append(
                Finding(
                    span=span,
                    text=sentence.document.source[span.start : span.end],
                    kind=kind,
                    why=_why(words, kind, dimension, probability),
                    origin="llm",
                    dimension=dimension,
                    severity=Severity.WARNING if certain else Severity.SUGGESTION,
                    probability=None if probability is None else round(probability, 4),
                )
            )
        return tuple(findings)


def _answer_all(answerer: Answerer, questions: Sequence[ProbeQuestion]) -> list[ProbeAnswer]:
    """Answer the questions that fit into the context window; the others get an invalid answer."""

    def fits(question: ProbeQuestion) -> bool:
        limit = answerer.context_length
        if limit is None:
            return True
        return answerer.count_tokens(question.prompt) + answerer.count_tokens(question.document) <= limit

    fitting = [fits(question) for question in questions]
    answers = iter(
        answerer.answer([question for question, fit in zip(questions, fitting, strict=True) if fit])
    )
    return [next(answers) if fit else ProbeAnswer("", valid=False) for fit in fitting]


def _why(text: str, kind: str, dimension: str | None, probability: float | None) -> str:
    if probability is not None:
        return reason(text, kind, dimension, probability)
    named = kind_named(kind)
    about = f" (about {dimension})" if dimension else ""
    return (
        f"A language model finds slant here, {named.title}{about}: {named.meaning}. "
        "It does not report a probability."
    )


@cache
def _questions() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("analyzer.toml").read_text("utf-8"))


def _build_question(
    name: str, text: str, decoding: str, choices: Mapping[str, str] | None = None
) -> ProbeQuestion:
    data = _questions()
    question = data["questions"][name]
    parts = []
    for example in data["example"]:
        if name in example:
            answer = example[name]
            if isinstance(answer, bool):
                answer = layout().yes if answer else layout().no
            parts.append(f"{example['text']}{layout().before_description}{question} {answer}")
    parts.append(f"{text}{layout().before_description}{question}")
    prompt = layout().between_examples.join(parts)
    task = "diagnosis" if name == "slanted" else name
    return ProbeQuestion(
        task, prompt, text, " ", decoding, temperature=0.0, top_k=0, choices=tuple((choices or {}).items())
    )


def ask_slant(text: str) -> ProbeQuestion:
    """Ask whether the wording is slanted."""
    return _build_question("slanted", text, "choice", {"yes": layout().yes, "no": layout().no})


def ask_words(text: str) -> ProbeQuestion:
    """Ask which words are slanted: a span of the sentence."""
    return _build_question("words", text, "span")


def ask_kind(text: str) -> ProbeQuestion:
    """Ask for the kind of slant."""
    return _build_question("kind", text, "choice", {name: name for name in kinds()})


def ask_dimension(text: str) -> ProbeQuestion:
    """Ask which group the slant concerns."""
    return _build_question("dimension", text, "choice", dimension_answers())
