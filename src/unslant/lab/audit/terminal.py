"""An audit as tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from unslant.lab.audit.bias import AttributeBias, Figure
from unslant.lab.audit.compare import Change
from unslant.lab.audit.estimate import Estimated
from unslant.lab.audit.examine import Examination, Examined

__all__ = ["estimate_text", "examination_text"]


def examination_text(examination: Examination, *, options: bool = True) -> str:
    """Return what was found: the variants side by side, then every option of each."""
    first = examination.variants[0]
    parts = [
        f"{first.about.model}, suite {examination.suite.name} {examination.suite.version}, judge {examination.judge} "
        f"({examination.judge_digest[:12]})",
        _aligned(_variants(examination)),
    ]
    if options:
        parts += [
            f"{one.name}: {len(one.texts):,} texts{_unjudged(one)}\n{_aligned(_options(one))}"
            for one in examination.variants
        ]
    parts.append("\n".join(notes(examination)))
    return "\n\n".join(part for part in parts if part)


def notes(examination: Examination) -> list[str]:
    """Return what a reader should know of the figures, one sentence each."""
    found = [
        "Bias is a distance between distributions of the judge's probabilities, from 0 (none) to 1; chance is what it "
        "would be if options made no difference; halves is the distance of two halves of the same option."
    ]
    found += _control(examination.variants[0])
    lost, mostly = [], []
    for one in examination.variants:
        figure = one.bias.indirect
        if figure.p is not None and figure.p > 0.05:
            lost.append(f"{one.name} (p {_p(figure.p)})")
        elif figure.chance is not None and figure.chance > figure.value / 2:
            mostly.append(one.name)
    if lost:
        found.append(
            f"{', '.join(lost)}: the indirect bias cannot be told from chance; look at what is above chance, or take "
            "more samples (--estimate)."
        )
    if mostly:
        found.append(
            f"{', '.join(mostly)}: more than half of the indirect bias is what chance alone would give."
        )
    return found


def _control(first: Examined) -> list[str]:
    """Say whether the judge sees the side that the prompts are on."""
    seen = first.control
    if seen is None or seen.value is None or seen.low is None or seen.high is None:
        return []
    told = (
        f"Control: the judge finds texts under conservative prompts more conservative than texts under liberal ones by "
        f"{seen.value:.3f} ({seen.low:.3f} to {seen.high:.3f})"
    )
    blind = "; that may be nothing, so it may be blind to what this model writes." if seen.low <= 0 else "."
    return [told + blind]


def _unjudged(one: Examined) -> str:
    return f", {one.unjudged:,} of them not judged" if one.unjudged else ""


def _variants(examination: Examination) -> list[list[str]]:
    several = len(examination.variants) > 1
    rows = [["", "indirect", "95 %", "chance", "p", *(["less by", "p"] if several else [])]]
    rows[0] += ["direct", "95 %", *(["less by", "p"] if several else [])]
    rows[0] += ["perplexity", "own", "distinct-2", "ms/token"]
    for one in examination.variants:
        row = [one.name, *_figure(one.bias.indirect)]
        row += _change(one.against.indirect if one.against else None) if several else []
        row += _figure(one.bias.direct)[:2]
        row += _change(one.against.direct if one.against else None) if several else []
        reads = one.fluency
        row += [_number(reads.perplexity, 1), _number(reads.own_perplexity, 1), _number(reads.distinct[1], 3)]
        row.append(_number(reads.seconds_per_token and 1000 * reads.seconds_per_token, 1))
        rows.append(row)
    return rows


def _options(one: Examined) -> list[list[str]]:
    rows = [["", "indirect", "95 %", "chance", "p", "halves", "direct", "95 %", "chance", "p", "leans", ""]]
    for attribute in one.bias.attributes:
        rows.append(_row(attribute.name, attribute))
        for option in attribute.options:
            leaning = f"{option.lean.value:+.3f}" if option.lean.value is not None else ""
            toward = "" if option.direction == "none" else option.direction
            rows.append(
                [
                    f"  {option.name}",
                    *_figure(option.indirect),
                    _number(option.indirect.halves),
                    *_figure(option.direct),
                    leaning,
                    toward,
                ]
            )
    return rows


def _row(name: str, one: AttributeBias) -> list[str]:
    return [name, *_figure(one.indirect), _number(one.indirect.halves), *_figure(one.direct), "", ""]


def _figure(figure: Figure | None) -> list[str]:
    if figure is None:
        return ["", "", "", ""]
    between = "" if figure.low is None else f"{figure.low:.3f} to {figure.high:.3f}"
    return [f"{figure.value:.3f}", between, _number(figure.chance), _p(figure.p)]


def _change(change: Change | None) -> list[str]:
    if change is None or change.reduction is None:
        return ["", ""]
    between = (
        "" if change.low is None or change.high is None else f" ({change.low:+.0%} to {change.high:+.0%})"
    )
    return [f"{change.reduction:.0%}{between}", _p(change.p)]


def _p(value: float | None) -> str:
    return "" if value is None else "< 0.001" if value < 0.001 else f"{value:.3f}"


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def estimate_text(one: Estimated, *, even: bool = False) -> str:
    """Return what a pilot says of a larger run; ``even``: its samples were counted by option, not by keyword."""
    each = "option (--even)" if even else "keyword"
    lines = [
        f"indirect bias now known to ± {one.width:.4f}; for ± {one.wanted:g}: {one.samples:,} samples for each prompt "
        f"and {each}, {one.texts:,} texts, about {_time(one.seconds)} at the pilot's speed",
        "the pilot shows no bias above chance, so no number of samples can be named that would set it off"
        if one.clear_samples is None
        else f"chance would give less than half of the bias from {one.clear_samples:,} samples on",
    ]
    return "\n".join(lines)


def _time(seconds: float) -> str:
    for size, unit in ((86400, "days"), (3600, "hours"), (60, "minutes")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.0f} seconds"


def _aligned(rows: Sequence[Sequence[str]]) -> str:
    kept = [at for at in range(len(rows[0])) if at == 0 or any(row[at] for row in rows[1:])]
    widths = [max(len(row[at]) for row in rows) for at in kept]
    lines = []
    for row in rows:
        cells = [
            row[at].ljust(width) if at == 0 else row[at].rjust(width)
            for at, width in zip(kept, widths, strict=True)
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    return "\n".join(lines)
