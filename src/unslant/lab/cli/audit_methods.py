"""Commands of ``unslant audit`` that measure slant in other ways than ``run``: from ``likelihood`` to ``charged``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from unslant.cli.options import Count, announce_destinations, output_format_option, quiet_option
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError, InputError
from unslant.lab.cli.options import (
    data_option,
    echo_result,
    generation_options,
    precision_option,
    resamples_option,
    seed_option,
    threads_option,
)
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.core.generation import Sampling
    from unslant.lab.audit.pairs import PairSet, RequestPair
    from unslant.lab.audit.sections import AuditSection
    from unslant.lab.judges.coverage import CoverageJudge
    from unslant.lab.judges.stance import StanceJudge
    from unslant.protocols import LanguageModel

_SIDES = ("liberal", "conservative")
_ONCE = ("liberal",)
"""The side under which a request is stored that is the same for both."""

P = ParamSpec("P")
R = TypeVar("R")


_dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Only say how many requests, tokens and minutes it takes. A local model is timed on one batch, which is kept; "
    "a server is not asked.",
)


def _result_options(command: Callable[P, R]) -> Callable[P, R]:
    for option in (
        quiet_option,
        output_format_option("text", "json", default="text"),
        seed_option(),
        resamples_option,
        click.option(
            "-o",
            "--output",
            metavar="DIR",
            type=click.Path(path_type=Path, file_okay=False),
            help="Write the result and its page to DIR.  [default: audit/MODEL]",
        ),
    ):
        command = option(command)
    return command


@click.command()
@click.argument("model")
@click.option(
    "--pairs",
    metavar="NAME",
    default="united-states",
    show_default=True,
    help="Matched pairs: the name of a set that ships with unslant, or a TOML file.",
)
@click.option(
    "--context",
    "contexts",
    multiple=True,
    metavar="NAME=TEXT",
    help="Put TEXT before every pair, and call the result NAME. With two contexts their difference is tested.",
)
@click.option(
    "--batch-size", type=Count(1), default=32, show_default=True, help="Wordings to score at a time."
)
@threads_option()
@precision_option
@_result_options
def likelihood(
    model: str, pairs: str, contexts: tuple[str, ...], output: Path | None, **options: Any
) -> None:
    """Measure which side's wording a model considers more likely.

    Scores matched pairs that differ only in the side they take. MODEL must be able to score text: a local model, or an
    endpoint that returns log probabilities. Nothing is sampled, so this takes minutes.
    """
    from unslant.lab.audit.pairs import load_pairs, measure_likelihood
    from unslant.lab.audit.sections import likelihood_section

    wanted, texts = load_pairs(pairs), _contexts(contexts)
    report = measure_likelihood(_open(model, options), wanted, texts, _resampling(options), ProgressBar())
    wire = report.to_dict()
    _report("likelihood", model, wire, likelihood_section(wire), output, options["output_format"])


@click.command()
@click.argument("model")
@click.option(
    "--requests",
    metavar="NAME",
    default="united-states",
    show_default=True,
    help="Paired requests: 'anthropic', the name of a set that ships with unslant, or a TOML file.",
)
@click.option("--pairs", "count", type=Count(1), help="Use only this many pairs.  [default: all]")
@data_option
@generation_options
@_dry_run_option
@_result_options
def paired(model: str, requests: str, count: int | None, output: Path | None, **options: Any) -> None:
    """Compare a model's replies to requests with opposite stances.

    Measures refusals, hedging, length, effort and slanted wording. MODEL is openai/NAME,
    anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.
    Replies are kept in the output folder, so running the same
    command again continues, and more --pairs add to them.
    """
    from unslant.lab.audit.paired import choose_requests, compare_replies
    from unslant.lab.audit.pairs import read_requests
    from unslant.lab.audit.sections import paired_section

    asked = read_requests(requests, options["data"])
    chosen = choose_requests(asked, count, options["seed"])
    folder = output or _folder(model)
    opened, replies = _collect(model, asked, [(chosen, _SIDES)], folder / "paired", options)
    wire = compare_replies(opened, asked, chosen, replies, _resampling(options)).to_dict()
    _report("paired", model, wire, paired_section(wire), folder, options["output_format"])


@click.command()
@click.argument("model")
@click.option(
    "--judge",
    "judge_name",
    required=True,
    metavar="JUDGE",
    help="The judge of stances: a folder written by 'unslant train stance-judge', or a language model. It is compared "
    "with people first.",
)
@click.option("--issues", type=Count(1), help="Use only this many issues.  [default: all 212]")
@click.option(
    "--templates", type=Count(1), default=20, show_default=True, help="Templates per issue and framing."
)
@click.option(
    "--labelled", type=Count(1), help="Compare the judge with people on this many texts.  [default: all 500]"
)
@data_option
@generation_options
@_dry_run_option
@_result_options
def stance(model: str, judge_name: str, output: Path | None, **options: Any) -> None:
    """Measure which stance a model takes on the issues of IssueBench.

    A judge that agrees too little with people (macro-F1 below 0.6 on labelled texts) gives figures, but no verdict.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.sections import stance_section
    from unslant.lab.audit.stance import build_requests, choose_labelled, measure_stances, validate

    asked = build_requests(options["data"], options["issues"], options["templates"], options["seed"])
    known = list(corpora.load("political_prompts/responses", options["data"]))
    labelled = choose_labelled(known, options["labelled"], options["seed"])
    folder, resampling = output or _folder(model), _resampling(options)
    if options["dry_run"]:
        _collect(model, asked, [(asked.requests, _ONCE)], folder / "stance", options)
    opened = _open(model, options)
    judge = _stance_judge(judge_name, options, opened if judge_name == model else None)
    validation = validate(judge, labelled, resampling, ProgressBar())
    _, replies = _collect(model, asked, [(asked.requests, _ONCE)], folder / "stance", options, opened)
    told = [(pair.topic, pair.template, replies[pair.key, "liberal"]) for pair in asked.requests]
    wire = measure_stances(opened, judge, validation, told, resampling, ProgressBar()).to_dict()
    _report("stance", model, wire, stance_section(wire), folder, options["output_format"])


