"""``unslant evaluate``: measures models, rules, judges and rewriters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import (
    Count,
    Number,
    missing_extra,
    output_format_option,
    output_option,
    quiet_option,
    tier_option,
)
from unslant.cli.progress import ProgressBar
from unslant.core.files import make_folder, write_text
from unslant.lab.cli.options import (
    columns_option,
    data_option,
    echo_result,
    labels_option,
    resamples_option,
    seed_option,
)
from unslant.lab.evaluation.tasks import HEADS, TASKS
from unslant.profiles import profiles
from unslant.spec import TIERS

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.evaluation.models import SentenceModel
    from unslant.lab.evaluation.result import Result

P = ParamSpec("P")
R = TypeVar("R")


@click.group()
def evaluate() -> None:
    """Measure a model, the rules or a rewriter on labelled text.

    Every figure comes with a 95 % interval and, if there is one, the published figure next to it. Nothing is measured
    on text that the model, its encoder or its teachers were trained on.
    """


def _result_options(command: Callable[P, R]) -> Callable[P, R]:
    for option in (
        quiet_option,
        output_option("Write the result to FILE instead of standard output."),
        output_format_option("text", "json", default="text"),
        seed_option("Random seed of the resamples."),
        resamples_option,
        data_option,
    ):
        command = option(command)
    return command


def _model_option(about: str) -> Any:
    return click.option("--model", metavar="MODEL", default="default", show_default=True, help=about)


_PLOTS = click.option(
    "--plots",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Also write plots (SVG) into DIR.",
)
_MODEL = (
    "Model to measure: 'default', 'rules', hf:NAME (a classifier or tagger from the hub or a folder), or the folder of "
    "a run, of its package, or of cross-validation folds."
)
_PRODUCT_MODEL = click.option(
    "--model", metavar="DIR", default="", help="Use the model in DIR instead of the one that ships."
)
_HEADS = click.option(
    "--heads",
    type=click.Choice(HEADS),
    default="product",
    show_default=True,
    help="Heads of the network to measure: those that 'unslant check' uses, or those trained on the corpus.",
)
_AGAINST = click.option(
    "--against", metavar="MODEL", help="Compare with this model as well, by a paired bootstrap."
)


def _part_option(
    *parts: str, default: str, of: str = "the editors' corpus"
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    return click.option(
        "--part",
        type=click.Choice(parts),
        default=default,
        show_default=True,
        help=f"Which part of {of} to use.",
    )


def _add_task(name: str, about: str) -> None:
    def run(model: str, against: str | None, **options: Any) -> None:
        if options.get("recipe") is not None:
            _train_folds(model, options)
        _measure(name, model, against, options)

    command = _HEADS(_PLOTS(_result_options(run)))
    if name == "babe":
        command = click.option(
            "--corpus",
            help="With --train, or --model features: cross-validate on this corpus, such as babe/sg1.",
        )(command)
        command = click.option(
            "--train",
            "recipe",
            metavar="RECIPE",
            help="First train one model per fold by this recipe, into the folder of --model.",
        )(command)
        command = click.option(
            "--encoder",
            metavar="NAME",
            help="With --train: encoder instead of the recipe's, a hub name or a folder.",
        )(command)
    if name == "tagging":
        command = click.option(
            "--spans-from",
            type=click.Choice(["heads", "top-word", "attention"]),
            default="heads",
            show_default=True,
            help="Where spans come from: the heads, only the most likely word, or what a classifier attends to.",
        )(command)
    evaluate.command(name, help=about)(_model_option(_MODEL)(_AGAINST(command)))


for _name, (_, _about) in TASKS.items():
    _add_task(_name, _about)


def _setting(options: dict[str, Any]) -> Setting:
    from unslant.lab.evaluation.held_out import Setting
    from unslant.lab.stats.bootstrap import Resampling

    return Setting(options["data"], Resampling(options["resamples"], options["seed"]), ProgressBar())


def _measure(task: str, model: str, against: str | None, options: dict[str, Any]) -> None:
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.evaluation.result import compare
    from unslant.lab.evaluation.tasks import run

    setting = _setting(options)
    if options.get("spans_from", "heads") != "heads":
        if against is not None:
            raise click.UsageError("--spans-from and --against do not go together")
        _echo(_tag_by_baseline(model, options["spans_from"], setting), options)
        return
    if task == "babe" and model == "features":
        from unslant.lab.evaluation.word_features import feature_folds

        _echo(run(task, feature_folds(options["corpus"] or "babe/sg2", setting), setting), options)
        return
    first = open_models(model, options["heads"])
    other = open_models(against, options["heads"]) if against is not None else []
    result = run(task, first, _comparing(setting, other))
    if other:
        result = compare(result, run(task, other, _comparing(setting, first)), setting.resampling)
    _echo(result, options)


def _comparing(setting: Setting, other: Sequence[SentenceModel]) -> Setting:
    """Return a setting that also leaves out what the other model of a comparison has learned from."""
    from collections import Counter

    # of the folds of a cross-validation, each has learned from the texts that the others are measured on
    lineages = tuple(model.lineage for model in other) if len(other) == 1 else ()
    return replace(setting, compared=lineages, left_out=Counter())


def _tag_by_baseline(model: str, spans_from: str, setting: Setting) -> Result:
    """Measure a tagger that marks one word, or a classifier by its attention."""
    from unslant.lab.evaluation.attention import AttentionModel, TopWordModel
    from unslant.lab.evaluation.models import run_folder
    from unslant.lab.evaluation.wikibias import attention_tagging, tagging

    folder = run_folder(model)
    if spans_from == "top-word":
        return tagging([TopWordModel(folder, "corpus")], setting)
    return attention_tagging(AttentionModel(folder, "corpus"), setting)


def _train_folds(model: str, options: dict[str, Any]) -> None:
    from unslant.core.errors import ConfigError
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.evaluation.babe import replace_corpus, train_folds

    if model in ("rules", "default"):
        raise ConfigError("--train: name the folder for the folds with --model")
    with missing_extra("training", "train"):
        from unslant.lab.detector.run import TrainSettings
    chosen = read_recipe(options["recipe"])
    if options["encoder"] is not None:
        chosen = replace(chosen, encoder=options["encoder"])
    if options["corpus"] is not None:
        chosen = replace_corpus(chosen, options["corpus"])
    train_folds(chosen, Path(model), TrainSettings(data=options["data"], progress=ProgressBar()))


def _echo(result: Result, options: dict[str, Any]) -> None:
    from unslant.lab.evaluation.result import result_text

    folder: Path | None = options["plots"]
    if folder is not None:
        make_folder(folder)
        for name, plot in result.pictures.items():
            path = folder / f"{result.task}-{name.replace('/', '-')}.svg"
            write_text(path, plot)
            click.echo(f"plot: {path}", err=True)
    echo_result(result_text(result), result.to_dict(), options["output_format"], options["output"])


@evaluate.command()
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@_model_option(_MODEL)
@_AGAINST
@columns_option
@labels_option
@click.option(
    "--errors",
    "errors_file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the sentences that the model gets wrong to FILE, as JSON lines.",
)
@_HEADS
@_PLOTS
@_result_options
def own(file: Path, model: str, against: str | None, errors_file: Path | None, **options: Any) -> None:
    """Measure a model on your own labelled table: sentences, thresholds and spans.

    FILE is a .jsonl, .csv, .tsv, .parquet or .xlsx file with the columns text and label (or, with --column, others),
    and possibly spans as JSON: [[start, end], ...]. Texts that the model has learned from are left out and counted.
    """
    import json

    from unslant.lab.corpora.own_files import ColumnMap, FileDataset, parse_columns, parse_labels
    from unslant.lab.evaluation.held_out import single_model
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.evaluation.own import errors, measure_own
    from unslant.lab.evaluation.result import compare

    meaning = {"labels": parse_labels(",".join(options["labels"]))} if options["labels"] else {}
    dataset = FileDataset(
        file, ColumnMap(parse_columns(",".join(options["columns"])), **meaning), strict=False
    )
    setting = _setting(options)
    first = single_model(open_models(model, options["heads"]), "own")
    other = [single_model(open_models(against, options["heads"]), "own")] if against is not None else []
    result, answers = measure_own(first, dataset, _comparing(setting, other))
    for model_of in other:
        theirs, _ = measure_own(model_of, dataset, _comparing(setting, [first]))
        result = compare(result, theirs, setting.resampling)
    if errors_file is not None:
        wrong = errors(answers)
        write_text(errors_file, "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in wrong))
        click.echo(f"errors: {errors_file} ({len(wrong):,} of {len(answers):,})", err=True)
    _echo(result, options)


@evaluate.command()
@_PRODUCT_MODEL
@tier_option
@click.option(
    "--threshold",
    type=Number(0, 1),
    help="Drop less likely findings.  [default: by profile]",
)
@click.option(
    "--profile",
    type=click.Choice(["auto", "genre", *profiles()]),
    default="auto",
    show_default=True,
    help="Profile of the documents: the one that unslant detects, that of their genre, or one for all.",
)
@click.option(
    "--sentences", is_flag=True, help="Report a whole sentence if it is slanted but no words stand out."
)
@click.option(
    "--corpus",
    type=click.Choice(["editor", "genres", "own"]),
    default="editor",
    show_default=True,
    help="The editors' corpus, passages of twelve genres, or those that were written for unslant and ship with it.",
)
@_part_option("dev", "test", "everything", default="test", of="the corpus")
@click.option("--bounds", is_flag=True, help="Show what each value of --threshold gives, instead.")
@click.option(
    "--show", type=Count(1), help="Print this many findings, drawn at random by --seed, instead of figures."
)
@_result_options
@_PLOTS
def findings(model: str, tier: str, part: str, corpus: str, show: int | None, **options: Any) -> None:
    """Count how many findings of 'unslant check' an editor accepts, and what it misses.

    --part does not apply to 'genres', which is read as a whole. 'everything' does not apply to the editors' corpus:
    models learn from most of it.
    """
    if (corpus, part) == ("editor", "everything"):
        raise click.UsageError("models learn from most of the editors' corpus: use --part dev or --part test")
    from unslant.lab.evaluation.findings import bounds, check_part, show_findings
    from unslant.lab.evaluation.findings import findings as measure
    from unslant.lab.evaluation.held_out import Lineage, read_lineage
    from unslant.neural.checkpoint import locate
    from unslant.spec import Spec

    chosen = {name: options[name] for name in ("threshold", "profile", "sentences")}
    spec = Spec(analyzers=TIERS[tier], model=model, **chosen)
    lineage = Lineage() if tier == "rules" else read_lineage(locate(model))
    if show is not None:
        checked = check_part(spec, lineage, _setting(options), part, corpus)
        click.echo(show_findings(checked.documents, show, options["seed"]))
        return
    name = "rules" if tier == "rules" else model or "default"
    chosen_measure = bounds if options["bounds"] else measure
    _echo(chosen_measure(spec, lineage, _setting(options), part=part, model=name, corpus=corpus), options)


@evaluate.command()
@_result_options
@_PLOTS
def genre(**options: Any) -> None:
    """Count how often 'auto' recognises the kind of a text, on documents that its model has not learned from."""
    from unslant.lab.evaluation.genre_recognition import genre_recognition

    _echo(genre_recognition(_setting(options)), options)


@evaluate.command()
@_PRODUCT_MODEL
@tier_option
@_part_option("dev", "test", default="dev")
@click.option(
    "--show", type=Count(1), metavar="N", help="Also draw N safe edits and N to review, for reading."
)
@click.option(
    "--edits",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="With --show: write the edits to FILE, one JSON object per line, with an empty 'verdict' to fill in. With "
    "--judge: the edits to judge.",
)
@click.option(
    "--judge",
    metavar="MODEL",
    help="Instead of fixing anything, let another model judge how many edits in --edits FILE add slant.",
)
@click.option(
    "--articles",
    type=Count(0),
    metavar="N",
    default=0,
    help="With --show: also draw from N AllSides articles that are not in the editors' corpus, and from more of them "
    "until there are enough safe edits.",
)
@click.option(
    "--without",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --articles: leave out the articles with edits in FILE.",
)
@click.option(
    "--verdicts",
    metavar="FILE",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="Instead of fixing anything, count the verdicts that a reviewer entered in FILE.",
)
@_result_options
@_PLOTS
def fixes(model: str, tier: str, part: str, **options: Any) -> None:
    """Count how many of the words that must change get an edit, and how many edits match the editor's."""
    import json

    from unslant.lab.evaluation.fixes import Draw, draw_from_all, judge_edits, measure_verdicts, read_verdicts
    from unslant.lab.evaluation.fixes import fixes as measure
    from unslant.lab.evaluation.held_out import Lineage, read_lineage
    from unslant.neural.checkpoint import locate
    from unslant.spec import Spec

    setting = _setting(options)
    name = "rules" if tier == "rules" else model or "default"
    if options["verdicts"] is not None:
        _echo(measure_verdicts(read_verdicts(options["verdicts"]), setting.resampling, name), options)
        return
    if options["judge"] is not None and options["edits"] is not None:
        _echo(judge_edits(options["edits"], options["judge"], setting, name), options)
        return
    if (options["show"] is None and options["judge"] is None) != (options["edits"] is None):
        raise click.UsageError("--edits goes with --show or --judge, and these need it")
    if options["show"] is None and (options["articles"] or options["without"]):
        raise click.UsageError("--articles and --without go with --show")
    spec = Spec(analyzers=TIERS[tier], model=model)
    lineage = Lineage() if tier == "rules" else read_lineage(locate(model))
    result, fixed = measure(spec, lineage, setting, part=part, model=name)
    if options["show"] is not None:
        read = {row["document"] for row in read_verdicts(options["without"])} if options["without"] else set()
        draw = Draw(options["show"], options["seed"], options["articles"], read)
        lines = [
            json.dumps(row, ensure_ascii=False) + "\n" for row in draw_from_all(fixed, spec, setting, draw)
        ]
        write_text(options["edits"], "".join(lines))
        click.echo(f"{options['edits']}: {len(lines)} edits", err=True)
    _echo(result, options)


