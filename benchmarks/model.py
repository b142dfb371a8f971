"""Compare the speed of the model with the Hugging Face pipeline, same encoder in full precision, in one run.

    python benchmarks/model.py [start] [throughput] [processor] [batches] [packages]
        --model DIR --encoder DIR --data DIR [--against DIR]

`start`: time and memory for one page in a cold process.
`throughput`: sentences per second of the model, the pipeline (by default one sentence at a time) and its batches.
`processor`: the same in CPU time with one thread each, which other work on the machine disturbs least.
`batches`: the graph alone: one sentence at a time in threads against padded batches, and how far the answers differ.
`packages`: CPU time of a sentence with the model of --model and with that of --against DIR, one thread each.

--model is a folder that `unslant train detector --export` wrote, --encoder its encoder, --data a folder with
`allsides/articles_first250w.jsonl.gz`. Needs the extra `train`. Each is measured several times in turns; medians are
shown.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from check import OUT, articles, run

SOURCE = Path(__file__).parents[1] / "src"


def sentences(data: Path, count: int) -> list[Any]:
    """Return sentences of news text."""
    import unslant
    from unslant.registry import resolve

    segmenter = resolve("segmenter", "nupunkt")(unslant.Spec())
    found = (sentence for text in articles(data) for sentence in segmenter.split(unslant.read(text)))
    return list(islice(found, count))


Clock = Callable[[], float]


def in_turns(
    count: int, measured: dict[str, Callable[[], object]], repeat: int, clock: Clock = time.perf_counter
) -> dict[str, list[float]]:
    """Return sentences per second of each contestant in every turn; a busy moment slows all of them in that turn."""
    rates: dict[str, list[float]] = {name: [] for name in measured}
    for turn in range(repeat):
        names = list(measured)
        # rotate, so that nobody always runs after the slowest
        for name in names[turn % len(names) :] + names[: turn % len(names)]:
            start = clock()
            measured[name]()
            rates[name].append(count / (clock() - start))
    return rates


def medians(rates: dict[str, list[float]]) -> dict[str, float]:
    """Return the median over the turns."""
    return {f"{name}, sentences/s": statistics.median(found) for name, found in rates.items()}


def times(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median over the turns of how many times faster the first is."""
    return statistics.median(mine / other for mine, other in zip(ours, theirs, strict=True))


def throughput(options: argparse.Namespace) -> dict[str, float]:
    """Compare our analyzer with the pipeline by wall-clock time."""
    return compared(options, options.threads, time.perf_counter)


def processor(options: argparse.Namespace) -> dict[str, float]:
    """Compare them by CPU time with one thread each."""
    return compared(options, 1, time.process_time)


def compared(options: argparse.Namespace, threads: int, clock: Clock) -> dict[str, float]:
    """Compare our analyzer with the pipeline in turns of some hundred sentences."""
    import torch
    from transformers import AutoModelForSequenceClassification, AutoTokenizer, pipeline

    from unslant.neural.analyzer import ModelAnalyzer, _network
    from unslant.spec import Spec

    torch.set_num_threads(threads)
    os.environ["UNSLANT_THREADS"] = str(threads)
    _network.cache_clear()  # a network keeps the number of threads that it was created with
    found = sentences(options.data, options.sentences)
    texts = [item.text for item in found]

    def ours(some: Sequence[Any]) -> object:
        # a new analyzer each time, because an analyzer caches its results
        return ModelAnalyzer(Spec(model=str(options.model))).analyze(some)

    theirs: Any = pipeline(
        "text-classification",
        model=AutoModelForSequenceClassification.from_pretrained(options.encoder),
        tokenizer=AutoTokenizer.from_pretrained(options.encoder),
        device="cpu",
    )
    long = {"truncation": True, "max_length": 128}
    for item in (ours, lambda some: theirs([sentence.text for sentence in some], **long)):
        item(found[:8])
    measured = {
        "unslant": lambda: ours(found),
        "pipeline": lambda: theirs(texts, **long),
        "pipeline, batches of 32": lambda: theirs(texts, batch_size=32, **long),
    }
    rates = in_turns(len(texts), measured, options.repeat, clock)
    return medians(rates) | {
        "times the pipeline": times(rates["unslant"], rates["pipeline"]),
        "times the pipeline in batches": times(rates["unslant"], rates["pipeline, batches of 32"]),
    }


