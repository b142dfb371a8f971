"""The size and the cost of deciding edits, as counts and ratios of one run.

    python benchmarks/edits.py [--sentences N]

Prints the lines and the English words in the code of ``edits/``, the modules that a check and a fix visit, how often an
edit is decided for each distinct edit, and the share of CPU time that deciding edits adds to a check, with the network
and with the rules alone. One sentence in ten has slanted words.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
from pathlib import Path

import unslant
from unslant.edits import decide
from unslant.edits.fixer import Fixer
from unslant.pipeline import Pipeline
from unslant.spec import TIERS, Spec

PACKAGE = Path(unslant.__file__).parent
OWN = [
    "The legendary singer slammed the radical plan of the council on Monday.",
    "The council met on Tuesday and voted seven to four for the new bridge.",
    "The mayor said that the road would be open again in May of next year.",
    "Prices rose by two percent in the first quarter, the office reported.",
    "The school on Mill Road has two new classrooms and a larger library.",
    "A spokesman for the port said that four ships were waiting on Friday.",
    "The committee will hear three witnesses before it votes on the bill.",
    "Voters in the north of the county chose a new clerk and two judges.",
    "The museum opens at nine and closes at five on every day but Monday.",
    "The company makes pumps and valves and employs about 400 people.",
    "Sadly, the so-called experts claimed that the disastrous reform would work.",
    "The train from the coast was late because of work on the old bridge.",
    "The report gives the cost of each of the six plans in its last table.",
    "Rain fell on nine days in April, which is usual for the time of year.",
    "The court will rule on the appeal before the end of the summer.",
    "Two of the five members of the board did not take part in the vote.",
    "The hospital treated 40 patients on Sunday, most of them for burns.",
    "The new law applies to shops that sell food after ten in the evening.",
    "The band played for an hour and left without a word to the audience.",
    "The library lends books, films and maps to anyone who lives in the town.",
]
VISITED = """
import sys
sys.argv = ["unslant"]
import unslant
from unslant.spec import Spec
unslant.{command}({text!r}, spec=Spec())
print(len([name for name in sys.modules if name.startswith("unslant")]))
"""


def size() -> tuple[int, int]:
    """Return the lines of the package, and the lower-case English words in its strings that are not documentation."""
    lines = words = 0
    for path in sorted((PACKAGE / "edits").glob("*.py")):
        source = path.read_text("utf-8")
        lines += len(source.splitlines())
        tree = ast.parse(source)
        documentation = {
            id(node.value)
            for node in ast.walk(tree)
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        }
        lists = [
            leaf
            for node in ast.walk(tree)
            if isinstance(node, ast.Tuple | ast.Set | ast.List | ast.Compare | ast.Call)
            for leaf in ast.walk(node)
            if isinstance(leaf, ast.Constant) and isinstance(leaf.value, str)
        ]
        plain = {id(leaf): leaf.value for leaf in lists if id(leaf) not in documentation}
        words += sum(len(value.split()) for value in plain.values() if value.replace(" ", "").isalpha())
    return lines, words


def modules(command: str) -> int:
    """Return how many modules of unslant a command imports, in a process of its own."""
    code = VISITED.format(command=command, text=OWN[0])
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return int(done.stdout)


def share(tier: str, texts: list[str]) -> float:
    """Return how much CPU time deciding edits adds to a check, as a share of a check without.

    Each run reads other texts, so that nothing is remembered; runs with and without edits alternate, and the fastest of
    each counts.
    """
    spec = Spec(analyzers=TIERS[tier])
    times: tuple[list[float], list[float]] = ([], [])
    pipelines = [Pipeline(spec, decide=False), Pipeline(spec)]
    for run in range(6):
        for pipeline, own in zip(pipelines, times, strict=True):
            new = [f"{text[:-1]} and {2000 + run}{pipelines.index(pipeline)}." for text in texts]
            start = time.process_time()
            list(pipeline.check(map(unslant.read, new)))
            own.append(time.process_time() - start)
    without, with_edits = (min(own[1:]) for own in times)
    return with_edits / without - 1


def decisions(texts: list[str]) -> tuple[float, float]:
    """Return how often an edit is decided, and the network reads a sentence, for each distinct edit of a check."""
    decided: list[tuple[str, tuple[int, int, str]]] = []
    plain = decide.Decider.judge

    def counting(self: decide.Decider, proposal: decide.Proposal) -> decide.Decision:
        decided.append((proposal.target.text, proposal.tidied.change))
        return plain(self, proposal)

    decide.Decider.judge = counting  # type: ignore[method-assign]
    try:
        list(Fixer(Spec()).fix(unslant.read(text) for text in texts))
        fixing = len(decided) / max(1, len(set(decided)))
        decided.clear()
        list(Pipeline(Spec()).check(unslant.read(text) for text in texts))
    finally:
        decide.Decider.judge = plain  # type: ignore[method-assign]
    return len(decided) / max(1, len(set(decided))), fixing


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=120)
    texts = (OWN * (parser.parse_args().sentences // len(OWN) + 1))[: parser.parse_args().sentences]
    texts = [f"{text[:-1]} in {1900 + number}." for number, text in enumerate(texts)]
    lines, words = size()
    print(f"edits/: {lines:,} lines, {words} English words in code")
    print(f"modules: check {modules('check')}, fix {modules('fix')}")
    checking, fixing = decisions(texts[:30])
    print(f"decisions for each distinct edit: check {checking:.2f}, fix {fixing:.2f}")
    print(f"CPU that edits add to a check: with the network {share('all', texts):.1%}", end="")
    print(f", rules alone {share('rules', texts):.1%}")


if __name__ == "__main__":
    main()