@evaluate.command()
@click.argument(
    "verdicts", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@_model_option("Model of edits to measure: 'default', or the folder that 'unslant train edits' wrote.")
@_result_options
@_PLOTS
def edits(verdicts: tuple[Path, ...], model: str, **options: Any) -> None:
    """Measure the model of edits on the frozen test set of VERDICTS, which it has not learned from.

    Prints how many of the edits that were read would be offered or made, and how many of those were good.
    """
    from unslant.lab.evaluation.edits import edits as measure

    _echo(measure(verdicts, model, _setting(options)), options)


@evaluate.command()
@_model_option("Rewriter to measure: 'default', or the folder of a package.")
@_part_option("dev", "calibration", default="dev")
@click.option(
    "--show", type=Count(1), metavar="N", help="Print N wordings, drawn by --seed, instead of figures."
)
@click.option(
    "--edits",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="With --show: draw the wordings from AllSides articles that are not in the editors' corpus, and write them to "
    "FILE, one JSON object per line, with an empty 'verdict' to fill in.",
)
@click.option(
    "--source",
    type=click.Choice(["rewriter", "list", "model", "deletion", "rules"]),
    default="rewriter",
    show_default=True,
    help="With --edits: draw what the rewriter proposes, the list of wordings, the detector, leaving words out, or rules.",
)
@click.option(
    "--without",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    multiple=True,
    metavar="FILE",
    help="With --edits: leave out the articles with edits in FILE. Can be repeated.",
)
@_result_options
@_PLOTS
def wordings(
    model: str,
    part: str,
    show: int | None,
    edits: Path | None,
    source: str,
    without: tuple[Path, ...],
    **options: Any,
) -> None:
    """Measure how often the rewriter of 'unslant fix' writes what an editor wrote."""
    import json
    import random

    from unslant.edits.types import Source
    from unslant.lab.edits.verdicts import read_verdicts
    from unslant.lab.evaluation.wordings import ask, draw_wordings, measure_wordings, show_answers

    setting = _setting(options)
    if edits is not None:
        if show is None:
            raise click.UsageError("--edits needs --show N: how many wordings to draw.")
        read = {str(row["document"]) for row in read_verdicts(without)}
        rows = draw_wordings(model, setting, show, source=Source(source), without=read)
        write_text(edits, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))
        click.echo(f"{edits}: {len(rows)} wordings", err=True)
        return
    answers = ask(model, part, setting.data)
    if show is None:
        _echo(measure_wordings(answers, setting.resampling, model), options)
        return
    musts = [answer for answer in answers if answer.fix.grade == "must"]
    drawn = random.Random(setting.resampling.seed).sample(musts, min(show, len(musts)))  # noqa: S311
    for line in show_answers(drawn):
        click.echo(line)


