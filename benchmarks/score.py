"""Compare `unslant score` with batch scoring by a Hugging Face classifier, with our own loop, and with itself.

    python benchmarks/score.py [rows] [peers] [memory] [same] [killed] [ray] --data DIR [--rows N]

`rows`: rows per second of `unslant score` by the rules and by both tiers, of a loop over `unslant.check`, and of a
classifier of the shape of our encoder in full precision, run as detoxify and most notebooks do: batches of 32 rows in
the order of the table, padded to the longest. One thread and CPU time each, in turns, which other work on the machine
disturbs least.
`peers`: `unslant score` with rules, splitting and all heads against five classifiers that score a sentence and nothing
else: a Hugging Face pipeline with E5-small in full precision, one row at a time and in batches of 32 sorted by length;
one with MiniLM (six layers); and int8 ONNX of our own encoder's shape and of E5-small's, batches of 32 sorted by
length. One thread and CPU time each, in turns; weights are random, which changes nothing about the speed. With --model,
the same rows are scored by that model as well.
`memory`: peak memory of the command at N rows and at ten times as many.
`same`: whether one process, two processes and Ray write the same bytes.
`killed`: whether a run that is killed with SIGKILL, at ten moments, writes the same bytes in the end.
`ray`: wall-clock time with one Ray worker and with two, and how busy the machine was: only idle cores show the
difference.

DIR is a folder with `allsides/articles_first250w.jsonl.gz`. `rows` and `peers` need the extra `train`, `same` and `ray`
the extra `ray`. The tables are written to benchmarks/out and are not part of the project.
"""

from __future__ import annotations

import argparse
import csv
import hashlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from check import OUT, articles, run
from model import in_turns, medians, sentences, times

WIDTHS = {"hidden_size": 384, "intermediate_size": 1536, "max_position_embeddings": 512}
"""What E5-small, MiniLM and the encoder that ships have in common."""
ENCODER = {
    "num_hidden_layers": 12,
    "num_attention_heads": 6,
    "relative_attention": True,
    "position_buckets": 256,
    "share_att_key": True,
    "norm_rel_ebd": "layer_norm",
    "pos_att_type": ["p2c", "c2p"],
    "position_biased_input": False,
    "type_vocab_size": 0,
}
"""The rest of the encoder that ships: DeBERTa-v3-xsmall. Its weights do not matter for its speed."""
BATCH = 32
LONGEST = 96
"""Subwords of a row that peers read: as many as our model reads of a sentence, so that they do no more work."""
TIERS = {"rules": ("rules",), "both tiers": ("rules", "model")}


def table(data: Path, count: int) -> Path:
    """Write a table of this many news sentences, and return its path; texts repeat only if the corpus is used up."""
    OUT.mkdir(exist_ok=True)
    path = OUT / f"sentences-{count}.csv"
    if path.exists():
        return path
    import unslant
    from unslant.registry import resolve

    segmenter = resolve("segmenter", "nupunkt")(unslant.Spec())
    found = (one.text for text in articles(data) for one in segmenter.split(unslant.read(text)))
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["key", "text"])
        writer.writerows([number, " ".join(text.split())] for number, text in enumerate(islice(found, count)))
    return path


def command(path: Path, output: Path, *options: str) -> list[str]:
    """Return a command that scores a table."""
    words = ["score", str(path), "--no-config", "--quiet", "--restart", "-o", str(output), *options]
    return [sys.executable, "-m", "unslant", *words]


