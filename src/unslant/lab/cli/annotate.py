"""``unslant annotate``: projects for Label Studio, their results, and their progress."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from unslant.cli.options import Count, Number, output_format_option
from unslant.core.files import write_text
from unslant.lab.cli.options import echo_result, resamples_option, seed_option
from unslant.report.wire import readable

__all__ = ["annotate"]

_FORMS = ("edits", "kinds", "rewrites", "questionnaire")


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
    """  # noqa: D301 - the command line needs the character itself
    from unslant.lab.annotation.project import Batching, build_project

    if form == "questionnaire" and items.is_dir():
        from unslant.lab.audit.store import write_items

        write_items(items, project / "items.jsonl", options["count"], options["seed"])
        items = project / "items.jsonl"
    if options["paragraphs"] is not None and form != "questionnaire":
        raise click.UsageError("--paragraphs is for the form questionnaire only.")
    batching = Batching(
        options["batch_size"],
        options["doubled"],
        options["annotators"],
        options["seed"],
        options["paragraphs"],
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
    per judgement, with the random order undone.
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
    if manifest["form"] in ("edits", "kinds"):
        report = report_project(manifest, done, resampling, reference)
        text = project_text(report)
        wire = report.to_dict()
    else:
        evaluation = evaluate_answers(manifest, collect_judgements(manifest, done), resampling)
        text = evaluation_text(evaluation)
        wire = evaluation.to_dict()
    echo_result(text, wire, output_format)
