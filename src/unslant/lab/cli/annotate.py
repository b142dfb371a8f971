"""``unslant annotate``: projects for Label Studio, their results, and how they are going."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.lab.cli.agree import estimate_text, report_text
from unslant.lab.report.table import text_table

if TYPE_CHECKING:
    from unslant.lab.annotation.human_evaluation import HumanEvaluation
    from unslant.lab.annotation.results import ProjectReport

__all__ = ["annotate"]

_FORMS = ("edits", "kinds", "rewrites", "questionnaire")


@click.group()
def annotate() -> None:
    """Make annotation projects for Label Studio, read their results, watch the agreement."""


@annotate.command("export")
@click.argument("form", type=click.Choice(_FORMS))
@click.argument("items", type=click.Path(path_type=Path))
@click.argument("project", type=click.Path(path_type=Path))
@click.option("--seed", default=0, show_default=True, help="For every random choice; kept in the manifest.")
@click.option("--batch", default=200, show_default=True, type=click.IntRange(1), help="Items in a batch.")
@click.option(
    "--doubled", default=40, show_default=True, type=click.IntRange(0), help="Items of a batch given to two."
)
@click.option(
    "--annotators", default=2, show_default=True, type=click.IntRange(1), help="Among how many to deal."
)
@click.option(
    "--paragraphs",
    type=click.IntRange(1),
    help="For questionnaire: texts for each annotator, such as 8; else everybody gets everything.",
)
@click.option(
    "--items",
    "count",
    default=100,
    show_default=True,
    type=click.IntRange(1),
    help="Tasks taken from an audit.",
)
@click.option(
    "--qualification", type=click.Path(path_type=Path), help="Test items with right answers, such as 1|2."
)
@click.option(
    "--error-limit",
    default=0.2,
    show_default=True,
    type=click.FloatRange(0, 1),
    help="Share of wrong answers from which an annotator's judgements are left out.",
)
def export_command(form: Any, items: Path, project: Path, **options: Any) -> None:
    """Write a Label Studio project for ITEMS into the folder PROJECT.

    FORM edits: which words of a sentence pair were edited (columns source, target), pre-filled by a word diff.
    kinds: how each edited span slants (the result of edits, or the same columns). rewrites: fluency, meaning and
    bias of a rewrite (columns source, rewrite, system). questionnaire: bias, readability and coherence of a text
    (columns text, system, and prompt where it goes on from one; or the folder of an audit, for its variants).
    """
    from unslant.lab.annotation.project import Batching, build_project

    if form == "questionnaire" and items.is_dir():
        from unslant.lab.audit.questionnaire import write_items

        write_items(items, project / "items.jsonl", options["count"], options["seed"])
        items = project / "items.jsonl"
    if options["paragraphs"] is not None and form != "questionnaire":
        raise click.UsageError("--paragraphs is for questionnaire.")
    batching = Batching(
        options["batch"], options["doubled"], options["annotators"], options["seed"], options["paragraphs"]
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
        f"{len(made.tasks)} tasks. In Label Studio: make a project, paste config.xml under Labeling Interface > Code, "
        "import the tasks; keep manifest.json for the results."
    )


@annotate.command("import")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Where to write the JSON lines.")
@click.option("--flat", is_flag=True, help="One line per judgement, as 'unslant agree' reads them.")
@click.option("--source", default="annotation", show_default=True, help="The name of the corpus in examples.")
@click.option("--licence", default="", help="The licence of the texts, in examples.")
def import_command(project: Path, exports: tuple[Path, ...], out: Path, flat: bool, **names: str) -> None:
    """Read Label Studio EXPORTS (JSON) of PROJECT and write what was found.

    edits: one line per sentence pair, ready for 'annotate export kinds'. kinds: one example per sentence with its
    spans. rewrites and questionnaire: one line per judgement, the random order undone.
    """
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.results import read_results, result_rows

    manifest = load_project(project)
    rows = list(result_rows(manifest, read_results(manifest, exports), flatten=flat, **names))
    out.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    click.echo(f"{len(rows)} lines in {out}")


@annotate.command("report")
@click.argument("project", type=click.Path(path_type=Path))
@click.argument("exports", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--reference", metavar="ANNOTATOR", help="Who is taken as right in alignments.")
@click.option(
    "--resamples", default=1000, show_default=True, type=click.IntRange(0), help="For the intervals."
)
@click.option("--seed", default=0, show_default=True, help="For the resamples.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def report_command(
    project: Path, exports: tuple[Path, ...], reference: str | None, as_json: bool, **options: int
) -> None:
    """Say how PROJECT is going: agreement by batch, or means and t-tests of a human evaluation."""
    from unslant.lab.annotation.human_evaluation import evaluate_answers
    from unslant.lab.annotation.project import load_project
    from unslant.lab.annotation.results import collect_judgements, read_results, report_project
    from unslant.lab.stats.bootstrap import Resampling

    manifest = load_project(project)
    done = read_results(manifest, exports)
    resampling = Resampling(options["resamples"], options["seed"])
    if manifest["form"] in ("edits", "kinds"):
        report = report_project(manifest, done, resampling, reference)
        text = _project_text(report)
        wire = report.to_dict()
    else:
        evaluation = evaluate_answers(manifest, collect_judgements(manifest, done), resampling)
        text = _evaluation_text(evaluation)
        wire = evaluation.to_dict()
    click.echo(json.dumps(wire, indent=2, ensure_ascii=False) if as_json else text)


def _project_text(report: ProjectReport) -> str:
    parts = [f"{report.annotated} of {report.items} items annotated, {report.doubled} by two or more"]
    parts += [report_text(one) for one in report.agreement]
    for name, levels in report.alignment.items():
        rows: list[tuple[str, ...]] = [("", "precision", "recall", "F1")]
        for level, prf in levels.items():
            rows.append(
                (f"by {level}", *(estimate_text(one, 3)[0] for one in (prf.precision, prf.recall, prf.f1)))
            )
        parts.append(f"links of {name} against {report.reference}:\n{text_table(rows)}")
    return "\n\n".join(parts)


def _evaluation_text(evaluation: HumanEvaluation) -> str:
    parts = []
    rows: list[tuple[str, ...]]
    if evaluation.qualifications:
        rows = [("annotator", "answered", "errors", "")]
        for test in evaluation.qualifications:
            verdict = "passed" if test.passed else "left out"
            rows.append((test.annotator, f"{test.answered}/{test.wanted}", str(test.errors), verdict))
        parts.append(f"test:\n{text_table(rows)}")
    rows = [("system", "question", "items", "mean", "", "p against 0")]
    for one in evaluation.means:
        rows.append((one.system, one.question, str(one.items), *estimate_text(one.mean), _p(one.p)))
    parts.append(f"means (of items, 95 % t intervals):\n{text_table(rows)}")
    if evaluation.comparisons:
        rows = [("paired t-test", "question", "items", "difference", "", "p")]
        for pair in evaluation.comparisons:
            versus = f"{pair.first} - {pair.second}"
            rows.append((versus, pair.question, str(pair.items), *estimate_text(pair.difference), _p(pair.p)))
        parts.append(text_table(rows, indent=""))
    agreed = [(name, *estimate_text(value)) for name, value in evaluation.agreement.items()]
    parts.append(f"Krippendorff's alpha, interval:\n{text_table(agreed)}")
    return "\n\n".join(parts)


def _p(value: float | None) -> str:
    if value is None:
        return ""
    return "< 0.001" if value < 0.001 else f"{value:.3f}"
