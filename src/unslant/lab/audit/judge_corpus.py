"""The judge from its corpus to its folder, and the articles it is measured on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.audit.judge_fitting import Settings, Trained
from unslant.lab.audit.judge_training import sided, train_judge
from unslant.lab.corpora.outlets import normalize_outlet, select_part

if TYPE_CHECKING:
    from unslant.lab.audit.judge_encoder import EncoderJudge
    from unslant.lab.audit.judge_linear import LinearJudge

__all__ = ["Articles", "articles", "build_encoder_judge", "build_judge", "card_of"]

CORPUS = "allsides"


@dataclass(frozen=True, slots=True)
class Articles:
    """Articles of the left and the right, by what they are for."""

    learn: Sequence[Example]
    """Of the judge's outlets, from the training and development parts of the split by outlet."""
    test: Sequence[Example]
    """Of outlets that it has not seen: the test part of that split."""
    unseen: Sequence[Example]
    """All articles of those outlets."""


def articles(data: str | Path | None = None) -> Articles:
    """Read the corpus and deal its articles."""
    everything = sided(list(corpora.load(CORPUS, data)))
    held = list(select_part(everything, "held-out"))
    return Articles(
        [one for one in select_part(everything, "judge") if one.split in ("train", "dev")],
        [one for one in held if one.split == "test"],
        held,
    )


def build_judge(
    out: Path, data: str | Path | None = None, settings: Settings | None = None
) -> Trained[LinearJudge]:
    """Train a judge on its half of the outlets and write its folder."""
    learn = articles(data).learn
    trained = train_judge(learn, settings)
    trained.judge.save(out, card_of(trained, learn))
    return trained


def build_encoder_judge(
    out: Path,
    encoder: str,
    data: str | Path | None = None,
    tell: Callable[[str, int, int], None] | None = None,
) -> Trained[EncoderJudge]:
    """Train a judge on the vectors of an encoder, from the same articles, and write its folder."""
    from unslant.lab.audit.judge_head import train_head
    from unslant.lab.audit.sentence_vectors import SentenceEncoder

    learn = articles(data).learn
    trained = train_head(learn, SentenceEncoder(encoder), tell=tell)
    trained.judge.save(out, card_of(trained, learn))
    return trained


def card_of(
    trained: Trained[LinearJudge] | Trained[EncoderJudge], learn: Sequence[Example]
) -> dict[str, Any]:
    """Return what a user should know of a judge: what it learned from, what it is for, what it is not for."""
    sides = Counter(str(one.leaning) for one in learn)
    houses = Counter(normalize_outlet(one.outlet or "") for one in learn)
    return {
        "what": "How likely a text is worded as outlets rated right rather than left word theirs.",
        "for": "Comparing the distributions of many generated texts. One text's probability is weak evidence.",
        "not_for": "Labelling people, articles or outlets.",
        "model": trained.judge.kind,
        "preprocessing": "without names of the press and punctuation but , . !; lower case; first 100 tokens",
        "corpus": {"name": CORPUS, "licences": sorted({one.licence for one in learn})},
        "articles": dict(sorted(sides.items())),
        "outlets": dict(houses.most_common()),
        "penalty": trained.penalty,
        "loss_on_left_out_outlets": {str(key): round(value, 4) for key, value in trained.losses.items()},
    }
