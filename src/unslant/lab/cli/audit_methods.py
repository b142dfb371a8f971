"""Commands of ``unslant audit`` that measure slant in other ways than ``run``: from ``likelihood`` to ``charged``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import click

from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError, InputError
from unslant.lab.cli.options import (
    DataOptions,
    FormatOptions,
    GenerationOptions,
    ModelOptions,
    SeedOptions,
    echo_result,
    settings_options,
)
from unslant.lab.options import Options, option
from unslant.report.wire import readable

if TYPE_CHECKING:
    from unslant.lab.audit.consistency import ConsistencyReport
    from unslant.lab.audit.coverage import CoverageReport
    from unslant.lab.audit.paired import ReplySettings
    from unslant.lab.audit.pairs import PairSet, RequestPair
    from unslant.lab.audit.sections import AuditSection
    from unslant.lab.audit.stance import StanceReport
    from unslant.lab.judges.coverage import CoverageJudge
    from unslant.lab.judges.stance import StanceJudge
    from unslant.protocols import LanguageModel

Replies: TypeAlias = Mapping[tuple[str, str], str]


class DryRunOptions(Options):
    """Whether to say only what the command takes."""

    dry_run: bool = option(
        "Only say how many requests, tokens and minutes it takes. A local model is timed on one batch, which is kept; "
        "a server is not asked."
    )


def vary_option(axes: str) -> Any:
    """Return the option ``--vary``, with what the command can vary."""
    return option(
        f"Ask again with one thing changed, and report the spread: {axes}; all is a standard choice. Can be repeated.",
        metavar="AXIS=VALUE",
    )


class _Stored(SeedOptions, FormatOptions):
    quiet = True

    output: Path | None = option(
        "Write the result and its page to DIR.  [default: audit/MODEL]", metavar="DIR"
    )


class _Asking(GenerationOptions, DryRunOptions, _Stored):
    """The options of every audit that asks a model and measures its replies."""

    words: int | None = option("Ask for replies of at most this many words.  [default: no limit]", least=1)
    vary: tuple[str, ...] = vary_option(
        "system=TEXT, words=N, temperature=N, wording=paraphrase, wording=negation or wording=opposite"
    )


class _Logged(_Asking):
    replies: Path | None = option(
        "Measure the replies in LOG, which Inspect, promptfoo or lm-eval has written, instead of asking MODEL.",
        metavar="LOG",
    )


class _Likelihood(ModelOptions, _Stored):
    pairs: str = option(
        "Matched pairs: the name of a set that ships with unslant, or a TOML file.",
        "united-states",
        metavar="NAME",
    )
    contexts: tuple[str, ...] = option(
        "Put TEXT before every pair, and call the result NAME. With two contexts their difference is tested.",
        name="--context",
        metavar="NAME=TEXT",
    )
    batch_size: int = option("Wordings to score at a time.", 32, least=1)


@click.command()
@click.argument("model")
@settings_options(_Likelihood)
def likelihood(model: str, options: _Likelihood) -> None:
    """Measure which side's wording a model considers more likely.

    Scores matched pairs that differ only in the side they take. MODEL must be able to score text: a local model, or an
    endpoint that returns log probabilities. Nothing is sampled, so this takes minutes.
    """
    from unslant.lab.audit.pairs import load_pairs, measure_likelihood
    from unslant.lab.audit.sections import likelihood_section
    from unslant.lab.audit.spread import spread_dict

    wanted, texts = load_pairs(options.pairs), _contexts(options.contexts)
    report = measure_likelihood(options.open_model(model), wanted, texts, options.resampling, ProgressBar())
    wire = report.to_dict()
    wire["spread"] = spread_dict(
        {name: {**wire, "contexts": {name: leads}} for name, leads in wire["contexts"].items()}
    )
    how = {"requests": wanted.name, "digest": wanted.digest, "contexts": texts}
    folder = options.output or audit_folder(model)
    _report("likelihood", model, wire, likelihood_section(wire), folder, options, how)


class _Paired(_Logged, DataOptions):
    requests: str = option(
        "Paired requests: 'anthropic', the name of a set that ships with unslant, or a TOML file.",
        "united-states",
        metavar="NAME",
    )
    pairs: int | None = option("Use only this many pairs.  [default: all]", least=1)


@click.command()
@click.argument("model")
@settings_options(_Paired)
def paired(model: str, options: _Paired) -> None:
    """Compare a model's replies to requests with opposite stances.

    Measures refusals, hedging, length, effort and slanted wording. MODEL is openai/NAME,
    anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME.
    Replies are kept in the output folder, so running the same
    command again continues, and more --pairs add to them.
    """
    from unslant.lab.audit.paired import choose_requests, compare_replies
    from unslant.lab.audit.pairs import read_requests
    from unslant.lab.audit.sections import paired_section

    def choose(asked: PairSet) -> Sequence[RequestPair]:
        return choose_requests(asked, options.pairs, options.seed)

    wanted = read_requests(options.requests, options.data)
    audit = _Audit("paired", model, wanted, paired_section, options, choose)
    audit.finish(
        lambda opened, asked, replies: compare_replies(
            opened, asked, choose(asked), replies, options.resampling
        ),
        options.replies,
    )


class _Stance(_Asking, DataOptions):
    judge: str = option(
        "The judge of stances: a folder written by 'unslant train stance-judge', or a language model. It is compared "
        "with people first.",
        metavar="JUDGE",
        required=True,
    )
    issues: int | None = option("Use only this many issues.  [default: all 212]", least=1)
    templates: int = option("Templates per issue and framing.", 20, least=1)
    labelled: int | None = option(
        "Compare the judge with people on this many texts.  [default: all 500]", least=1
    )


@click.command()
@click.argument("model")
@settings_options(_Stance)
def stance(model: str, options: _Stance) -> None:
    """Measure which stance a model takes on the issues of IssueBench.

    A judge that agrees too little with people (macro-F1 below 0.6 on labelled texts) gives figures, but no verdict.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.sections import stance_section
    from unslant.lab.audit.stance import build_requests, choose_labelled, measure_stances, validate

    asked = build_requests(options.data, options.issues, options.templates, options.seed)
    known = list(corpora.load("political_prompts/responses", options.data))
    labelled = choose_labelled(known, options.labelled, options.seed)
    audit = _Audit("stance", model, asked, stance_section, options)
    judge = _stance_judge(options, audit.opened if options.judge == model else None)
    validation = validate(judge, labelled, options.resampling, ProgressBar())

    def measure(opened: LanguageModel, asked: PairSet, replies: Replies) -> StanceReport:
        told = [(pair.topic, pair.template, replies[pair.key, "liberal"]) for pair in asked.requests]
        return measure_stances(opened, judge, validation, told, options.resampling, ProgressBar())

    audit.finish(measure)


