"""Trains the judges from their corpus, and selects the articles they are evaluated on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora.outlets import normalize_outlet, select_part
from unslant.lab.judges.fitting import JudgeSettings, TrainedJudge, select_sided
from unslant.lab.judges.linear import LinearJudge, train_judge

if TYPE_CHECKING:
    from unslant.lab.judges.encoder import EncoderJudge

__all__ = ["JudgeSplit", "build_encoder_judge", "build_judge", "judge_card", "load_split"]

CORPUS = "allsides"


@dataclass(frozen=True, slots=True)
class JudgeSplit:
    """Articles of the left and the right, by what they are used for."""

    learn: Sequence[Example]
    """Articles of the judge's outlets, from the training and development parts of the split by outlet."""
    test: Sequence[Example]
    """Articles of unseen outlets: the test part of that split."""
    unseen: Sequence[Example]
    """All articles of those outlets."""


def load_split(data: str | Path | None = None) -> JudgeSplit:
    """Read the corpus and split its articles."""
    everything = select_sided(list(corpora.load(CORPUS, data)))
    unseen = list(select_part(everything, "held-out"))
    return JudgeSplit(
        [example for example in select_part(everything, "judge") if example.split in ("train", "dev")],
        [example for example in unseen if example.split == "test"],
        unseen,
    )


def build_judge(
    out: Path, data: str | Path | None = None, settings: JudgeSettings | None = None
) -> TrainedJudge[LinearJudge]:
    """Train a linear judge on its half of the outlets and write its folder."""
    learn = load_split(data).learn
    trained = train_judge(learn, settings)
    trained.judge.save(out, judge_card(trained, learn))
    return trained


def build_encoder_judge(
    out: Path,
    encoder: str,
    data: str | Path | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> TrainedJudge[EncoderJudge]:
    """Train a judge with an encoder on the same articles and write its folder."""
    from unslant.lab.judges.encoder import SentenceEncoder, train_head

    learn = load_split(data).learn
    trained = train_head(learn, SentenceEncoder(encoder), progress=progress)
    trained.judge.save(out, judge_card(trained, learn))
    return trained


def judge_card(
    trained: TrainedJudge[LinearJudge] | TrainedJudge[EncoderJudge], learn: Sequence[Example]
) -> dict[str, Any]:
    """Return what a user should know about a judge: what it learned from, what it is for and not for."""
    sides = Counter(str(example.leaning) for example in learn)
    outlets = Counter(normalize_outlet(example.outlet or "") for example in learn)
    return {
        "what": "How likely a text is worded as outlets rated right rather than left word theirs.",
        "for": "Comparing the distributions of many generated texts. One text's probability is weak evidence.",
        "not_for": "Labelling people, articles or outlets.",
        "model": trained.judge.kind,
        "preprocessing": "without names of outlets and punctuation except , . !; lower case; first 100 tokens",
        "corpus": {"name": CORPUS, "licences": sorted({example.licence for example in learn})},
        "articles": dict(sorted(sides.items())),
        "outlets": dict(outlets.most_common()),
        "penalty": trained.penalty,
        "loss_on_left_out_outlets": {str(key): round(value, 4) for key, value in trained.losses.items()},
    }
