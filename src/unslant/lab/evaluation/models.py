"""The models that are measured: the rules, an exported package, or a trained run in full precision.

All predict through the product's decoder. Which heads answer is a choice of the evaluation: ``product`` (default) asks
the heads that ``unslant check`` asks; ``corpus`` asks the heads that learned from the corpus at hand, as a comparison
with a paper requires. The name of the model states which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.example import Example
from unslant.core.types import Document, Finding, Sentence, Severity, Span
from unslant.lab.evaluation.held_out import Lineage, read_lineage, single_model
from unslant.lab.evaluation.tasks import Heads
from unslant.lab.published import published
from unslant.neural.checkpoint import HeadSpec, Package, load_package, shipped_model
from unslant.neural.decoder import (
    HeadSelection,
    NetworkOutput,
    PredictedSpan,
    Prediction,
    gate_span_heads,
    select_product_heads,
)
from unslant.neural.huggingface import HuggingFaceAnalyzer
from unslant.neural.subwords import normalize_whitespace
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.quotations import find_quotations
from unslant.text.reading import read

if TYPE_CHECKING:
    from unslant.lab.detector.network import Trained
    from unslant.lab.detector.rows import EncodedRow
    from unslant.neural.network import Network

_TYPES = ("sentence", "spans", "kinds", "dimension", "opinion")


class SentenceModel(Protocol):
    """A model as evaluation sees it."""

    @property
    def name(self) -> str:
        """The name shown with its figures; it includes the heads that answer, unless they are the product's."""
        ...

    @property
    def lineage(self) -> Lineage:
        """What it, its teachers and its encoder learned from."""
        ...

    @property
    def answers(self) -> frozenset[str]:
        """What it predicts: some of ``sentence``, ``probability``, ``spans``, ``kinds``, ``dimension``, ``opinion``."""
        ...

    @property
    def heads(self) -> str:
        """Which heads answer: ``product`` or ``corpus``; empty for a model without heads."""
        ...

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Return one prediction per text, in order. With ``corpus`` heads, those for the named corpus answer."""
        ...


def require_answer(model: SentenceModel, answer: str, task: str) -> None:
    """Raise :class:`ConfigError` if a model does not predict what a task measures."""
    if answer not in model.answers:
        raise ConfigError(
            f"{model.name}: predicts no {_WORDS[answer]}, which {task!r} measures; choose another model"
        )


_WORDS = {
    "sentence": "verdict on a sentence",
    "probability": "probability",
    "spans": "spans",
    "kinds": "kinds",
    "dimension": "dimension",
    "opinion": "opinion or fact",
}


def measured_model(models: Sequence[SentenceModel], task: str, answer: str, *corpora: str) -> SentenceModel:
    """Return the only model, if it predicts what a task measures and has not learned from the test text."""
    model = single_model(models, task)
    require_answer(model, answer, task)
    for corpus in corpora:
        model.lineage.check(model.name, corpus)
    return model


def open_models(name: str, heads: Heads = "product") -> list[SentenceModel]:
    """Return the model with a name or in a folder; several if the folder holds the folds of a cross-validation.

    ``rules`` is the rules alone, ``default`` the model that ships; a folder is a run of ``unslant train detector``, the
    model in it, its package, or a folder of such runs. ``hf:NAME`` is a classifier or tagger of transformers.
    """
    if name == "rules":
        return [RuleModel()]
    if name.startswith("hf:"):
        return [HuggingFaceModel(name)]
    folder = shipped_model() if name == "default" else Path(name)
    if folder is None or not folder.is_dir():
        what = "this build of unslant has none" if name == "default" else "no such model"
        raise ConfigError(
            f"{name}: {what}; name 'rules', the folder of a trained model, or hf:NAME for a model of the hub"
        )
    found = _open(folder, heads)
    if found is not None:
        return [found]
    folds = [model for path in sorted(folder.iterdir()) if path.is_dir() and (model := _open(path, heads))]
    if not folds:
        raise ConfigError(
            f"{name}: contains no model; 'unslant train detector RECIPE --output DIR' creates one"
        )
    return folds


def run_folder(name: str) -> Path:
    """Return the folder with the network of a run; the first run of a folder of runs."""
    folder = Path(name)
    inside = sorted(path for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    for place in (folder, *inside):
        for found in (place, place / "model"):
            if (found / "network.json").is_file():
                return found
    raise ConfigError(f"{name}: not a run of 'unslant train detector', which this needs")


def _open(folder: Path, heads: Heads) -> SentenceModel | None:
    if (folder / "model.json").is_file():
        return PackageModel(folder, heads)
    for place in (folder, folder / "model"):
        if (place / "network.json").is_file():
            return RunModel(place, heads)
    if (folder / "tagger.json").is_file():
        return TaggerModel(folder)
    return None


def select_corpus_heads(
    specs: Mapping[str, HeadSpec], corpora: Mapping[str, Sequence[str]], corpus: str
) -> HeadSelection:
    """Return the head of each type that answers for a corpus, a span head with its gate.

    Prefers the head that learned from the corpus, then from a variant of it, then from everything; else the first.
    ``corpora`` names what each head learned from; a head without corpora learned from everything.
    """

    def closeness(name: str) -> int:
        learned = corpora.get(name, ())
        if corpus in learned:
            return 3
        if corpus and corpus.partition("/")[0] in {other.partition("/")[0] for other in learned}:
            return 2
        return 0 if learned else 1

    def choose(type_: str) -> str | None:
        # the first of those that are equally close
        return max((name for name, spec in specs.items() if spec.type == type_), key=closeness, default=None)

    spans = choose("spans")
    return HeadSelection(
        f"corpus: {corpus}",
        sentence=choose("sentence"),
        span_heads=tuple(pair for pair in gate_span_heads(specs) if pair.name == spans),
        kinds=choose("kinds"),
        span_kinds=choose("span_kinds"),
        dimension=choose("dimension"),
        opinion=choose("opinion"),
        edits=choose("edits"),
    )


class _NetworkModel(ABC):
    """A trained network, loaded on first use."""

    def __init__(self, folder: Path, heads: Heads = "product") -> None:
        self._folder = folder
        self.heads: str = heads

    @property
    def name(self) -> str:
        """The folder of the run or package, and the heads that answer."""
        return self._folder_name if self.heads == "product" else f"{self._folder_name}, {self.heads} heads"

    @property
    @abstractmethod
    def _folder_name(self) -> str: ...

    @cached_property
    def lineage(self) -> Lineage:
        """What it learned from."""
        return read_lineage(self._folder)

    @cached_property
    def answers(self) -> frozenset[str]:
        """What its heads predict."""
        types = {spec.type for spec in self._specs.values()}
        return frozenset(types & set(_TYPES)) | ({"probability"} if "sentence" in types else set())

    @property
    @abstractmethod
    def _specs(self) -> Mapping[str, HeadSpec]: ...

    @property
    @abstractmethod
    def _corpora(self) -> Mapping[str, Sequence[str]]: ...

    def _selection(self, corpus: str) -> HeadSelection:
        if self.heads == "corpus":
            return select_corpus_heads(self._specs, self._corpora, corpus)
        return select_product_heads(self._specs)


class PackageModel(_NetworkModel):
    """A package as ``unslant train detector --export`` writes it, run by the product's own network."""

    @property
    def _folder_name(self) -> str:
        folder = self._folder
        return f"{folder.parent.name}/{folder.name}" if folder.name == "package" else folder.name

    @cached_property
    def _package(self) -> Package:
        package = load_package(self._folder)
        package.verify()
        return package

    @property
    def _specs(self) -> Mapping[str, HeadSpec]:
        return self._package.heads

    @cached_property
    def _corpora(self) -> Mapping[str, Sequence[str]]:
        plans = self._package.card().get("recipe", {}).get("heads", {})
        return {name: tuple(plan.get("corpora", ())) for name, plan in plans.items()}

    @cached_property
    def _network(self) -> Network:
        from unslant.neural.network import Network

        return Network(self._package)

    def _selection(self, corpus: str) -> HeadSelection:
        if self.heads == "product":
            return select_product_heads(self._specs, self._package.span_heads)
        return super()._selection(corpus)

    @cached_property
    def _pipeline(self) -> Pipeline:
        return Pipeline(Spec(analyzers=("model",), model=str(self._folder), quotations=True))

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Read and decode each text as the product does; with product heads, the spans are those of ``check``."""
        decoder = self._network.decoder(self._selection(corpus))

        def predict(text: str) -> Prediction:
            output = self._network.read(text)
            return _locate(decoder.decode(output), output)

        predictions = self._network.map(predict, texts)
        if self.heads != "product":
            return predictions
        return [
            replace(prediction, spans=spans)
            for prediction, spans in zip(predictions, self._reported_spans(texts), strict=True)
        ]

    def _reported_spans(self, texts: Sequence[str]) -> Iterator[tuple[PredictedSpan, ...]]:
        """Yield what ``check`` reports in each text, taken as one sentence."""
        places = [
            Span(len(text) - len(text.lstrip()), len(text.rstrip())) if text.strip() else None
            for text in texts
        ]
        sentences = [Sentence(read(text), place) for text, place in zip(texts, places, strict=True) if place]
        reports = iter(self._pipeline.assess(sentences))
        for place in places:
            findings = next(reports).findings if place else ()
            yield tuple(
                PredictedSpan(finding.span, finding.kind, finding.probability) for finding in findings
            )


class RunModel(_NetworkModel):
    """The model of a run of ``unslant train detector``, in full precision."""

    @property
    def _folder_name(self) -> str:
        return self._folder.parent.name if self._folder.name == "model" else self._folder.name

    @cached_property
    def _trained(self) -> Trained:
        try:
            from unslant.lab.detector.network import load_trained
        except ModuleNotFoundError as error:
            raise MissingExtra("a trained network", error.name or "torch", "train") from error
        return load_trained(self._folder)

    @cached_property
    def _specs(self) -> Mapping[str, HeadSpec]:
        from unslant.lab.detector.predict import head_specs

        return head_specs(self._trained.network, self._trained.decisions)

    @cached_property
    def _corpora(self) -> Mapping[str, Sequence[str]]:
        return {name: plan.corpora for name, plan in self._trained.network.plan.heads.items()}

    def _rows(self, texts: Sequence[str]) -> list[EncodedRow]:
        from unslant.lab.detector.predict import encode_for
        from unslant.lab.detector.recipe import Part
        from unslant.lab.detector.rows import TrainingSample

        samples = [
            TrainingSample(Example(str(at), text, "evaluation", ""), Part("evaluation"), "")
            for at, text in enumerate(texts)
        ]
        return encode_for(self._trained, samples)

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Run the network over the texts and decode its outputs as the product does."""
        from unslant.lab.detector.predict import network_output, predict, span_edit_decoders
        from unslant.neural.decoder import Decoder

        network = self._trained.network
        normalized = [normalize_whitespace(text) for text in texts]
        rows = self._rows([text.text for text in normalized])
        outputs = predict(self._trained, rows)
        decoder = Decoder(self._specs, self._selection(corpus), span_edits=span_edit_decoders(network))
        found = []
        for at, (row, text) in enumerate(zip(rows, normalized, strict=True)):
            output = replace(network_output(network, outputs, row, at), normalized=text)
            found.append(_locate(decoder.decode(output), output))
        return found


