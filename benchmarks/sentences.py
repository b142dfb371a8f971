"""Compare sentence segmenters: accuracy on cases marked by hand, and speed.

Run ``python benchmarks/sentences.py [megabytes]``; candidates that are not installed are left out. The table
is the one in docs/sentences.md.
"""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

GOLD = Path(__file__).with_name("sentences_gold.txt")
Split = Callable[[str], list[str]]


class Case(NamedTuple):
    """A text and the sentences a person finds in it."""

    category: str
    text: str
    sentences: list[str]


def cases() -> Iterator[Case]:
    """Yield the cases marked by hand."""
    category = ""
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        if line.startswith("[") and line.endswith("]"):
            category = line[1:-1]
            continue
        marked = line.replace("⏎", "\n")
        yield Case(category, marked.replace(" | ", " "), [part.strip() for part in marked.split("|")])


def _unslant() -> Split:
    from unslant.core.types import Document
    from unslant.spec import Spec
    from unslant.text.sentences import NupunktSegmenter

    segmenter = NupunktSegmenter(Spec())
    return lambda text: [sentence.text for sentence in segmenter.split(Document(text, text))]


def _nupunkt() -> Split:
    import nupunkt

    return nupunkt.load_default_model().texts


def _sentencex() -> Split:
    import sentencex

    return lambda text: list(sentencex.segment("en", text))


def _syntok() -> Split:
    from syntok import segmenter

    def split(text: str) -> list[str]:
        return [
            text[sentence[0].offset : sentence[-1].offset + len(sentence[-1].value)]
            for paragraph in segmenter.process(text)
            for sentence in paragraph
            if sentence
        ]

    return split


def _pysbd() -> Split:
    import pysbd

    segmenter = pysbd.Segmenter(language="en", clean=False)
    return lambda text: list(segmenter.segment(text))


CANDIDATES: dict[str, Callable[[], Split]] = {
    "unslant": _unslant,
    "nupunkt": _nupunkt,
    "sentencex": _sentencex,
    "syntok": _syntok,
    "pysbd": _pysbd,
}


def installed() -> dict[str, Split]:
    """Return the candidates that can be imported."""
    found: dict[str, Split] = {}
    for name, make in CANDIDATES.items():
        try:
            found[name] = make()
        except ModuleNotFoundError:
            print(f"{name} is not installed and left out", file=sys.stderr)
    return found


def accuracy(split: Split) -> dict[str, list[bool]]:
    """Say for each case of each category whether all its sentences were found exactly."""
    right: dict[str, list[bool]] = defaultdict(list)
    for case in cases():
        found = [sentence.strip() for sentence in split(case.text)]
        right[case.category].append([sentence for sentence in found if sentence] == case.sentences)
    return right


def corpus(megabytes: float) -> str:
    """Return text of this size: the cases' sentences in paragraphs of a dozen cases, over and over."""
    texts = [" ".join(case.text.split()) for case in cases()]
    paragraphs = [" ".join(texts[at : at + 12]) for at in range(0, len(texts), 12)]
    once = "\n\n".join(paragraphs) + "\n\n"
    return once * max(1, round(megabytes * 1e6 / len(once)))


def unclosed(megabytes: float) -> str:
    """Return one paragraph of this size, full of quotation marks that are never closed."""
    once = "“ The door is open , she said . He left . "
    return once * round(megabytes * 1e6 / len(once))


def seconds_per_megabyte(split: Split, text: str) -> float:
    """Return the time for a megabyte of code points, once everything is loaded."""
    split(text[:2000])
    start = time.perf_counter()
    split(text)
    return (time.perf_counter() - start) / (len(text) / 1e6)


def main(megabytes: float) -> None:
    """Print the table."""
    candidates = installed()
    rights = {name: accuracy(split) for name, split in candidates.items()}
    print("| category | cases |", " | ".join(candidates), "|")
    print("|---|---:|" + "---:|" * len(candidates))
    for category, marks in next(iter(rights.values())).items():
        row = " | ".join(str(sum(right[category])) for right in rights.values())
        print(f"| {category} | {len(marks)} | {row} |")
    total = sum(len(marks) for marks in next(iter(rights.values())).values())
    row = " | ".join(f"{sum(map(sum, right.values())) / total:.1%}" for right in rights.values())
    print(f"| **all** | {total} | {row} |")
    texts = {
        "seconds per megabyte": corpus(megabytes),
        "… with unclosed quotation marks": unclosed(megabytes),
        "… with a paragraph half as long": unclosed(megabytes / 2),
    }
    for name, text in texts.items():
        row = " | ".join(f"{seconds_per_megabyte(split, text):.3f}" for split in candidates.values())
        print(f"| {name} | | {row} |")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.2)
