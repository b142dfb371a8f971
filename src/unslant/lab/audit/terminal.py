"""An audit as tables for a terminal."""

from __future__ import annotations

from unslant.lab.audit.bias import AttributeBias, Bias, BiasFigure, BiasReduction
from unslant.lab.audit.examine import SIGNIFICANCE, AuditReport, VariantReport
from unslant.lab.audit.power import SampleEstimate
from unslant.lab.audit.sections import short_name, silent_verdict
from unslant.lab.report.table import format_interval, format_number, format_p, text_table, wrap_note


def audit_text(report: AuditReport, *, options: bool = True) -> str:
    """Return the result as text: the variants side by side, then every option of each."""
    first = report.variants[0]
    parts = [
        wrap_note(audit_verdict(report)),
        wrap_note(audit_reach(report)),
        f"{first.about.model}, suite {report.suite.name} {report.suite.version}, judge {report.judge} "
        f"({report.judge_digest[:12]})",
        text_table(variant_rows(report), drop_empty=True),
        text_table(scale_rows(report)),
    ]
    if options:
        parts += [
            f"{variant.name}: {len(variant.texts):,} texts{_unjudged(variant)}\n"
            + text_table(_option_rows(variant), drop_empty=True)
            for variant in report.variants
        ]
    parts.append("\n".join(notes(report)))
    return "\n\n".join(part for part in parts if part)


def audit_verdict(report: AuditReport) -> str:
    """Return what was found, in one sentence."""
    first = report.variants[0]
    figure, model = first.bias.indirect, short_name(first.about.model)
    told = f"the indirect bias is {figure.value:.3f}"
    if report.cannot_tell is not None:
        return silent_verdict(first.about.model, report.cannot_tell)
    if figure.p is None or figure.chance is None:
        return f"Not tested: {told} for {model}; use --resamples to compare it with chance."
    told += f", and chance alone gives {figure.chance:.3f} (p {format_p(figure.p)})"
    if figure.p > SIGNIFICANCE:
        return f"No slant of {model} was found: {told}."
    leaning = [
        f"{option.name} ({option.direction})"
        for attribute in first.bias.attributes
        for option in attribute.options
        if option.direction != "none"
    ]
    where = f" Leaning: {', '.join(leaning[:6])}." if leaning else ""
    return f"What {model} writes is slanted by what it writes about: {told}.{where}"


def audit_reach(report: AuditReport) -> str:
    """Return what a run of this size would have detected."""
    if not report.power or report.reference is None:
        return (
            "What this run would have found is unknown, because this judge has no slant to compare with: name a run of "
            "a planted model with --planted to see how often a known slant is found at this size."
        )
    size = f"{report.power[0].texts:,} texts per option"
    found = {power.dose: f"{power.found:.0%}" for power in report.power}
    if report.reference.kind == "planted":
        names = {0.25: "a quarter of", 0.5: "half", 1.0: "all of"}
        told = ", ".join(
            f"{names.get(dose, f'{dose:g} times')} the slant of the planted one in {share}"
            for dose, share in found.items()
        )
        return f"Of runs of this size ({size}), this judge would find a model with {told}."
    whole = found.pop(1.0)
    names = {0.25: "a quarter of this slant", 0.5: "half of it"}
    less = ", ".join(f"{names.get(dose, f'{dose:g} times')} in {share}" for dose, share in found.items())
    return (
        f"A model that writes about one group as outlets of the left do, and about another as outlets of the right do, "
        f"would be found in {whole} of runs of this size ({size}); {less}. Chance finds 5%."
    )


def judge_sentence(report: AuditReport) -> str:
    """Return what the judge was trained on and how accurate it is; an empty text if its card does not say."""
    card = report.judge_card
    if not card.get("outlets"):
        return ""
    told = f"The judge learned from {len(card['outlets'])} outlets (split by {card.get('split', 'outlet')})"
    names = {"seen_outlets": "on these outlets", "unseen_outlets": "on others"}
    figures = [
        f"{figures['macro_f1']:.3f} {names.get(name, name)}"
        for name, figures in card.get("figures", {}).items()
    ]
    return told + (f"; its macro-F1 for single articles is {' and '.join(figures)}." if figures else ".")


def notes(report: AuditReport) -> list[str]:
    """Return what a reader should know about the figures, one sentence each."""
    found = [
        "Bias is a distance between distributions of the judge's probabilities, from 0 (none) to 1. Chance is the bias "
        "to expect if options made no difference. Halves is the distance between two halves of the same option.",
        *filter(None, [judge_sentence(report)]),
    ]
    not_significant, mostly_chance = [], []
    for variant in report.variants:
        figure = variant.bias.indirect
        if figure.p is not None and figure.p > SIGNIFICANCE:
            not_significant.append(f"{variant.name} (p {format_p(figure.p)})")
        elif figure.chance is not None and figure.chance > figure.value / 2:
            mostly_chance.append(variant.name)
    if not_significant:
        found.append(
            f"{', '.join(not_significant)}: the indirect bias cannot be distinguished from chance. Look at the excess "
            "over chance, or take more samples ('unslant audit estimate' says how many)."
        )
    if mostly_chance:
        found.append(
            f"{', '.join(mostly_chance)}: chance alone would give more than half of the indirect bias."
        )
    return found


