"""``unslant probe``: asks a language model about slant, in many wordings, and measures its answers."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.options import Count, Number
from unslant.cli.progress import ProgressBar
from unslant.core.errors import ConfigError, MissingExtra
from unslant.lab.evaluation.tasks import HEADS, Heads

if TYPE_CHECKING:
    from unslant.lab.probing.probe import ProbeRun, ProbeSettings
    from unslant.lab.probing.results import ProbeResult

__all__ = ["probe"]

_TASKS = ("diagnosis", "identification", "extraction", "rephrasing")
_EXTRA = ("numpy", "sacrebleu", "snowballstemmer", "tokenizers", "torch", "transformers")


def _parts(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def _numbers(_: click.Context, parameter: click.Parameter, value: str) -> tuple[int, ...]:
    try:
        found = tuple(dict.fromkeys(int(part) for part in value.split(",")))
    except ValueError:
        found = (-1,)
    if min(found) < 0:
        raise click.BadParameter("should be numbers from 0 on, such as 0,5,10,20", param=parameter)
    return found


@click.command()
@click.argument("model", required=False)
@click.option("--task", "tasks", multiple=True, callback=_parts, help=f"Some of: {', '.join(_TASKS)}.  [all]")
@click.option("--shots", default="0", show_default=True, callback=_numbers, help="Numbers of examples.")
@click.option(
    "--descriptions",
    multiple=True,
    callback=_parts,
    metavar="LIST",
    help="Which wordings: all, classes or ids; TASK/CLASS for one task only.  [all]",
)
@click.option(
    "--descriptions-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A TOML file with families of your own.",
)
@click.option(
    "--decoding", type=click.Choice(["span", "constrained", "unconstrained"]), help="For extraction.  [span]"
)
@click.option(
    "--sampling",
    type=click.Choice(["random", "oracle", "nearest"]),
    default="random",
    show_default=True,
    help="How examples are chosen.",
)
@click.option(
    "--draw",
    "per",
    type=click.Choice(["set", "item"]),
    default="set",
    show_default=True,
    help="Draw examples once for each seed, or anew for each text.",
)
@click.option("--embedder", metavar="NAME", help="The encoder for --sampling nearest.  [the model itself]")
@click.option("--seeds", type=Count(1), default=1, show_default=True, help="How many.")
@click.option("--items", type=Count(1), help="How many texts.  [all there are]")
@click.option(
    "--part",
    type=click.Choice(["evaluation", "test"]),
    default="evaluation",
    show_default=True,
    help="Judge the development and the test part of a corpus, or the test part alone.",
)
@click.option("--threshold", type=Number(0, 1), default=0.5, show_default=True, help="Above it, yes.")
@click.option(
    "--temperature", type=Number(0), default=0.7, show_default=True, help="Where answers are drawn."
)
@click.option("--top-k", type=Count(0), default=50, show_default=True, help="Where answers are drawn.")
@click.option("--name-dimension", is_flag=True, help="Rephrasing: say which dimension is to be removed.")
@click.option("--chat", is_flag=True, help="Ask in the model's chat form.")
@click.option(
    "--end",
    type=click.Choice(["line", "eos"]),
    default="line",
    show_default=True,
    help="What ends an answer beside the model's own end.",
)
@click.option("--early-end", is_flag=True, help="Let a dimension end in its middle, as published.")
@click.option("--analyzer", metavar="NAME", help="Measure 'default', 'rules' or a model's folder instead.")
@click.option(
    "--heads",
    type=click.Choice(HEADS),
    default="product",
    show_default=True,
    help="With --analyzer: which heads answer, those that 'unslant check' asks or those that learned from the corpus.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Where the corpora lie; else UNSLANT_DATA and the cache.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder for answers, figures and page.",
)
@click.option("--bootstrap", type=Count(0), default=1000, show_default=True, help="Resamples.")
@click.option("--threads", type=Count(1), help="Threads for torch.  [its own choice]")
@click.option("--estimate", is_flag=True, help="Say what it would cost, and stop.")
@click.option("--json", "form", flag_value="json", help="Print JSON.")
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option("--list-descriptions", is_flag=True, help="Count the wordings by task and class, and stop.")
@click.pass_context
def probe(ctx: click.Context, /, model: str | None, tasks: tuple[str, ...], **options: Any) -> None:
    """Ask MODEL whether, how and where texts slant, and measure how much the wording of the question matters.

    MODEL is a hub name, a folder, a GGUF file, http://HOST/v1 or mock:. A run that was stopped goes on when the same
    command is given again.
    """
    if unknown := [one for one in tasks if one not in _TASKS]:
        ctx.fail(f"--task: {unknown[0]!r} is not one of {', '.join(_TASKS)}.")
    tasks = tasks or _TASKS
    setting = _setting(options)
    if options["list_descriptions"]:
        _list(setting)
        return
    if (model is None) == (options["analyzer"] is None):
        ctx.fail("name either a MODEL or an --analyzer.")
    try:
        if model is None:
            results = _ask_analyzer(options["analyzer"], options["heads"], tasks, setting)
            out = options["out"]
        else:
            out = options["out"] or Path("probe") / (re.sub(r"\W+", "-", model).strip("-") or "model")
            results = _ask_model(model, tasks, setting, options | {"out": out})
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        raise MissingExtra("probing", error.name or "torch", "lm") from error
    if results:
        _show(results, options["form"], out)


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
        line_ends=options["end"] == "line",
        measuring=MeasureSettings(options["threshold"], options["bootstrap"]),
    )


def _list(setting: ProbeSettings) -> None:
    known = setting.all_descriptions()
    for task in _TASKS:
        counts: dict[str, int] = {}
        for one in known:
            if one.task == task:
                counts[one.family] = counts.get(one.family, 0) + 1
        click.echo(task)
        for family, count in counts.items():
            example = next(one for one in known if (one.task, one.family) == (task, family)).render()
            click.echo(f"  {family:<12} {count:>4}  {example.replace(chr(10), ' / ')}".rstrip())


def _ask_model(
    model: str, tasks: Sequence[str], setting: ProbeSettings, options: dict[str, Any]
) -> list[ProbeResult]:
    from unslant.lab.lm import open_model
    from unslant.lab.probing.answerers import open_answerer
    from unslant.lab.probing.probe import prepare

    opened: Any = open_model(model, threads=options["threads"])
    if setting.chat and hasattr(opened, "tokenizer"):
        opened.encode("?", chat=True)  # a model without a chat form says so now
    answerer = open_answerer(
        opened, chat=setting.chat, line_ends=setting.line_ends, early_end=setting.early_end
    )
    embedder = _embedder(opened, options["embedder"]) if setting.sampling == "nearest" else None
    out: Path = options["out"]
    works = [prepare(task, answerer, setting, out / f"{task}.jsonl", embedder) for task in tasks]
    for work in works:
        _tell_cost(work)
    if options["estimate"]:
        return []
    return [_run(work) for work in works]


def _embedder(opened: Any, name: str | None) -> Any:
    if name is None and not hasattr(opened, "tokenizer"):
        raise ConfigError(
            "--sampling nearest: name an encoder with --embedder; this model shows no hidden states"
        )
    from unslant.lab.probing.sampling import MeanEmbedder

    return MeanEmbedder.load(name) if name else MeanEmbedder(opened.model, opened.tokenizer)


def _tell_cost(work: ProbeRun) -> None:
    cost = work.estimate()
    task = work.plan.items.task
    if not cost.prompts:
        click.echo(f"{task}: all {work.plan.total:,} answers are there", err=True)
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
        click.echo("stopped; the same command goes on from here", err=True)
        raise
    finally:
        bar.clear()


def _ask_analyzer(name: str, heads: Heads, tasks: Sequence[str], setting: ProbeSettings) -> list[ProbeResult]:
    from unslant.lab.evaluation.models import open_models
    from unslant.lab.probing.encoder import NEEDS
    from unslant.lab.probing.items import load_items
    from unslant.lab.probing.probe import ask_judge

    models = open_models(name, heads)
    if len(models) != 1:
        raise ConfigError(f"--analyzer {name}: holds {len(models)} models; name the folder of one of them")
    results = []
    for task in tasks:
        if len(tasks) > 1 and NEEDS.get(task) not in models[0].answers:
            click.echo(f"{task}: {models[0].name} does not answer this, left out", err=True)
            continue
        notes = []
        for corpus in load_items(task, setting.data, count=1).corpora:
            for part in ("test",) if setting.part == "test" else ("test", "dev"):
                models[0].lineage.check(models[0].name, corpus, part)
            if any(one.corpus == corpus for one in models[0].lineage.learned):
                notes.append(f"it learned from other texts of {corpus}, which a language model did not")
        results.append(ask_judge(task, models[0], setting, notes))
    return results


def _show(results: list[ProbeResult], form: str | None, out: Path | None) -> None:
    from unslant.lab.probing.report import render_markdown, render_text

    found = json.dumps([one.to_dict() for one in results], indent=2, ensure_ascii=False)
    if out is not None:
        from unslant.lab.probing.report import render_html

        out.mkdir(parents=True, exist_ok=True)
        (out / "result.json").write_text(found + "\n", "utf-8")
        (out / "report.html").write_text(render_html(results), "utf-8")
        click.echo(f"answers, result.json and report.html: {out}", err=True)
    if form == "json":
        click.echo(found)
    else:
        written = render_markdown if form == "markdown" else render_text
        click.echo("\n\n".join(written(one) for one in results))
