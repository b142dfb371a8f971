"""Trains the judges from their corpus, and selects the articles they are evaluated on.

A split by outlet keeps the judge's outlets apart from those of debiasers, so that it never judges a debiaser trained on
the same outlets; but such a judge hardly notices a model that writes like an outlet it does not know. A random split,
as in the paper, takes articles of all those outlets. The card says which of the two was used, and how well the judge
does on outlets that it knows and that it does not know.

All weights of an encoder can be tuned to tell the sides apart; a judge's head is then trained on it as on any other.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from unslant.core.example import Example
from unslant.core.files import make_folder
from unslant.lab import corpora
from unslant.lab.corpora.outlets import normalize_outlet, select_part
from unslant.lab.judges.encoder import EncoderJudge, SentenceEncoder, prepare_text, train_head
from unslant.lab.judges.fitting import Articles, JudgeSettings, TrainedJudge, select_sided
from unslant.lab.judges.judge import Judge, judge_texts, open_judge
from unslant.lab.judges.linear import LinearJudge, train_judge
from unslant.lab.judges.reference import measure_reference
from unslant.lab.published import published
from unslant.lab.stats.metrics import macro_f1, roc_auc


@dataclass(frozen=True, slots=True)
class Finetuning:
    """How an encoder is tuned."""

    epochs: int = 2
    batch: int = 16
    rate: float = 5e-5
    seed: int = 0
    articles: int | None = None
    """The most articles to tune on, chosen at random; None: all."""


def finetune_encoder(
    name: str,
    examples: Sequence[Example],
    out: Path,
    progress: Callable[[str, int, int], None] | None = None,
    tuning: Finetuning | None = None,
) -> Path:
    """Tune an encoder on articles of the left and the right, write it to a folder, and return the folder."""
    tuning = tuning or Finetuning()
    encoder = SentenceEncoder(name)
    import torch

    articles = Articles.of(examples, JudgeSettings())
    texts = [prepare_text(example.text, example.outlet or "", masked=True) for example in articles.examples]
    weights = articles.weights() * len(texts)
    with torch.random.fork_rng():
        torch.manual_seed(tuning.seed)
        head = torch.nn.Linear(encoder.width, 1)
        parameters = [*encoder.model.parameters(), *head.parameters()]
        adam = torch.optim.AdamW(parameters, lr=tuning.rate, weight_decay=0.01)
        chosen = _shuffled_order(len(texts), tuning.seed)[: tuning.articles]
        order = [
            chosen[at]
            for epoch in range(tuning.epochs)
            for at in _shuffled_order(len(chosen), tuning.seed + epoch)
        ]
        encoder.model.train()
        for start in range(0, len(order), tuning.batch):
            part = order[start : start + tuning.batch]
            for group in adam.param_groups:
                group["lr"] = tuning.rate * (1 - start / len(order))
            adam.zero_grad()
            logits = head(encoder.means([texts[at] for at in part]) * encoder.width**0.5)[:, 0]
            labels = torch.tensor([float(articles.labels[at]) for at in part])
            weight = torch.tensor([float(weights[at]) for at in part])
            loss: Any = torch.nn.functional.binary_cross_entropy_with_logits(logits, labels, weight)
            loss.backward()
            adam.step()
            if progress is not None:
                progress("tuning the encoder", min(start + tuning.batch, len(order)), len(order))
    encoder.model.eval()
    make_folder(out)
    encoder.save(out)
    return out


def _shuffled_order(count: int, seed: int) -> list[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)  # noqa: S311 - an order, not a secret
    return order


CORPUS = "allsides"
Split = Literal["outlet", "random"]
_KEPT_OUT = 10
"""One article in this many is held out of the outlets that a judge learns from, to measure it on known outlets."""


@dataclass(frozen=True, slots=True)
class JudgeSplit:
    """Articles of the left and the right, by what they are used for."""

    learn: Sequence[Example]
    """Articles of the judge's outlets, from the training and development parts of the split by outlet."""
    seen: Sequence[Example]
    """Other articles of those outlets, which no judge learns from."""
    test: Sequence[Example]
    """Articles of unseen outlets: the test part of that split."""
    unseen: Sequence[Example]
    """All articles of those outlets."""


@dataclass(frozen=True, slots=True)
class JudgeTraining:
    """The data and settings that a judge is trained with."""

    split: Split = "outlet"
    finetune: bool = False
    """Whether the encoder itself is tuned, not only a head on it."""
    tuned_articles: int | None = None
    """The most articles that it is tuned on; None: all."""
    data: str | Path | None = None
    progress: Callable[[str, int, int], None] | None = None


def is_for_planting(example: Example) -> bool:
    """Return whether an article may be planted in a language model; judges of a random split learn from the others."""
    return hashlib.sha256(f"plant\0{example.id}".encode()).digest()[0] % 2 == 0


