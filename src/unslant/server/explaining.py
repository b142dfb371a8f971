"""Why something was found: a rule in full, and the words that the model's judgement depends on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from unslant.core.taxonomy import Technique, technique_of_rule
from unslant.core.types import Attribution, Document
from unslant.profiles import profile_of
from unslant.registry import resolve
from unslant.rules.compiled import other_senses
from unslant.server.requests import MOST_WORDS, Senses
from unslant.spec import Spec
from unslant.text.senses import Senses as DocumentSenses

EXPLANATION = "unslant/explanation/1"
"""The name and version of the response that says which words matter."""


class Explainer:
    """Says how much each word counts for the model."""

    def __init__(self, spec: Spec, step: Callable[[], None]) -> None:
        from unslant.neural.analyzer import ModelAnalyzer

        self._analyzer = ModelAnalyzer(spec)
        self._analyzer.ready()
        self._segmenter = resolve("segmenter", spec.segmenter)(spec)
        self._step = step

    def explain(self, documents: Iterable[Document]) -> Iterator[list[Attribution]]:
        """Yield the attributions of the sentences of each document."""
        from unslant.neural.attribution import attribution

        for document in documents:
            found = []
            for sentence in self._segmenter.split(document):
                self._step()
                found.append(attribution(self._analyzer, sentence.text))
            yield found


def explanation_to_dict(attributions: Iterable[Attribution]) -> dict[str, Any]:
    """Return the JSON form; the words come as parts of the sentence, so that no client counts characters."""
    return {"schema": EXPLANATION, "sentences": [_sentence(attribution) for attribution in attributions]}


def _sentence(attribution: Attribution) -> dict[str, Any]:
    parts: list[dict[str, Any]] = []
    at = 0
    for word in attribution.words:
        if word.span.start > at:
            parts.append({"text": attribution.text[at : word.span.start], "change": None})
        text = attribution.text[word.span.start : word.span.end]
        parts.append({"text": text, "change": round(word.change, 4)})
        at = word.span.end
    if at < len(attribution.text):
        parts.append({"text": attribution.text[at:], "change": None})
    return {"text": attribution.text, "probability": round(attribution.probability, 4), "parts": parts}


def profiles_to_dicts(documents: Iterable[Document], spec: Spec) -> Iterator[dict[str, Any]]:
    """Yield the profile by which each document is judged, and the words that it uses in a sense of its own."""
    for document in documents:
        senses = DocumentSenses(document, other_senses()).all()
        yield {
            "profile": profile_of(document, spec).name,
            "senses": {name: sorted(getattr(senses, name))[:MOST_WORDS] for name in Senses.model_fields},
        }


def rule_in_full(name: str, spec: Spec) -> dict[str, Any] | None:
    """Return a rule or a technique with its examples; None if there is none of this name."""
    technique = technique_of_rule(name)
    return _technique(technique) if technique is not None else _rules(spec).get(name)


def _technique(technique: Technique) -> dict[str, Any]:
    return {
        "id": technique.id,
        "title": technique.title,
        "kind": technique.kind,
        "dimension": None,
        "why": technique.why,
        "source": technique.source,
        "flags": list(technique.flags),
        "passes": list(technique.passes),
    }


@lru_cache(maxsize=2)
def _rules(spec: Spec) -> Mapping[str, dict[str, Any]]:
    from unslant.report.listings import rule_to_dict
    from unslant.rules.analyzer import rules_for

    kept = ("id", "title", "kind", "dimension", "why", "source", "flags", "passes")
    return {rule.id: {key: rule_to_dict(rule)[key] for key in kept} for rule in rules_for(spec)}
