"""``unslant annotate``, ``agree`` and ``aggregate``: annotation projects, agreement, and labels of many annotators."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from unslant.core.errors import InputError, UnknownName
from unslant.core.files import write_text
from unslant.lab.cli.options import DataOptions, FormatOptions, IntervalOptions, settings_options
from unslant.lab.options import Options, option
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.core.example import Example
    from unslant.lab.annotation.agreement import AgreementSettings
    from unslant.lab.annotation.project import Form
    from unslant.lab.corpora.dataset import Annotation

_FORMS = "edits kinds rewrites questionnaire sentences collect verify refine categories".split()


@click.group()
def annotate() -> None:
    """Run an annotation project in Label Studio."""


class _Export(Options):
    seed: int = option("Random seed of every choice; kept in the manifest.", 0)
    batch_size: int = option("Items per batch.", 200, least=1)
    doubled: int = option("Items per batch that two annotators get, to measure their agreement.", 40, least=0)
    annotators: int = option("Annotators to distribute the items among.", 2, least=1)
    ratings: int | None = option(
        "Annotators who get each item, such as 5 for the majorities of BABE.  [default: 1, and 2 for --doubled items]",
        least=1,
    )
    paragraphs: int | None = option(
        "For questionnaire: texts per annotator, such as 8.  [default: all texts for everybody]", least=1
    )
    items: int = option("For questionnaire: texts to take from an audit.", 100, least=1)
    qualification: Path | None = option(
        "Test items with accepted answers, such as 1|2, to qualify annotators."
    )
    error_limit: float = option(
        "Leave out annotators with more than this share of wrong answers in the test.", 0.2, least=0, most=1
    )


@annotate.command("export")
@click.argument("form", type=click.Choice(_FORMS), metavar="FORM")
@click.argument("source", metavar="ITEMS", type=click.Path(path_type=Path))
@click.argument("project", type=click.Path(path_type=Path))
@settings_options(_Export)
def export_command(form: Form, source: Path, project: Path, options: _Export) -> None:
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

    if form == "questionnaire" and source.is_dir():
        from unslant.lab.audit.store import write_items

        write_items(source, project / "items.jsonl", options.items, options.seed)
        source = project / "items.jsonl"
    if options.paragraphs is not None and form != "questionnaire":
        raise click.UsageError("--paragraphs is for the form questionnaire only.")
    if options.ratings is not None and form in ("rewrites", "questionnaire"):
        raise click.UsageError(f"--ratings is not for the form {form}, whose items everybody judges.")
    batching = Batching(
        options.batch_size,
        options.doubled,
        options.annotators,
        options.seed,
        options.paragraphs,
        options.ratings,
    )
    made = build_project(
        form, source, batching, qualification=options.qualification, error_limit=options.error_limit
    )
    for path in made.write(project):
        click.echo(path)
    click.echo(
        f"{len(made.tasks)} tasks. In Label Studio, create a project, paste config.xml under Labeling Interface > Code "
        "and import the tasks. Keep manifest.json for reading the results."
    )


class _Select(DataOptions):
    models: tuple[str, ...] = option(
        "Detector that is to learn; of several, such as two checkpoints, also the texts about which they disagree.  "
        "[default: the one that ships]",
        name="--model",
        metavar="DIR",
    )
    count: int = option("Texts to choose.", 500, least=1)
    limit: int | None = option("Look only at N texts of the corpus, drawn at random by --seed.", least=1)
    without: tuple[str, ...] = option(
        "Leave out texts that share eight words in a row with this corpus. Can be repeated.", metavar="CORPUS"
    )
    output: Path = option("Write the texts to FILE, one JSON object a line.", required=True)
    seed: int = option("Random seed of --limit.", 0)


@annotate.command("select")
@click.argument("corpus")
@settings_options(_Select)
def select_command(corpus: str, options: _Select) -> None:
    """Choose the texts of CORPUS that would teach a detector most.

    Ranks them by the expected number of findings and, with several models, by the sentences about which these
    disagree; takes equal numbers from left and right outlets. 'unslant annotate export sentences' makes an annotation
    project of the result.
    """
    import random

    from unslant.lab import corpora
    from unslant.lab.annotation.active import CANDIDATES_FROM, choose, leave_out, score_texts
    from unslant.lab.corpora.own_files import FileDataset
    from unslant.spec import TIERS, Spec

    def texts(name: str) -> Iterable[Example]:
        return FileDataset(name) if Path(name).is_file() else corpora.load(name, options.data)

    known = (example.text for name in options.without for example in texts(name))
    examples = list(leave_out(texts(corpus), known))
    if options.limit is not None and options.limit < len(examples):
        examples = random.Random(options.seed).sample(examples, options.limit)  # noqa: S311
    specs = [
        Spec(analyzers=TIERS["all"], model=model, threshold=CANDIDATES_FROM)
        for model in options.models or ("",)
    ]
    chosen = choose(score_texts(examples, specs), options.count)
    lines = (json.dumps(text.to_dict(), ensure_ascii=False) for text in chosen)
    write_text(options.output, "".join(f"{line}\n" for line in lines))
    click.echo(f"{options.output}: {len(chosen):,} of {len(examples):,} texts")


class _Import(Options):
    output: Path = option("Write the results to FILE, as JSON lines.", required=True)
    flat: bool = option("Write one line per judgement, as 'unslant agree' reads them.")
    source: str = option("Name of the corpus in the examples.", "annotation")
    licence: str = option("Licence of the texts in the examples.", "")


@annotate.command("import")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@settings_options(_Import)
def import_command(project: Path, exports: tuple[Path, ...], options: _Import) -> None:
    """Read the results of a project.

    EXPORTS are JSON exports of Label Studio for PROJECT. The form edits gives one line per sentence pair, ready for
    'unslant annotate export kinds'; kinds one example per sentence with its spans; rewrites and questionnaire one line
    per judgement, with the random order undone; sentences one example per sentence; collect, verify and refine the rows
    for the next stage; categories one line per rephrasing.
    """
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.results import read_results, result_rows

    manifest = load_project(project)
    done = read_results(manifest, exports)
    rows = list(
        result_rows(manifest, done, flatten=options.flat, source=options.source, licence=options.licence)
    )
    _write_rows(options.output, rows)
    click.echo(f"{options.output}: {len(rows)} lines")


def _write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_text(path, "".join(f"{readable(row)}\n" for row in rows))


class _Report(IntervalOptions, FormatOptions):
    reference: str | None = option("Measure word alignments against this annotator.", metavar="ANNOTATOR")


@annotate.command("report")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@settings_options(_Report)
def report_command(project: Path, exports: tuple[Path, ...], options: _Report) -> None:
    """Report agreement by batch, or the means and t-tests of ratings.

    EXPORTS are JSON exports of Label Studio for PROJECT, finished or not.
    """
    from unslant.lab.annotation.human_evaluation import evaluate_answers
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.report_text import evaluation_text, project_text
    from unslant.lab.annotation.results import collect_judgements, read_results, report_project

    manifest = load_project(project)
    done = read_results(manifest, exports)
    if manifest["form"] not in ("rewrites", "questionnaire"):
        report = report_project(manifest, done, options.resampling, options.reference)
        options.echo(project_text(report), report.to_dict())
    else:
        evaluation = evaluate_answers(manifest, collect_judgements(manifest, done), options.resampling)
        options.echo(evaluation_text(evaluation), evaluation.to_dict())


class _Source(DataOptions, FormatOptions):
    tasks: tuple[str, ...] = option("Use only this task. Can be repeated.", name="--task")
    input_format: Literal["brat", "doccano", "label-studio", "table"] | None = option(
        "Format of SOURCE.  [default: by its name and content]"
    )
    columns: tuple[str, ...] = option(
        "Column of a table that holds a field: item, annotator, label, task, batch, text, start or end. Can be "
        "repeated.",
        name="--column",
        metavar="FIELD=COLUMN",
        commas=True,
    )

    def read(self, source: str) -> list[Annotation]:
        from unslant.lab.annotation.formats import AnnotationOptions
        from unslant.lab.annotation.reading import read_annotations

        columns: dict[str, str] = {}
        for pair in self.columns:
            name, equals, column = pair.partition("=")
            if not equals or not column:
                raise InputError(f"--column {pair}: write it as FIELD=COLUMN, such as item=sentence_id")
            columns[name] = column
        return read_annotations(source, AnnotationOptions(self.input_format, columns, data=self.data))

    def choose(self, annotations: Sequence[Annotation], skip: Iterable[str]) -> list[str]:
        """Return the tasks to report on, in the order in which they first appear."""
        known = list(dict.fromkeys(annotation.task for annotation in annotations))
        for name in self.tasks:
            if name not in known:
                raise UnknownName("task in it", name, known)
        return list(self.tasks) or [name for name in known if name not in skip]


class _Agree(IntervalOptions, _Source):
    level: Literal["nominal", "ordinal", "interval"] | None = option(
        "Level of measurement of the labels.  [default: nominal, or ordinal with --order]"
    )
    order: str = option("Labels of an ordinal or interval scale, in order.", "", metavar="LOW,...,HIGH")
    by: tuple[Literal["label", "annotator", "batch", "number"], ...] = option(
        "Also report agreement for each label, annotator or batch, or by the number of annotators of an item. Can be "
        "repeated."
    )
    reference: str | None = option("Measure the other annotators against this one.", metavar="ANNOTATOR")

    def settings(self, corpus: str, task: str) -> AgreementSettings:
        from unslant.lab.annotation.aggregation import SCALES, has_published_figures
        from unslant.lab.annotation.agreement import AgreementSettings
        from unslant.lab.annotation.coefficients import RatingScale

        order = tuple(label.strip() for label in self.order.split(",") if label.strip())
        known = RatingScale("ordinal" if order else "nominal", order)
        if has_published_figures(corpus):
            known = SCALES.get(task, known)
        scale = RatingScale(self.level or known.level, order or known.order)
        return AgreementSettings(scale, self.resampling, frozenset(self.by), self.reference)


@click.command()
@click.argument("source")
@settings_options(_Agree)
def agree(source: str, options: _Agree) -> None:
    """Measure inter-annotator agreement.

    SOURCE is a file or folder (Label Studio JSON, doccano JSON lines, BRAT, or a table with the columns item,
    annotator and label), or a corpus with raw annotations: babe/sg1, babe/sg2 or babe/mbic.
    """
    from unslant.lab.annotation.aggregation import compare_agreement, has_published_figures
    from unslant.lab.annotation.agreement import measure_agreement
    from unslant.lab.annotation.report_text import agreement_text

    annotations, corpus = options.read(source), _corpus_of(source)
    texts, wire = [], []
    for task in options.choose(annotations, skip=("words",)):
        report = measure_agreement(annotations, task, options.settings(corpus, task))
        beside = compare_agreement(corpus, report) if has_published_figures(corpus) else None
        texts.append(agreement_text(report, beside))
        wire.append({**report.to_dict(), "published": beside.to_dict() if beside else None})
    options.echo("\n\n".join(texts), wire)


def _corpus_of(source: str) -> str:
    """Return the name of the corpus that a raw file belongs to, or the source itself."""
    name = Path(source).stem
    return f"babe/{name.removeprefix('raw_labels_').lower()}" if name.startswith("raw_labels_") else source


class _Aggregate(_Source):
    rule: Literal["most", "half", "dawid-skene"] = option(
        "How labels are combined: the most frequent one, the one of more than half of the annotators, or the "
        "likeliest one, given how reliable each annotator is.",
        "most",
    )
    min_ratings: int | None = option("Leave out items with fewer judgements.  [default: 2]", least=1)
    min_votes: int | None = option("Votes that a marked word needs to count.  [default: 2]", least=1)
    mentions: bool = option("Count every mark of a word, not every annotator once.")
    output: Path | None = option("Also write the labels to FILE, one JSON line per item and task.")
    disputed: Path | None = option(
        "Also write the items that annotators disagree on to FILE, the most disputed first."
    )


@click.command()
@click.argument("source")
@settings_options(_Aggregate)
def aggregate(source: str, options: _Aggregate) -> None:
    """Turn annotations into majority labels, soft labels and common marks.

    SOURCE is anything that 'unslant agree' reads.
    """
    from unslant.lab.annotation.aggregation import SummarySettings, published_sentences, summarize
    from unslant.lab.annotation.report_text import aggregation_text

    annotations, corpus = options.read(source), _corpus_of(source)
    data = Path(source).resolve().parent.parent if Path(source).is_file() else options.data
    sentences = published_sentences(corpus, data)
    settings = SummarySettings(
        options.rule, options.min_ratings, options.min_votes, options.mentions, sentences
    )
    spans = {annotation.task for annotation in annotations if annotation.span is not None}
    found = [
        summarize(corpus, annotations, task, settings) for task in options.choose(annotations, skip=spans)
    ]
    if options.output is not None:
        _write_rows(options.output, (row for summary in found for row in summary.rows))
    if options.disputed is not None:
        rows = [row for summary in found for row in summary.disputed]
        _write_rows(options.disputed, rows)
        click.echo(f"disputed: {options.disputed} ({len(rows):,})", err=True)
    text = "\n\n".join(map(aggregation_text, found))
    nothing = "SOURCE has only marked spans, which have no majority; 'unslant agree' compares them"
    options.echo(text or nothing, [summary.to_dict() for summary in found])
