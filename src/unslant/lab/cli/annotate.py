"""``unslant annotate``, ``agree`` and ``aggregate``: annotation projects, agreement, and labels of many annotators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, Number, output_format_option, split_commas
from unslant.core.errors import InputError
from unslant.core.files import write_text
from unslant.lab.cli.options import data_option, echo_result, resamples_option, seed_option
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.annotation.agreement import AgreementSettings
    from unslant.lab.corpora.dataset import Annotation

_FORMS = (
    "edits",
    "kinds",
    "rewrites",
    "questionnaire",
    "sentences",
    "collect",
    "verify",
    "refine",
    "categories",
)


@click.group()
def annotate() -> None:
    """Run an annotation project in Label Studio."""


@annotate.command("export")
@click.argument("form", type=click.Choice(_FORMS), metavar="FORM")
@click.argument("items", type=click.Path(path_type=Path))
@click.argument("project", type=click.Path(path_type=Path))
@seed_option("Random seed of every choice; kept in the manifest.")
@click.option("--batch-size", default=200, show_default=True, type=Count(1), help="Items per batch.")
@click.option(
    "--doubled",
    default=40,
    show_default=True,
    type=Count(0),
    help="Items per batch that two annotators get, to measure their agreement.",
)
@click.option(
    "--annotators",
    default=2,
    show_default=True,
    type=Count(1),
    help="Annotators to distribute the items among.",
)
@click.option(
    "--ratings",
    type=Count(1),
    help="Annotators who get each item, such as 5 for the majorities of BABE.  [default: 1, and 2 for --doubled items]",
)
@click.option(
    "--paragraphs",
    type=Count(1),
    help="For questionnaire: texts per annotator, such as 8.  [default: all texts for everybody]",
)
@click.option(
    "--items",
    "count",
    default=100,
    show_default=True,
    type=Count(1),
    help="For questionnaire: texts to take from an audit.",
)
@click.option(
    "--qualification",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Test items with accepted answers, such as 1|2, to qualify annotators.",
)
@click.option(
    "--error-limit",
    default=0.2,
    show_default=True,
    type=Number(0, 1),
    help="Leave out annotators with more than this share of wrong answers in the test.",
)
def export_command(form: Any, items: Path, project: Path, **options: Any) -> None:
    """Write a Label Studio project.

    Turns ITEMS, a table, into tasks in the folder PROJECT. FORM is one of:

    \b
      edits          mark the edited words of a sentence pair (columns source, target),
                     pre-filled by a word diff
      kinds          name the kind of slant of each edited span (the result of edits,
                     or the same columns)
      rewrites       rate fluency, meaning and bias of a rewrite (columns source,
                     rewrite, system)
      questionnaire  rate bias, readability and coherence of a text (columns text,
                     system and optionally prompt, or the folder of an audit)
      sentences      mark biased words, judge the sentence as biased or not, and as
                     opinion or fact (column text)
      collect        write a neutral rephrasing (column text, optionally context)
      verify         accept a rephrasing, or say what is wrong (the result of collect
                     or refine)
      refine         write a better rephrasing (the result of verify; those that were
                     accepted are left out)
      categories     sort a model's rephrasings (columns text, rephrase, system)
    """  # noqa: D301 - the command line needs the character itself
    from unslant.lab.annotation.project import Batching, build_project

    if form == "questionnaire" and items.is_dir():
        from unslant.lab.audit.store import write_items

        write_items(items, project / "items.jsonl", options["count"], options["seed"])
        items = project / "items.jsonl"
    if options["paragraphs"] is not None and form != "questionnaire":
        raise click.UsageError("--paragraphs is for the form questionnaire only.")
    if options["ratings"] is not None and form in ("rewrites", "questionnaire"):
        raise click.UsageError(f"--ratings is not for the form {form}, whose items everybody judges.")
    batching = Batching(
        options["batch_size"],
        options["doubled"],
        options["annotators"],
        options["seed"],
        options["paragraphs"],
        options["ratings"],
    )
    made = build_project(
        form,
        items,
        batching,
        qualification=options["qualification"],
        error_limit=options["error_limit"],
    )
    for path in made.write(project):
        click.echo(path)
    click.echo(
        f"{len(made.tasks)} tasks. In Label Studio, create a project, paste config.xml under Labeling Interface > Code "
        "and import the tasks. Keep manifest.json for reading the results."
    )


@annotate.command("select")
@click.argument("corpus")
@click.option(
    "--model",
    "models",
    metavar="DIR",
    multiple=True,
    help="Detector that is to learn; of several, such as two checkpoints, also the texts about which they disagree.  "
    "[default: the one that ships]",
)
@click.option("--count", default=500, show_default=True, type=Count(1), help="Texts to choose.")
@click.option(
    "--limit",
    type=Count(1),
    metavar="N",
    help="Look only at N texts of the corpus, drawn at random by --seed.",
)
@click.option(
    "--without",
    metavar="CORPUS",
    multiple=True,
    help="Leave out texts that share eight words in a row with this corpus. Can be repeated.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the texts to FILE, one JSON object a line.",
)
@seed_option("Random seed of --limit.")
@data_option
def select_command(corpus: str, output: Path, **options: Any) -> None:
    """Choose the texts of CORPUS that would teach a detector most.

    Ranks them by the expected number of findings and, with several models, by the sentences about which these
    disagree; takes equal numbers from left and right outlets. 'unslant annotate export sentences' makes an annotation
    project of the result.
    """
    import json
    import random

    from unslant.lab import corpora
    from unslant.lab.annotation.active import CANDIDATES_FROM, choose, leave_out, score_texts
    from unslant.lab.corpora.own_files import FileDataset
    from unslant.spec import TIERS, Spec

    def texts(name: str) -> Iterable[Example]:
        return FileDataset(name) if Path(name).is_file() else corpora.load(name, options["data"])

    known = (example.text for name in options["without"] for example in texts(name))
    examples = list(leave_out(texts(corpus), known))
    if options["limit"] is not None and options["limit"] < len(examples):
        examples = random.Random(options["seed"]).sample(examples, options["limit"])  # noqa: S311
    specs = [
        Spec(analyzers=TIERS["all"], model=model, threshold=CANDIDATES_FROM)
        for model in options["models"] or ("",)
    ]
    chosen = choose(score_texts(examples, specs), options["count"])
    write_text(output, "".join(json.dumps(text.to_dict(), ensure_ascii=False) + "\n" for text in chosen))
    click.echo(f"{output}: {len(chosen):,} of {len(examples):,} texts")


@annotate.command("import")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    required=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the results to FILE, as JSON lines.",
)
@click.option("--flat", is_flag=True, help="Write one line per judgement, as 'unslant agree' reads them.")
@click.option("--source", default="annotation", show_default=True, help="Name of the corpus in the examples.")
@click.option("--licence", default="", help="Licence of the texts in the examples.")
def import_command(project: Path, exports: tuple[Path, ...], output: Path, flat: bool, **names: str) -> None:
    """Read the results of a project.

    EXPORTS are JSON exports of Label Studio for PROJECT. The form edits gives one line per sentence pair, ready for
    'unslant annotate export kinds'; kinds one example per sentence with its spans; rewrites and questionnaire one line
    per judgement, with the random order undone; sentences one example per sentence; collect, verify and refine the rows
    for the next stage; categories one line per rephrasing.
    """
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.results import read_results, result_rows

    manifest = load_project(project)
    rows = list(result_rows(manifest, read_results(manifest, exports), flatten=flat, **names))
    write_text(output, "".join(f"{readable(row)}\n" for row in rows))
    click.echo(f"{output}: {len(rows)} lines")


@annotate.command("report")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--reference", metavar="ANNOTATOR", help="Measure word alignments against this annotator.")
@resamples_option
@seed_option("Random seed of the resamples.")
@output_format_option("text", "json", default="text")
def report_command(
    project: Path, exports: tuple[Path, ...], reference: str | None, output_format: str, **options: int
) -> None:
    """Report agreement by batch, or the means and t-tests of ratings.

    EXPORTS are JSON exports of Label Studio for PROJECT, finished or not.
    """
    from unslant.lab.annotation.human_evaluation import evaluate_answers
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.report_text import evaluation_text, project_text
    from unslant.lab.annotation.results import collect_judgements, read_results, report_project
    from unslant.lab.stats.bootstrap import Resampling

    manifest = load_project(project)
    done = read_results(manifest, exports)
    resampling = Resampling(options["resamples"], options["seed"])
    if manifest["form"] not in ("rewrites", "questionnaire"):
        report = report_project(manifest, done, resampling, reference)
        text = project_text(report)
        wire = report.to_dict()
    else:
        evaluation = evaluate_answers(manifest, collect_judgements(manifest, done), resampling)
        text = evaluation_text(evaluation)
        wire = evaluation.to_dict()
    echo_result(text, wire, output_format)


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
    type=click.Choice(["label", "annotator", "batch", "number"]),
    help="Also report agreement for each label, annotator or batch, or by the number of annotators of an item. Can be "
    "repeated.",
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
    type=click.Choice(["most", "half", "dawid-skene"]),
    default="most",
    show_default=True,
    help="How labels are combined: the most frequent one, the one of more than half of the annotators, or the "
    "likeliest one, given how reliable each annotator is.",
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
@click.option(
    "--disputed",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the items that annotators disagree on to FILE, the most disputed first.",
)
@_source_options
def aggregate(source: str, output: Path | None, disputed: Path | None, **options: Any) -> None:
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
    if disputed is not None:
        lines = [readable(row) for summary in found for row in summary.disputed]
        write_text(disputed, "".join(f"{line}\n" for line in lines))
        click.echo(f"disputed: {disputed} ({len(lines):,})", err=True)
    text = "\n\n".join(map(aggregation_text, found))
    echo_result(
        text or "SOURCE has only marked spans, which have no majority; 'unslant agree' compares them",
        [summary.to_dict() for summary in found],
        options["output_format"],
    )
