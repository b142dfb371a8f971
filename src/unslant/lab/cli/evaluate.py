"""``unslant evaluate``: measures models, rules, judges and rewriters."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from unslant.cli.options import missing_extra
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError
from unslant.core.files import make_folder, write_text
from unslant.lab.cli.options import (
    DataOptions,
    IntervalOptions,
    OutputOptions,
    TableOptions,
    settings_options,
)
from unslant.lab.evaluation.tasks import TASKS, Heads
from unslant.lab.options import option
from unslant.lab.published import published
from unslant.profiles import profiles
from unslant.spec import TIERS, Spec

if TYPE_CHECKING:
    from unslant.lab.evaluation.held_out import Lineage, Setting
    from unslant.lab.evaluation.models import SentenceModel
    from unslant.lab.evaluation.result import Result


@click.group()
def evaluate() -> None:
    """Measure a model, the rules or a rewriter on labelled text.

    Every figure comes with a 95 % interval and, if there is one, the published figure next to it. Nothing is measured
    on text that the model, its encoder or its teachers were trained on.
    """


class _Measure(DataOptions, IntervalOptions, OutputOptions):
    quiet = True

    def setting(self) -> Setting:
        """Return the same for the library."""
        from unslant.lab.evaluation.held_out import Setting

        return Setting(self.data, self.resampling, ProgressBar())


class _Result(_Measure):
    plots: Path | None = option("Also write plots (SVG) into DIR.", metavar="DIR")

    def show(self, result: Result) -> None:
        """Write a result and its plots."""
        from unslant.lab.evaluation.result import result_text

        if self.plots is not None:
            make_folder(self.plots)
            for name, plot in result.pictures.items():
                path = self.plots / f"{result.task}-{name.replace('/', '-')}.svg"
                write_text(path, plot)
                click.echo(f"plot: {path}", err=True)
        self.echo(result_text(result), result.to_dict())


def _model(about: str) -> Any:
    return option(about, "default", metavar="MODEL")


class _Model(_Result):
    model: str = _model(
        "Model to measure: 'default', 'rules', hf:NAME (a classifier or tagger from the hub or a folder), or the "
        "folder of a run, of its package, or of cross-validation folds."
    )
    heads: Heads = option(
        "Heads of the network to measure: those that 'unslant check' uses, or those trained on the corpus.",
        "product",
    )


class _Task(_Model):
    against: str | None = option("Compare with this model as well, by a paired bootstrap.", metavar="MODEL")


class _Babe(_Task):
    encoder: str | None = option(
        "With --train: encoder instead of the recipe's, a hub name or a folder.", metavar="NAME"
    )
    recipe: str | None = option(
        "First train one model per fold by this recipe, into the folder of --model.",
        name="--train",
        metavar="RECIPE",
    )
    corpus: str | None = option(
        "With --train, or --model features: cross-validate on this corpus, such as babe/sg1."
    )


class _Tagging(_Task):
    spans_from: Literal["heads", "top-word", "attention"] = option(
        "Where spans come from: the heads, only the most likely word, or what a classifier attends to.",
        "heads",
    )


def _add_task(name: str, about: str) -> None:
    settings = {"babe": _Babe, "tagging": _Tagging}.get(name, _Task)

    @evaluate.command(name, help=about)
    @settings_options(settings)
    def run(options: _Task) -> None:
        if isinstance(options, _Babe) and options.recipe is not None:
            _train_folds(options.recipe, options)
        options.show(_measure(name, options))


for _name, (_, _about) in TASKS.items():
    _add_task(_name, _about)


def _measure(task: str, options: _Task) -> Result:
    from unslant.lab.evaluation.models import open_models, run_folder
    from unslant.lab.evaluation.result import compare
    from unslant.lab.evaluation.tasks import run

    setting = options.setting()
    if isinstance(options, _Tagging) and options.spans_from != "heads":
        from unslant.lab.evaluation.wikibias import tagging

        if options.against is not None:
            raise click.UsageError("--spans-from and --against do not go together")
        folder, attention = run_folder(options.model), published("attention")
        if options.spans_from == "top-word":
            return tagging([attention.TopWordModel(folder, "corpus")], setting)
        found: Result = attention.attention_tagging(attention.AttentionModel(folder, "corpus"), setting)
        return found
    if isinstance(options, _Babe) and options.model == "features":
        folds = published("word features").feature_folds(options.corpus or "babe/sg2", setting)
        return run(task, folds, setting)
    first = open_models(options.model, options.heads)
    if options.against is None:
        return run(task, first, setting)
    other = open_models(options.against, options.heads)
    theirs = run(task, other, _comparing(setting, first))
    return compare(run(task, first, _comparing(setting, other)), theirs, setting.resampling)


def _comparing(setting: Setting, other: Sequence[SentenceModel]) -> Setting:
    """Return a setting that also leaves out what the other model of a comparison has learned from."""
    # of the folds of a cross-validation, each has learned from the texts that the others are measured on
    lineages = tuple(model.lineage for model in other) if len(other) == 1 else ()
    return replace(setting, compared=lineages, left_out=Counter())


def _train_folds(recipe: str, options: _Babe) -> None:
    from unslant.lab.detector.recipe import read_recipe
    from unslant.lab.evaluation.babe import replace_corpus, train_folds

    if options.model in ("rules", "default"):
        raise ConfigError("--train: name the folder for the folds with --model")
    with missing_extra("training", "train"):
        from unslant.lab.detector.run import TrainSettings
    chosen = read_recipe(recipe)
    if options.encoder is not None:
        chosen = replace(chosen, encoder=options.encoder)
    if options.corpus is not None:
        chosen = replace_corpus(chosen, options.corpus)
    train_folds(chosen, Path(options.model), TrainSettings(data=options.data, progress=ProgressBar()))


def _write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    write_text(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


class _Own(TableOptions, _Task):
    errors: Path | None = option("Write the sentences that the model gets wrong to FILE, as JSON lines.")


@evaluate.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@settings_options(_Own)
def own(file: Path, options: _Own) -> None:
    """Measure a model on your own labelled table: sentences, thresholds and spans.

    FILE is a .jsonl, .csv, .tsv, .parquet or .xlsx file with the columns text and label (or, with --column, others),
    and possibly spans as JSON: [[start, end], ...]. Texts that the model has learned from are left out and counted.
    """
    from unslant.lab.evaluation.held_out import single_model
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.evaluation.own import errors, measure_own
    from unslant.lab.evaluation.result import compare

    dataset = options.open(file)
    setting = options.setting()
    first = single_model(open_models(options.model, options.heads), "own")
    other = (
        [] if options.against is None else [single_model(open_models(options.against, options.heads), "own")]
    )
    result, answers = measure_own(first, dataset, _comparing(setting, other))
    for model in other:
        theirs, _ = measure_own(model, dataset, _comparing(setting, [first]))
        result = compare(result, theirs, setting.resampling)
    if options.errors is not None:
        wrong = errors(answers)
        _write_lines(options.errors, wrong)
        click.echo(f"errors: {options.errors} ({len(wrong):,} of {len(answers):,})", err=True)
    options.show(result)


class _Product(_Result):
    model: str = option("Use the model in DIR instead of the one that ships.", "", metavar="DIR")
    tier: str = option("Use the rules, the model, or both.", "all", choices=tuple(TIERS))

    @property
    def name(self) -> str:
        """The name shown with the figures."""
        return "rules" if self.tier == "rules" else self.model or "default"

    def lineage(self) -> Lineage:
        """Return what the model has learned from."""
        from unslant.lab.evaluation.held_out import Lineage, read_lineage
        from unslant.neural.checkpoint import locate

        return Lineage() if self.tier == "rules" else read_lineage(locate(self.model))


class _Findings(_Product):
    threshold: float | None = option("Drop less likely findings.  [default: by profile]", least=0, most=1)
    profile: str = option(
        "Profile of the documents: the one that unslant detects, that of their genre, or one for all.",
        "auto",
        choices=("auto", "genre", *profiles()),
    )
    sentences: bool = option("Report a whole sentence if it is slanted but no words stand out.")
    corpus: Literal["editor", "genres", "own"] = option(
        "The editors' corpus, passages of twelve genres, or those that were written for unslant and ship with it.",
        "editor",
    )
    part: Literal["dev", "test", "everything"] = option("Which part of the corpus to use.", "test")
    bounds: bool = option("Show what each value of --threshold gives, instead.")
    show_some: int | None = option(
        "Print this many findings, drawn at random by --seed, instead of figures.", name="--show", least=1
    )


@evaluate.command()
@settings_options(_Findings)
def findings(options: _Findings) -> None:
    """Count how many findings of 'unslant check' an editor accepts, and what it misses.

    --part does not apply to 'genres', which is read as a whole. 'everything' does not apply to the editors' corpus:
    models learn from most of it.
    """
    corpus, part = options.corpus, options.part
    if (corpus, part) == ("editor", "everything"):
        raise click.UsageError("models learn from most of the editors' corpus: use --part dev or --part test")
    from unslant.lab.evaluation.findings import bounds, check_part, show_findings
    from unslant.lab.evaluation.findings import findings as measure

    chosen = {name: getattr(options, name) for name in ("model", "threshold", "profile", "sentences")}
    spec = Spec(analyzers=TIERS[options.tier], **chosen)
    lineage, setting = options.lineage(), options.setting()
    if options.show_some is not None:
        checked = check_part(spec, lineage, setting, part, corpus)
        click.echo(show_findings(checked.documents, options.show_some, options.seed))
        return
    chosen_measure = bounds if options.bounds else measure
    options.show(chosen_measure(spec, lineage, setting, part=part, model=options.name, corpus=corpus))


@evaluate.command()
@settings_options(_Result)
def genre(options: _Result) -> None:
    """Count how often 'auto' recognises the kind of a text, on documents that its model has not learned from."""
    from unslant.lab.evaluation.genre_recognition import genre_recognition

    options.show(genre_recognition(options.setting()))


class _Fixes(_Product):
    part: Literal["dev", "test"] = option("Which part of the editors' corpus to use.", "dev")
    draw: int | None = option("Also draw N safe edits and N to review, for reading.", name="--show", least=1)
    edits: Path | None = option(
        "With --show: write the edits to FILE, one JSON object per line, with an empty 'verdict' to fill in. With "
        "--judge: the edits to judge."
    )
    judge: str | None = option(
        "Instead of fixing anything, let another model judge how many edits in --edits FILE add slant.",
        metavar="MODEL",
    )
    articles: int = option(
        "With --show: also draw from N AllSides articles that are not in the editors' corpus, and from more of them "
        "until there are enough safe edits.",
        0,
        least=0,
        shown=False,
    )
    without: Path | None = option("With --articles: leave out the articles with edits in FILE.", exists=True)
    verdicts: Path | None = option(
        "Instead of fixing anything, count the verdicts that a reviewer entered in FILE.", exists=True
    )


@evaluate.command()
@settings_options(_Fixes)
def fixes(options: _Fixes) -> None:
    """Count how many of the words that must change get an edit, and how many edits match the editor's."""
    from unslant.lab.evaluation.fixes import Draw, draw_from_all, judge_edits, measure_verdicts, read_verdicts
    from unslant.lab.evaluation.fixes import fixes as measure

    setting = options.setting()
    if options.verdicts is not None:
        options.show(measure_verdicts(read_verdicts(options.verdicts), setting.resampling, options.name))
        return
    if options.judge is not None and options.edits is not None:
        options.show(judge_edits(options.edits, options.judge, setting, options.name))
        return
    if (options.draw is None and options.judge is None) != (options.edits is None):
        raise click.UsageError("--edits goes with --show or --judge, and these need it")
    if options.draw is None and (options.articles or options.without):
        raise click.UsageError("--articles and --without go with --show")
    spec = Spec(analyzers=TIERS[options.tier], model=options.model)
    result, fixed = measure(spec, options.lineage(), setting, part=options.part, model=options.name)
    if options.draw is not None and options.edits is not None:
        read = {row["document"] for row in read_verdicts(options.without)} if options.without else set()
        draw = Draw(options.draw, options.seed, options.articles, read)
        rows = draw_from_all(fixed, spec, setting, draw)
        _write_lines(options.edits, rows)
        click.echo(f"{options.edits}: {len(rows)} edits", err=True)
    options.show(result)


