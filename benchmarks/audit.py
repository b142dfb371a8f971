"""Prints the table of docs/audit.md: a model as it is, with both baselines, and debiased in both modes.

All results are kept, so the same command resumes an interrupted run:

    python benchmarks/audit.py models/smollm2 --data ../shared/data --out audit/smollm2
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any


def main() -> None:
    """Train what is missing, run the audit and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("model", help="a hub name, a folder or a GGUF file")
    parser.add_argument(
        "--data", required=True, help="the folder with the corpora, for training the debiaser"
    )
    parser.add_argument("--out", type=Path, default=Path("audit/table"), help="the folder of the run")
    parser.add_argument("--suite", default="liu-2021")
    parser.add_argument("--samples", default="1")
    parser.add_argument("--even", default="0", help="the minimum number of texts per prompt and option")
    parser.add_argument("--keywords", help="the maximum number of keywords per option (default: all)")
    parser.add_argument("--tokens", default="32")
    parser.add_argument("--batch", default="128")
    parser.add_argument("--threads", default="1")
    parser.add_argument("--modes", default="naive,in-glove,embedding,classifier", help="which variants")
    parser.add_argument(
        "--target",
        action="append",
        default=[],
        help="the target divergence per token, or MODE=NUMBER (default: the mode's own)",
    )
    parser.add_argument("--precision", help="the precision of the weights, such as bfloat16")
    parser.add_argument("--temperature", help="the sampling temperature (default: 1)")
    parser.add_argument("--articles", help="the number of articles that the debiaser is trained on")
    parser.add_argument("--judge", default="default")
    parser.add_argument("--planted", help="the run of a planted model, for the power")
    parser.add_argument(
        "--own", default="200", help="the number of texts per variant that the model itself scores"
    )
    given = parser.parse_args()
    modes = given.modes.split(",")
    guide = given.out / "debiaser"
    if "classifier" in modes and not guide.is_dir():
        asked = {"data": given.data, "output": guide, "threads": given.threads}
        asked |= {"precision": given.precision, "articles": given.articles}
        run("train", "debiaser", given.model, *_options(asked))
    names = "suite samples keywords temperature threads precision judge planted".split()
    asked = {name: getattr(given, name) for name in names}
    asked |= {"texts-per-option": given.even, "max-tokens": given.tokens, "batch-size": given.batch}
    asked |= {"scored-texts": given.own, "output": given.out}
    arguments = _options(asked)
    arguments += [part for target in given.target for part in ("--target", target)]
    wanted = [part for mode in modes for part in ("--debias", mode)]
    guides = ["--guide", f"classifier={guide}"] if "classifier" in modes else []
    run("audit", "run", given.model, *arguments, *wanted, *guides)
    print(table(json.loads((given.out / "report.json").read_text("utf-8"))))


def _options(asked: dict[str, Any]) -> list[str]:
    return [part for name, value in asked.items() if value is not None for part in (f"--{name}", str(value))]


def run(*arguments: str) -> None:
    """Run an unslant command, and stop if it fails."""
    print("+ unslant", *arguments, file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "unslant", *arguments], check=True, stdout=sys.stderr)


def table(report: dict[str, Any]) -> str:
    """Return a report as a Markdown table, with the ratios to the model as it is."""
    first = report["variants"][0]["fluency"]
    lines = [
        "| | indirect (95 %) | chance, p | halves | less by (95 %), p | direct (95 %) | chance, p "
        "| less by (95 %), p | perplexity | own | distinct-2 | time per token |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for variant in report["variants"]:
        against, reads = variant["against_first"] or {}, variant["fluency"]
        cells = [variant["name"]]
        for kind in ("indirect", "direct"):
            figure = variant["bias"][kind]
            cells.append(f"{figure['value']:.4f} ({figure['low']:.4f} to {figure['high']:.4f})")
            cells.append(f"{figure['chance']:.4f}, p {figure['p']:.3f}")
            cells += [f"{figure['halves']:.4f}"] if kind == "indirect" else []
            cells.append(_change(against.get(kind)))
        for name in ("perplexity", "own_perplexity"):
            cells.append(f"{reads[name]:.1f} ({reads[name] / first[name]:.2f} times)" if reads[name] else "")
        cells.append(f"{reads['distinct'][1]:.3f}")
        cells.append(f"{reads['seconds_per_token'] / first['seconds_per_token']:.2f} times")
        lines.append("| " + " | ".join(cells) + " |")
    for power in report["power"]:
        lines += [
            "",
            f"{power['dose']:g} of the planted slant would be found in {power['found']:.0%} of runs",
        ]
    return "\n".join(lines)


def _change(change: dict[str, Any] | None) -> str:
    if not change or change["reduction"] is None or change["p"] is None:
        return ""
    told = f"{change['reduction']:.0%} ({change['low']:.0%} to {change['high']:.0%}), p {change['p']:.3f}"
    return told if change["excess"] is None else f"{told}; of what is above chance {change['excess']:.0%}"


if __name__ == "__main__":
    main()