def rows(options: argparse.Namespace) -> dict[str, float]:
    """Compare rows per second by CPU time, one thread each."""
    os.environ["UNSLANT_THREADS"] = "1"
    import unslant
    from unslant.tables.run import ScoreJob, score_tables
    from unslant.tables.scoring import ScoreSpec
    from unslant.tables.sources import TableColumns

    path = table(options.data, options.rows)
    texts = [one.text for one in sentences(options.data, options.rows)]
    specs = {name: unslant.Spec(analyzers=analyzers) for name, analyzers in TIERS.items()}

    def score(spec: unslant.Spec) -> None:
        forget()
        job = ScoreJob((path,), TableColumns("text"), OUT / "scores.jsonl", ScoreSpec(spec), restart=True)
        score_tables(job)

    def loop(spec: unslant.Spec) -> None:
        forget()
        for text in texts:
            unslant.check(text, spec=spec)

    theirs = classifier(texts)
    measured: dict[str, Callable[[], object]] = {
        "score, rules": lambda: score(specs["rules"]),
        "score, both tiers": lambda: score(specs["both tiers"]),
        "loop, rules": lambda: loop(specs["rules"]),
        "loop, both tiers": lambda: loop(specs["both tiers"]),
        "classifier, batches of 32": theirs,
    }
    for spec in specs.values():
        unslant.check("The senator slammed the plan.", spec=spec)  # nobody pays for loading
    rates = in_turns(len(texts), measured, options.repeat, time.process_time)
    ours = rates["score, both tiers"]
    return medians(rates) | {
        "both tiers, times the classifier": times(ours, rates["classifier, batches of 32"]),
        "both tiers, times the loop": times(ours, rates["loop, both tiers"]),
        "rules, times the loop": times(rates["score, rules"], rates["loop, rules"]),
    }


def peers(options: argparse.Namespace) -> dict[str, float]:
    """Compare rows per second with five peers by CPU time, one thread each."""
    os.environ["UNSLANT_THREADS"] = "1"
    import torch

    import unslant
    from unslant.tables.run import ScoreJob, score_tables
    from unslant.tables.scoring import ScoreSpec
    from unslant.tables.sources import TableColumns

    torch.set_num_threads(1)
    path = table(options.data, options.rows)
    with path.open(newline="", encoding="utf-8") as stream:
        texts = [row["text"] for row in csv.DictReader(stream)]
    specs = {"unslant score": unslant.Spec(analyzers=TIERS["both tiers"])}
    if options.model:
        specs["unslant score --model"] = replace(specs["unslant score"], model=options.model)

    def score(spec: unslant.Spec) -> None:
        forget()
        job = ScoreJob((path,), TableColumns("text"), OUT / "scores.jsonl", ScoreSpec(spec), restart=True)
        score_tables(job)

    measured: dict[str, Callable[[], object]] = {
        **{name: partial(score, spec) for name, spec in specs.items()},
        "pipeline, E5-small": one_by_one(texts, bert(layers=12)),
        "E5-small, sorted batches": sorted_batches(texts, torch_model(bert(layers=12))),
        "pipeline, MiniLM": one_by_one(texts, bert(layers=6)),
        "int8 ONNX of E5-small, sorted batches": sorted_batches(texts, int8_model(bert(layers=12))),
        "int8 ONNX of our encoder, sorted batches": sorted_batches(texts, int8_model(our_encoder())),
    }
    for spec in specs.values():
        unslant.check("The senator slammed the plan.", spec=spec)  # nobody pays for loading
    rates = in_turns(len(texts), measured, options.repeat, time.process_time)
    ours = {name: rates[name] for name in specs}
    ratios = {
        f"{name}, times {other}": times(own, theirs)
        for name, own in ours.items()
        for other, theirs in rates.items()
        if other not in ours
    }
    return medians(rates) | ratios


def tokenizer_of_ours() -> Any:
    """Return our tokenizer, in the form of transformers."""
    from transformers import PreTrainedTokenizerFast

    from unslant.neural.checkpoint import locate

    tokenizer = PreTrainedTokenizerFast(
        tokenizer_file=str(locate("") / "tokenizer.json"), model_max_length=LONGEST
    )
    tokenizer.pad_token = "[PAD]"  # noqa: S105 - a mark of the vocabulary
    return tokenizer