class _Edits(_Result):
    model: str = _model(
        "Model of edits to measure: 'default', or the folder that 'unslant train edits' wrote."
    )


@evaluate.command()
@click.argument(
    "verdicts", nargs=-1, required=True, type=click.Path(path_type=Path, dir_okay=False, exists=True)
)
@settings_options(_Edits)
def edits(verdicts: tuple[Path, ...], options: _Edits) -> None:
    """Measure the model of edits on the frozen test set of VERDICTS, which it has not learned from.

    Prints how many of the edits that were read would be offered or made, and how many of those were good.
    """
    from unslant.lab.evaluation.edits import edits as measure

    options.show(measure(verdicts, options.model, options.setting()))


class _Wordings(_Result):
    model: str = _model("Rewriter to measure: 'default', or the folder of a package.")
    part: Literal["dev", "calibration"] = option("Which part of the editors' corpus to use.", "dev")
    draw: int | None = option(
        "Print N wordings, drawn by --seed, instead of figures.", name="--show", least=1
    )
    edits: Path | None = option(
        "With --show: draw the wordings from AllSides articles that are not in the editors' corpus, and write them to "
        "FILE, one JSON object per line, with an empty 'verdict' to fill in."
    )
    source: Literal["rewriter", "list", "model", "deletion", "rules"] = option(
        "With --edits: draw what the rewriter proposes, the list of wordings, the detector, leaving words out, "
        "or rules.",
        "rewriter",
    )
    without: tuple[Path, ...] = option(
        "With --edits: leave out the articles with edits in FILE. Can be repeated.", exists=True
    )