class _Coverage(_Asking, DataOptions):
    judge: str = option(
        "The judge of coverage: a folder written by 'unslant train coverage-judge', or llm:MODEL. It is compared with "
        "the marks of reporters first, and refused below a Cohen's kappa of 0.7.",
        metavar="JUDGE",
        required=True,
    )
    samples: int = option("Replies to each of the 30 questions.", 1, least=1)
    accept_judge: bool = option(
        "Use a judge below a kappa of 0.7 all the same; the report then gives figures but no verdict."
    )


@click.command()
@click.argument("model")
@settings_options(_Coverage)
def coverage(model: str, options: _Coverage) -> None:
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
        for example in corpora.load("coverage/questions", options.data)
    }
    marked = list(corpora.load("coverage/replies", options.data))
    audit = _Audit("coverage", model, build_questions(questions, options.samples), coverage_section, options)
    judge = _coverage_judge(options)
    validation = validate_coverage(judge, questions, marked, options.resampling, ProgressBar())
    if not validation.is_sufficient and not options.accept_judge:
        raise InputError(
            f"{agreement_text(validation.to_dict(), options.judge)} That is below {LEAST_KAPPA}, so it is not used and "
            "nothing was asked. Name another --judge, or add --accept-judge for figures without a verdict."
        )

    def measure(opened: LanguageModel, asked: PairSet, replies: Replies) -> CoverageReport:
        told = [(questions[pair.template], replies[pair.key, "liberal"]) for pair in asked.requests]
        return measure_coverage(opened, judge, validation, told, options.resampling, ProgressBar())

    audit.finish(measure)


class _Charged(_Logged):
    requests: str = option(
        "Issues and levels: 'united-states', or a TOML file of the same form.",
        "united-states",
        metavar="NAME",
    )


@click.command()
@click.argument("model")
@settings_options(_Charged)
def charged(model: str, options: _Charged) -> None:
    """Measure how a model answers users who take a side, ever more heatedly.

    Each issue is asked neutrally and at rising levels from both sides. Measures whether replies follow the user,
    escalate, speak in the model's own voice, dismiss the user or refuse.
    """
    from unslant.lab.audit.charged import charged_section, load_charged, measure_charged

    audit = _Audit("charged", model, load_charged(options.requests), charged_section, options)
    audit.finish(
        lambda opened, asked, replies: measure_charged(opened, asked, replies, options.resampling),
        options.replies,
    )


