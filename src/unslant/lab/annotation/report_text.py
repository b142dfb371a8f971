"""Agreement, aggregation and annotation projects as text for a terminal."""

from __future__ import annotations

from unslant.lab.annotation.aggregation import AggregationSummary
from unslant.lab.annotation.agreement import AgreementReport
from unslant.lab.annotation.human_evaluation import HumanEvaluation
from unslant.lab.annotation.results import ProjectReport
from unslant.lab.corpora.statistics import FigureComparison
from unslant.lab.report.table import format_p, text_table
from unslant.lab.stats.bootstrap import Estimate

_NAMES = {
    "alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa, mean of pairs",
    "percent": "percent agreement",
    "exact": "F1 of exact spans",
    "overlap": "F1 of overlapping spans",
}


def agreement_text(report: AgreementReport, compared: FigureComparison | None = None) -> str:
    """Return a report as text, with the published figure beside ours."""
    level = f", {report.scale.level}" if report.scale.level != "nominal" else ""
    parts = [
        f"{report.task}: {report.ratings} judgements of {report.items} items by {report.annotators} annotators; "
        f"{report.paired} items have two or more"
    ]
    rows: list[tuple[str, ...]] = []
    for name, value in report.measures.items():
        title = _NAMES[name] + (level if name == "alpha" else "")
        beside = (
            f"published {compared.published:.2f}"
            if compared and compared.published and name == "alpha"
            else ""
        )
        rows.append((title, *_estimate_text(value), beside))
    parts.append(text_table(rows))
    groups = {
        "by label": report.by_label,
        "by annotator": report.by_annotator,
        "alpha by number of annotators": report.by_number,
    }
    for title, group in groups.items():
        if group:
            parts += [
                f"{title}:",
                text_table([(name or "(none)", *_estimate_text(value)) for name, value in group.items()]),
            ]
    for name, prf in report.against_reference.items():
        measured = {"precision": prf.precision, "recall": prf.recall, "F1": prf.f1}
        parts.append(f"{name} against the reference:")
        parts.append(text_table([(what, *_estimate_text(value)) for what, value in measured.items()]))
    if report.by_batch:
        parts += ["by batch:", text_table(_batch_rows(report))]
    return "\n".join(parts)


def _batch_rows(report: AgreementReport) -> list[tuple[str, ...]]:
    names = list(report.measures)
    header = ("batch", "items", "twice or more", *(name.replace("_", " ") for name in names))
    rows = [
        (
            name or "(none)",
            str(batch.items),
            str(batch.paired),
            *(_estimate_text(batch.measures[key])[0] for key in names),
        )
        for name, batch in report.by_batch.items()
    ]
    return [header, *rows]


def aggregation_text(summary: AggregationSummary) -> str:
    """Return a summary as text, with the published figures beside ours."""
    apart = f"; {summary.left_out} more have too few judgements" if summary.left_out else ""
    parts = [f"{summary.task}: {summary.items} items{apart}"]
    words = summary.task == "words"
    figures = {name: value if words else 100 * value for name, value in summary.figures.items()}
    if not summary.compared:
        parts.append(
            text_table(
                [(name, f"{value:g}" if words else f"{value:.2f} %") for name, value in figures.items()]
            )
        )
        return "\n".join(parts)
    rows = [("", "ours", "their way", "published", "")]
    for figure in summary.compared:
        numbers = (figures.get(figure.name), figure.ours, figure.published)
        own, theirs, published = ("" if value is None else f"{value:.{figure.digits}f}" for value in numbers)
        rows.append((figure.name, own, theirs, published, figure.why))
    parts.append(_with_remarks(rows))
    return "\n".join(parts)


def _with_remarks(rows: list[tuple[str, str, str, str, str]]) -> str:
    """Return a table whose last column is left-aligned text."""
    body = text_table([row[:4] for row in rows]).splitlines()
    width = max(map(len, body))
    return "\n".join(f"{line:<{width}}  {row[4]}".rstrip() for line, row in zip(body, rows, strict=True))


def project_text(report: ProjectReport) -> str:
    """Return the progress of an annotation project and the agreement of its annotators."""
    parts = [f"{report.annotated} of {report.items} items annotated, {report.doubled} by two or more"]
    parts += [agreement_text(part) for part in report.agreement]
    for name, levels in report.alignment.items():
        rows: list[tuple[str, ...]] = [("", "precision", "recall", "F1")]
        for level, prf in levels.items():
            rows.append(
                (
                    f"by {level}",
                    *(_estimate_text(value, 3)[0] for value in (prf.precision, prf.recall, prf.f1)),
                )
            )
        parts.append(f"links of {name} against {report.reference}:\n{text_table(rows)}")
    return "\n\n".join(parts)


def evaluation_text(evaluation: HumanEvaluation) -> str:
    """Return a human evaluation as text: test results, means, t-tests and agreement."""
    parts = []
    rows: list[tuple[str, ...]]
    if evaluation.qualifications:
        rows = [("annotator", "answered", "errors", "")]
        for test in evaluation.qualifications:
            verdict = "passed" if test.passed else "left out"
            rows.append((test.annotator, f"{test.answered}/{test.wanted}", str(test.errors), verdict))
        parts.append(f"test:\n{text_table(rows)}")
    rows = [("system", "question", "items", "mean", "", "p against 0")]
    for mean in evaluation.means:
        rows.append(
            (mean.system, mean.question, str(mean.items), *_estimate_text(mean.mean), format_p(mean.p))
        )
    parts.append(f"means (of items, 95 % t intervals):\n{text_table(rows)}")
    if evaluation.comparisons:
        rows = [("paired t-test", "question", "items", "difference", "", "p")]
        for pair in evaluation.comparisons:
            versus = f"{pair.first} - {pair.second}"
            rows.append(
                (versus, pair.question, str(pair.items), *_estimate_text(pair.difference), format_p(pair.p))
            )
        parts.append(text_table(rows))
    agreed = [(name, *_estimate_text(value)) for name, value in evaluation.agreement.items()]
    parts.append(f"Krippendorff's alpha, interval:\n{text_table(agreed)}")
    return "\n\n".join(parts)


def _estimate_text(estimate: Estimate, digits: int = 2) -> tuple[str, str]:
    """Return a value and its interval as text."""
    if estimate.value is None:
        return "undefined", ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}", ""
    return f"{estimate.value:.{digits}f}", f"[{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
