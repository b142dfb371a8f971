"""``unslant probe``: asks a language model about slant, in many wordings, and measures its answers."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from unslant.cli.options import announce_destinations, missing_extra
from unslant.cli.progress import ProgressBar, is_quiet
from unslant.core.errors import ConfigError
from unslant.core.files import make_folder, write_text
from unslant.core.generation import PRECISIONS
from unslant.lab.cli.options import echo_result, settings_options
from unslant.lab.evaluation.tasks import Heads
from unslant.lab.options import option
from unslant.lab.probing.settings import ProbeSettings
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.lm.causal import CausalModel
    from unslant.lab.probing.items import MeanEmbedder
    from unslant.lab.probing.probe import ProbeRun
    from unslant.lab.probing.results import ProbeResult

_TASKS = ("diagnosis", "identification", "extraction", "rephrasing")


class _Probe(ProbeSettings):
    quiet = True

    tasks: tuple[str, ...] = option(
        f"Tasks: {', '.join(_TASKS)}.  [default: all]", name="--task", metavar="LIST", commas=True
    )
    list_descriptions: bool = option("Count the wordings by task and class, with examples, and exit.")
    list_texts: bool = option("Count the texts and examples of each task by answer, and exit.")
    embedder: str | None = option(
        "Encoder for --sampling nearest.  [default: the model itself]", metavar="NAME"
    )
    analyzer: str | None = option(
        "Measure unslant instead of a language model: 'default', 'rules' or the folder of a model.",
        metavar="NAME",
    )
    heads: Heads = option(
        "With --analyzer: heads that answer, those that 'unslant check' uses or those trained on the corpus.",
        "product",
    )
    estimate: bool = option("Print what the run would cost, and exit.")
    threads: int | None = option("Threads for PyTorch.  [default: PyTorch's choice]", least=1)
    precision: str | None = option(
        "Floating-point precision of the language model's weights.  [default: float32]", choices=PRECISIONS
    )
    output: Path | None = option(
        "Write answers, result.json and report.html to DIR.  [default: probe/MODEL]", metavar="DIR"
    )
    output_format: Literal["text", "json", "markdown"] = option("Output format.", "text")


@click.command()
@click.argument("model", required=False)
@settings_options(_Probe)
@click.pass_context
def probe(ctx: click.Context, /, model: str | None, options: _Probe) -> None:
    """Measure how well a language model recognizes and rewords slant.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME. It is
    asked whether, how and where texts slant, in many wordings of the same question, to
    show how much the wording matters.
    Running the same command again continues an interrupted run.
    """
    if unknown := [task for task in options.tasks if task not in _TASKS]:
        ctx.fail(f"--task: {unknown[0]!r} is not one of {', '.join(_TASKS)}")
    if options.list_descriptions:
        _list(options)
        return
    if options.list_texts:
        _list_texts(options)
        return
    if (model is None) == (options.analyzer is None):
        ctx.fail("name either a MODEL or an --analyzer")
    output = options.output
    with missing_extra("probing", "lm"):
        if model is None:
            results = _ask_analyzer(str(options.analyzer), options)
        else:
            output = output or Path("probe") / (re.sub(r"\W+", "-", model).strip("-") or "model")
            results = _ask_model(model, output, options)
    if results:
        _report(results, options.output_format, output)


def _list(options: _Probe) -> None:
    from unslant.lab.probing.probe import all_descriptions

    known = all_descriptions(options.descriptions_file)
    for task in _TASKS:
        of_task = [description for description in known if description.task == task]
        click.echo(task)
        for family, count in Counter(description.family for description in of_task).items():
            example = next(item for item in of_task if item.family == family).render()
            click.echo(f"  {family:<12} {count:>4}  {example.replace(chr(10), ' / ')}".rstrip())


def _list_texts(options: _Probe) -> None:
    from unslant.lab.probing.items import count_answers, load_items

    found, lines = {}, []
    for task in options.tasks or _TASKS:
        items = load_items(task, options.data, part=options.part, count=options.items)
        found[task] = {"evaluated": count_answers(items.evaluated), "examples": count_answers(items.pool)}
        lines.append(f"{task}: {items.title}")
        for answer, number in found[task]["evaluated"].items():
            lines.append(
                f"  {answer:<24} {number:>6,} {found[task]['examples'].get(answer, 0):>6,} as examples"
            )
    echo_result("\n".join(lines), found, options.output_format)


def _ask_model(model: str, output: Path, options: _Probe) -> list[ProbeResult]:
    from unslant.lab.lm import local_model, open_model
    from unslant.lab.probing.answerers import open_answerer
    from unslant.lab.probing.probe import prepare

    announce_destinations(filter(None, [destination(model)]))
    opened = open_model(model, threads=options.threads, precision=options.precision)
    local = local_model(opened)
    if options.chat and local:
        local.encode("?", chat=True)  # fails now if the model has no chat template
    answerer = open_answerer(
        opened, chat=options.chat, line_ends=options.line_ends, early_end=options.early_end
    )
    embedder = _embedder(local, options.embedder) if options.sampling == "nearest" else None
    works = [
        prepare(task, answerer, options, output / f"{task}.jsonl", embedder)
        for task in options.tasks or _TASKS
    ]
    for work in works if options.estimate or not is_quiet() else ():
        _echo_cost(work)
    return [] if options.estimate else [_run(work) for work in works]


def _embedder(local: CausalModel | None, name: str | None) -> MeanEmbedder:
    from unslant.lab.probing.items import MeanEmbedder

    if name:
        return MeanEmbedder.load(name)
    if local is None:
        raise ConfigError(
            "--sampling nearest: name an encoder with --embedder; this model shows no hidden states"
        )
    return MeanEmbedder(local.model, local.tokenizer)


def _echo_cost(work: ProbeRun) -> None:
    cost = work.estimate()
    task = work.plan.items.task
    if not cost.prompts:
        click.echo(f"{task}: all {work.plan.total:,} answers are there already", err=True)
        return
    times = f", {cost.plain / cost.read:.1f} times fewer than prompt by prompt" if cost.read else ""
    writes = f", at most {cost.generated:,} to write" if cost.generated else ""
    left = "" if cost.seconds is None else f"; about {_duration(cost.seconds)}"
    click.echo(
        f"{task}: {cost.prompts:,} prompts, about {cost.read:,} tokens to read{times}{writes}{left}", err=True
    )


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3600:.1f} h"


def _run(work: ProbeRun) -> ProbeResult:
    bar = ProgressBar(work.plan.items.task, work.plan.total)
    seen = 0

    def advance(done: int, _: int) -> None:
        nonlocal seen
        bar.advance(done - seen)
        seen = done

    try:
        return work.run(advance)
    except KeyboardInterrupt:
        bar.clear()
        click.echo("interrupted; run the same command again to continue", err=True)
        raise
    finally:
        bar.clear()


def _ask_analyzer(name: str, options: _Probe) -> list[ProbeResult]:
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.probing.items import load_items
    from unslant.lab.probing.probe import NEEDS, ask_judge

    models = open_models(name, options.heads)
    if len(models) != 1:
        raise ConfigError(f"--analyzer {name}: holds {len(models)} models; name the folder of one of them")
    results = []
    tasks = options.tasks or _TASKS
    for task in tasks:
        if len(tasks) > 1 and NEEDS.get(task) not in models[0].answers:
            click.echo(f"{task}: {models[0].name} does not do this task; skipped", err=True)
            continue
        notes = []
        for corpus in load_items(task, options.data, count=1).corpora:
            for part in ("test",) if options.part == "test" else ("test", "dev"):
                models[0].lineage.check(models[0].name, corpus, part)
            if any(source.corpus == corpus for source in models[0].lineage.learned):
                notes.append(f"it learned from other texts of {corpus}, which a language model did not")
        results.append(ask_judge(task, models[0], options, notes))
    return results


def _report(results: list[ProbeResult], output_format: str, output: Path | None) -> None:
    from unslant.lab.probing.report import render_html, render_markdown, render_text

    wire = [result.to_dict() for result in results]
    if output is not None:
        make_folder(output)
        found = readable(wire, 2)
        write_text(output / "result.json", found + "\n")
        write_text(output / "report.html", render_html(results))
        click.echo(f"answers, result.json and report.html: {output}", err=True)
    render = render_markdown if output_format == "markdown" else render_text
    echo_result("\n\n".join(map(render, results)), wire, output_format)
