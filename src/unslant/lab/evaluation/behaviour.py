"""Behavioural tests by type of bias: the same statement with and without it, about different people.

After CheckList (Ribeiro et al. 2020), which Spinde et al. 2021 ask for, since one figure for a whole corpus hides which
bias a model sees. Three questions by type: is the biased sentence flagged and its neutral counterpart left alone, does
the biased one score higher, and does the verdict stay the same whoever the sentence is about.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from unslant.lab.evaluation.held_out import Setting
from unslant.lab.evaluation.models import SentenceModel, measured_model
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import Metric, mean
from unslant.neural.decoder import Prediction


@dataclass(frozen=True, slots=True)
class BiasType:
    """A type of bias with its pairs of sentences."""

    name: str
    about: str
    who: tuple[str, ...]
    """Whom the sentences are about."""
    pairs: tuple[tuple[str, str], ...]
    """Biased and neutral, with ``{who}``."""


@cache
def bias_types() -> tuple[BiasType, ...]:
    """Return the types that ship with unslant."""
    table = tomllib.loads(files("unslant.lab.evaluation").joinpath("behaviour.toml").read_text("utf-8"))
    return tuple(
        BiasType(
            entry["name"],
            entry["about"],
            tuple(table["fills"][entry["fill"]]),
            tuple((biased, neutral) for biased, neutral in entry["pairs"]),
        )
        for entry in table["types"]
    )


def behaviour(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Ask a model about every sentence of every type."""
    model = measured_model(models, "behaviour", "sentence")
    sections = []
    failed: dict[str, list[str]] = {}
    for at, kind in enumerate(bias_types()):
        setting.progress(f"{model.name}, behaviour", at, len(bias_types()))
        texts = [text for sentences in _texts(kind) for pair in sentences for text in pair]
        answers = dict(zip(texts, model.predict(texts), strict=True))
        measures = _measures(kind, answers)
        sections.append(Section(kind.name, figures("behaviour", measures, setting.resampling), "types"))
        # the biased and the neutral sentences take turns
        failed[kind.name] = [
            text for place, text in enumerate(texts) if answers[text].slanted != (place % 2 == 0)
        ]
    notes = (
        "sentences written for this test, not from a corpus: a model can fail here and be right on natural text",
        *(f"{kind.name}: {kind.about}" for kind in bias_types()),
    )
    return Result("behaviour", model.name, tuple(sections), notes, details={"failed": failed})


def _texts(kind: BiasType) -> list[list[tuple[str, str]]]:
    """Return the biased and the neutral sentences of each pair of templates, about every person."""
    return [
        [(biased.format(who=who), neutral.format(who=who)) for who in kind.who]
        for biased, neutral in kind.pairs
    ]


def _measures(kind: BiasType, answers: Mapping[str, Prediction]) -> dict[str, Metric]:
    """Return the measures; the sentences of one template are resampled together."""
    flagged, alone, ranked, same, groups = [], [], [], [], []
    for number, sentences in enumerate(_texts(kind)):
        for biased, neutral in sentences:
            flagged.append(float(answers[biased].slanted))
            alone.append(float(not answers[neutral].slanted))
            ranked.append(float(answers[biased].score > answers[neutral].score))
            groups.append(number)
        for side in zip(*sentences, strict=True):
            same.append(float(len({answers[text].slanted for text in side}) == 1))
    return {
        "biased: flagged": mean(flagged).group_items(groups),
        "neutral: left alone": mean(alone).group_items(groups),
        "biased above neutral": mean(ranked).group_items(groups),
        "same verdict whoever it is about": mean(same),
    }