@click.command()
@click.argument("model")
@click.option(
    "--judge",
    "judge_name",
    required=True,
    metavar="JUDGE",
    help="The judge of coverage: a folder written by 'unslant train coverage-judge', or llm:MODEL. It is compared with "
    "the marks of reporters first, and refused below a Cohen's kappa of 0.7.",
)
@click.option(
    "--samples", type=Count(1), default=1, show_default=True, help="Replies to each of the 30 questions."
)
@click.option(
    "--words", type=Count(1), help="Ask for replies of at most this many words.  [default: no limit]"
)
@click.option(
    "--accept-judge",
    is_flag=True,
    help="Use a judge below a kappa of 0.7 all the same; the report then gives figures but no verdict.",
)
@data_option
@generation_options
@_dry_run_option
@_result_options
def coverage(model: str, judge_name: str, output: Path | None, **options: Any) -> None:
    """Measure whose arguments a model gives on contested questions.

    Each reply is labelled left-only, both, right-only or none by the arguments found in it, which the page shows in
    the text. Refusals are counted apart.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.coverage import (
        LEAST_KAPPA,
        agreement_text,
        build_questions,
        coverage_section,
        measure_coverage,
        validate_coverage,
    )
    from unslant.lab.judges.coverage import ContestedQuestion

    questions = {
        example.id: ContestedQuestion.of(example)
        for example in corpora.load("coverage/questions", options["data"])
    }
    marked = list(corpora.load("coverage/replies", options["data"]))
    resampling, folder = _resampling(options), output or _folder(model)
    asked = build_questions(questions, options["samples"], options["words"])
    if options["dry_run"]:
        _collect(model, asked, [(asked.requests, _ONCE)], folder / "coverage", options)
    judge = _coverage_judge(judge_name, options)
    validation = validate_coverage(judge, questions, marked, resampling, ProgressBar())
    if not validation.is_sufficient and not options["accept_judge"]:
        raise InputError(
            f"{agreement_text(validation.to_dict(), judge_name)} That is below {LEAST_KAPPA}, so it is not used and "
            "nothing was asked. Name another --judge, or add --accept-judge for figures without a verdict."
        )
    opened, replies = _collect(model, asked, [(asked.requests, _ONCE)], folder / "coverage", options)
    told = [(questions[pair.template], replies[pair.key, "liberal"]) for pair in asked.requests]
    wire = measure_coverage(opened, judge, validation, told, resampling, ProgressBar()).to_dict()
    _report("coverage", model, wire, coverage_section(wire), folder, options["output_format"])


@click.command()
@click.argument("model")
@click.option(
    "--requests",
    metavar="NAME",
    default="united-states",
    show_default=True,
    help="Issues and levels: 'united-states', or a TOML file of the same form.",
)
@generation_options
@_dry_run_option
@_result_options
def charged(model: str, requests: str, output: Path | None, **options: Any) -> None:
    """Measure how a model answers users who take a side, ever more heatedly.

    Each issue is asked neutrally and at rising levels from both sides. Measures whether replies follow the user,
    escalate, speak in the model's own voice, dismiss the user or refuse.
    """
    from unslant.lab.audit.charged import NEUTRAL, charged_section, load_charged, measure_charged

    asked = load_charged(requests)
    folder = output or _folder(model)
    neutral = [pair for pair in asked.requests if pair.template == NEUTRAL]
    others = [pair for pair in asked.requests if pair.template != NEUTRAL]
    groups = [(neutral, _ONCE), (others, _SIDES)]
    opened, replies = _collect(model, asked, groups, folder / "charged", options)
    wire = measure_charged(opened, asked, replies, _resampling(options)).to_dict()
    _report("charged", model, wire, charged_section(wire), folder, options["output_format"])


@click.command()
@click.argument("model")
@click.option(
    "--country",
    metavar="CODE",
    default="all",
    show_default=True,
    help="Use the statements of one of seven countries, such as de.",
)
@click.option("--statements", type=Count(1), help="Use only this many statements.  [default: all]")
@data_option
@generation_options
@_dry_run_option
@_result_options
def consistency(
    model: str, country: str, statements: int | None, output: Path | None, **options: Any
) -> None:
    """Measure whether a model keeps its answer when a statement is reworded or negated.

    Asks whether it agrees with statements of voting-advice applications, their paraphrases, negations and opposites, in
    English. Who agrees with a statement and with its negation has no stance.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.consistency import build_statements, consistency_section, measure_consistency

    asked = build_statements(corpora.load("vaa", options["data"]), country, statements, options["seed"])
    folder = output or _folder(model)
    opened, replies = _collect(model, asked, [(asked.requests, _ONCE)], folder / "consistency", options)
    told = {key: reply for (key, _), reply in replies.items()}
    wire = measure_consistency(opened, country, asked, told, _resampling(options)).to_dict()
    _report("consistency", model, wire, consistency_section(wire), folder, options["output_format"])


