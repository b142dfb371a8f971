"""Plans and runs the steps of a paper. Results are kept, and an interrupted run continues.

A quick run uses the first rows of each corpus, and models with a few thousand untrained weights.
"""

from __future__ import annotations

import gzip
import importlib
import json
import shlex
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import IO, Any

from unslant.core.errors import InputError, MissingExtra, UnknownName, UnslantError
from unslant.core.files import make_folder, read_json, write_text
from unslant.lab.reproduce.paper import Paper, Step

Runner = Callable[[Sequence[str]], str]
"""Runs one ``unslant`` command, given its arguments, and returns what it printed."""


@dataclass(frozen=True, slots=True)
class StepSettings:
    """The values for the slots of the commands."""

    out: Path
    """Results, runs and pages go here."""
    data: Path | None = None
    encoder: str = ""
    """The encoder for all recipes; empty: each recipe's own."""
    model: str = ""
    """The language model for audits and probes; empty: the paper's."""
    seeds: int = 1
    """How many runs to train of each recipe."""
    resamples: int = 1000
    quick: bool = False
    small: bool = False
    """Whether language models are asked about a small sample only."""
    precision: str = ""
    """The precision in which detectors train and language models answer; empty: their own."""

    def minutes(self, step: Step) -> float:
        """Return how long a step takes at this size, on one core with a small model."""
        return step.small_minutes or step.minutes if self.small else step.minutes

    def size(self, step: Step) -> str:
        """Return the options that set the size of a step."""
        if self.quick:
            return step.quick
        return step.small if self.small and step.small else step.size


@dataclass(frozen=True, slots=True)
class StepResult:
    """The output of a step."""

    commands: tuple[str, ...]
    """The commands as they were run, with the slots of machine and data left open."""
    result: Any
    seconds: float
    replaced: str = ""
    """The encoder or model that replaced the paper's."""
    outdated: str = ""
    """Why it should be measured again."""
    note: str = ""
    """What else there is to know about a recorded run, such as that it was part of a larger one."""


@dataclass(frozen=True, slots=True)
class StepState:
    """A step in the plan."""

    name: str
    step: Step
    minutes: float
    """How long it takes at the chosen size, on one core with a small model."""
    result: StepResult | None = None
    """None: it has to be run."""


def plan(paper: Paper, settings: StepSettings) -> list[StepState]:
    """Return the steps that the paper needs, each with its result if it was run before with the same commands."""
    return [
        StepState(name, step, settings.minutes(step), _load(name, step, settings))
        for name, step in ((name, paper.steps[name]) for name in paper.required_steps())
    ]


def remaining_minutes(states: Sequence[StepState]) -> float:
    """Estimate how long the remaining steps will take, from the time that the finished ones took."""
    done = [(state.result.seconds / 60, state.minutes) for state in states if state.result is not None]
    expected = sum(minutes for _, minutes in done)
    factor = sum(minutes for minutes, _ in done) / expected if expected else 1.0
    return factor * sum(state.minutes for state in states if state.result is None)


def run_steps(
    paper: Paper,
    settings: StepSettings,
    run: Runner,
    say: Callable[[str], None],
    only: Sequence[str] = (),
) -> tuple[dict[str, StepResult], dict[str, str]]:
    """Run the open steps one after the other; return the results, and what went wrong, by step.

    A step that fails does not stop the others. ``only`` names the steps to run; none means all.
    """
    failed: dict[str, str] = {}
    states = plan(paper, settings)
    for name in only:
        if name not in paper.required_steps():
            raise UnknownName(f"step of {paper.name}", name, paper.required_steps())
    for at, state in enumerate(states):
        if state.result is not None or (only and state.name not in only):
            continue
        left = "" if settings.quick else f"; about {duration(remaining_minutes(states))} left"
        say(f"{paper.name}, step {at + 1} of {len(states)}: {state.name}{left}")
        try:
            found = _run(state, settings, run)
        except UnslantError as error:
            failed[state.name] = str(error)
            say(f"{state.name}: {error}")
            continue
        states[at] = replace(state, result=found)
    results = {state.name: state.result for state in states if state.result is not None}
    return results, failed


def duration(minutes: float) -> str:
    """Return a duration in words."""
    return f"{max(1, round(minutes))} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _run(state: StepState, settings: StepSettings, run: Runner) -> StepResult:
    started, printed = time.monotonic(), ""
    for command in render(state.step, settings):
        printed = run(shlex.split(command))
    try:
        result = json.loads(printed)
    except ValueError:
        raise InputError(f"step {state.name}: its last command printed no JSON") from None
    used = (
        settings.model if any("{model}" in command for command in state.step.commands) else settings.encoder
    )
    wire = {
        "commands": portable_commands(state.step, settings),
        "replaced": Path(used).name if state.step.encoder and used else "",
        "seconds": round(time.monotonic() - started, 1),
        "result": result,
    }
    folder = settings.out / "results"
    make_folder(folder)
    write_text(folder / f"{state.name}.json", json.dumps(wire, indent=1, ensure_ascii=False) + "\n")
    return _read(wire)


def _read(wire: Mapping[str, Any]) -> StepResult:
    return StepResult(tuple(wire["commands"]), wire["result"], float(wire["seconds"]), wire["replaced"])


def _load(name: str, step: Step, settings: StepSettings) -> StepResult | None:
    path = settings.out / "results" / f"{name}.json"
    if not path.is_file():
        return None
    try:
        found = _read(read_json(path))
    except (InputError, KeyError, TypeError, ValueError):
        return None
    return found if found.commands == tuple(portable_commands(step, settings)) else None