def batches(options: argparse.Namespace) -> dict[str, float]:
    """Compare single sentences in threads with padded batches, on the graph alone."""
    import numpy
    import onnxruntime

    from unslant.neural.checkpoint import load_package
    from unslant.neural.network import Network

    package = load_package(options.model)
    network = Network(package)
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = options.threads
    session = onnxruntime.InferenceSession(str(options.model / "model.onnx"), settings)
    texts = [sentence.text for sentence in sentences(options.data, options.sentences)]
    pieces = [network._tokenizer.encode(text).ids[: package.max_length] for text in texts]
    order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
    head = next(name for name, head in package.heads.items() if head.type == "sentence")

    def together(size: int) -> dict[int, float]:
        answers = {}
        for start in range(0, len(order), size):
            places = order[start : start + size]
            ids = numpy.zeros((len(places), len(pieces[places[-1]])), numpy.int64)
            mask = numpy.zeros_like(ids)
            for row, at in enumerate(places):
                ids[row, : len(pieces[at])], mask[row, : len(pieces[at])] = pieces[at], 1
            (values,) = session.run([head], {"input_ids": ids, "attention_mask": mask})
            answers |= dict(zip(places, values.ravel().tolist(), strict=True))
        return answers

    def alone() -> Sequence[Any]:
        return network.map(lambda ids: network._run(ids, None), pieces)

    measured = {
        "one at a time": alone,
        **{f"batches of {size}": lambda size=size: together(size) for size in (8, 32)},
    }
    rates = in_turns(len(texts), measured, options.repeat)
    single, padded = alone(), together(32)
    chance = {at: (_sigmoid(float(single[at][head])), _sigmoid(padded[at])) for at in padded}
    return medians(rates) | {
        "largest change of probability": max(abs(item - other) for item, other in chance.values())
    }


def packages(options: argparse.Namespace) -> dict[str, float]:
    """Compare the networks of two packages by CPU time."""
    from unslant.neural.checkpoint import load_package
    from unslant.neural.network import Network

    texts = [sentence.text for sentence in sentences(options.data, options.sentences)]

    def reader(folder: Path) -> Callable[[], object]:
        network = Network(load_package(folder))
        return lambda: [network.read(text) for text in texts]

    measured = {"model": reader(options.model), "against": reader(options.against)}
    rates = in_turns(len(texts), measured, options.repeat, time.process_time)
    return medians(rates) | {"times the time of a sentence": times(rates["against"], rates["model"])}


def _sigmoid(value: float) -> float:
    from unslant.neural.calibrate import sigmoid

    return sigmoid(value)


def start(options: argparse.Namespace) -> dict[str, float]:
    """Compare cold processes on one page, alternating."""
    page = OUT / "model-start" / "page.txt"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(next(articles(options.data))[:2500], "utf-8")
    os.environ["PYTHONPATH"] = str(SOURCE)
    code = (
        "import sys; from transformers import AutoModelForSequenceClassification as M, AutoTokenizer as T, pipeline\n"
        "model, tokenizer = M.from_pretrained(sys.argv[1]), T.from_pretrained(sys.argv[1])\n"
        "judge = pipeline('text-classification', model=model, tokenizer=tokenizer, device='cpu')\n"
        "texts = [text for text in open(sys.argv[2]).read().split('. ') if text]\n"
        "print(judge(texts, truncation=True, max_length=128))"
    )
    unslant = [sys.executable, "-m", "unslant", "check", "--no-config", "--no-cache", str(page)]
    commands = {
        "unslant, rules and model": [*unslant, "--tier", "all", "--model", str(options.model)],
        "unslant, rules": [*unslant, "--tier", "rules"],
        "pipeline": [sys.executable, "-c", code, str(options.encoder), str(page)],
    }
    costs: dict[str, list[Any]] = {name: [] for name in commands}
    for _ in range(options.repeat):
        for name, command in commands.items():
            costs[name].append(run(command))
    figures = {}
    for name, found in costs.items():
        figures[f"{name}, s"] = statistics.median(cost.seconds for cost in found)
        figures[f"{name}, s of CPU time"] = statistics.median(cost.cpu for cost in found)
        figures[f"{name}, peak MB"] = max(cost.peak for cost in found) / 1e6
    figures["share of the pipeline's time"] = figures["unslant, rules and model, s"] / figures["pipeline, s"]
    return figures


# cold starts first, because a child's peak memory includes that of the process it was forked from
MEASURES = {
    "start": start,
    "throughput": throughput,
    "processor": processor,
    "batches": batches,
    "packages": packages,
}


def main() -> None:
    """Run the named measurements, or all of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "measures", nargs="*", choices=[*MEASURES, []], help="the measurements to run (default: all)"
    )
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--encoder", type=Path, required=True)
    parser.add_argument("--against", type=Path, help="for packages: the folder of another model")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sentences", type=int, default=300)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=3)
    options = parser.parse_args()
    os.environ["UNSLANT_THREADS"] = str(options.threads)
    sys.path.insert(0, str(SOURCE))
    for name in MEASURES:
        if options.measures and name not in options.measures:
            continue
        if name == "packages" and options.against is None:
            print("packages: left out, as there is no --against DIR")
            continue
        print(name)
        for figure, value in MEASURES[name](options).items():
            print(f"  {figure:<40} {value:10.3f}")


if __name__ == "__main__":
    main()