@evaluate.command()
@settings_options(_Wordings)
def wordings(options: _Wordings) -> None:
    """Measure how often the rewriter of 'unslant fix' writes what an editor wrote."""
    import random

    from unslant.edits.types import Source
    from unslant.lab.edits.verdicts import read_verdicts
    from unslant.lab.evaluation.wordings import ask, draw_wordings, measure_wordings, show_answers

    setting = options.setting()
    if options.edits is not None:
        if options.draw is None:
            raise click.UsageError("--edits needs --show N: how many wordings to draw.")
        read = {str(row["document"]) for row in read_verdicts(options.without)}
        source = Source(options.source)
        rows = draw_wordings(options.model, setting, options.draw, source=source, without=read)
        _write_lines(options.edits, rows)
        click.echo(f"{options.edits}: {len(rows)} wordings", err=True)
        return
    answers = ask(options.model, options.part, setting.data)
    if options.draw is None:
        options.show(measure_wordings(answers, setting.resampling, options.model))
        return
    musts = [answer for answer in answers if answer.fix.grade == "must"]
    drawn = random.Random(options.seed).sample(musts, min(options.draw, len(musts)))  # noqa: S311
    for line in show_answers(drawn):
        click.echo(line)


@evaluate.command()
@settings_options(_Result)
def readers(options: _Result) -> None:
    """Compare two independent readers of the editors' corpus: what tagging could reach at best."""
    from unslant.lab.evaluation.wikibias import readers as measure

    options.show(measure(options.setting()))