def render(step: Step, settings: StepSettings) -> list[str]:
    """Return the commands to run."""
    data = f"--data {shlex.quote(str(settings.data))}" if settings.data else ""
    resamples = f"--resamples {settings.resamples}"
    return _fill(step, settings, shlex.quote, str(settings.out), data=data, resamples=resamples)


def portable_commands(step: Step, settings: StepSettings) -> list[str]:
    """Return the commands as a page shows them, without the folders of this machine."""
    return _fill(step, settings, lambda path: Path(path).name, "OUT", data="", resamples="")


def _fill(
    step: Step, settings: StepSettings, named: Callable[[str], str], out: str, **slots: str
) -> list[str]:
    slots |= {
        "out": named(out),
        "runs": shlex.quote(f"{out}/runs"),
        "encoder": f"--encoder {named(settings.encoder)}" if settings.encoder else "",
        "model": named(settings.model or step.encoder),
        "size": settings.size(step),
        "precision": f"--precision {settings.precision}" if settings.precision else "",
    }
    found = []
    for command in step.commands:
        repeats = range(1, settings.seeds + 1) if "{seed}" in command else (1,)
        found += [" ".join(command.format(**slots, seed=seed).split()) for seed in repeats]
    return found


_CORPORA = (
    "allsides anno_lexical babe cad contrast crows_pairs editor hatexplain headlines lexicons paradetox real_world "
    "reddit_bias wikibias wnc"
).split()
"""The corpora that the papers need."""
_WHOLE = ("lexicons",)
_ROWS = 24
_MORE = {
    "allsides": 600,
    "babe": 40,
    "cad": 1500,
    "crows_pairs": 60,
    "editor": 30,
    "hatexplain": 120,
    "headlines": 60,
    "paradetox": 120,
    "reddit_bias": 160,
}
"""Corpora whose first rows all have the same label, outlet or side."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789.,;:!?'\"()-$%/&"


def make_small_data(places: Sequence[Path], folder: Path) -> Path:
    """Copy the first rows of each corpus that the papers need; existing copies are kept."""
    make_folder(folder)
    for name in _CORPORA:
        corpus = next((place / name for place in places if (place / name).is_dir()), None)
        if corpus is None or (folder / name).is_dir():
            continue
        make_folder(folder / name)
        for path in sorted(corpus.iterdir()):
            if name in _WHOLE:
                shutil.copyfile(path, folder / name / path.name)
            else:
                _copy_rows(path, folder / name / path.name, _MORE.get(name, _ROWS))
    return folder


def _copy_rows(source: Path, target: Path, rows: int) -> None:
    if source.suffix == ".parquet":
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.parquet.read_table(source).slice(0, rows), target)
    elif source.suffix == ".conll":
        blocks = source.read_text("utf-8").strip().split("\n\n")[:rows]
        target.write_text("\n\n".join(blocks) + "\n", "utf-8")
    elif source.suffix in (".xlsx", ".pdf"):
        shutil.copyfile(source, target)  # a workbook cannot be cut without rewriting it
    else:
        with _open(source, "rt") as reading, _open(target, "wt") as writing:
            writing.writelines(
                _spread(reading, rows) if source.suffix == ".gz" else islice(reading, rows + 1)
            )


def _spread(lines: IO[str], rows: int) -> Iterator[str]:
    """Yield the header, and rows spread over a file that is sorted by outlet or side."""
    yield next(lines, "")
    for at, line in enumerate(lines):
        if at % 37 == 0:
            yield line
            rows -= 1
        if not rows:
            return


def _open(path: Path, mode: str) -> IO[Any]:
    opened: Any = gzip.open if path.suffix == ".gz" else open
    stream: IO[Any] = opened(path, mode, encoding="utf-8")
    return stream


def _libraries(*names: str) -> list[Any]:
    try:
        found = [importlib.import_module(name) for name in ("torch", "transformers", *names)]
    except ModuleNotFoundError as error:
        raise MissingExtra("a quick run", error.name or "torch", "lm" if names else "train") from error
    found[1].utils.logging.disable_progress_bar()
    found[0].manual_seed(0)
    return found


def make_tiny_encoder(folder: Path) -> Path:
    """Write a BERT of two narrow layers with random weights; its subwords are single characters."""
    if (folder / "config.json").is_file():
        return folder
    _, library = _libraries()
    make_folder(folder)
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *_LETTERS, *(f"##{letter}" for letter in _LETTERS)]
    library.BertTokenizerFast(vocab={word: at for at, word in enumerate(words)}).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = library.BertConfig(vocab_size=len(words), max_position_embeddings=96, **sizes)
    library.BertModel(config).save_pretrained(folder)
    return folder


def make_tiny_language_model(folder: Path, text: Path) -> Path:
    """Write a GPT-2 of two narrow layers with random weights; its tokenizer is trained on the words of a file."""
    if (folder / "config.json").is_file():
        return folder
    torch, library, tokenizers = _libraries("tokenizers")
    make_folder(folder)
    plain = tokenizers.Tokenizer(tokenizers.models.BPE())
    plain.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = tokenizers.decoders.ByteLevel()
    alphabet = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=1500, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False
    )
    plain.train([str(text)], trainer)
    library.PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<end>").save_pretrained(folder)  # noqa: S106
    torch.manual_seed(0)
    sizes = {"n_embd": 16, "n_layer": 2, "n_head": 2, "n_positions": 4096}
    config = library.GPT2Config(vocab_size=plain.get_vocab_size(), bos_token_id=0, eos_token_id=0, **sizes)
    library.GPT2LMHeadModel(config).save_pretrained(folder)
    return folder
