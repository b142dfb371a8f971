"""Measured bias against planted slant: what each judge finds in models whose dose is known.

The bias of an audit is a distance and never 0. A second figure is the gap: the mean probability of texts about towns
of the right minus that of texts about towns of the left. It has a direction, and 0 is no slant.

A third needs no judge: by how much a written text is likelier, for the model itself, after its own town than after one
of the other side. It is 0 where the model writes the same about both, and shows what a debiased text still says of its
town.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unslant.core.encoding import Encoded
from unslant.core.example import Example
from unslant.core.files import read_json
from unslant.lab.audit.bias import BiasFigure, measure
from unslant.lab.audit.design import Design
from unslant.lab.audit.examine import judge_run, judged_texts
from unslant.lab.audit.plant import CARD, OPTIONS, SUITE
from unslant.lab.audit.store import RunFolder
from unslant.lab.audit.suite import AuditError, load_suite
from unslant.lab.stats.bootstrap import Estimate, Resampling, estimate, p_value, percentile_interval

if TYPE_CHECKING:
    from unslant.lab.judges.judge import Judge
    from unslant.protocols import LanguageModel

Progress = Callable[[str, int, int], None]
_SIGNIFICANCE = 0.05
_PARTS = 5
_WRITTEN = 160
"""More texts would make the figure without a judge no clearer."""


@dataclass(frozen=True, slots=True)
class DoseFigure(Encoded):
    """What one judge measures at one dose."""

    judge: str
    dose: float
    texts: int
    """Texts per option."""
    bias: BiasFigure
    gap: Estimate
    """The mean for towns of the right minus that for towns of the left; 0 is no slant, above 0 the planted one."""
    gap_p: float | None
    """How often towns assigned at random give at least this gap, in either direction."""
    planted: float | None = None
    """By how many nats planted passages are likelier after towns of their side: the slant without a judge."""


def find_doses(folder: Path) -> dict[float, Path]:
    """Return the planted models in a folder by dose, the lowest first."""
    found: dict[float, Path] = {}
    for card in folder.glob(f"dose-*/{CARD}"):
        about = read_json(card, error=AuditError)
        # a model with planted stances writes the same about every town
        if isinstance(about, dict) and isinstance(about.get("dose"), (int, float)) and "pairs" not in about:
            found[float(about["dose"])] = card.parent
    if not found:
        raise AuditError(f"{folder}: has no planted models; make them with 'unslant audit plant'")
    return dict(sorted(found.items()))


def planted_nats(models: Mapping[float, Path]) -> dict[float, float | None]:
    """Return what the cards of planted models say was planted, by dose."""
    return {dose: read_json(folder / CARD, error=AuditError).get("lead") for dose, folder in models.items()}


def planted_examples(run: RunFolder) -> list[Example]:
    """Return a planted model's texts about towns of both sides, with their prompts and those of the other side.

    Every fifth text counts as from another outlet, so that training and test can use different ones.
    """
    other = _towns_of_the_other_side()
    found = [
        Example(
            id=text.key,
            text=text.prompt + text.text,
            source=str(run.path),
            licence="generated",
            outlet=f"{text.option} {text.sample % _PARTS}",
            leaning=text.option,
            split="train",
            extra={
                "prompt": text.prompt,
                "other_prompt": text.prompt.replace(text.keyword, other.get(text.keyword, text.keyword)),
            },
        )
        for text in run.texts().values()
        if text.attribute == "town" and text.option in ("left", "right")
    ]
    if not found:
        raise AuditError(f"{run.path}: not a run of a planted model; audit one with --suite planted")
    return found


def _towns_of_the_other_side() -> dict[str, str]:
    """Return for each town of a side the one in the same place on the other side."""
    towns = {option.name: option.keywords for option in load_suite(SUITE).attributes[0].options}
    pairs = list(zip(towns["left"], towns["right"], strict=True))
    return dict(pairs) | {right: left for left, right in pairs}


@dataclass(frozen=True, slots=True)
class WrittenFigure(Encoded):
    """What the texts of one run say of their towns, by the model that wrote them."""

    dose: float
    variant: str
    """``vanilla``, or how the model was debiased."""
    texts: int
    nats: Estimate
    """By how much a text is likelier after its town than after a town of the other side; 0 is no slant."""
    own: float
    """The share of texts that are likelier after their own town; 0.5 is no slant."""


def measure_written(
    model: LanguageModel, dose: float, run: RunFolder, resampling: Resampling, count: int = _WRITTEN
) -> WrittenFigure:
    """Measure up to ``count`` texts of a run with the unchanged model that wrote them."""
    import numpy as np

    examples = planted_examples(run)[:count]
    written = [example.text[len(str(example.extra["prompt"])) :] for example in examples]
    own, other = (
        model.logprobs([str(example.extra[name]) for example in examples], written)
        for name in ("prompt", "other_prompt")
    )
    nats = np.array([sum(first) - sum(second) for first, second in zip(own, other, strict=True)])
    mean = estimate(lambda weights: (weights @ nats) / weights.sum(1), len(nats), resampling)
    return WrittenFigure(dose, run.path.name, len(nats), mean, float((nats > 0).mean()))


def measure_doses(
    runs: Mapping[float, RunFolder],
    judges: Mapping[str, Judge],
    resampling: Resampling,
    progress: Progress | None = None,
) -> list[DoseFigure]:
    """Measure the texts of planted models, by dose, with every judge."""
    found: list[DoseFigure] = []
    for name, judge in judges.items():
        for dose, run in runs.items():
            texts = run.texts()
            values = judge_run(run, texts, judge, progress)
            bias = measure(judged_texts(texts, values), {"town": OPTIONS}, resampling)
            design = bias.attributes[0].designs["indirect"]
            per_option = round(len(design.values) / len(design.options))
            found.append(DoseFigure(name, dose, per_option, bias.indirect, *_gap(design, resampling)))
    return found


def _gap(design: Design, resampling: Resampling) -> tuple[Estimate, float | None]:
    import numpy as np

    places = [name for name, _ in design.options]
    left, right = places.index("left"), places.index("right")

    def gaps(rows: Any) -> Any:
        means = design.means(rows)
        return means[:, right] - means[:, left]

    value = float(gaps(design.values[None, :])[0])
    if not resampling.resamples:
        return Estimate(value), None
    drawn = gaps(design.values[design.bootstrap(resampling.resamples, resampling.seed)])
    low, high = percentile_interval(drawn[:, None], resampling.level)
    chance = gaps(design.values[design.permutations(resampling.resamples, resampling.seed)])
    return Estimate(value, float(low[0]), float(high[0])), p_value(abs(value), np.abs(chance))


def dose_verdict(figures: Sequence[DoseFigure]) -> str:
    """Say for each judge whether its gap rises with the dose, and which is the lowest dose that it detects."""
    parts = []
    for judge in dict.fromkeys(figure.judge for figure in figures):
        mine = sorted((figure for figure in figures if figure.judge == judge), key=lambda item: item.dose)
        gaps = [figure.gap.value or 0.0 for figure in mine]
        rising = all(low < high for low, high in pairwise(gaps))
        seen = [item.dose for item in mine if item.gap_p is not None and item.gap_p <= _SIGNIFICANCE]
        told = (
            "rises with every dose" if rising else "does not rise with every dose"
        ) + f" ({', '.join(f'{gap:+.3f}' for gap in gaps)})"
        known = (
            f"is found at dose {', '.join(f'{dose:g}' for dose in seen)}" if seen else "is found at no dose"
        )
        parts.append(f"With the judge {judge}, the gap between towns {told}, and a slant {known}.")
    return " ".join(parts)