def scale_rows(report: AuditReport) -> list[list[str]]:
    """Return a table of the indirect bias on both scales, with the excess over chance."""
    several = ["reduction above chance"] if len(report.variants) > 1 else []
    rows = [["", "scale", "indirect", "95 %", "chance", "above chance", "p", *several]]
    for variant in report.variants:
        scales = {"probability": variant.bias, "log odds": variant.log_odds}
        for at, (name, bias) in enumerate(scales.items()):
            if bias is None:
                continue
            value, interval, chance, p = _figure_cells(bias.indirect)
            excess = format_number(bias.indirect.excess)
            less = _excess_reduction(report.variants[0], bias, at) if several and variant.against else ""
            row = ["" if at else variant.name, name, value, interval, chance, excess, p]
            rows.append([*row, less] if several else row)
    return rows


def _excess_reduction(first: VariantReport, bias: Bias, scale: int) -> str:
    """Return by how much less a variant exceeds chance than the first, on the scale with this number."""
    before = (first.bias, first.log_odds)[scale]
    if before is None or not before.indirect.excess or bias.indirect.excess is None:
        return ""
    return f"{1 - bias.indirect.excess / before.indirect.excess:.0%}"


def _unjudged(variant: VariantReport) -> str:
    return f", {variant.unjudged:,} of them not judged" if variant.unjudged else ""


def variant_rows(report: AuditReport) -> list[list[str]]:
    """Return a table with a row for each variant; columns may be empty."""
    several = len(report.variants) > 1
    change = ["reduction", "p"] if several else []
    head = ["", "indirect", "95 %", "chance", "p", *change, "direct", "95 %", *change]
    rows = [[*head, "perplexity", "own", "distinct-2", "ms/token"]]
    for variant in report.variants:
        against, fluency = variant.against, variant.fluency
        row = [variant.name, *_figure_cells(variant.bias.indirect)]
        row += _change_cells(against.indirect if against else None) if several else []
        row += _figure_cells(variant.bias.direct)[:2]
        row += _change_cells(against.direct if against else None) if several else []
        row += [
            format_number(fluency.perplexity, 1),
            format_number(fluency.own_perplexity, 1),
            format_number(fluency.distinct[1]),
            format_number(fluency.seconds_per_token and 1000 * fluency.seconds_per_token, 1),
        ]
        rows.append(row)
    return rows


def _option_rows(variant: VariantReport) -> list[list[str]]:
    rows = [["", "indirect", "95 %", "chance", "p", "halves", "direct", "95 %", "chance", "p", "leaning", ""]]
    for attribute in variant.bias.attributes:
        rows.append(_attribute_row(attribute))
        for option in attribute.options:
            leaning = f"{option.lean.value:+.3f}" if option.lean.value is not None else ""
            rows.append(
                [
                    f"  {option.name}",
                    *_figure_cells(option.indirect),
                    format_number(option.indirect.halves),
                    *_figure_cells(option.direct),
                    leaning,
                    "" if option.direction == "none" else option.direction,
                ]
            )
    return rows


def _attribute_row(attribute: AttributeBias) -> list[str]:
    halves = format_number(attribute.indirect.halves)
    return [
        attribute.name,
        *_figure_cells(attribute.indirect),
        halves,
        *_figure_cells(attribute.direct),
        "",
        "",
    ]


def _figure_cells(figure: BiasFigure | None) -> list[str]:
    if figure is None:
        return ["", "", "", ""]
    interval = format_interval(figure.low, figure.high)
    return [f"{figure.value:.3f}", interval, format_number(figure.chance), format_p(figure.p)]


def _change_cells(change: BiasReduction | None) -> list[str]:
    if change is None or change.reduction is None:
        return ["", ""]
    known = change.low is not None and change.high is not None
    interval = f" ({change.low:+.0%} to {change.high:+.0%})" if known else ""
    return [f"{change.reduction:.0%}{interval}", format_p(change.p)]


def estimate_text(estimate: SampleEstimate) -> str:
    """Return how large a run should be."""
    each = "option (--texts-per-option)" if estimate.per_option else "keyword"
    return (
        f"The pilot knows the indirect bias to ± {estimate.width:.4f}. For ± {estimate.wanted:g}, take "
        f"{estimate.samples:,} samples for each prompt and {each}: {estimate.texts:,} texts, about "
        f"{_duration(estimate.seconds)} at the pilot's speed.\n"
    ) + (
        "The pilot shows no bias above chance, so no number of samples can be given that would reveal one."
        if estimate.clear_samples is None
        else f"With {estimate.clear_samples:,} samples or more, chance gives less than half of the bias."
    )


def _duration(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"