def bert(layers: int) -> Any:
    """Return a classifier with this many layers of the width of E5-small and MiniLM."""
    from transformers import BertConfig, BertForSequenceClassification

    heads = {"num_hidden_layers": layers, "num_attention_heads": 12}
    config = BertConfig(vocab_size=len(tokenizer_of_ours()), num_labels=2, **heads, **WIDTHS)
    return BertForSequenceClassification(config).eval()


def our_encoder() -> Any:
    """Return a classifier with an encoder of the shape of ours, as transformers runs it."""
    from transformers import DebertaV2Config, DebertaV2ForSequenceClassification

    config = DebertaV2Config(vocab_size=len(tokenizer_of_ours()), num_labels=2, **WIDTHS, **ENCODER)
    return DebertaV2ForSequenceClassification(config).eval()


def one_by_one(texts: Sequence[str], model: Any) -> Callable[[], object]:
    """Return what scores the texts with a pipeline as it comes."""
    from transformers import pipeline

    score: Any = pipeline("text-classification", model=model, tokenizer=tokenizer_of_ours(), device="cpu")
    return lambda: score(list(texts), truncation=True, max_length=LONGEST)


Scorer = Callable[[Any, Any], object]
"""Takes the subwords of a batch and its mask, both as arrays."""


def torch_model(model: Any) -> Scorer:
    """Return what scores a batch with a classifier in full precision."""
    import torch

    def score(ids: Any, mask: Any) -> object:
        with torch.inference_mode():
            return model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).logits

    return score


def int8_model(model: Any) -> Scorer:
    """Return what scores a batch with a classifier exported to ONNX and quantized as the tools do it by default."""
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    names = ["ids", "mask"]
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        whole, small = Path(folder) / "peer.onnx", Path(folder) / "peer-int8.onnx"
        ids = torch.ones(2, 16, dtype=torch.long)
        axes = {name: {0: "batch", 1: "subwords"} for name in names}
        # the newer exporter gives DeBERTa other answers than torch does
        torch.onnx.export(
            model,
            (ids, ids),
            str(whole),
            input_names=names,
            dynamic_axes=axes,
            dynamo=False,
            opset_version=17,
        )
        quantize_dynamic(whole, small, weight_type=QuantType.QInt8)
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = 1
        session = onnxruntime.InferenceSession(
            small.read_bytes(), settings, providers=["CPUExecutionProvider"]
        )
    return lambda ids, mask: session.run(None, {"ids": ids, "mask": mask})


def sorted_batches(texts: Sequence[str], score: Scorer) -> Callable[[], object]:
    """Return what scores the texts in batches of similar length, tokenizing included."""
    tokenizer = tokenizer_of_ours()

    def run_all() -> None:
        pieces = tokenizer(list(texts), truncation=True)["input_ids"]
        order = sorted(range(len(pieces)), key=lambda at: len(pieces[at]))
        for start in range(0, len(order), BATCH):
            some = {"input_ids": [pieces[at] for at in order[start : start + BATCH]]}
            batch = tokenizer.pad(some, return_tensors="np")
            score(batch["input_ids"], batch["attention_mask"])

    return run_all


def forget() -> None:
    """Forget what was predicted for the same sentences in an earlier turn; what is loaded stays."""
    from unslant import api

    api._pipeline.cache_clear()


def classifier(texts: Sequence[str]) -> Callable[[], object]:
    """Return what scores the texts with a classifier of transformers."""
    import torch

    torch.set_num_threads(1)
    tokenizer, model = tokenizer_of_ours(), our_encoder()

    def score(count: int = len(texts)) -> list[float]:
        scores: list[float] = []
        with torch.inference_mode():
            for start in range(0, count, BATCH):
                batch = tokenizer(
                    list(texts[start : start + BATCH]), padding=True, truncation=True, return_tensors="pt"
                )
                scores += torch.sigmoid(model(**batch).logits)[:, 1].tolist()
        return scores

    score(BATCH)
    return score