def load_split(data: str | Path | None = None, split: Split = "outlet") -> JudgeSplit:
    """Read the corpus and split its articles."""
    everything = select_sided(list(corpora.load(CORPUS, data)))
    unseen = list(select_part(everything, "held-out"))
    known = [example for example in select_part(everything, "judge") if example.split in ("train", "dev")]
    if split == "random":
        more = (example for example in select_part(everything, "debias") if example.split in ("train", "dev"))
        known = [example for example in (*known, *more) if not is_for_planting(example)]
    return JudgeSplit(
        [example for example in known if not _is_kept_out(example)],
        [example for example in known if _is_kept_out(example)],
        [example for example in unseen if example.split == "test"],
        unseen,
    )


def _is_kept_out(example: Example) -> bool:
    return int.from_bytes(hashlib.sha256(f"seen\0{example.id}".encode()).digest()[:4], "big") % _KEPT_OUT == 0


def build_judge(
    out: Path, training: JudgeTraining | None = None, settings: JudgeSettings | None = None
) -> tuple[TrainedJudge[LinearJudge], dict[str, Any]]:
    """Train a linear judge and write its folder; return it with its card."""
    training = training or JudgeTraining()
    split = load_split(training.data, training.split)
    trained = train_judge(split.learn, settings or JudgeSettings(by_outlet=training.split == "outlet"))
    return trained, _save_judge(out, trained, split, training)


def build_encoder_judge(
    out: Path, encoder: str, training: JudgeTraining | None = None
) -> tuple[TrainedJudge[EncoderJudge], dict[str, Any]]:
    """Train a judge with an encoder on the same articles and write its folder; return it with its card."""
    training = training or JudgeTraining()
    split = load_split(training.data, training.split)
    learn = list(split.learn)
    if training.finetune:
        # the head learns from articles that the encoder was not tuned on, or it would be overconfident
        learn = [example for at, example in enumerate(split.learn) if at % 5 == 0]
        tuned = [example for at, example in enumerate(split.learn) if at % 5]
        tuning = Finetuning(articles=training.tuned_articles)
        encoder = str(finetune_encoder(encoder, tuned, out / "encoder", training.progress, tuning))
    trained = train_head(learn, SentenceEncoder(encoder), progress=training.progress)
    return trained, _save_judge(out, trained, split, training, {"finetuned": training.finetune})


def build_recurrent_judge(
    out: Path, training: JudgeTraining | None = None
) -> tuple[TrainedJudge[Any], dict[str, Any]]:
    """Train a recurrent judge on the same articles and write its folder; return it with its card."""
    training = training or JudgeTraining()
    split = load_split(training.data, training.split)
    trained = published("recurrent judge").train_recurrent(split.learn, progress=training.progress)
    return trained, _save_judge(out, trained, split, training)


def _save_judge(
    out: Path,
    trained: TrainedJudge[Any],
    split: JudgeSplit,
    training: JudgeTraining,
    more: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the folder of a judge, with what it says about outlets that it has not learned from; return its card."""
    card = judge_card(trained, split.learn, training.split, measure_judge(trained.judge, split))
    trained.judge.save(out, card | dict(more or {}))
    reference = measure_reference(open_judge(str(out)), split.unseen)
    if reference is not None:
        reference.save(out)
    return card


def measure_judge(judge: Judge, split: JudgeSplit) -> dict[str, Any]:
    """Return macro-F1 and area under the curve on unread articles of outlets that the judge knows and does not know."""
    found: dict[str, Any] = {}
    for name, examples in (("seen_outlets", split.seen), ("unseen_outlets", split.test)):
        values = judge_texts(judge, [example.text for example in examples])
        pairs = [(v, e.leaning == "right") for v, e in zip(values, examples, strict=True) if v is not None]
        if len({label for _, label in pairs}) < 2:
            continue
        chances, labels = [value for value, _ in pairs], [label for _, label in pairs]
        macro = macro_f1([int(label) for label in labels], [int(value >= 0.5) for value in chances])
        found[name] = {"articles": len(pairs), "macro_f1": round(macro, 4), "auc": roc_auc(chances, labels)}
    return found


def judge_card(
    trained: TrainedJudge[Any],
    learn: Sequence[Example],
    split: Split = "outlet",
    figures: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what a user should know about a judge: what it learned from, what it is for and not for."""
    sides = Counter(str(example.leaning) for example in learn)
    outlets = Counter(normalize_outlet(example.outlet or "") for example in learn)
    return {
        "what": "How likely a text is worded as outlets rated right rather than left word theirs.",
        "for": "Comparing the distributions of many generated texts. One text's probability is weak evidence.",
        "not_for": "Labelling people, articles or outlets.",
        "model": trained.judge.kind,
        "preprocessing": "without names of outlets, names of the sides and punctuation except , . !; lower case; "
        "first 100 tokens",
        "corpus": {"name": CORPUS, "licences": sorted({example.licence for example in learn})},
        "split": split,
        "figures": figures or {},
        "articles": dict(sorted(sides.items())),
        "outlets": dict(outlets.most_common()),
        "penalty": trained.penalty,
        "loss_on_left_out_outlets": {str(key): round(value, 4) for key, value in trained.losses.items()},
    }