@evaluate.command()
@_result_options
@_PLOTS
def readers(**options: Any) -> None:
    """Compare two independent readers of the editors' corpus: what tagging could reach at best."""
    from unslant.lab.evaluation.wikibias import readers as measure

    _echo(measure(_setting(options)), options)


@evaluate.command()
@_model_option(_MODEL)
@_HEADS
@click.option(
    "--corpus",
    default="real_world",
    show_default=True,
    help="Text of both sides: the name of a corpus, or a file with the columns text, leaning and genre.",
)
@_result_options
@_PLOTS
def genres(model: str, heads: Any, corpus: str, **options: Any) -> None:
    """Compare the slanted phrases of left and right text, genre by genre.

    Shows the phrases of each side, how often there is one, and which party they are for or against. Where news of both
    sides is annotated, also prints how many of the marked words the model finds.
    """
    from unslant.lab.evaluation.genres import genres as measure
    from unslant.lab.evaluation.held_out import single_model
    from unslant.lab.evaluation.models import open_models

    _echo(measure(single_model(open_models(model, heads), "genres"), _setting(options), corpus), options)


@evaluate.command()
@_model_option("Judge to measure: 'default', the folder of a judge, or hf:NAME.")
@_result_options
@_PLOTS
def judge(model: str, **options: Any) -> None:
    """Measure the judge of 'unslant audit' on outlets that it was not trained on."""
    from unslant.lab.evaluation.judge import judge as measure

    _echo(measure(model, _setting(options)), options)


