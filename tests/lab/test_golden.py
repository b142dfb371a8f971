"""What the commands of the lab print on small inputs, recorded: the same before and after a change of the code.

``python -m tests.lab.test_golden`` records it again, where a command is meant to print something else.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import tempfile
from pathlib import Path

import pytest

from tests.lab.evaluation.toy_model import write_babe, write_wikibias
from tests.lab.probing.made_up import write_corpora
from unslant.cli.main import _run

GOLDEN = Path(__file__).parent / "golden"
PROBE = "probe mock: --data data --items 4 --shots 0,2 --descriptions question,null --resamples 20"
CASES = {
    "agree": "agree ratings.csv --by label --by annotator --by batch --by number --reference x --resamples 20",
    "aggregate": "aggregate ratings.csv --rule half --disputed disputed.jsonl",
    "aggregate-dawid-skene": "aggregate ratings.csv --rule dawid-skene",
    "annotate-export": "annotate export edits pairs.jsonl project --batch-size 2 --doubled 1",
    "data-overlap": "data overlap reddit_bias crows_pairs --data data",
    "data-split": "data split own.jsonl --ids --column text=sentence --column label=verdict --label biased=1,fair=0",
    "data-stats": "data stats own.jsonl --column text=sentence --column label=verdict --label biased=1,fair=0",
    "evaluate-babe": "evaluate babe --model rules --data data --resamples 20",
    "evaluate-behaviour": "evaluate behaviour --model rules --resamples 20",
    "evaluate-compared": "evaluate wikibias --model rules --against rules --data data --resamples 20",
    "evaluate-own": (
        "evaluate own own.jsonl --model rules --resamples 20 --column text=sentence --column label=verdict "
        "--label biased=1,fair=0 --errors wrong.jsonl"
    ),
    "evaluate-rewrite": "evaluate rewrite --system copy --judge rules --data data --resamples 20 --rewrites out.jsonl",
    "evaluate-tagging": "evaluate tagging --model rules --data data --resamples 20",
    "evaluate-verdicts": "evaluate fixes --verdicts verdicts.jsonl --resamples 20",
    "evaluate-weak-labels": "evaluate weak-labels --data data",
    "evaluate-wikibias": "evaluate wikibias --model rules --data data --resamples 20",
    "generate": "generate mock: --prompt The --samples 2 --max-tokens 8",
    "probe": f"{PROBE} --output out",
    "probe-markdown": f"{PROBE} --task identification --output-format markdown --output out",
    "reproduce-plan": "reproduce babe table-2 --plan --output out",
}
JSON = ("agree", "aggregate", "evaluate-own", "evaluate-rewrite", "evaluate-tagging", "evaluate-verdicts")
"""The cases whose JSON is recorded as well."""


def write_inputs(folder: Path) -> None:
    """Write the corpora and tables that the commands read."""
    data = write_corpora(folder / "data")
    texts = [f"The {word} plan passed {at} times." for at, word in enumerate(["legendary", "new"] * 10)]
    labels = ["Biased", "Non-biased"] * 10
    for name in ("SG1", "SG2"):
        write_babe(data, list(zip(texts, labels, strict=True)), name)
    pairs = [
        ("The glorious legendary hall was built in 1901 .", "The hall was built in 1901 .", ["framing"]),
        ("Clearly , the road was closed .", "The road was closed .", ["epistemological"]),
        ("Rain fell for two whole days there .", "Rain fell for two days there .", []),
    ]
    write_wikibias(data, pairs)
    tables = {
        "own.jsonl": [
            {"sentence": text, "verdict": label, "spans": spans}
            for text, label, spans in (
                ("The legendary singer slammed the plan.", "biased", [[4, 13], [21, 28]]),
                ("Critics blasted the vote.", "biased", [[8, 15]]),
                ("The committee met on Monday.", "fair", []),
                ("The council adopted the budget.", "biased", None),
            )
        ],
        "pairs.jsonl": [
            {"item": str(at), "source": pair[0], "target": pair[1]} for at, pair in enumerate(pairs)
        ],
        "verdicts.jsonl": [
            {"document": str(at % 3), "verdict": verdict, "applicability": kind}
            for kind in ("safe", "review")
            for at, verdict in enumerate(["good", "good", "ungrammatical", "debatable"])
        ],
    }
    for name, rows in tables.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    rated = {"x": "yynnyynnyy" * 4, "y": "yynnynnnyn" * 4, "z": "nynnyynnyy" * 4}
    rows = [f"{at},{who},{label},{at % 2}" for who, given in rated.items() for at, label in enumerate(given)]
    (folder / "ratings.csv").write_text("item,annotator,label,batch\n" + "\n".join(rows) + "\n", "utf-8")


def printed(command: str, folder: Path) -> str:
    """Return what a command prints and with which code it ends; digits that may differ by machine are rounded."""
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
        code = _run(command.split())
    text = f"$ unslant {command}\n{out.getvalue()}exit code {int(code)}\n"
    text = text.replace(str(folder.resolve()), "FOLDER")
    return re.sub(r"-?\d+\.\d{7,}(?:e-?\d+)?", lambda match: f"{float(match[0]):.6g}", text)


def record(name: str, folder: Path) -> str:
    """Return what is recorded of a case."""
    text = printed(CASES[name], folder)
    return text + printed(f"{CASES[name]} --output-format json", folder) if name in JSON else text


@pytest.mark.parametrize("name", CASES)
def test_a_command_prints_what_it_printed(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UNSLANT_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    write_inputs(tmp_path)
    assert record(name, tmp_path) == (GOLDEN / f"{name}.txt").read_text("utf-8")


if __name__ == "__main__":
    os.environ.pop("UNSLANT_DATA", None)
    for case in CASES:
        with tempfile.TemporaryDirectory() as place:
            os.environ["UNSLANT_CACHE_DIR"] = f"{place}/cache"
            write_inputs(Path(place))
            (GOLDEN / f"{case}.txt").write_text(record(case, Path(place)), "utf-8")