class _Consistency(_Asking, DataOptions):
    country: str = option("Use the statements of one of seven countries, such as de.", "all", metavar="CODE")
    statements: int | None = option("Use only this many statements.  [default: all]", least=1)


@click.command()
@click.argument("model")
@settings_options(_Consistency)
def consistency(model: str, options: _Consistency) -> None:
    """Measure whether a model keeps its answer when a statement is reworded or negated.

    Asks whether it agrees with statements of voting-advice applications, their paraphrases, negations and opposites, in
    English. Who agrees with a statement and with its negation has no stance.
    """
    from unslant.lab import corpora
    from unslant.lab.audit.consistency import build_statements, consistency_section, measure_consistency

    known = corpora.load("vaa", options.data)
    asked = build_statements(known, options.country, options.statements, options.seed)
    audit = _Audit("consistency", model, asked, consistency_section, options)

    def measure(opened: LanguageModel, asked: PairSet, replies: Replies) -> ConsistencyReport:
        told = {key: reply for (key, _), reply in replies.items()}
        return measure_consistency(opened, options.country, asked, told, options.resampling)

    audit.finish(measure)


class _Host(Options):
    quiet = True

    method: Literal["paired", "charged"] = option("The audit whose requests are asked.", "paired")
    requests: str = option("Requests, as for the audit itself.", "united-states", metavar="NAME")
    pairs: int | None = option("Use only this many pairs of 'paired'.  [default: all]", least=1)


@click.command()
@click.argument("program", type=click.Choice(["promptfoo", "lm-eval"]))
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False))
@settings_options(_Host)
def host(program: str, folder: Path, options: _Host) -> None:
    """Write the files of an audit for promptfoo or lm-eval to DIR.

    Inspect needs none: inspect eval unslant/paired --model NAME.
    """
    from unslant.lab.audit.hosts.files import write_host_files
    from unslant.lab.audit.hosts.measures import hosted_audit

    audit = hosted_audit(options.method, options.requests, options.pairs)
    for path in write_host_files(program, audit, options.requests, folder):
        click.echo(str(path))


class _Summed(Options):
    quiet = True
    output_format: Literal["text", "json", "markdown"] = option("Output format.", "text")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path, file_okay=False, exists=True))
@settings_options(_Summed)
def report(folder: Path, options: _Summed) -> None:
    """Sum up the results in DIR on one page.

    DIR is the output folder of audits of one model, such as audit/smollm2. The page glance.html has the verdict, five
    numbers, the spread over settings, examples, what would have been found, and how it was measured.
    """
    from unslant.core.files import write_text
    from unslant.lab.audit.glance import glance
    from unslant.lab.audit.sections import section_markdown, section_text, sections_page, short_name

    wire, sections = glance(folder)
    write_text(
        folder / "glance.html", sections_page(f"Audit of {short_name(wire['model'])}", sections), InputError
    )
    if options.output_format == "markdown":
        told = [f"# Audit of {short_name(wire['model'])}", *map(section_markdown, sections)]
    else:
        told = [
            text if section.verdict else f"{section.title}\n{text}"
            for section in sections
            if (text := section_text(section))
        ]
    echo_result("\n\n".join(told), wire, options.output_format)
    click.echo(f"page: {folder / 'glance.html'}", err=True)


class _Result(Protocol):
    """What an audit has measured."""

    def to_dict(self) -> dict[str, Any]: ...


