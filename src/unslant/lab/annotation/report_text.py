"""Agreement, aggregation and annotation projects as text for a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from unslant.lab.report.table import Report, Table, format_p, text_table

if TYPE_CHECKING:
    from unslant.lab.annotation.aggregation import AggregationSummary
    from unslant.lab.annotation.agreement import AgreementReport
    from unslant.lab.annotation.human_evaluation import HumanEvaluation
    from unslant.lab.annotation.results import ProjectReport
    from unslant.lab.corpora.statistics import FigureComparison
    from unslant.lab.stats.bootstrap import Estimate

_NAMES = {
    "alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa, mean of pairs",
    "percent": "percent agreement",
    "exact": "F1 of exact spans",
    "overlap": "F1 of overlapping spans",
}


_LISTED = ("by_label", "by_annotator", "by_number")
_TITLES = ("by label:", "by annotator:", "alpha by number of annotators:")


def agreement_text(report: AgreementReport, compared: FigureComparison | None = None) -> str:
    """Return a report as text, with the published figure beside ours."""
    level = f", {report.scale.level}" if report.scale.level != "nominal" else ""
    published = f"published {compared.published:.2f}" if compared and compared.published else ""
    rows = []
    for name, value in report.measures.items():
        is_alpha = name == "alpha"
        rows.append((_NAMES[name] + level * is_alpha, *_estimate_text(value), published if is_alpha else ""))
    said = (
        f"{report.task}: {report.ratings} judgements of {report.items} items by {report.annotators} annotators; "
        f"{report.paired} items have two or more"
    )
    tables = [Table(rows)]
    for title, name in zip(_TITLES, _LISTED, strict=True):
        if group := getattr(report, name):
            tables.append(_estimates(title, group))
    for name, prf in report.against_reference.items():
        measured = {"precision": prf.precision, "recall": prf.recall, "F1": prf.f1}
        tables.append(_estimates(f"{name} against the reference:", measured))
    if report.by_batch:
        tables.append(_batches(report))
    return "\n".join([said, *(table.text() for table in tables)])


def _batches(report: AgreementReport) -> Table:
    names = list(report.measures)
    rows = [("batch", "items", "twice or more", *(name.replace("_", " ") for name in names))]
    for name, batch in report.by_batch.items():
        values = (_estimate_text(batch.measures[key])[0] for key in names)
        rows.append((name or "(none)", str(batch.items), str(batch.paired), *values))
    return Table(rows, "by batch:")


def _estimates(title: str, values: Mapping[str, Estimate]) -> Table:
    return Table([(name or "(none)", *_estimate_text(value)) for name, value in values.items()], title)


def aggregation_text(summary: AggregationSummary) -> str:
    """Return a summary as text, with the published figures beside ours."""
    apart = f"; {summary.left_out} more have too few judgements" if summary.left_out else ""
    title = f"{summary.task}: {summary.items} items{apart}"
    words = summary.task == "words"
    figures = {name: value if words else 100 * value for name, value in summary.figures.items()}
    if not summary.compared:
        shown = [(name, f"{value:g}" if words else f"{value:.2f} %") for name, value in figures.items()]
        return Table(shown, title).text()
    rows = [("", "ours", "their way", "published")]
    for figure in summary.compared:
        numbers = (figures.get(figure.name), figure.ours, figure.published)
        own, theirs, published = ("" if value is None else f"{value:.{figure.digits}f}" for value in numbers)
        rows.append((figure.name, own, theirs, published))
    # the last column is text, and aligned to the left
    body = text_table(rows).splitlines()
    remarks = ["", *(figure.why for figure in summary.compared)]
    width = max(map(len, body))
    lines = (f"{line:<{width}}  {why}".rstrip() for line, why in zip(body, remarks, strict=True))
    return "\n".join([title, *lines])


def project_text(report: ProjectReport) -> str:
    """Return the progress of an annotation project and the agreement of its annotators."""
    parts = [f"{report.annotated} of {report.items} items annotated, {report.doubled} by two or more"]
    parts += [agreement_text(part) for part in report.agreement]
    for name, levels in report.alignment.items():
        rows = [("", "precision", "recall", "F1")]
        for level, prf in levels.items():
            precision, recall, f1 = (
                _estimate_text(value, 3)[0] for value in (prf.precision, prf.recall, prf.f1)
            )
            rows.append((f"by {level}", precision, recall, f1))
        parts.append(Table(rows, f"links of {name} against {report.reference}:").text())
    return "\n\n".join(parts)


def evaluation_text(evaluation: HumanEvaluation) -> str:
    """Return a human evaluation as text: test results, means, t-tests and agreement."""
    tables = []
    rows: list[tuple[str, ...]]
    if evaluation.qualifications:
        rows = [("annotator", "answered", "errors", "")]
        for test in evaluation.qualifications:
            verdict = "passed" if test.passed else "left out"
            rows.append((test.annotator, f"{test.answered}/{test.wanted}", str(test.errors), verdict))
        tables.append(Table(rows, "test:"))
    rows = [("system", "question", "items", "mean", "", "p against 0")]
    for mean in evaluation.means:
        found = (*_estimate_text(mean.mean), format_p(mean.p))
        rows.append((mean.system, mean.question, str(mean.items), *found))
    tables.append(Table(rows, "means (of items, 95 % t intervals):"))
    if evaluation.comparisons:
        rows = [("paired t-test", "question", "items", "difference", "", "p")]
        for pair in evaluation.comparisons:
            found = (*_estimate_text(pair.difference), format_p(pair.p))
            rows.append((f"{pair.first} - {pair.second}", pair.question, str(pair.items), *found))
        tables.append(Table(rows))
    tables.append(_estimates("Krippendorff's alpha, interval:", evaluation.agreement))
    return Report("", tables).text()


def _estimate_text(estimate: Estimate, digits: int = 2) -> tuple[str, str]:
    """Return a value and its interval as text."""
    if estimate.value is None:
        return "undefined", ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}", ""
    return f"{estimate.value:.{digits}f}", f"[{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"