class _Genres(_Model):
    corpus: str = option(
        "Text of both sides: the name of a corpus, or a file with the columns text, leaning and genre.",
        "real_world",
    )


@evaluate.command()
@settings_options(_Genres)
def genres(options: _Genres) -> None:
    """Compare the slanted phrases of left and right text, genre by genre.

    Shows the phrases of each side, how often there is one, and which party they are for or against. Where news of both
    sides is annotated, also prints how many of the marked words the model finds.
    """
    from unslant.lab.evaluation.genres import genres as measure
    from unslant.lab.evaluation.held_out import single_model
    from unslant.lab.evaluation.models import open_models

    model = single_model(open_models(options.model, options.heads), "genres")
    options.show(measure(model, options.setting(), options.corpus))


class _Judge(_Result):
    model: str = _model("Judge to measure: 'default', the folder of a judge, or hf:NAME.")


@evaluate.command()
@settings_options(_Judge)
def judge(options: _Judge) -> None:
    """Measure the judge of 'unslant audit' on outlets that it was not trained on."""
    from unslant.lab.evaluation.judge import judge as measure

    options.show(measure(options.model, options.setting()))


class _Count(DataOptions, OutputOptions):
    pass


@evaluate.command("weak-labels")
@settings_options(_Count)
def weak_labels(options: _Count) -> None:
    """Compare the labels of 'unslant label' with those of annotators."""
    from unslant.lab.evaluation.weak_labels import report_text
    from unslant.lab.evaluation.weak_labels import weak_labels as measure

    figures = measure(options.data)
    options.echo(report_text(figures), figures)