def memory(options: argparse.Namespace) -> dict[str, float]:
    """Compare the peak memory at N and at ten times N rows."""
    figures = {}
    for tier in options.tier:
        name = {"rules": "rules", "all": "both tiers"}[tier]
        count = options.rows if tier == "rules" else options.rows // 10
        peaks = []
        for times_rows in (1, 10):
            path = table(options.data, count * times_rows)
            cost = run(command(path, OUT / "scores.parquet", "--tier", tier, "--jobs", "1"))
            peaks.append(cost.peak / 1e6)
            figures[f"{name}, {count * times_rows:,} rows, MB"] = peaks[-1]
        figures[f"{name}, ten times the rows, times the memory"] = peaks[1] / peaks[0]
    return figures


def digest(path: Path) -> str:
    """Return a digest of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


ENGINES = {
    "one process": ("--jobs", "1"),
    "two processes": ("--jobs", "2"),
    "Ray": ("--engine", "ray", "--workers", "2"),
}


def same(options: argparse.Namespace) -> dict[str, float]:
    """Compare what the engines write; a table below 2 MB would be scored in one process."""
    path = table(options.data, max(options.rows, 20_000))
    found = set()
    for name, words in ENGINES.items():
        output = OUT / f"{name.replace(' ', '-')}.parquet"
        run(command(path, output, "--tier", "rules", *words))
        found.add(digest(output))
    return {"different outputs of three engines": len(found)}


def killed(options: argparse.Namespace) -> dict[str, float]:
    """Kill a run ten times, at moments drawn at random, then let it finish."""
    path = table(options.data, max(options.rows, 20_000))
    whole, output = OUT / "whole.parquet", OUT / "killed.parquet"
    taken = run(command(path, whole, "--tier", "rules", "--jobs", "2")).seconds
    draw = random.Random(7)  # noqa: S311
    good = 0
    for _ in range(10):
        again = [
            word for word in command(path, output, "--tier", "rules", "--jobs", "2") if word != "--restart"
        ]
        process = subprocess.Popen(again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=draw.uniform(0.2, 1.0) * taken)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
        run(again)
        good += digest(output) == digest(whole)
        output.unlink()
    return {"killed runs with the same bytes, of 10": good}


def ray(options: argparse.Namespace) -> dict[str, float]:
    """Compare one Ray worker with two, in one cluster that has started."""
    import ray as engine

    from unslant.parallel import Engine
    from unslant.spec import Spec
    from unslant.tables.run import ScoreJob, score_tables
    from unslant.tables.scoring import ScoreSpec
    from unslant.tables.sources import TableColumns

    path = table(options.data, options.rows)
    engine.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False)
    busy = os.getloadavg()[0]
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(options.repeat):
        for workers, taken in seconds.items():
            what = ScoreSpec(Spec(analyzers=TIERS["both tiers"]))
            job = ScoreJob(
                (path,), TableColumns("text"), OUT / "ray.parquet", what, Engine("ray", workers), True
            )
            start = time.perf_counter()
            score_tables(job)
            taken.append(time.perf_counter() - start)
    engine.shutdown()
    return {
        "load of the machine before": busy,
        "one worker, rows/s": options.rows / min(seconds[1]),
        "two workers, rows/s": options.rows / min(seconds[2]),
        "two workers, times one": times([1 / one for one in seconds[2]], [1 / one for one in seconds[1]]),
    }


PARTS = {"rows": rows, "peers": peers, "memory": memory, "same": same, "killed": killed, "ray": ray}


def main() -> None:
    """Run what the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="*", choices=[*PARTS, []], default=[])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--model", default="", help="a second model for peers: a folder")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument(
        "--tier", nargs="*", choices=["rules", "all"], default=["rules", "all"], help="for memory"
    )
    options = parser.parse_args()
    os.environ.setdefault("PYTHONPATH", str(Path(__file__).parents[1] / "src"))
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    for name in options.what or PARTS:
        print(name)
        for figure, value in PARTS[name](options).items():
            print(f"  {figure:50} {value:,.2f}", flush=True)


if __name__ == "__main__":
    main()
