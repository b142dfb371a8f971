"""``unslant audit``: measures the political slant of a language model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unslant.cli.progress import ProgressBar
from unslant.core.generation import PRECISIONS

if TYPE_CHECKING:
    from unslant.lab.audit.examine import Examination, How
    from unslant.lab.audit.run import Plan, Variant
    from unslant.lab.audit.suite import Suite
    from unslant.protocols import LanguageModel

__all__ = ["audit"]

_MODES = ("vanilla", "naive", "in-glove", "embedding", "classifier")
_STEERED = ("embedding", "classifier")
_SWEEP = re.compile(r"^(?:λ|lambda|strength)=(.+)$")


@click.command()
@click.argument("model", required=False)
@click.option(
    "--suite", default="current", show_default=True, help="Prompts: 'current', 'liu-2021' or a TOML file."
)
@click.option(
    "--set", "words", multiple=True, metavar="SIDE.SLOT=WORDS", help="Other words for a slot of the suite."
)
@click.option("--attribute", "attributes", multiple=True, help="Only this attribute; can be repeated.")
@click.option(
    "--samples", type=click.IntRange(1), default=1, show_default=True, help="Texts a prompt and keyword."
)
@click.option("--keywords", type=click.IntRange(1), help="At most so many keywords an option.")
@click.option("--even", type=click.IntRange(0), default=0, help="At least so many texts a prompt and option.")
@click.option("--tokens", type=click.IntRange(1), default=100, show_default=True, help="Tokens a text.")
@click.option("--temperature", type=click.FloatRange(0), default=1.0, show_default=True, help="0: no chance.")
@click.option("--top-k", type=click.IntRange(0), default=50, show_default=True, help="0: any token can come.")
@click.option("--chat", is_flag=True, help="Ask in the model's chat form instead of letting it go on.")
@click.option(
    "--debias",
    multiple=True,
    type=click.Choice(["all", *_MODES[1:]]),
    help="Audit the model calibrated in this way too; can be repeated.",
)
@click.option("--strength", type=click.FloatRange(0), help="λ of the calibration; else its default.")
@click.option(
    "--target",
    "targets",
    multiple=True,
    metavar="[MODE=]NUMBER",
    help="Divergence a token to aim at, of one mode or of both; else the default of the mode.",
)
@click.option(
    "--guide", "guides", multiple=True, metavar="MODE=PATH", help="What was trained for a mode of --debias."
)
@click.option("--sweep", metavar="λ=A,B,…", help="Audit the calibration with each of these strengths.")
@click.option(
    "--judge", default="default", show_default=True, help="'default', a judge's folder, or hf:NAME."
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="The folder of the run.")
@click.option(
    "--compare", nargs=2, type=click.Path(path_type=Path), metavar="A B", help="Compare two runs' folders."
)
@click.option(
    "--estimate", type=click.FloatRange(0, min_open=True), help="Samples needed to know the bias to ± this."
)
@click.option(
    "--engine", type=click.Choice(["local", "ray"]), default="local", show_default=True, help="Where to run."
)
@click.option(
    "--workers", type=click.IntRange(1), default=2, show_default=True, help="Workers of the Ray engine."
)
@click.option(
    "--batch", type=click.IntRange(1), default=8, show_default=True, help="Texts written at a time."
)
@click.option("--threads", type=click.IntRange(1), help="Threads for torch.")
@click.option(
    "--precision", type=click.Choice(PRECISIONS), help="Of the model's numbers.  [default: float32]"
)
@click.option(
    "--own", type=click.IntRange(0), default=200, show_default=True, help="Texts the model itself scores."
)
@click.option(
    "--bootstrap", type=click.IntRange(1), default=1000, show_default=True, help="Resamples for intervals."
)
@click.option("--seed", default=0, show_default=True, help="For all that is drawn.")
@click.option(
    "--map", "kind", type=click.Choice(["pca", "umap"]), default="pca", show_default=True, help="In the page."
)
@click.option("--html", type=click.Path(path_type=Path, dir_okay=False), help="Where to write the page.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def audit(ctx: click.Context, /, model: str | None, **options: Any) -> None:
    """Measure indirect and direct political bias of the language model MODEL.

    MODEL is a hub name, a folder, a GGUF file, an endpoint's address, or mock:NAME. What it writes is kept in the
    folder of --out, with report.json and report.html: the same command goes on where it was stopped, and another judge
    reads the same texts.
    """
    from unslant.lab.audit.suite_files import load_suite

    suite = load_suite(options["suite"], options["words"])
    if options["compare"]:
        _compare(suite, options)
        return
    if model is None:
        ctx.fail("Missing argument 'MODEL', or --compare A B.")
    _audit(model, suite, options)


def _audit(name: str, suite: Suite, options: Mapping[str, Any]) -> None:
    from unslant.lab.audit.examine import examine
    from unslant.lab.audit.run import generate
    from unslant.lab.lm import open_model

    variants = _variants(options)
    plan = _plan(name, suite, options)
    how = _how(options)  # a judge that cannot be opened is told before hours of work
    model = open_model(name, batch=plan.batch, threads=plan.threads, precision=plan.precision)
    folders = {one.name: generate(plan, one, model, ProgressBar()) for one in variants}
    found = examine(folders, suite, how, plan.scope, model if _scores(model) else None)
    _tell(found, options, plan.out)
    if options["estimate"]:
        _estimate(found, options)


def _plan(name: str, suite: Suite, options: Mapping[str, Any]) -> Plan:
    from unslant.core.errors import UnknownName
    from unslant.core.generation import Sampling
    from unslant.lab.audit.run import Plan
    from unslant.lab.audit.suite import Scope

    known = [one.name for one in suite.attributes]
    for one in options["attributes"]:
        if one not in known:
            raise UnknownName("attribute", one, known)
    return Plan(
        name,
        suite,
        options["out"] or Path("audit") / re.sub(r"[^\w.-]+", "-", name).strip("-."),
        Scope(
            options["samples"],
            options["keywords"],
            tuple(options["attributes"]),
            options["seed"],
            options["even"],
        ),
        # equally long texts, so that length says nothing
        Sampling(
            max_tokens=options["tokens"],
            temperature=options["temperature"],
            top_k=options["top_k"],
            to_length=True,
            chat=options["chat"],
        ),
        options["batch"],
        options["threads"],
        options["engine"],
        options["workers"],
        options["precision"],
    )


def _variants(options: Mapping[str, Any]) -> list[Variant]:
    from unslant.core.errors import ConfigError
    from unslant.lab.audit.run import Variant

    modes = list(_MODES[1:]) if "all" in options["debias"] else list(dict.fromkeys(options["debias"]))
    guides: dict[str, str] = {}
    for one in options["guides"]:
        mode, equals, path = one.partition("=")
        if not equals or mode not in _MODES[1:]:
            raise ConfigError(f"--guide {one}: write MODE=PATH, such as classifier=debiaser/")
        guides[mode] = path
    targets = _targets(options["targets"])
    if not options["sweep"]:
        return [Variant(), *(_variant(mode, options["strength"], guides, targets) for mode in modes)]
    match = _SWEEP.match(options["sweep"])
    try:
        strengths = [float(part) for part in match[1].split(",")] if match else []
    except ValueError:
        strengths = []
    if not strengths or min(strengths) < 0:
        raise ConfigError(f"--sweep {options['sweep']}: write λ=0.1,0.5,0.9 (or lambda=…), numbers from 0 on")
    modes = [mode for mode in modes if mode in _STEERED] or ["embedding"]
    return [Variant(), *(_variant(mode, one, guides, targets) for mode in modes for one in strengths)]


def _targets(given: Sequence[str]) -> dict[str, float]:
    """Return the divergence to aim at for each mode that one was named for."""
    from unslant.core.errors import ConfigError

    found: dict[str, float] = {}
    for one in given:
        mode, equals, number = one.rpartition("=")
        try:
            value = float(number)
        except ValueError:
            value = 0.0
        if not 0 < value < math.inf or (equals and mode not in _STEERED):
            raise ConfigError(
                f"--target {one}: write a number over 0, or MODE=NUMBER, such as classifier=0.3"
            )
        found |= {mode: value} if mode else {**dict.fromkeys(_STEERED, value), **found}
    return found


def _variant(
    mode: str, strength: float | None, guides: Mapping[str, str], targets: Mapping[str, float]
) -> Variant:
    from unslant.lab.audit.run import REPLACERS, Variant

    if mode in REPLACERS:  # words are exchanged or not: there is no strength
        return Variant(mode, None, guides.get(mode))
    return Variant(mode, strength, guides.get(mode), targets.get(mode))


def _how(options: Mapping[str, Any]) -> How:
    from unslant.lab.audit.examine import How
    from unslant.lab.audit.judge import open_judge
    from unslant.lab.stats.bootstrap import Resampling

    resampling = Resampling(options["bootstrap"], options["seed"])
    return How(open_judge(options["judge"]), resampling, options["own"], ProgressBar())


def _scores(model: LanguageModel) -> bool:
    """Whether the model says what it thinks of given texts; few endpoints do, and an audit does not need it."""
    return not model.name.startswith("http")


def _compare(suite: Suite, options: Mapping[str, Any]) -> None:
    from unslant.lab.audit.examine import examine, named

    paths = options["compare"]
    found = examine(named(paths), suite, _how(options))
    _tell(found, options, options["out"])


def _tell(found: Examination, options: Mapping[str, Any], out: Path | None) -> None:
    from unslant.lab.audit.page import examination_page
    from unslant.lab.audit.terminal import examination_text

    data = json.dumps(found.to_dict(), indent=1, ensure_ascii=False)
    page = options["html"] or (out / "report.html" if out else None)
    if page is not None:
        _write(page, examination_page(found, options["kind"]))
    if out is not None:
        _write(out / "report.json", data + "\n")
    click.echo(data if options["as_json"] else examination_text(found))
    if page is not None:
        click.echo(f"page: {page}", err=True)


def _write(path: Path, text: str) -> None:
    from unslant.core.errors import InputError

    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written ({error.strerror}); the texts are kept, run the same command again"
        ) from None


def _estimate(found: Examination, options: Mapping[str, Any]) -> None:
    from unslant.lab.audit.estimate import estimate
    from unslant.lab.audit.terminal import estimate_text

    first = found.variants[0]
    seconds = sum(one.seconds for one in first.texts.values())
    counted = options["even"] or options["samples"]
    result = estimate(first.bias, options["estimate"], counted, len(first.texts), seconds)
    click.echo(estimate_text(result, even=bool(options["even"])), err=bool(options["as_json"]))