@evaluate.command("weak-labels")
@data_option
@output_format_option("text", "json", default="text")
@output_option("Write the result to FILE instead of standard output.")
def weak_labels(data: Path | None, output_format: str, output: Path | None) -> None:
    """Compare the labels of 'unslant label' with those of annotators."""
    from unslant.lab.evaluation.weak_labels import report_text
    from unslant.lab.evaluation.weak_labels import weak_labels as measure

    figures = measure(data)
    echo_result(report_text(figures), figures, output_format, output)


@evaluate.command()
@click.option(
    "--system",
    "systems",
    multiple=True,
    metavar="SYSTEM",
    help="Rewriter to measure: copy, rules, edit, edit-unsafe, edit-first, edit-pairs, fix:REWRITER, hf:NAME, or the "
    "folder of a trained rewriter. Can be repeated.  [default: edit]",
)
@click.option(
    "--against", metavar="SYSTEM", help="Compare with this rewriter as well, by a paired bootstrap."
)
@click.option(
    "--judge",
    metavar="MODEL",
    help="Model that scores the slant of the rewrites; it must not have taken part in rewriting.",
)
@_part_option("dev", "test", default="test", of="WIKIBIAS")
@click.option("--limit", type=Count(1), help="Use this many sentence pairs, drawn at random.")
@click.option(
    "--rewrites",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write the rewrites to FILE, as 'unslant annotate export rewrites' reads them.",
)
@click.option(
    "--sample-size",
    type=Count(1),
    help="With --rewrites: write this many sentence pairs, drawn at random.",
)
@_result_options
def rewrite(systems: tuple[str, ...], against: str | None, **options: Any) -> None:
    """Compare rewrites of slanted sentences with those of editors."""
    from unslant.lab.evaluation.rewrite_report import compare_systems, report_text, write_rewrites
    from unslant.lab.evaluation.rewrite_systems import open_system

    report, items = compare_systems(
        [open_system(name, options["data"]) for name in systems or ("edit",)],
        _setting(options),
        against=open_system(against, options["data"]) if against is not None else None,
        judge=options["judge"],
        limit=options["limit"],
        part=options["part"],
    )
    if options["rewrites"] is not None:
        count = write_rewrites(report, items, options["rewrites"], options["sample_size"], options["seed"])
        click.echo(f"{options['rewrites']}: {count} rewrites", err=True)
    echo_result(report_text(report), report.to_dict(), options["output_format"], options["output"])


