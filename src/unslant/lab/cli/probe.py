"""``unslant probe``: asks a language model about slant, in many wordings, and measures its answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import (
    Count,
    Number,
    announce_destinations,
    missing_extra,
    output_format_option,
    quiet_option,
    split_commas,
)
from unslant.cli.progress import ProgressBar, is_quiet
from unslant.core.errors import ConfigError
from unslant.core.files import make_folder, write_text
from unslant.lab.cli.options import data_option, echo_result, resamples_option, threads_option
from unslant.lab.evaluation.tasks import HEADS, Heads
from unslant.report.wire import readable
from unslant.spec import destination

if TYPE_CHECKING:
    from unslant.lab.probing.probe import ProbeRun, ProbeSettings
    from unslant.lab.probing.results import ProbeResult

_TASKS = ("diagnosis", "identification", "extraction", "rephrasing")


def _numbers(_: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(dict.fromkeys(int(part) for part in value.split(",")))
    except ValueError:
        found = (-1,)
    if min(found) < 0:
        raise click.BadParameter("must be numbers of 0 or more, such as 0,5,10,20", param=parameter)
    return found


@click.command()
@click.argument("model", required=False)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    callback=split_commas,
    metavar="LIST",
    help=f"Tasks: {', '.join(_TASKS)}.  [default: all]",
)
@click.option(
    "--shots",
    default="0",
    show_default=True,
    callback=_numbers,
    metavar="LIST",
    help="Numbers of examples to show in the prompt, such as 0,5,10.",
)
@click.option(
    "--descriptions",
    multiple=True,
    callback=split_commas,
    metavar="LIST",
    help="Wordings of the question: classes or ids; TASK/CLASS for one task only.  [default: all]",
)
@click.option(
    "--descriptions-file",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Add wordings of your own from this TOML file.",
)
@click.option(
    "--list-descriptions", is_flag=True, help="Count the wordings by task and class, with examples, and exit."
)
@click.option(
    "--decoding",
    type=click.Choice(["span", "constrained", "unconstrained"]),
    help="Decoding of the task extraction.  [default: span]",
)
@click.option(
    "--sampling",
    type=click.Choice(["random", "oracle", "nearest"]),
    default="random",
    show_default=True,
    help="How to choose the examples in the prompt.",
)
@click.option(
    "--draw",
    "per",
    type=click.Choice(["set", "item"]),
    default="set",
    show_default=True,
    help="Choose the examples once per seed (set) or for each text (item).",
)
@click.option(
    "--embedder", metavar="NAME", help="Encoder for --sampling nearest.  [default: the model itself]"
)
@click.option("--seeds", type=Count(1), default=1, show_default=True, help="Number of random seeds.")
@click.option("--items", type=Count(1), help="Number of texts.  [default: all]")
@click.option(
    "--part",
    type=click.Choice(["evaluation", "test"]),
    default="evaluation",
    show_default=True,
    help="Use the development and test parts of a corpus (evaluation), or the test part alone.",
)
@click.option(
    "--threshold",
    type=Number(0, 1),
    default=0.5,
    show_default=True,
    help="Probability above which an answer counts as yes.",
)
@click.option(
    "--temperature",
    type=Number(0),
    default=0.7,
    show_default=True,
    help="Sampling temperature of generated answers.",
)
@click.option(
    "--top-k",
    type=Count(0),
    default=50,
    show_default=True,
    help="Sample generated answers from this many of the most likely tokens; 0 means all.",
)
@click.option(
    "--name-dimension", is_flag=True, help="Name the dimension to remove in the prompts of rephrasing."
)
@click.option(
    "--chat", is_flag=True, help="Send each prompt as a user's message, with the model's chat template."
)
@click.option(
    "--stop",
    type=click.Choice(["line", "eos"]),
    default="line",
    show_default=True,
    help="End an answer at a line break, or only at the end-of-text token.",
)
@click.option(
    "--early-end",
    is_flag=True,
    help="Let an answer end in the middle of a dimension's name, as in the publication.",
)
@click.option(
    "--analyzer",
    metavar="NAME",
    help="Measure unslant instead of a language model: 'default', 'rules' or the folder of a model.",
)
@click.option(
    "--heads",
    type=click.Choice(HEADS),
    default="product",
    show_default=True,
    help="With --analyzer: heads that answer, those that 'unslant check' uses or those trained on the corpus.",
)
@click.option("--estimate", is_flag=True, help="Print what the run would cost, and exit.")
@data_option
@resamples_option
@threads_option()
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write answers, result.json and report.html to DIR.  [default: probe/MODEL]",
)
@output_format_option("text", "json", "markdown", default="text")
@quiet_option
@click.pass_context
def probe(ctx: click.Context, /, model: str | None, tasks: tuple[str, ...], **options: Any) -> None:
    """Measure how well a language model recognizes and rewords slant.

    MODEL is openai/NAME, anthropic/NAME, ollama/NAME, hf:NAME, gguf:FILE, a folder, http://HOST/v1 or mock:NAME. It is
    asked whether, how and where texts slant, in many wordings of the same question, to
    show how much the wording matters.
    Running the same command again continues an interrupted run.
    """
    if unknown := [task for task in tasks if task not in _TASKS]:
        ctx.fail(f"--task: {unknown[0]!r} is not one of {', '.join(_TASKS)}")
    tasks = tasks or _TASKS
    setting = _setting(options)
    if options["list_descriptions"]:
        _list(setting)
        return
    if (model is None) == (options["analyzer"] is None):
        ctx.fail("name either a MODEL or an --analyzer")
    output: Path | None = options["output"]
    with missing_extra("probing", "lm"):
        if model is None:
            results = _ask_analyzer(options["analyzer"], options["heads"], tasks, setting)
        else:
            output = output or Path("probe") / (re.sub(r"\W+", "-", model).strip("-") or "model")
            results = _ask_model(model, tasks, setting, options | {"output": output})
    if results:
        _report(results, options["output_format"], output)


def _setting(options: dict[str, Any]) -> ProbeSettings:
    from unslant.lab.probing.probe import ProbeSettings
    from unslant.lab.probing.results import MeasureSettings

    names = (
        "shots",
        "descriptions_file",
        "decoding",
        "sampling",
        "per",
        "seeds",
        "temperature",
        "top_k",
        "items",
    )
    return ProbeSettings(
        **{name: options[name] for name in (*names, "name_dimension", "chat", "early_end", "data", "part")},
        descriptions=options["descriptions"] or ("all",),
        line_ends=options["stop"] == "line",
        measuring=MeasureSettings(options["threshold"], options["resamples"]),
    )


def _list(setting: ProbeSettings) -> None:
    known = setting.all_descriptions()
    for task in _TASKS:
        counts: dict[str, int] = {}
        for description in known:
            if description.task == task:
                counts[description.family] = counts.get(description.family, 0) + 1
        click.echo(task)
        for family, count in counts.items():
            example = next(item for item in known if (item.task, item.family) == (task, family)).render()
            click.echo(f"  {family:<12} {count:>4}  {example.replace(chr(10), ' / ')}".rstrip())


def _ask_model(
    model: str, tasks: Sequence[str], setting: ProbeSettings, options: dict[str, Any]
) -> list[ProbeResult]:
    from unslant.lab.lm import open_model
    from unslant.lab.probing.answerers import open_answerer
    from unslant.lab.probing.probe import prepare

    announce_destinations(filter(None, [destination(model)]))
    opened: Any = open_model(model, threads=options["threads"])
    if setting.chat and hasattr(opened, "tokenizer"):
        opened.encode("?", chat=True)  # fails now if the model has no chat template
    answerer = open_answerer(
        opened, chat=setting.chat, line_ends=setting.line_ends, early_end=setting.early_end
    )
    embedder = _embedder(opened, options["embedder"]) if setting.sampling == "nearest" else None
    output: Path = options["output"]
    works = [prepare(task, answerer, setting, output / f"{task}.jsonl", embedder) for task in tasks]
    for work in works if options["estimate"] or not is_quiet() else ():
        _echo_cost(work)
    if options["estimate"]:
        return []
    return [_run(work) for work in works]


def _embedder(opened: Any, name: str | None) -> Any:
    if name is None and not hasattr(opened, "tokenizer"):
        raise ConfigError(
            "--sampling nearest: name an encoder with --embedder; this model shows no hidden states"
        )
    from unslant.lab.probing.items import MeanEmbedder

    return MeanEmbedder.load(name) if name else MeanEmbedder(opened.model, opened.tokenizer)


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


def _ask_analyzer(name: str, heads: Heads, tasks: Sequence[str], setting: ProbeSettings) -> list[ProbeResult]:
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.probing.items import load_items
    from unslant.lab.probing.probe import NEEDS, ask_judge

    models = open_models(name, heads)
    if len(models) != 1:
        raise ConfigError(f"--analyzer {name}: holds {len(models)} models; name the folder of one of them")
    results = []
    for task in tasks:
        if len(tasks) > 1 and NEEDS.get(task) not in models[0].answers:
            click.echo(f"{task}: {models[0].name} does not do this task; skipped", err=True)
            continue
        notes = []
        for corpus in load_items(task, setting.data, count=1).corpora:
            for part in ("test",) if setting.part == "test" else ("test", "dev"):
                models[0].lineage.check(models[0].name, corpus, part)
            if any(source.corpus == corpus for source in models[0].lineage.learned):
                notes.append(f"it learned from other texts of {corpus}, which a language model did not")
        results.append(ask_judge(task, models[0], setting, notes))
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