def _coverage_judge(name: str, options: Mapping[str, Any]) -> CoverageJudge:
    from unslant.lab.judges.coverage import EncoderCoverageJudge, PromptedCoverageJudge

    if name.startswith("llm:"):
        return PromptedCoverageJudge(_open(name.removeprefix("llm:"), options), options["batch_size"])
    return EncoderCoverageJudge.load(Path(name), name)


def _collect(
    model: str,
    asked: PairSet,
    groups: Sequence[tuple[Sequence[RequestPair], tuple[str, ...]]],
    place: Path,
    options: Mapping[str, Any],
    opened: LanguageModel | None = None,
) -> tuple[LanguageModel, dict[tuple[str, str], str]]:
    """Ask the requests of each group for its sides; with ``--dry-run``, say what that takes and stop.

    A local model is timed on one batch, whose replies are kept; a model that may cost money is not asked.
    """
    from unslant.lab.audit.paired import ReplySettings, collect_replies, estimate_cost
    from unslant.lab.lm import is_endpoint

    sampling = _sampling(options)
    wanted = [
        (chosen, ReplySettings(sampling, options["batch_size"], options["seed"], sides))
        for chosen, sides in groups
    ]
    if options["dry_run"]:
        if not is_endpoint(model) and not (place / "run.json").exists():
            chosen, settings = wanted[-1]
            first = chosen[: max(1, options["batch_size"] // len(settings.sides))]
            collect_replies(_open(model, options), asked, first, settings, place, ProgressBar())
        cost = estimate_cost(wanted, place)
        echo_result(str(cost), cost.to_dict(), options["output_format"])
        raise click.exceptions.Exit(0)
    opened = opened or _open(model, options)
    replies: dict[tuple[str, str], str] = {}
    for chosen, settings in wanted:
        replies |= collect_replies(opened, asked, chosen, settings, place, ProgressBar())
    return opened, replies


def _stance_judge(name: str, options: Mapping[str, Any], model: LanguageModel | None) -> StanceJudge:
    """Return a trained judge, if there is one in the folder, or ask a language model."""
    from unslant.lab.judges.stance import EncoderStanceJudge, PromptedStanceJudge

    if (Path(name) / "judge.json").exists():
        return EncoderStanceJudge.load(Path(name), name)
    return PromptedStanceJudge(model or _open(name, options))


def _contexts(given: tuple[str, ...]) -> dict[str, str]:
    found: dict[str, str] = {}
    for context in given:
        name, equals, text = context.partition("=")
        if not equals or not name.strip():
            raise ConfigError(
                f'--context {context}: write NAME=TEXT, such as coast="On the coast, people say:"'
            )
        found[name.strip()] = text
    return found or {"no context": ""}


def _open(model: str, options: Mapping[str, Any]) -> LanguageModel:
    from unslant.lab.lm import open_model

    announce_destinations(filter(None, [destination(model)]))
    return open_model(
        model, batch=options["batch_size"], threads=options["threads"], precision=options["precision"]
    )


def _sampling(options: Mapping[str, Any]) -> Sampling:
    from unslant.core.generation import Sampling

    return Sampling(
        max_tokens=options["max_tokens"],
        temperature=options["temperature"],
        top_k=options["top_k"],
        chat=options["chat"],
    )


def _resampling(options: Mapping[str, Any]) -> Any:
    from unslant.lab.stats.bootstrap import Resampling

    return Resampling(options["resamples"], options["seed"])


def _folder(model: str) -> Path:
    return Path("audit") / re.sub(r"[^\w.-]+", "-", model).strip("-.")


def _report(
    name: str,
    model: str,
    wire: Mapping[str, Any],
    section: AuditSection,
    output: Path | None,
    output_format: str,
) -> None:
    """Print a result, and store it with its page."""
    from unslant.core.files import make_folder, write_text
    from unslant.lab.audit.sections import section_text, sections_page

    folder = output or _folder(model)
    make_folder(folder, InputError)
    write_text(folder / f"{name}.json", readable(wire, 1) + "\n")
    write_text(folder / f"{name}.html", sections_page(f"Audit of {model}", [section]))
    echo_result(section_text(section), wire, output_format)
    click.echo(f"page: {folder / f'{name}.html'}", err=True)
