"""``unslant agree``: how far annotators agree."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.core.errors import InputError
from unslant.lab.report.table import text_table

if TYPE_CHECKING:
    from unslant.lab.annotation.agreement import AgreementReport
    from unslant.lab.annotation.ratings import RatingScale
    from unslant.lab.corpora.dataset import Annotation
    from unslant.lab.corpora.statistics import FigureComparison
    from unslant.lab.stats.bootstrap import Estimate

__all__ = [
    "agree",
    "chosen_tasks",
    "corpus_of",
    "estimate_text",
    "read",
    "report_text",
    "source_options",
]

P = ParamSpec("P")
R = TypeVar("R")

_NAMES = {
    "alpha": "Krippendorff's alpha",
    "fleiss_kappa": "Fleiss' kappa",
    "cohen_kappa": "Cohen's kappa, mean of pairs",
    "percent": "percent agreement",
    "exact": "F1 of exact spans",
    "overlap": "F1 of overlapping spans",
}


def source_options(command: Callable[P, R]) -> Callable[P, R]:
    """Add the options that say how annotations are read."""
    formats = ["brat", "doccano", "label-studio", "table"]
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print JSON."),
        click.option("--task", "tasks", multiple=True, help="Only this task; may be given again."),
        click.option(
            "--data", type=click.Path(path_type=Path), help="The folder that holds the corpora (babe/sg1, …)."
        ),
        click.option(
            "--column",
            "columns",
            multiple=True,
            metavar="FIELD=COLUMN",
            help="Which column of a table holds item, annotator, label, task, batch, text, start or end.",
        ),
        click.option("--format", "form", type=click.Choice(formats), help="How SOURCE is written."),
    ):
        command = option(command)
    return command


def _columns(pairs: Sequence[str]) -> dict[str, str]:
    """Read ``field=column`` pairs."""
    columns: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not column:
            raise InputError(f"--column {pair}: write it as FIELD=COLUMN, such as item=sentence_id")
        columns[name] = column
    return columns


def read(source: str, form: str | None, columns: Sequence[str], data: Path | None) -> list[Annotation]:
    """Read annotations as the options say."""
    from unslant.lab.annotation.formats import AnnotationOptions
    from unslant.lab.annotation.reading import read_annotations

    reading = AnnotationOptions(form, _columns(columns), data=data)
    return read_annotations(source, reading)


def chosen_tasks(
    annotations: Sequence[Annotation], wanted: Sequence[str], skip: Sequence[str] = ()
) -> list[str]:
    """Return the tasks to report on, in the order in which they first come."""
    from unslant.core.errors import UnknownName

    known = list(dict.fromkeys(one.task for one in annotations))
    for name in wanted:
        if name not in known:
            raise UnknownName("task in it", name, known)
    return list(wanted) or [name for name in known if name not in skip]


@click.command()
@click.argument("source")
@source_options
@click.option(
    "--level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="What the labels mean to each other.",
)
@click.option("--order", metavar="LOW,…,HIGH", help="The labels of an ordinal or interval scale, in order.")
@click.option(
    "--by", multiple=True, type=click.Choice(["label", "annotator", "batch"]), help="Also for each of these."
)
@click.option("--reference", metavar="ANNOTATOR", help="Measure the others against this annotator.")
@click.option(
    "--resamples",
    default=1000,
    show_default=True,
    help="For the 95 % intervals; 0 for none.",
    type=click.IntRange(0),
)
@click.option("--seed", default=0, show_default=True, help="For the resamples.")
def agree(source: str, **options: Any) -> None:
    """Measure how far the annotators in SOURCE agree.

    SOURCE is a file or folder (Label Studio JSON, doccano JSON lines, BRAT, or a table with the columns item,
    annotator and label), or a corpus with raw annotations: babe/sg1, babe/sg2, babe/mbic.
    """
    from unslant.lab.annotation.aggregation import compare_agreement, has_published_figures
    from unslant.lab.annotation.agreement import measure_agreement

    annotations = read(source, options["form"], options["columns"], options["data"])
    reports = [
        measure_agreement(annotations, task, _settings(source, task, options))
        for task in chosen_tasks(annotations, options["tasks"], skip=("words",))
    ]
    corpus = corpus_of(source)
    compared = (
        {one.task: compare_agreement(corpus, one) for one in reports} if has_published_figures(corpus) else {}
    )
    if options["as_json"]:
        wire = [
            {**one.to_dict(), "published": compared[one.task].to_dict() if one.task in compared else None}
            for one in reports
        ]
        click.echo(json.dumps(wire, indent=2, ensure_ascii=False))
        return
    click.echo("\n\n".join(report_text(one, compared.get(one.task)) for one in reports))


def corpus_of(source: str) -> str:
    """Return the name of the corpus that a raw file belongs to, or the source itself."""
    name = Path(source).stem
    return f"babe/{name.removeprefix('raw_labels_').lower()}" if name.startswith("raw_labels_") else source


def _settings(source: str, task: str, options: dict[str, Any]) -> Any:
    from unslant.lab.annotation.aggregation import SCALES, has_published_figures
    from unslant.lab.annotation.agreement import AgreementSettings
    from unslant.lab.annotation.ratings import RatingScale
    from unslant.lab.stats.bootstrap import Resampling

    order = tuple(label.strip() for label in (options["order"] or "").split(",") if label.strip())
    scale: RatingScale = RatingScale(options["level"] or ("ordinal" if order else "nominal"), order)
    if has_published_figures(corpus_of(source)) and task in SCALES:
        known = SCALES[task]
        scale = RatingScale(options["level"] or known.level, order or known.order)
    resampling = Resampling(options["resamples"], options["seed"])
    return AgreementSettings(scale, resampling, frozenset(options["by"]), options["reference"])


def estimate_text(estimate: Estimate, digits: int = 2) -> tuple[str, str]:
    """Return a value and its interval as text."""
    if estimate.value is None:
        return "undefined", ""
    if estimate.low is None or estimate.high is None:
        return f"{estimate.value:.{digits}f}", ""
    return f"{estimate.value:.{digits}f}", f"[{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def report_text(report: AgreementReport, compared: FigureComparison | None = None) -> str:
    """Return a report as text, with the published figure beside ours."""
    level = f", {report.scale.level}" if report.scale.level != "nominal" else ""
    parts = [
        f"{report.task}: {report.ratings} judgements of {report.items} items by {report.annotators} annotators; "
        f"{report.paired} items have two or more"
    ]
    rows = []
    for name, value in report.measures.items():
        title = _NAMES[name] + (level if name == "alpha" else "")
        beside = (
            f"published {compared.published:.2f}"
            if compared and compared.published and name == "alpha"
            else ""
        )
        rows.append((title, *estimate_text(value), beside))
    parts.append(text_table(rows))
    for title, group in (("by label", report.by_label), ("by annotator", report.by_annotator)):
        if group:
            parts += [
                f"{title}:",
                text_table([(name or "(none)", *estimate_text(value)) for name, value in group.items()]),
            ]
    for name, prf in report.against_reference.items():
        measured = {"precision": prf.precision, "recall": prf.recall, "F1": prf.f1}
        parts.append(f"{name} against the reference:")
        parts.append(text_table([(what, *estimate_text(value)) for what, value in measured.items()]))
    if report.by_batch:
        parts += ["by batch:", text_table(_batch_rows(report))]
    return "\n".join(parts)


def _batch_rows(report: AgreementReport) -> list[tuple[str, ...]]:
    names = list(report.measures)
    header = ("batch", "items", "twice or more", *(name.replace("_", " ") for name in names))
    rows = [
        (
            name or "(none)",
            str(one.items),
            str(one.paired),
            *(estimate_text(one.measures[key])[0] for key in names),
        )
        for name, one in report.by_batch.items()
    ]
    return [header, *rows]
