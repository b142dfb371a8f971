"""Which words matter: each word is left out in turn, and the model runs again.

An int8 network has no gradients. Leaving words out needs none, and shows what the model does, not what it attends to.
"""

from __future__ import annotations

from unslant.core.errors import ModelError
from unslant.core.types import Attribution, Document, Span, Weight
from unslant.neural.analyzer import ModelAnalyzer
from unslant.neural.calibrate import percentage, sigmoid, softmax
from unslant.neural.decoder import NetworkOutput
from unslant.registry import resolve
from unslant.spec import Spec
from unslant.text.words import COMPOUND


def attributions(text: str, spec: Spec) -> list[Attribution]:
    """Return the weights of the words of each sentence of a plain text."""
    analyzer = ModelAnalyzer(spec)
    sentences = resolve("segmenter", spec.segmenter)(spec).split(Document(text, text))
    return [attribution(analyzer, sentence.text) for sentence in sentences]


def attribution(analyzer: ModelAnalyzer, text: str) -> Attribution:
    """Return the weight of each word of one sentence."""
    output = analyzer.network.read(text)
    probability = analyzer.probability(output)
    if probability is None:
        raise ModelError("this model does not judge whole sentences, so there is nothing to explain")
    places = [Span(*match.span()) for match in COMPOUND.finditer(text)]

    def without(place: Span) -> float:
        shorter = analyzer.network.read(text[: place.start] + text[place.end :])
        return analyzer.probability(shorter) or 0.0

    left = analyzer.network.map(without, places)
    return Attribution(
        text,
        probability,
        tuple(Weight(place, probability - chance) for place, chance in zip(places, left, strict=True)),
        tuple(output.normalized.original(span.span) for span in analyzer.decoder.spans(output)),
        _answers(analyzer, output),
    )


def _answers(analyzer: ModelAnalyzer, output: NetworkOutput) -> dict[str, str]:
    """Return the likeliest label of each other head that judges the whole sentence."""
    found = {}
    for name, logits in output.text_logits.items():
        head = analyzer.network.package.heads[name]
        if head.type == "sentence":
            continue
        chances = softmax(logits) if head.exclusive else [sigmoid(logit) for logit in logits]
        best = max(range(len(chances)), key=chances.__getitem__)
        found[name] = (
            f"{head.labels[best]} ({percentage(chances[best])})" if chances[best] >= 0.5 else "unclear"
        )
    return found
