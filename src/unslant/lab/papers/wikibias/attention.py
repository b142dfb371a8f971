"""Spans without a trained span head: from the attention of a classifier, or the most likely word alone.

Both are baselines of Zhong et al. 2021. **Top word** (DETECTOR of Pryzant et al. 2020): the one word that a tagger
finds the likeliest. **Attention** (appendix D.2): in one layer of a classifier's encoder, how often a word gets most
attention of another token, over all heads; words above a threshold are marked, and neighbours become one span. Special
tokens and punctuation are excluded. The threshold of each layer, and the layer, are chosen on the development part.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from unslant.core.errors import ConfigError
from unslant.core.types import Span
from unslant.lab.evaluation.held_out import Answer, Setting, load_part
from unslant.lab.evaluation.models import RunModel
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.evaluation.tasks import Heads
from unslant.lab.evaluation.wikibias import CORPUS, tagging
from unslant.lab.stats.spans import exact_f1
from unslant.neural.decoder import PredictedSpan, Prediction
from unslant.neural.subwords import find_words, normalize_whitespace
from unslant.report.svg import Svg

if TYPE_CHECKING:
    from unslant.lab.detector.rows import EncodedRow

LAYERS = 4
"""How many of the highest layers are tried, as in the paper."""
_STEPS = 24
_BATCH = 32


class TopWordModel(RunModel):
    """A tagger that always marks one word, the most likely one."""

    answers = frozenset({"spans"})  # type: ignore[assignment]

    @property
    def name(self) -> str:
        """The run, with a note that only the most likely word is marked."""
        return f"{self._folder_name}, top word"

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:
        """Mark the most likely word of each text."""
        import torch

        from unslant.lab.detector.predict import predict

        head = next((pair.name for pair in self._selection(corpus).span_heads), None)
        if head is None:
            raise ConfigError(f"{self._folder_name}: has no head for spans; train a recipe with one")
        normalized = [normalize_whitespace(text) for text in texts]
        rows = self._rows([text.text for text in normalized])
        found = []
        for row, logits, text in zip(
            rows, predict(self._trained, rows, heads=[head])[head], normalized, strict=True
        ):
            inside = 1 - torch.softmax(logits, dim=-1)[:, 0]
            scores = [(float(inside[places[0]]), span) for span, places in _words(row)]
            best = max(scores, key=lambda scored: scored[0], default=None)
            spans = (PredictedSpan(text.original(best[1]), None, best[0]),) if best else ()
            found.append(Prediction(slanted=bool(spans), spans=spans))
        return found


def _words(row: EncodedRow) -> list[tuple[Span, range]]:
    """Return the words of a row that have a letter or digit, each with its subwords; special tokens are left out."""
    found = find_words(row.text, row.offsets)
    ends = [first for first, _ in found[1:]] + [len(row.ids)]
    return [
        (span, range(first, end))
        for (first, span), end in zip(found, ends, strict=True)
        if any(letter.isalnum() for letter in row.text[span.start : span.end])
    ]


@dataclass(frozen=True, slots=True)
class AttentionLayer:
    """A layer, and the minimum share of attention that marks a word."""

    layer: int
    """From 1 for the lowest."""
    threshold: float
    score: float
    """Exact F1 on the development part."""


class AttentionModel(RunModel):
    """The encoder of a classifier, which marks the words that get the most attention in one layer."""

    answers = frozenset({"spans"})  # type: ignore[assignment]

    chosen: AttentionLayer | None = None

    def __init__(self, folder: Path, heads: Heads = "product") -> None:
        super().__init__(folder, heads)
        self._scored: dict[str, dict[int, list[ScoredWord]]] = {}

    @property
    def name(self) -> str:
        """The run, and the layer."""
        return f"{self._folder_name}, attention" + (f" of layer {self.chosen.layer}" if self.chosen else "")

    def predict(self, texts: Sequence[str], corpus: str = "") -> list[Prediction]:  # noqa: ARG002
        """Mark the words above the threshold."""
        if self.chosen is None:
            raise ConfigError(f"{self._folder_name}: no layer has been chosen")
        return [mark_words(scored[self.chosen.layer], self.chosen.threshold) for scored in self.score(texts)]

    @property
    def layers(self) -> list[int]:
        """The layers that are tried: the highest four, in the paper 9 to 12."""
        count = int(self._trained.network.encoder.config.num_hidden_layers)  # type: ignore[union-attr,arg-type]
        return list(range(max(1, count - LAYERS + 1), count + 1))

    def score(self, texts: Sequence[str]) -> list[dict[int, list[ScoredWord]]]:
        """Return for each text, by layer, the share of attention maxima that each word gets."""
        new = [text for text in dict.fromkeys(texts) if text not in self._scored]
        # every layer is measured on the same texts, which go through the encoder once
        self._scored |= dict(zip(new, self._read(new), strict=True))
        return [self._scored[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[dict[int, list[ScoredWord]]]:
        import torch

        from unslant.lab.detector.predict import padding
        from unslant.lab.detector.relative_attention import RelativeEncoder

        normalized = [normalize_whitespace(text) for text in texts]
        rows = self._rows([text.text for text in normalized])
        encoder: Any = self._trained.network.encoder
        if isinstance(
            encoder, RelativeEncoder
        ):  # it gives no weights either; the model it was made from does
            encoder = encoder.as_transformers()
        else:
            encoder.set_attn_implementation("eager")  # the others give no weights
        found: list[dict[int, list[ScoredWord]]] = []
        with torch.no_grad():
            for start in range(0, len(rows), _BATCH):
                some = rows[start : start + _BATCH]
                longest = max(len(row.ids) for row in some)
                fill = padding(self._trained)
                ids = torch.tensor([[*row.ids, *([fill] * (longest - len(row.ids)))] for row in some])
                mask = torch.tensor([[1] * len(row.ids) + [0] * (longest - len(row.ids)) for row in some])
                weights = encoder(input_ids=ids, attention_mask=mask, output_attentions=True).attentions
                for at, row in enumerate(some):
                    text = normalized[start + at]
                    found.append(
                        {
                            layer: [
                                (text.original(span), share)
                                for span, share in _shares(row, weights[layer - 1][at])
                            ]
                            for layer in self.layers
                        }
                    )
        return found


ScoredWord: TypeAlias = tuple[Span, float]


def _shares(row: EncodedRow, weights: Any) -> list[ScoredWord]:
    """Return the share of maxima that each word gets; ``weights`` is (heads, subwords, subwords)."""
    words = _words(row)
    places = [place for _, subwords in words for place in subwords]
    if not places:
        return []
    among = weights[:, places][:, :, places]  # special tokens and punctuation are left out
    same = among.diagonal(dim1=1, dim2=2)
    same.zero_()  # the attention of a token to itself is uninformative
    winners = among.argmax(dim=-1).flatten().tolist()
    counts = [0] * len(places)
    for winner in winners:
        counts[winner] += 1
    found, start = [], 0
    for span, subwords in words:
        found.append((span, sum(counts[start : start + len(subwords)]) / len(winners)))
        start += len(subwords)
    return found


def mark_words(words: Sequence[ScoredWord], threshold: float) -> Prediction:
    """Mark the words at or above a threshold; adjacent words become one span."""
    runs: list[list[ScoredWord]] = []
    before = -2
    for at, (span, share) in enumerate(words):
        if share < threshold:
            continue
        if at == before + 1:
            runs[-1].append((span, share))
        else:
            runs.append([(span, share)])
        before = at
    spans = tuple(PredictedSpan(Span(run[0][0].start, run[-1][0].end)) for run in runs)
    return Prediction(slanted=bool(spans), spans=spans)


def fit_attention(model: AttentionModel, setting: Setting) -> list[AttentionLayer]:
    """Choose the threshold of each layer on the development part, and the layer that the model then marks with."""
    examples = [example for example in load_part(CORPUS, setting, "dev") if example.spans]
    scored = model.score([example.text for example in examples])
    found = []
    for layer in model.layers:
        words = [by_layer[layer] for by_layer in scored]
        shares = sorted({share for row in words for _, share in row})
        steps = shares[:: max(1, len(shares) // _STEPS)] or [1.0]
        scores = {}
        for step in steps:
            marked = [
                Answer(*pair) for pair in zip(examples, (mark_words(row, step) for row in words), strict=True)
            ]
            scores[step] = exact_f1([answer.spans for answer in marked]).value or 0.0
        best = max(scores, key=lambda step: scores[step])
        found.append(AttentionLayer(layer, best, scores[best]))
    model.chosen = max(found, key=lambda layer: layer.score)
    return found


def layers_svg(values: Sequence[tuple[int, float]], title: str) -> str:
    """Draw exact F1 by layer."""
    svg = Svg(360, 220, title)
    highest = max([value for _, value in values] + [0.05])
    for at, (layer, value) in enumerate(values):
        height = 150 * value / highest
        x = 40 + at * 75
        svg.rect(x, 180 - height, 50, height, title=f"layer {layer}: {value:.3f}", fill="#4477aa")
        svg.text(x + 25, 174 - height, f"{value:.3f}", text_anchor="middle")
        svg.text(x + 25, 198, f"layer {layer}", text_anchor="middle")
    svg.text(180, 16, title, text_anchor="middle")
    return svg.render()


def attention_tagging(model: AttentionModel, setting: Setting) -> Result:
    """Measure the words that a classifier attends to: with the best layer, and exact F1 by layer."""
    model.lineage.check(model.name, CORPUS)
    layers = fit_attention(model, setting)
    best = model.chosen
    silent = replace(setting, resampling=replace(setting.resampling, resamples=0))
    measures = {}
    for layer in layers:
        model.chosen = layer
        if (found := tagging([model], silent).figure("exact F1").measure) is not None:
            measures[f"layer {layer.layer}"] = found
    model.chosen = best
    result = tagging([model], setting)
    section = Section("exact F1 by layer", figures("tagging", measures, setting.resampling))
    values = [(layer.layer, section.figures[at].estimate.value or 0.0) for at, layer in enumerate(layers)]
    note = "thresholds and the layer were chosen on the development part; counts of maxima over all heads"
    return replace(
        result,
        sections=(*result.sections, section),
        notes=(note, *result.notes),
        pictures={"attention": layers_svg(values, "exact F1 by layer")},
    )