class _Rewrite(_Measure):
    systems: tuple[str, ...] = option(
        "Rewriter to measure: copy, rules, edit, edit-unsafe, edit-first, edit-pairs, fix:REWRITER, hf:NAME, or the "
        "folder of a trained rewriter. Can be repeated.  [default: edit]",
        name="--system",
        metavar="SYSTEM",
    )
    against: str | None = option(
        "Compare with this rewriter as well, by a paired bootstrap.", metavar="SYSTEM"
    )
    judge: str | None = option(
        "Model that scores the slant of the rewrites; it must not have taken part in rewriting.",
        metavar="MODEL",
    )
    part: Literal["dev", "test"] = option("Which part of WIKIBIAS to use.", "test")
    limit: int | None = option("Use this many sentence pairs, drawn at random.", least=1)
    rewrites: Path | None = option(
        "Also write the rewrites to FILE, as 'unslant annotate export rewrites' reads them."
    )
    sample_size: int | None = option(
        "With --rewrites: write this many sentence pairs, drawn at random.", least=1
    )


@evaluate.command()
@settings_options(_Rewrite)
def rewrite(options: _Rewrite) -> None:
    """Compare rewrites of slanted sentences with those of editors."""
    from unslant.lab.evaluation.rewrite_report import compare_systems, report_text, rewrite_rows
    from unslant.lab.evaluation.rewrite_systems import open_system

    report, items = compare_systems(
        [open_system(name, options.data) for name in options.systems or ("edit",)],
        options.setting(),
        against=open_system(options.against, options.data) if options.against is not None else None,
        judge=options.judge,
        limit=options.limit,
        part=options.part,
    )
    if options.rewrites is not None:
        rows = rewrite_rows(report, items, options.sample_size, options.seed)
        _write_lines(options.rewrites, rows)
        click.echo(f"{options.rewrites}: {len(rows)} rewrites", err=True)
    options.echo(report_text(report), report.to_dict())


class _Rules(_Count):
    part: Literal["train", "dev"] = option("Which part of the editors' corpus to use.", "train")


@evaluate.command()
@click.argument("selectors", nargs=-1)
@settings_options(_Rules)
def rules(selectors: tuple[str, ...], options: _Rules) -> None:
    """Count the findings of each rule on neutral and biased sentences, and how many editors accept.

    The sentences come from WIKIBIAS and BABE, the editors' verdicts from their corpus. SELECTORS narrow the rules, as
    in 'unslant rules'.
    """
    from unslant.lab import corpora
    from unslant.lab.corpora.editor import EDITOR, read_passages
    from unslant.lab.evaluation import rules as counting

    chosen = counting.select_rules(selectors)
    totals, rates = counting.measure_rates(chosen, counting.load_samples(options.data))
    passages = read_passages(corpora.load(EDITOR, options.data), options.part)
    records = counting.count_records(counting.judge_rules(passages))
    wire = {
        "totals": [asdict(total) for total in totals],
        "rules": [asdict(rate) for rate in rates],
        "records": counting.records_wire(chosen, records),
    }
    text = counting.rates_text(chosen, totals, rates), counting.records_text(chosen, records, options.part)
    options.echo("\n\n".join(text), wire)


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