@evaluate.command()
@click.argument("selectors", nargs=-1)
@_part_option("train", "dev", default="train")
@data_option
@output_format_option("text", "json", default="text")
@output_option("Write the result to FILE instead of standard output.")
def rules(
    selectors: tuple[str, ...], part: str, data: Path | None, output_format: str, output: Path | None
) -> None:
    """Count the findings of each rule on neutral and biased sentences, and how many editors accept.

    The sentences come from WIKIBIAS and BABE, the editors' verdicts from their corpus. SELECTORS narrow the rules, as
    in 'unslant rules'.
    """
    from unslant.lab import corpora
    from unslant.lab.corpora.editor import EDITOR, read_passages
    from unslant.lab.evaluation.rules import (
        count_records,
        judge_rules,
        load_samples,
        measure_rates,
        rates_text,
        records_text,
        records_wire,
        select_rules,
    )

    chosen = select_rules(selectors)
    totals, rates = measure_rates(chosen, load_samples(data))
    records = count_records(judge_rules(read_passages(corpora.load(EDITOR, data), part)))
    wire = {
        "totals": [asdict(total) for total in totals],
        "rules": [asdict(rate) for rate in rates],
        "records": records_wire(chosen, records),
    }
    text = f"{rates_text(chosen, totals, rates)}\n\n{records_text(chosen, records, part)}"
    echo_result(text, wire, output_format, output)


@evaluate.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.argument(
    "results", metavar="RESULT...", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False)
)
def card(folder: Path, results: tuple[Path, ...]) -> None:
    """Add results to the card of a model.

    DIR is the folder of a run or package. RESULT is what 'unslant evaluate TASK --output-format json' printed. A task
    that is already on the card is replaced. 'unslant models' shows the figures.
    """
    from unslant.lab.evaluation.result import attach

    click.echo(f"{folder}: added {', '.join(attach(folder, results))} to the card")
