"""The analyzer that runs the model, and the edits of the user's text that its edit head proposes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar, overload

from unslant import acceptance
from unslant.acceptance import Acceptance
from unslant.core.errors import ModelError
from unslant.core.taxonomy import technique
from unslant.core.types import Analysis, Edit, Finding, Sentence, Severity, Span, WordScore
from unslant.neural.checkpoint import identity, load_package, locate
from unslant.neural.decoder import NetworkOutput, PredictedSpan, Prediction
from unslant.neural.network import Network
from unslant.neural.span_edits import SpanEdits, suggest
from unslant.neural.subwords import NormalizedText
from unslant.neural.why import reason
from unslant.spec import Spec

T = TypeVar("T")


class _OnDemand(Sequence[T]):
    """Parts of an analysis that are made on first access, because most sentences are only checked."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: tuple[T, ...] | None = None

    def _make(self) -> Iterator[T]:
        raise NotImplementedError

    def _all(self) -> tuple[T, ...]:
        if self._made is None:
            self._made = tuple(self._make())
        return self._made

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[T, ...]: ...
    def __getitem__(self, at: int | slice) -> T | tuple[T, ...]:
        """Return one, or a tuple for a slice."""
        return self._all()[at]

    def __len__(self) -> int:
        return len(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _OnDemand | tuple) and self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


class Proposals(_OnDemand[Edit]):
    """The edits that the edit head proposes.

    Probabilities are rescaled so that ``even``, from which the model itself would make the edit, becomes one half.
    Edits that would cover markup are left out. Neither logits nor the rest of the document are kept.
    """

    __slots__ = ("_begin", "_chosen", "_even", "_normalized", "_prose", "_source")

    def __init__(
        self, sentence: Sentence, normalized: NormalizedText, chosen: SpanEdits, even: float
    ) -> None:
        super().__init__()
        begin, end = sentence.span.start, sentence.span.end
        self._begin = begin
        self._source = sentence.document.source[begin:end]
        self._prose = sentence.text
        self._normalized = normalized
        self._chosen = chosen
        self._even = even

    def _make(self) -> Iterator[Edit]:
        begin = self._begin
        for edit in suggest(self._normalized.text, self._chosen.edits, self._even):
            start, end = _locate(self._normalized, edit)
            if self._source[start:end] == self._prose[start:end]:
                probability = round(edit.probability or 0.0, 4)
                yield Edit(begin + start, begin + end, edit.replacement, probability=probability)


class WordScores(_OnDemand[WordScore]):
    """How likely an editor would change each word of a sentence that begins at a place of the source."""

    __slots__ = ("_begin", "_places", "_scores")

    def __init__(self, begin: int, places: Sequence[int], scores: Sequence[tuple[Span, float]]) -> None:
        super().__init__()
        self._begin = begin
        self._places = places
        self._scores = scores

    def __len__(self) -> int:
        return len(self._scores)

    def _make(self) -> Iterator[WordScore]:
        for span, probability in self._scores:
            yield WordScore(_source_span(self._begin, self._places, span), probability)


def _locate(normalized: NormalizedText, edit: Edit) -> tuple[int, int]:
    """Return the original offsets of an edit of the normalized text."""
    places = normalized.places
    if edit.start < edit.end:
        return places[edit.start], places[edit.end - 1] + 1
    if edit.start == 0:
        place = places[0] if len(places) else 0
    elif edit.start < len(places) and normalized.text[edit.start - 1] == " ":
        place = places[edit.start]
    else:
        place = places[edit.start - 1] + 1
    return place, place


_REMEMBERED = 4096
"""The number of predictions to keep: fixing a text analyzes the same sentences several times."""


@lru_cache(maxsize=2)
def _network(folder: Path, digest: str) -> Network:  # noqa: ARG001
    """Load a network once for all pipelines, and again if its files have changed."""
    return Network(load_package(folder), wait=False)