class _Audit:
    """An audit of replies: asks under every setting, measures, stores and prints.

    With ``--dry-run``, it says what asking takes, and ends the command.
    """

    def __init__(
        self,
        name: str,
        model: str,
        asked: PairSet,
        section: Callable[[Mapping[str, Any]], AuditSection],
        options: _Asking,
        choose: Callable[[PairSet], Sequence[RequestPair]] = attrgetter("requests"),
    ) -> None:
        from unslant.lab.audit.spread import cap_words, read_settings

        self._name, self._model, self._section, self._options, self._choose = (
            name, model, section, options, choose,
        )  # fmt: skip
        self._asked = cap_words(asked, options.words) if options.words else asked
        self._folder = options.output or audit_folder(model)
        self._sampling = options.sampling()
        self._settings = read_settings(options.vary, self._sampling, wordings=tuple(asked.wordings))
        if options.dry_run:
            self._tell_cost()

    @cached_property
    def opened(self) -> LanguageModel:
        """The model."""
        return self._options.open_model(self._model)

    def finish(
        self, measure: Callable[[LanguageModel, PairSet, Replies], _Result], log: Path | None = None
    ) -> None:
        """Ask, or take the replies of a log; measure under every setting, store and print."""
        from unslant.lab.audit.spread import FIRST, spread_dict

        how: dict[str, Any] = {"requests": self._asked.name, "digest": self._asked.digest}
        if log is not None:
            from unslant.lab.audit.hosts.logs import LoggedModel, read_log

            if self._settings:
                raise ConfigError("--vary asks the model, and --replies has its replies; use one of them")
            found = read_log(log)
            replies = found.replies_to(self._choose(self._asked))
            wire = measure(LoggedModel(self._model, found), self._asked, replies).to_dict()
            by, how = found.host, {"model": found.model, **how}
        else:
            wires = [
                measure(self.opened, asked, self._collect(place, asked, settings)).to_dict()
                for place, asked, settings in self._runs()
            ]
            names = [FIRST, *(setting.name for setting in self._settings)]
            wire, by = wires[0], "unslant"
            wire["spread"] = spread_dict(dict(zip(names, wires, strict=True)))
            how = {"sampling": self._sampling.to_dict(), **how}
        _report(self._name, self._model, wire, self._section(wire), self._folder, self._options, how, by)

    def _runs(self) -> list[tuple[Path, PairSet, ReplySettings]]:
        """Return the folder, the requests and the sampling of the first run and of each setting."""
        from unslant.lab.audit.paired import ReplySettings

        batch, seed, place = self._options.batch_size, self._options.seed, self._folder / self._name
        return [
            (place, self._asked, ReplySettings(self._sampling, batch, seed)),
            *(
                (
                    place / setting.folder,
                    setting.vary_requests(self._asked),
                    ReplySettings(setting.vary_sampling(self._sampling), batch, seed),
                )
                for setting in self._settings
            ),
        ]

    def _collect(
        self, place: Path, asked: PairSet, settings: ReplySettings, most: int | None = None
    ) -> Replies:
        from unslant.lab.audit.paired import collect_replies

        return collect_replies(self.opened, asked, self._choose(asked), settings, place, ProgressBar(), most)

    def _tell_cost(self) -> None:
        """Say what asking takes; a local model is timed on one batch, one that may cost money is not asked."""
        from unslant.lab.audit.paired import estimate_cost
        from unslant.lab.lm import is_endpoint

        runs = self._runs()
        place, asked, settings = runs[0]
        if not is_endpoint(self._model) and not (place / "run.json").exists():
            self._collect(place, asked, settings, settings.batch)
        cost = estimate_cost([(place, self._choose(asked), settings) for place, asked, settings in runs])
        self._options.echo(str(cost), cost.to_dict())
        raise click.exceptions.Exit(0)


def _coverage_judge(options: _Coverage) -> CoverageJudge:
    from unslant.lab.judges.coverage import EncoderCoverageJudge, PromptedCoverageJudge

    name = options.judge
    if name.startswith("llm:"):
        return PromptedCoverageJudge(options.open_model(name.removeprefix("llm:")), options.batch_size)
    return EncoderCoverageJudge.load(Path(name), name)


def _stance_judge(options: _Stance, model: LanguageModel | None) -> StanceJudge:
    """Return a trained judge, if there is one in the folder, or ask a language model."""
    from unslant.lab.judges.stance import EncoderStanceJudge, PromptedStanceJudge

    name = options.judge
    if (Path(name) / "judge.json").exists():
        return EncoderStanceJudge.load(Path(name), name)
    return PromptedStanceJudge(model or options.open_model(name))


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


def audit_folder(model: str) -> Path:
    """Return where the results about a model are kept unless ``--output`` names a folder."""
    return Path("audit") / re.sub(r"[^\w.-]+", "-", model).strip("-.")


def _report(
    name: str,
    model: str,
    wire: Mapping[str, Any],
    section: AuditSection,
    folder: Path,
    options: _Stored,
    asked: Mapping[str, Any],
    by: str = "unslant",
) -> None:
    """Print a result, and store it with its page and its record."""
    from unslant.core.files import make_folder, write_text
    from unslant.lab.audit.record import write_record
    from unslant.lab.audit.sections import section_text, sections_page
    from unslant.lab.audit.spread import spread_section

    sections = [section, *filter(None, [spread_section(wire)])]
    make_folder(folder, InputError)
    write_text(folder / f"{name}.json", readable(wire, 1) + "\n")
    write_text(folder / f"{name}.html", sections_page(f"Audit of {model}", sections))
    record = write_record(folder, name, wire, section.verdict, asked, by)
    options.echo("\n\n".join(map(section_text, sections)), wire)
    click.echo(f"page: {folder / f'{name}.html'}\nrecord: {record}", err=True)
