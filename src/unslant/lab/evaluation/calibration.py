"""Calibration: of all sentences with a probability of 0.7, seven in ten should be slanted."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.evaluation.babe import corpora_of
from unslant.lab.evaluation.held_out import (
    EVERYTHING,
    Answer,
    Setting,
    load_part,
    predict_examples,
    predict_folds,
)
from unslant.lab.evaluation.models import SentenceModel, require_answer
from unslant.lab.evaluation.result import Result, Section, figures
from unslant.lab.stats.metrics import ReliabilityBin, brier_score, calibration_error, reliability_bins
from unslant.report.svg import Svg


def calibration(models: Sequence[SentenceModel], setting: Setting) -> Result:
    """Measure on BABE (by fold) and on the WIKIBIAS test sentences, unless the model learned from them."""
    for model in models:
        require_answer(model, "probability", "calibration")
    sets, notes = _sets(models, setting)
    sections, pictures, drawings, details = [], {}, [], {}
    for corpus, answers in sets.items():
        chances = [answer.prediction.score for answer in answers]
        labels = [bool(answer.example.label) for answer in answers]
        measures = {"ECE": calibration_error(chances, labels), "Brier": brier_score(chances, labels)}
        found = figures("calibration", measures, setting.resampling, ("ECE", "Brier"))
        sections.append(Section(f"{corpus} ({len(answers):,})", found))
        bins = reliability_bins(chances, labels)
        pictures[corpus] = reliability_svg(bins, corpus)
        drawings.append(f"{corpus}\n{bins_text(bins)}")
        details[corpus] = [group.to_dict() for group in bins]
    return Result(
        "calibration",
        models[0].name,
        tuple(sections),
        tuple(notes),
        pictures,
        tuple(drawings),
        {"reliability": details},
    )


def _sets(models: Sequence[SentenceModel], setting: Setting) -> tuple[dict[str, list[Answer]], list[str]]:
    sets: dict[str, list[Answer]] = {}
    notes = ["no publication gives a calibration error"]
    for corpus in corpora_of(models)[-1:]:
        if all(model.lineage.allows(corpus, model.lineage.fold_of(corpus) or EVERYTHING) for model in models):
            sets[corpus] = predict_folds(models, corpus, setting)
        else:
            notes.append(f"{corpus} is left out, because the model was trained on it")
    if len(models) == 1 and models[0].lineage.allows("wikibias"):
        judged = [example for example in load_part("wikibias", setting) if example.label is not None]
        sets["wikibias"] = predict_examples(models[0], judged, "wikibias", setting)
    else:
        why = "the model learned from it" if len(models) == 1 else "there is more than one model"
        notes.append(f"wikibias is left out, because {why}")
    if not sets:
        models[0].lineage.check(models[0].name, "wikibias")
    return sets, notes


_BAR = 40


def bins_text(bins: Sequence[ReliabilityBin]) -> str:
    """Draw a bar per bin: its length is the share of slanted sentences, and a mark shows the mean probability."""
    lines = ["  probability  slanted  # share, | mean probability"]
    for group in bins:
        if group.share is None or group.confidence is None:
            lines.append(f"  {group.low:.1f} to {group.high:.1f}        -")
            continue
        bar = list(("#" * round(group.share * _BAR)).ljust(_BAR + 1))
        bar[round(group.confidence * _BAR)] = "|"
        lines.append(
            f"  {group.low:.1f} to {group.high:.1f}    {group.share:.3f}  {''.join(bar)} {group.count:,}"
        )
    return "\n".join(lines)


def reliability_svg(bins: Sequence[ReliabilityBin], title: str, side: int = 320) -> str:
    """Return a diagram: a bar per share, a point at each mean probability, and the diagonal of perfect calibration.

    The fainter a bar, the fewer sentences it is based on.
    """
    most = max((group.count for group in bins), default=0) or 1
    margin, total = 40, side + 80

    def x(value: float) -> float:
        return margin + value * side

    def y(value: float) -> float:
        return margin + (1 - value) * side

    svg = Svg(total, total, f"{title}: share of slanted sentences by probability")
    svg.rect(margin, margin, side, side, fill="none", stroke="#888")
    for group in bins:
        if group.share is None or group.confidence is None:
            continue
        svg.rect(
            x(group.low),
            y(group.share),
            (group.high - group.low) * side,
            group.share * side,
            title=f"{group.low:.1f} to {group.high:.1f}: {group.share:.3f} of {group.count}",
            fill="#4477aa",
            fill_opacity=0.25 + 0.75 * group.count / most,
            stroke="#fff",
        )
        svg.circle(x(group.confidence), y(group.share), 3, fill="#222")
    svg.line(x(0), y(0), x(1), y(1), stroke="#aa3333", stroke_dasharray="4 3")
    svg.text(x(0.5), margin + side + 34, "probability", text_anchor="middle")
    svg.text(x(0.5), 24, f"{title}: share that is slanted", text_anchor="middle")
    for tick in (0.0, 0.5, 1.0):
        svg.text(x(tick), margin + side + 16, f"{tick:g}", text_anchor="middle")
        svg.text(margin - 6, y(tick), f"{tick:g}", text_anchor="end", dy="4")
    return svg.render()
