"""Compare part-of-speech taggers: accuracy on words labelled by hand, and speed.

Run ``python benchmarks/parts_of_speech.py [--misses]``. Taggers that are not installed are skipped. The output is the
tables of docs/parts-of-speech.md.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from unslant.rules.automaton import Tokens
from unslant.rules.inflect import Slot, forms
from unslant.rules.pos import plausible

GOLD = Path(__file__).with_name("parts_of_speech_gold.txt")
PARTS = {"v": "verb", "n": "noun", "adj": "adjective", "adv": "adverb"}


class Question(NamedTuple):
    """Whether a word has a part of speech in its sentence, and a person's answer."""

    held: bool
    sentence: str
    start: int
    word: str
    pos: str
    slot: Slot
    answer: bool
    plain: bool
    """Whether the choice is only between verb and noun, so that no convention about adjectives matters."""


Decide = Callable[[Question], bool]


def questions() -> Iterator[Question]:
    """Yield a question for each part of speech that the word in brackets has, or could have and does not."""
    for line in GOLD.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        part, right, wrong, marked = line.split(" | ")
        start, end = marked.index("["), marked.index("]") - 1
        sentence = marked.replace("[", "").replace("]", "")
        word = sentence[start:end]
        plain = "@ad" not in right + wrong
        for term in (right, *wrong.replace("-", "").split()):
            lemma, pos = term.split("@")
            slot = forms(lemma, pos).get(word.lower())
            if slot is not None:
                yield Question(part == "held", sentence, start, word, pos, slot, term == right, plain)
            elif term == right:
                raise ValueError(f"{word!r} is no form of {term!r}: {line}")


def _always(_: Question) -> bool:
    return True


def unslant(question: Question) -> bool:
    """Decide the way the rules do."""
    tokens = Tokens(question.sentence)
    at = [start for start, _ in tokens.spans].index(question.start)
    return plausible(tokens.context(at), question.pos, question.slot)


def _textblob(with_rules: bool) -> Decide:
    from textblob._text import find_tags
    from textblob.en import lexicon, parser
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    starts = {"v": "VB", "n": "NN", "adj": "JJ", "adv": "RB"}

    def tagged(sentence: str) -> list[tuple[str, str]]:
        if not with_rules:
            return list(tagger.tag(sentence, tokenize=True))
        # the parser of TextBlob 0.20 passes on only its lexicon; the rules that come with it are not used
        tokens = " ".join(parser.find_tokens(sentence)).split()
        return list(find_tags(tokens, lexicon, morphology=lexicon.morphology, context=lexicon.context))

    def decide(question: Question) -> bool:
        # count earlier occurrences of the word to find the right one among the tagged words
        before = Tokens(question.sentence[: question.start]).words.count(question.word.lower())
        tags = [tag for word, tag in tagged(question.sentence) if question.word in word.split("-")]
        return tags[before].startswith(starts[question.pos])

    return decide


def candidates() -> dict[str, Decide]:
    """Return the taggers to compare."""
    found: dict[str, Decide] = {"always yes": _always, "unslant": unslant}
    try:
        found["TextBlob"] = _textblob(with_rules=False)
        found["TextBlob with its rules"] = _textblob(with_rules=True)
    except ModuleNotFoundError:
        print("TextBlob is not installed; skipped", file=sys.stderr)
    return found


def right(decide: Decide, held: bool, plain: bool = False) -> tuple[int, int]:
    """Return how many questions of one part of the set are answered correctly, and how many there are."""
    asked = [question for question in questions() if question.held == held and question.plain >= plain]
    return sum(decide(question) == question.answer for question in asked), len(asked)


def precision_recall(decide: Decide, held: bool, pos: str) -> tuple[float, float]:
    """Return precision and recall for one part of speech."""
    asked = [question for question in questions() if question.held == held and question.pos == pos]
    answers = [decide(question) for question in asked]
    both = sum(answer and question.answer for answer, question in zip(answers, asked, strict=True))
    return both / max(1, sum(answers)), both / max(1, sum(question.answer for question in asked))


def microseconds(decide: Decide) -> float:
    """Return the time of one decision, including reading its sentence, which every tagger has to do."""
    asked = list(questions())
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        for question in asked:
            decide(question)
        best = min(best, time.perf_counter() - start)
    return best / len(asked) * 1e6


def milliseconds_to_load(statement: str) -> float:
    """Return the time that a statement adds to the start-up of a fresh interpreter."""

    def run(code: str) -> float:
        best = float("inf")
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([sys.executable, "-c", code], check=True)
            best = min(best, time.perf_counter() - start)
        return best

    return (run(statement) - run("pass")) * 1e3


LOAD = {
    "always yes": "pass",
    "unslant": f"import sys; sys.path[:0] = {sys.path!r}; import unslant.rules.pos",
    "TextBlob": "from textblob.en.taggers import PatternTagger; PatternTagger().tag('It is.')",
}
LOAD["TextBlob with its rules"] = LOAD["TextBlob"]


def main(misses: bool) -> None:
    """Print the tables, or the wrong answers among the uses that the heuristic was tuned on."""
    if misses:
        for question in questions():
            if not question.held and unslant(question) != question.answer:
                print(
                    f"{question.word} is {'' if question.answer else 'not '}{question.pos}: {question.sentence}"
                )
        return
    ways = candidates()
    print("| | questions |", " | ".join(ways), "|")
    print("|---|---:|" + "---:|" * len(ways))
    for name, held in (("tuning set", False), ("held out", True)):
        for what, plain in (("correct answers", False), ("verb or noun only", True)):
            scores = [right(decide, held, plain) for decide in ways.values()]
            row = " | ".join(f"{good / total:.1%}" for good, total in scores)
            print(f"| {name}: {what} | {scores[0][1]} | {row} |")
        for pos, long in PARTS.items():
            asked = sum(question.held == held and question.pos == pos for question in questions())
            pairs = [precision_recall(decide, held, pos) for decide in ways.values()]
            row = " | ".join(f"{precision:.2f} / {recall:.2f}" for precision, recall in pairs)
            print(f"| {name}: {long}, precision / recall | {asked} | {row} |")
    row = " | ".join(f"{microseconds(decide):.1f}" for decide in ways.values())
    print(f"| microseconds per decision | | {row} |")
    row = " | ".join(f"{milliseconds_to_load(LOAD[name]):.0f}" for name in ways)
    print(f"| milliseconds to load | | {row} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument(
        "--misses", action="store_true", help="list the wrong answers, without those on held-out uses"
    )
    main(parser.parse_args().misses)