def _locate(prediction: Prediction, output: NetworkOutput) -> Prediction:
    """Return a prediction whose spans refer to the original text."""
    spans = tuple(replace(span, span=output.normalized.original(span.span)) for span in prediction.spans)
    return replace(prediction, spans=spans)


class RuleModel:
    """The rules alone, as a baseline: a sentence is slanted if a rule gives a warning. Rules give no probability."""

    name = "rules"
    heads = ""
    lineage = Lineage()
    answers = frozenset({"sentence", "spans", "kinds", "dimension"})

    def __init__(self) -> None:
        self._pipeline = Pipeline(Spec(analyzers=("rules",)))

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Check every text on its own."""
        documents = (Document(text, text, quotations=find_quotations(text, None)) for text in texts)
        return [
            _predict_from_warnings(
                [finding for finding in report.findings if finding.severity.rank >= Severity.WARNING.rank]
            )
            for report in self._pipeline.check(documents)
        ]


def _predict_from_warnings(warnings: Sequence[Finding]) -> Prediction:
    spans: list[PredictedSpan] = []
    for finding in warnings:
        # two rules may name the same words, which a model would mark once
        if not spans or finding.span.start >= spans[-1].span.end:
            spans.append(PredictedSpan(finding.span, finding.kind))
        elif finding.span.end > spans[-1].span.end:
            spans[-1] = PredictedSpan(Span(spans[-1].span.start, finding.span.end), spans[-1].kind)
    return Prediction(
        slanted=bool(warnings),
        spans=tuple(spans),
        kinds=frozenset(finding.kind for finding in warnings),
        dimension=next((finding.dimension for finding in warnings if finding.dimension), None),
    )


class HuggingFaceModel:
    """A classifier or tagger of transformers, from the hub or a folder, as ``unslant check`` runs it."""

    heads = ""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lineage = Lineage(unknown=(name,))
        self._analyzer = HuggingFaceAnalyzer(name.removeprefix("hf:"), Spec(analyzers=(name,)))
        self.answers = frozenset(
            {"sentence", "spans"} if self._analyzer.marks_words else {"sentence", "probability"}
        )

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Classify every text, or mark its words; a text with a marked word is slanted."""
        sentences = [Sentence(Document(text, text), Span(0, len(text))) for text in texts]
        return [
            Prediction(
                slanted=analysis.probability >= 0.5
                if analysis.probability is not None
                else bool(analysis.findings),
                probability=analysis.probability,
                spans=tuple(
                    PredictedSpan(finding.span, finding.kind, finding.probability)
                    for finding in analysis.findings
                ),
            )
            for analysis in self._analyzer.analyze(sentences)
        ]


class TaggerModel:
    """The tagger in a folder of ``unslant train tagger``; a text with a marked span is slanted."""

    heads = ""
    answers = frozenset({"sentence", "spans"})

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = folder.name

    @cached_property
    def lineage(self) -> Lineage:
        """What it learned from."""
        return read_lineage(self._folder)

    @cached_property
    def _tagger(self) -> Any:
        try:
            return published("tagger").load_tagger(self._folder)
        except ModuleNotFoundError as error:
            raise MissingExtra("a trained tagger", error.name or "torch", "train") from error

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Tag every text."""
        return [
            Prediction(slanted=bool(spans), spans=tuple(map(PredictedSpan, spans)))
            for spans in self._tagger.spans(texts)
        ]
