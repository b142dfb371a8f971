"""Rewriters trained from scratch: LSTM, Transformer, CopyNet, and MODULAR with its word detector."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from unslant.core.errors import ConfigError
from unslant.core.example import Example
from unslant.lab.detector.network import load_encoder, load_tokenizer, rebuild_encoder, weights
from unslant.lab.detector.recipe import Part, build
from unslant.lab.detector.rows import EncodedRow, TrainingSample, feature_names, feature_rows
from unslant.lab.papers.wikibias.editor import Editor, EditorPlan, Hypothesis, search
from unslant.lab.papers.wikibias.words import (
    PADDING,
    UNKNOWN,
    SourceBatch,
    Vocabulary,
    detokenize,
    encode_pairs,
    encode_sources,
    find_removed,
    tokenize,
    word_offsets,
)
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase, RewriterRecipe
from unslant.lab.rewriters.systems import BeamSettings, Rewording

_WEIGHTS = "model.safetensors"
_DETECTOR = "detector"


def create(recipe: RewriterRecipe, pairs: Sequence[Pair]) -> EditorSystem:
    """Create the untrained system of a recipe."""
    texts = (text for pair in pairs for text in (pair.source, pair.target))
    vocabulary = Vocabulary.build(texts, recipe.vocabulary, recipe.rare)
    plan = EditorPlan(
        "transformer" if recipe.system == "transformer" else "lstm",
        len(vocabulary),
        recipe.width,
        recipe.layers,
        recipe.heads,
        recipe.dropout,
        recipe.copy,
        recipe.join,
        recipe.follow,
    )
    detector = None
    if recipe.system == "modular":
        detector = WordDetector.create(recipe.base, feature_names(), recipe.width, len(vocabulary))
    return EditorSystem(Editor(plan), vocabulary, recipe.max_length, detector)


def load(folder: Path, plan: Mapping[str, Any]) -> EditorSystem:
    """Load what :meth:`EditorSystem.save` wrote."""
    editor_plan = build(EditorPlan, plan["editor"], f"{folder}: editor")
    detector = None
    if "detector" in plan:
        about = plan["detector"]
        place = folder / _DETECTOR if about["encoder"] else None
        detector = WordDetector.rebuild(place, about["features"], editor_plan.width, editor_plan.vocabulary)
    with torch.random.fork_rng():
        editor = Editor(editor_plan)
    system = EditorSystem(editor, Vocabulary(tuple(plan["words"])), plan["max_length"], detector)
    system.module.load_state_dict(load_file(folder / _WEIGHTS))
    system.module.eval()
    return system


def add_noise(words: Sequence[str], rng: random.Random, drop: float = 0.1, reach: int = 3) -> list[str]:
    """Drop some words and shuffle the rest locally, for a denoising objective."""
    kept = [word for word in words if rng.random() >= drop] or list(words)
    order = sorted(range(len(kept)), key=lambda at: at + rng.random() * reach)
    return [kept[at] for at in order]


@dataclass(frozen=True)
class EditorSystem:
    """An editor trained from scratch, alone or with a word detector (MODULAR)."""

    editor: Editor
    vocabulary: Vocabulary
    max_length: int
    detector: WordDetector | None = None

    @property
    def module(self) -> nn.Module:
        """The editor and the detector."""
        parts = {"editor": self.editor, **({"detector": self.detector} if self.detector else {})}
        return nn.ModuleDict(parts)

    def fits(self, text: str) -> bool:
        """Return whether a sentence is within the maximum length."""
        return 0 < len(tokenize(text)) <= self.max_length

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:
        """Return the mean loss per word."""
        if phase.name == "detect":
            if self.detector is None:
                raise ConfigError("the phase 'detect' needs the system 'modular'")
            return self._detector_loss(self.detector, pairs)
        if phase.name == "denoise":
            texts = [(detokenize(add_noise(tokenize(pair.target), rng)), pair.target) for pair in pairs]
            return self._editor_loss([pair for pair in texts if pair[0]], phase, informed=False)
        return self._editor_loss([(pair.source, pair.target) for pair in pairs], phase, informed=True)

    def _detector_loss(self, detector: WordDetector, pairs: Sequence[Pair]) -> Tensor:
        sources = encode_sources(self.vocabulary, [pair.source for pair in pairs])
        labels = torch.zeros(sources.known.shape)
        for row, pair in enumerate(pairs):
            marks = torch.tensor(find_removed(pair.source, pair.target), dtype=torch.float)
            labels[row, : len(marks)] = marks
        logits = detector(sources)
        losses = nn.functional.binary_cross_entropy_with_logits(logits, labels, reduction="none")
        return (losses * sources.mask).sum() / sources.mask.sum()

    def _editor_loss(self, pairs: Sequence[tuple[str, str]], phase: Phase, *, informed: bool) -> Tensor:
        batch = encode_pairs(self.vocabulary, pairs, copy=self.editor.plan.copy)
        slant = torch.sigmoid(self.detector(batch.sources)) if self.detector and informed else None
        written = self.editor.write(batch, self.editor.read(batch.sources, slant))
        losses = self.editor.losses(written, batch, phase.smoothing)
        weights = (batch.wanted != PADDING) * (1 + (phase.new_words - 1) * batch.new)
        loss = (losses * weights).sum() / weights.sum()
        if phase.coverage:
            # coverage loss: the overlap of attention with earlier attention
            seen = written.attention.cumsum(dim=1) - written.attention
            again = torch.minimum(seen, written.attention).sum(dim=-1)
            loss = loss + phase.coverage * (again * (batch.wanted != PADDING)).sum() / weights.sum()
        return loss

    def save(self, folder: Path) -> dict[str, Any]:
        """Write the weights, and the encoder of the detector if it has one."""
        plan: dict[str, Any] = {"editor": asdict(self.editor.plan), "words": list(self.vocabulary.words)}
        detector = self.detector
        if detector is not None:
            plan["detector"] = {"features": list(detector.features), "encoder": detector.encoder is not None}
            if detector.encoder is not None:
                detector.encoder.config.save_pretrained(folder / _DETECTOR)  # type: ignore[union-attr,operator]
                detector.tokenizer.save_pretrained(folder / _DETECTOR)
        save_file(weights(self.module), folder / _WEIGHTS)
        return plan

    @torch.no_grad()
    def rewrite(self, texts: Sequence[str], beams: BeamSettings) -> list[list[Rewording]]:
        """Return the most probable rewrites by beam search."""
        places = [at for at, text in enumerate(texts) if self.fits(text)]
        found: list[list[Rewording]] = [[] for _ in texts]
        if not places:
            return found
        self.module.eval()
        sources = encode_sources(self.vocabulary, [texts[at] for at in places])
        slant = torch.sigmoid(self.detector(sources)) if self.detector else None
        states = self.editor.read(sources, slant)
        for row, (at, hypotheses) in enumerate(
            zip(places, search(self.editor, sources, states, beams), strict=True)
        ):
            found[at] = [
                Rewording(
                    self._text(hypothesis, sources.words[row], sources.oov_words[row]), hypothesis.score
                )
                for hypothesis in hypotheses
            ]
        return found

    def _text(self, hypothesis: Hypothesis, words: Sequence[str], oov_words: Sequence[str]) -> str:
        """Return a hypothesis as text; the attended source word replaces an unknown word."""
        return detokenize(
            words[min(where, len(words) - 1)]
            if word_id == UNKNOWN
            else self.vocabulary.word(word_id, oov_words)
            for word_id, where in zip(hypothesis.ids, hypothesis.attended, strict=True)
        )


class WordDetector(nn.Module):
    """Predicts which words an editor would remove, from an encoder or a small LSTM and rule features."""

    def __init__(
        self, features: Sequence[str], width: int, encoder: nn.Module | None, vocabulary: int
    ) -> None:
        super().__init__()
        self.features = tuple(features)
        self.encoder = encoder
        self.tokenizer: Any = None
        if encoder is None:
            self.embedding = nn.Embedding(vocabulary, width, padding_idx=0)
            self.states = nn.LSTM(width, width // 2, batch_first=True, bidirectional=True)
        size = width if encoder is None else int(encoder.config.hidden_size)  # type: ignore[union-attr,arg-type]
        self.drop = nn.Dropout(0.1)
        self.mark = nn.Linear(size + len(self.features), 1)

    @classmethod
    def create(cls, base: str, features: Sequence[str], width: int, vocabulary: int) -> WordDetector:
        """Create a detector on a transformers encoder, or without one."""
        found = cls(features, width, load_encoder(base) if base else None, vocabulary)
        if base:
            found.tokenizer = load_tokenizer(base)
        return found

    @classmethod
    def rebuild(
        cls, folder: Path | None, features: Sequence[str], width: int, vocabulary: int
    ) -> WordDetector:
        """Rebuild the detector of a folder with random weights."""
        found = cls(features, width, rebuild_encoder(folder) if folder else None, vocabulary)
        if folder:
            found.tokenizer = load_tokenizer(folder)
        return found

    def forward(self, sources: SourceBatch) -> Tensor:
        """Return a logit for each word, (batch, words)."""
        if self.encoder is None:
            states, _ = self.states(self.drop(self.embedding(sources.known)))
        else:
            states = self._encoder_states(self.encoder, sources)
        if self.features:
            states = torch.cat([states, self._features(sources)], dim=-1)
        return self.mark(self.drop(states)).squeeze(-1)

    def _encoder_states(self, encoder: nn.Module, sources: SourceBatch) -> Tensor:
        """Return the state of each word's first subword; a truncated word gets that of the first token."""
        words = [[word.strip() or "." for word in sentence] for sentence in sources.words]
        longest = min(int(self.tokenizer.model_max_length), 512)
        encoding = self.tokenizer(
            words,
            is_split_into_words=True,
            padding=True,
            truncation=True,
            max_length=longest,
            return_tensors="pt",
        )
        first = torch.zeros_like(sources.known)
        for row in range(len(words)):
            for at, word in reversed(list(enumerate(encoding.word_ids(row)))):
                if word is not None:
                    first[row, word] = at
        states = encoder(
            input_ids=encoding["input_ids"], attention_mask=encoding["attention_mask"]
        ).last_hidden_state
        return states.gather(1, first.unsqueeze(-1).expand(-1, -1, states.shape[-1]))

    def _features(self, sources: SourceBatch) -> Tensor:
        rows = [
            EncodedRow(_sample("".join(words)), (), tuple(word_offsets(words))) for words in sources.words
        ]
        return torch.tensor(feature_rows(rows, sources.known.shape[1], self.features))


def _sample(text: str) -> TrainingSample:
    return TrainingSample(Example("", text, "", ""), Part("words"), "")