class ModelAnalyzer:
    """Reports what a trained network predicts: the model that ships, or one in a folder."""

    def __init__(self, spec: Spec) -> None:
        digest = identity(spec.model)
        package = load_package(locate(spec.model))
        self.network = _network(package.folder, digest)
        self.acceptance = (
            Acceptance.parse(package.read(acceptance.FILE)) if acceptance.FILE in package.files else None
        )
        lowest = spec.least_probability if self.acceptance is None else acceptance.CANDIDATES_FROM
        self._lowest = lowest
        self.decoder = self.network.decoder(threshold=lowest)
        self.provenance: Mapping[str, str] = {"model": digest}
        self._predict = lru_cache(maxsize=_REMEMBERED)(self._decode)
        edits = self.decoder.selection.edits
        self._even = 0.5 if edits is None else float(package.heads[edits].decision.get("threshold", 0.5))

    def ready(self) -> None:
        """Wait until the network is loaded; raise if it cannot be."""
        try:
            self.network.ready()
        except ModelError:
            _network.cache_clear()  # its files may be mended
            raise

    def analyze(self, sentences: Sequence[Sentence]) -> list[Analysis]:
        """Return one analysis per sentence, in order."""
        return self.network.map(self._analysis, sentences)

    def forget(self) -> None:
        """Clear the cached predictions; the network stays loaded."""
        self._predict.cache_clear()

    def stop_proposing(self) -> None:
        """Skip the edit head from now on."""
        selection = replace(self.decoder.selection, edits=None)
        self.decoder = self.network.decoder(selection, threshold=self._lowest)
        self.forget()

    def probability(self, output: NetworkOutput) -> float | None:
        """Return how likely a text is slanted; None where no head judges that."""
        return self.decoder.probability(output)

    def _decode(self, text: str) -> tuple[NormalizedText, Prediction]:
        output = self.network.read(text)
        return output.normalized, self.decoder.decode(output)

    def _analysis(self, sentence: Sentence) -> Analysis:
        normalized, prediction = self._predict(sentence.text)
        return Analysis(
            probability=prediction.probability,
            findings=tuple(
                self._finding(sentence, normalized, prediction, span) for span in prediction.spans
            ),
            proposals=self._proposals(sentence, normalized, prediction),
            words=WordScores(sentence.span.start, normalized.places, prediction.words),
        )

    def _proposals(
        self, sentence: Sentence, normalized: NormalizedText, prediction: Prediction
    ) -> Sequence[Edit]:
        if prediction.edits is None:
            return ()
        return Proposals(sentence, normalized, prediction.edits, self._even)

    def _finding(
        self, sentence: Sentence, normalized: NormalizedText, prediction: Prediction, predicted: PredictedSpan
    ) -> Finding:
        span = _source_span(sentence.span.start, normalized.places, predicted.span)
        kind, probability = predicted.kind or "framing", predicted.probability or 0.0
        # a sentence may name a group without the wording being about it
        dimension = prediction.dimension if kind == "demographic" else None
        wording = normalized.text[predicted.span.start : predicted.span.end]
        return Finding(
            span=span,
            text=sentence.document.source[span.start : span.end],
            kind=kind,
            why=_why(predicted, wording, kind, dimension, probability),
            origin="model",
            rule=technique(predicted.technique).id if predicted.technique else None,
            dimension=dimension,
            severity=Severity.SUGGESTION,
            probability=round(probability, 4),
        )


def _source_span(begin: int, places: Sequence[int], span: Span) -> Span:
    """Return the span in the source of a span of the normalized text of a sentence that begins there."""
    return Span(begin + places[span.start], begin + places[span.end - 1] + 1)


def _why(predicted: PredictedSpan, wording: str, kind: str, dimension: str | None, probability: float) -> str:
    if predicted.technique:
        return technique(predicted.technique).why
    return reason(wording, kind, dimension, probability)
