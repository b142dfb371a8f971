"""Trainable rewriters: editors from scratch, MODULAR with its word detector, and pretrained seq2seq models."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch
from torch import Tensor, nn

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.example import Example
from unslant.lab.detector.network import load_encoder, load_tokenizer, rebuild_encoder
from unslant.lab.detector.recipe import Part
from unslant.lab.detector.rows import EncodedRow, TrainingSample, feature_rows
from unslant.lab.rewriters.batches import (
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
from unslant.lab.rewriters.editor import BeamSettings, Editor, Hypothesis, Rewording, search
from unslant.lab.rewriters.pairs import Pair
from unslant.lab.rewriters.recipe import Phase
from unslant.neural.hub import check_hub


class RewriterSystem(Protocol):
    """A trainable rewriter."""

    @property
    def module(self) -> nn.Module:
        """The module with all weights."""
        ...

    def fits(self, text: str) -> bool:
        """Return whether a sentence is within the maximum length."""
        ...

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:
        """Return the loss of a phase on a batch of pairs."""
        ...

    def rewrite(self, texts: Sequence[str], beams: BeamSettings) -> list[list[Rewording]]:
        """Return rewrites of each text, best first; none for a text that is too long."""
        ...


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


_IGNORED = -100
_MAX_GROWTH = 16
"""How many subwords a rewrite may exceed its source by."""


@dataclass(frozen=True)
class PretrainedSystem:
    """A pretrained sequence-to-sequence model with its tokenizer."""

    model: Any
    tokenizer: Any
    prefix: str = ""
    max_length: int = 128

    @property
    def module(self) -> nn.Module:
        """The model."""
        found: nn.Module = self.model
        return found

    def fits(self, text: str) -> bool:
        """Return whether a sentence is within the maximum length."""
        return bool(text.strip()) and len(self.tokenizer(self.prefix + text)["input_ids"]) <= self.max_length

    def _encode(self, texts: Sequence[str]) -> Any:
        return self.tokenizer(
            list(texts), padding=True, truncation=True, max_length=self.max_length, return_tensors="pt"
        )

    def loss(self, pairs: Sequence[Pair], phase: Phase, rng: random.Random) -> Tensor:  # noqa: ARG002
        """Return the mean loss per subword."""
        if phase.name != "pairs":
            raise ConfigError(f"a pretrained rewriter has no phase {phase.name!r}; use 'pairs'")
        given = self._encode([self.prefix + pair.source for pair in pairs])
        wanted = self._encode([pair.target for pair in pairs])
        labels = wanted["input_ids"].masked_fill(wanted["attention_mask"] == 0, _IGNORED)
        logits = self.model(
            input_ids=given["input_ids"], attention_mask=given["attention_mask"], labels=labels
        ).logits
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), labels.flatten(), ignore_index=_IGNORED, label_smoothing=phase.smoothing
        )

    @torch.no_grad()
    def rewrite(self, texts: Sequence[str], beams: BeamSettings) -> list[list[Rewording]]:
        """Return the most probable rewrites by beam search."""
        places = [at for at, text in enumerate(texts) if self.fits(text)]
        found: list[list[Rewording]] = [[] for _ in texts]
        if not places:
            return found
        self.model.eval()
        given = self._encode([self.prefix + texts[at] for at in places])
        made = self.model.generate(
            input_ids=given["input_ids"],
            attention_mask=given["attention_mask"],
            num_beams=beams.size,
            num_return_sequences=beams.size,
            length_penalty=beams.length_penalty,
            max_new_tokens=given["input_ids"].shape[1] + _MAX_GROWTH,
            do_sample=False,
            return_dict_in_generate=True,
            output_scores=True,
        )
        wordings = self.tokenizer.batch_decode(
            made.sequences, skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        scores = getattr(made, "sequences_scores", None)
        for row, at in enumerate(places):
            for rank in range(row * beams.size, (row + 1) * beams.size):
                score = float(scores[rank]) if scores is not None else 0.0
                found[at].append(Rewording(" ".join(wordings[rank].split()), score))
        return found


def load_pretrained(
    name: str | Path, prefix: str = "", max_length: int = 128, dropout: float | None = None
) -> PretrainedSystem:
    """Load a model and its weights, from safetensors only and without remote code."""
    try:
        import transformers
    except ModuleNotFoundError as error:
        raise MissingExtra("a sequence-to-sequence model", "transformers", "train") from error
    logs: Any = transformers.utils.logging
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    check_hub(str(name))
    try:
        config = transformers.AutoConfig.from_pretrained(str(name), trust_remote_code=False)
        for key in ("dropout", "dropout_rate"):
            if dropout is not None and hasattr(config, key):
                setattr(config, key, dropout)
        model = transformers.AutoModelForSeq2SeqLM.from_pretrained(
            str(name), config=config, use_safetensors=True, trust_remote_code=False
        )
        tokenizer = transformers.AutoTokenizer.from_pretrained(str(name), trust_remote_code=False)
    except (OSError, ValueError, KeyError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise ConfigError(
            f"{name}: cannot load a sequence-to-sequence model ({first[:200]}); use a hub name or a folder"
        ) from None
    return PretrainedSystem(model, tokenizer, prefix, max_length)
