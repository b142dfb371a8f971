"""``unslant agree`` and ``unslant aggregate``: how far annotators agree, and what they say together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, output_format_option, split_commas
from unslant.core.errors import InputError
from unslant.core.files import write_text
from unslant.lab.cli.options import data_option, echo_result, resamples_option, seed_option
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.lab.annotation.agreement import AgreementSettings
    from unslant.lab.corpora.dataset import Annotation

__all__ = ["aggregate", "agree"]

P = ParamSpec("P")
R = TypeVar("R")


def _source_options(command: Callable[P, R]) -> Callable[P, R]:
    for option in (
        output_format_option("text", "json", default="text"),
        data_option,
        click.option(
            "--column",
            "columns",
            multiple=True,
            callback=split_commas,
            metavar="FIELD=COLUMN",
            help="Column of a table that holds a field: item, annotator, label, task, batch, text, start or end. "
            "Can be repeated.",
        ),
        click.option(
            "--input-format",
            type=click.Choice(["brat", "doccano", "label-studio", "table"]),
            help="Format of SOURCE.  [default: by its name and content]",
        ),
        click.option("--task", "tasks", multiple=True, help="Use only this task. Can be repeated."),
    ):
        command = option(command)
    return command


def _columns(pairs: Sequence[str]) -> dict[str, str]:
    columns: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not column:
            raise InputError(f"--column {pair}: write it as FIELD=COLUMN, such as item=sentence_id")
        columns[name] = column
    return columns


def _read(source: str, options: dict[str, Any]) -> list[Annotation]:
    from unslant.lab.annotation.formats import AnnotationOptions
    from unslant.lab.annotation.reading import read_annotations

    reading = AnnotationOptions(options["input_format"], _columns(options["columns"]), data=options["data"])
    return read_annotations(source, reading)


def _choose_tasks(annotations: Sequence[Annotation], wanted: Sequence[str], skip: Sequence[str]) -> list[str]:
    """Return the tasks to report on, in the order in which they first appear."""
    from unslant.core.errors import UnknownName

    known = list(dict.fromkeys(annotation.task for annotation in annotations))
    for name in wanted:
        if name not in known:
            raise UnknownName("task in it", name, known)
    return list(wanted) or [name for name in known if name not in skip]


@click.command()
@click.argument("source")
@click.option(
    "--level",
    type=click.Choice(["nominal", "ordinal", "interval"]),
    help="Level of measurement of the labels.  [default: nominal, or ordinal with --order]",
)
@click.option("--order", metavar="LOW,...,HIGH", help="Labels of an ordinal or interval scale, in order.")
@click.option(
    "--by",
    multiple=True,
    type=click.Choice(["label", "annotator", "batch"]),
    help="Also report agreement for each label, annotator or batch. Can be repeated.",
)
@click.option("--reference", metavar="ANNOTATOR", help="Measure the other annotators against this one.")
@resamples_option
@seed_option("Random seed of the resamples.")
@_source_options
def agree(source: str, **options: Any) -> None:
    """Measure inter-annotator agreement.

    SOURCE is a file or folder (Label Studio JSON, doccano JSON lines, BRAT, or a table with the columns item,
    annotator and label), or a corpus with raw annotations: babe/sg1, babe/sg2 or babe/mbic.
    """
    from unslant.lab.annotation.aggregation import compare_agreement, has_published_figures
    from unslant.lab.annotation.agreement import measure_agreement
    from unslant.lab.annotation.report_text import agreement_text

    annotations = _read(source, options)
    reports = [
        measure_agreement(annotations, task, _settings(source, task, options))
        for task in _choose_tasks(annotations, options["tasks"], skip=("words",))
    ]
    corpus = _corpus_of(source)
    published = has_published_figures(corpus)
    compared = {report.task: compare_agreement(corpus, report) for report in reports} if published else {}
    wire = [
        {
            **report.to_dict(),
            "published": compared[report.task].to_dict() if report.task in compared else None,
        }
        for report in reports
    ]
    text = "\n\n".join(agreement_text(report, compared.get(report.task)) for report in reports)
    echo_result(text, wire, options["output_format"])


def _corpus_of(source: str) -> str:
    """Return the name of the corpus that a raw file belongs to, or the source itself."""
    name = Path(source).stem
    return f"babe/{name.removeprefix('raw_labels_').lower()}" if name.startswith("raw_labels_") else source


def _settings(source: str, task: str, options: dict[str, Any]) -> AgreementSettings:
    from unslant.lab.annotation.aggregation import SCALES, has_published_figures
    from unslant.lab.annotation.agreement import AgreementSettings
    from unslant.lab.annotation.coefficients import RatingScale
    from unslant.lab.stats.bootstrap import Resampling

    order = tuple(label.strip() for label in (options["order"] or "").split(",") if label.strip())
    scale: RatingScale = RatingScale(options["level"] or ("ordinal" if order else "nominal"), order)
    if has_published_figures(_corpus_of(source)) and task in SCALES:
        known = SCALES[task]
        scale = RatingScale(options["level"] or known.level, order or known.order)
    resampling = Resampling(options["resamples"], options["seed"])
    return AgreementSettings(scale, resampling, frozenset(options["by"]), options["reference"])


@click.command()
@click.argument("source")
@click.option(
    "--rule",
    type=click.Choice(["most", "half"]),
    default="most",
    show_default=True,
    help="Take as majority the most frequent label, or the label of more than half of the annotators.",
)
@click.option("--min-ratings", type=Count(1), help="Leave out items with fewer judgements.  [default: 2]")
@click.option("--min-votes", type=Count(1), help="Votes that a marked word needs to count.  [default: 2]")
@click.option("--mentions", is_flag=True, help="Count every mark of a word, not every annotator once.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the labels to FILE, one JSON line per item and task.",
)
@_source_options
def aggregate(source: str, output: Path | None, **options: Any) -> None:
    """Turn annotations into majority labels, soft labels and common marks.

    SOURCE is anything that 'unslant agree' reads.
    """
    from unslant.lab.annotation.aggregation import SummarySettings, published_sentences, summarize
    from unslant.lab.annotation.report_text import aggregation_text

    annotations = _read(source, options)
    spans = {annotation.task for annotation in annotations if annotation.span is not None}
    corpus = _corpus_of(source)
    data = Path(source).resolve().parent.parent if Path(source).is_file() else options["data"]
    settings = SummarySettings(
        options["rule"],
        options["min_ratings"],
        options["min_votes"],
        options["mentions"],
        published_sentences(corpus, data),
    )
    found = [
        summarize(corpus, annotations, task, settings)
        for task in _choose_tasks(annotations, options["tasks"], skip=tuple(spans))
    ]
    if output is not None:
        lines = [readable(row) for summary in found for row in summary.rows]
        write_text(output, "".join(f"{line}\n" for line in lines))
    text = "\n\n".join(map(aggregation_text, found))
    echo_result(
        text or "SOURCE has only marked spans, which have no majority; 'unslant agree' compares them",
        [summary.to_dict() for summary in found],
        options["output_format"],
    )
