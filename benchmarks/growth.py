"""Measure how the time of `check` and `fix` grows with the text, for shapes of text and markup made to be slow.

    python benchmarks/growth.py [--shapes NAME ...] [--formats NAME ...] [--tasks check fix] [--model] [--shortest N]

Each shape is repeated to n, 2n and 4n characters and read in each format. The table shows the CPU time per thousand
characters and the ratios of both doublings; linear time means 2. The exit code is 1 if a ratio exceeds 2.3 in every one
of several attempts, also at two and four times the length. `--model` uses the model in addition to the rules.
"""

from __future__ import annotations

import argparse
import gc
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import FrameType

from unslant.core.types import Document, Report
from unslant.pipeline import Pipeline
from unslant.rewrite import Fixed, Fixer
from unslant.spec import Spec
from unslant.text.reading import read

BOUND = 2.3
"""The ratio at each doubling that still counts as linear."""
SHORTEST = {"check": 4_000, "fix": 2_000}
LONGEST = 32_000
"""The smallest and the largest n."""
ENOUGH = 0.003
"""Seconds of CPU time that n characters should take, so that the clock is precise enough."""
ATTEMPTS = 4
DOUBLINGS = 3
"""How often to measure, and at how many lengths, before a shape counts as worse than linear."""
TOO_LONG = 300
"""Seconds after which a single measurement is given up."""

SENTENCE = "The legendary singer slammed the plan. "

TEXTS = {
    "prose": "The council met on Tuesday and approved the budget of the coming year. ",
    "loaded prose": SENTENCE,
    "one adjective": "legendary ",
    "adjectives with and": "legendary and ",
    "adjectives with commas": "iconic, ",
    "adjectives by line": "legendary\n",
    "adjectives by paragraph": "stunning\n\n",
    "verbs": "slammed ",
    "claims": "claimed that ",
    "claims by sentence": "He claimed that it was clear. ",
    "degrees": "very truly ",
    "roles": "the chairman and ",
    "openers": "Sadly, ",
    "weasels": "many people say that ",
    "capitals": "LEGENDARY SLAMMED ",
    "title case": "Legendary Singer Slammed ",
    "hyphens": "so-called-",
    "apostrophes": "don't'",
    "one word": "a",
    "one number": "7",
    "initials": "A. ",
    "titles": "Mr. ",
    "abbreviations": "e.g. the U.S. ",
    "full stops": ".",
    "spaced full stops": ". ",
    "questions": "?! ",
    "dashes": "-",
    "brackets": "(",
    "closed brackets": "() ",
    "articles": "a an the ",
    "prepositions": "of in by ",
    "spaces": " ",
    "spaces and a word": " " * 50 + "a",
    "tabs": "\ta",
    "line ends": "\n",
    "carriage returns": "a\r",
    "both line ends": "a\r\n",
    "line separators": "a\u2028",
    "NUL": "a\0",
    "combining marks": "e\u0301\u0327",
    "only combining marks": "\u0301",
    "joiners": "\U0001f469\u200d",
    "dotted I": "\u0130",
    "sharp s": "\u00df\ufb01",
    "lone surrogates": "a\ud800 ",
    "Chinese": "\u4e2d\u6587\u3002",
    "German": "Der Rat hat am Dienstag den Haushalt des kommenden Jahres beschlossen. ",
    "footnotes": "It was so.[1][2] ",
    "addresses": "https://example.org/a ",
    "one address": "www.a.",
    "mails": "a@b.org ",
    "one mail": "a@b.",
}
QUOTATIONS = {
    "straight marks": '"',
    "spaced straight marks": ' "',
    "straight pairs": '"a" ',
    "curly opening": "\u201c",
    "curly opening and word": "\u201ca ",
    "curly closing": "\u201d",
    "curly pairs": "\u201ca\u201d ",
    "low marks": "\u201e",
    "low marks and word": "\u201ea ",
    "guillemets": "\u00ab",
    "closed guillemets": "\u00bb",
    "reversed guillemets": "\u00bba\u00ab ",
    "nested marks": "\u201c\u2018\u00ab",
    "single marks": "'",
    "single pairs": "'a' ",
    "curly single": "\u2018a ",
    "possessives": "the dogs' ",
    "inches": "5'10\" ",
    "open paragraphs": "\u201cThe plan.\n\n",
    "scare quotes": 'the "plan" ',
}
MARKUP = {
    "asterisks": "*",
    "emphasis": "*a* ",
    "open emphasis": "**a ",
    "mixed emphasis": "*a _b ",
    "underscores": "_",
    "backticks": "`",
    "growing code": "``a` ",
    "backslashes": "\\",
    "open square": "[",
    "close square": "]",
    "open link": "[a](",
    "link": "[a](b) ",
    "nested link": "[a [b](c) ",
    "reference": "[a][b] ",
    "definition": "[a]: b\n",
    "footnote": "[^1] a\n\n[^1]: b\n\n",
    "image": "![",
    "headings": "# a\n",
    "open heading": "#",
    "underlined": "a\n=\n",
    "quoted lines": "> a\n",
    "deep quotation": ">",
    "items": "- a\n",
    "nested items": "- ",
    "numbered": "1. a\n",
    "indented": "    a\n",
    "fences": "```\n",
    "open fences": "```a\nb\n",
    "rules": "---\n",
    "tables": "|a|b|\n|-|-|\n",
    "bars": "|",
    "dollars": "$a$ ",
    "less": "<",
    "tag": "<b>",
    "tags": "<b>a</b>",
    "closing tags": "</b>",
    "open tag": "<a ",
    "attributes": '<a b="c" ',
    "open attribute": '<a b="',
    "paragraph tags": "<p>a",
    "list tags": "<ul><li>a",
    "table tags": "<table><tr><td>a",
    "quotation tags": "<q>a",
    "closed quotation tags": "<blockquote>a</blockquote>",
    "code tags": "<code>",
    "pre": "<pre>a",
    "script": "<script>",
    "style": "<style>a</style>",
    "open comment": "<!--",
    "comments": "<!-- a -->",
    "comment ends": "-->",
    "declarations": "<!a",
    "data sections": "<![CDATA[",
    "instructions": "<?",
    "entities": "&amp;",
    "open entities": "&#",
    "open template": "{{",
    "templates": "{{a|b}} ",
    "template ends": "}}",
    "template bars": "{{a|",
    "triple braces": "{{{a}}}",
    "open wiki table": "{|\n",
    "wiki tables": "{|\n|-\n| a\n|}\n",
    "open wiki link": "[[",
    "wiki links": "[[a|b]] ",
    "wiki link bars": "[[a|",
    "files": "[[File:a|b|[[c]]]] ",
    "bold": "'''",
    "italic": "''a ",
    "wiki headings": "== a ==\n",
    "equals": "=",
    "wiki lists": "*#:; a\n",
    "references": "<ref>a</ref>",
    "open references": "<ref>",
    "named references": '<ref name="a"/>',
    "no wiki": "<nowiki>",
    "magic words": "__TOC__ ",
    "external links": "[http://a b] ",
}
IGNORES = {
    "ignores by line": "legendary <!-- unslant: ignore framing -- a -->\n",
    "ignores on one line": "<!-- unslant: ignore framing -- a --> ",
    "ignores above": "<!-- unslant: ignore framing -- a -->\nlegendary\n",
    "ignores in code": "# unslant: ignore framing -- a\nlegendary\n",
    "ignores of files": "<!-- unslant: ignore-file gender -- a -->\nlegendary\n",
    "open blocks": "<!-- unslant: ignore-block gender -- a -->\nlegendary\n",
    "blocks": "<!-- unslant: ignore-block gender -- a -->\nlegendary\n<!-- unslant: end-ignore -->\n",
    "block ends": "<!-- unslant: end-ignore -->\n",
    "wrong ignores": "<!-- unslant: ignroe framing -->\n",
    "bare signs": "unslant: ",
}


def _nested(opening: str, closing: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        count = length // (len(opening) + len(closing))
        return opening * count + SENTENCE + closing * count

    return make


def _numbered(unit: str) -> Callable[[int], str]:
    def make(length: int) -> str:
        return "".join(unit.format(number) for number in range(length // len(unit)))[:length]

    return make


def _indented(length: int) -> str:
    """Return a list whose every item is inside the one before."""
    depth = int((2 * length) ** 0.5) // 2
    return "".join(f"{'  ' * level}- legendary\n" for level in range(depth))


MADE: Mapping[str, Callable[[int], str]] = {
    "numbered sentences": _numbered("In {}, the legendary singer slammed the plan. "),
    "numbered adjectives": _numbered("legendary{} iconic "),
    "numbered ignores": _numbered("legendary <!-- unslant: ignore rule/{} -- a -->\n"),
    "numbered blocks": _numbered("<!-- unslant: ignore-block rule/{} -- a -->\nlegendary\n"),
    "numbered definitions": _numbered("[a{0}]: b\n\nThe legendary [a{0}] plan.\n\n"),
    "structure at risk": _numbered("Sadly, # {} legendary users.\n\n"),
    "deep list": _indented,
    "deep tags": _nested("<div>", "</div>"),
    "deep templates": _nested("{{a|", "}}"),
    "deep brackets": _nested("[", "]"),
    "deep wiki links": _nested("[[", "]]"),
    "deep wiki tables": _nested("{|\n|\n", "|}\n"),
    "deep emphasis": _nested("*_", "_*"),
    "deep marks": _nested("\u201c", "\u201d"),
    "deep references": _nested("<ref>", "</ref>"),
}
FORMATS = ("text", "markdown", "html", "wikitext")


def _repeated(unit: str) -> Callable[[int], str]:
    return lambda length: unit * max(1, length // len(unit))


def _mixed(unit: str) -> Callable[[int], str]:
    """Repeat a unit with a sentence to fix now and then."""
    block = unit * max(1, 60 // len(unit)) + SENTENCE
    return lambda length: block * max(1, length // len(block))


def shapes(task: str) -> dict[str, Callable[[int], str]]:
    """Return the makers of texts by name; those that are fixed have something to fix in them."""
    units = TEXTS | QUOTATIONS | MARKUP | IGNORES
    repeat = _repeated if task == "check" else _mixed
    return {name: repeat(unit) for name, unit in units.items()} | MADE


class Slow(Exception):
    """A measurement took too long."""


def _give_up(_number: int, _frame: FrameType | None) -> None:
    raise Slow


Run = Callable[[Iterable[Document]], Iterable[Report | Fixed]]


def measure(run: Callable[[], Run], text: str, form: str) -> float:
    """Return the CPU time that one text takes."""
    runner = run()
    gc.collect()
    signal.alarm(TOO_LONG)
    try:
        began = time.process_time()
        for _ in runner([read(text, form)]):
            pass
        return time.process_time() - began
    finally:
        signal.alarm(0)


@dataclass(frozen=True)
class Growth:
    """The times at n, 2n and 4n characters."""

    length: int
    times: tuple[float, float, float]

    @property
    def ratios(self) -> tuple[float, float]:
        """How much longer each doubling takes."""
        first, second, third = self.times
        return second / first, third / second

    @property
    def linear(self) -> bool:
        """Whether both are within the bound."""
        return max(self.ratios) <= BOUND


def grow(run: Callable[[], Run], make: Callable[[int], str], form: str, shortest: int) -> Growth:
    """Measure a shape; while it seems worse than linear, measure again, then at twice the length.

    Noise goes away with repetition and length, while a shape that is worse than linear becomes worse.
    """
    length = shortest
    while measure(run, make(length), form) < ENOUGH and length < LONGEST:
        length *= 2
    for doubled in range(DOUBLINGS):
        growth = _measure_three(run, make, form, length << doubled)
        if growth.linear:
            break
    return growth


def _measure_three(run: Callable[[], Run], make: Callable[[int], str], form: str, length: int) -> Growth:
    """Measure three lengths, keeping the best time of each, until they look linear."""
    times = [float("inf")] * 3
    for _ in range(ATTEMPTS):
        again = [measure(run, make(length * factor), form) for factor in (1, 2, 4)]
        times = [min(pair) for pair in zip(times, again, strict=True)]
        growth = Growth(length, (times[0], times[1], times[2]))
        if growth.linear:
            break
    return growth


def main() -> int:
    """Print the table; return 1 if something grows faster than the text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shapes", nargs="*", default=[])
    parser.add_argument("--formats", nargs="*", default=FORMATS)
    parser.add_argument("--tasks", nargs="*", default=["check", "fix"])
    parser.add_argument("--model", action="store_true")
    parser.add_argument("--shortest", type=int, metavar="N", help="begin with texts of this many characters")
    arguments = parser.parse_args()
    spec = Spec() if arguments.model else Spec(analyzers=("rules",))
    pipeline = Pipeline(spec)
    runs: dict[str, Callable[[], Run]] = {"check": lambda: pipeline.check, "fix": lambda: Fixer(spec).fix}
    signal.signal(signal.SIGALRM, _give_up)
    cells = bad = 0
    print(f"{'task':6} {'format':9} {'shape':28} {'n':>6} {'ms per 1000':>11} {'2n/n':>5} {'4n/2n':>5}")
    for task in arguments.tasks:
        for form in arguments.formats:
            measure(runs[task], SENTENCE, form)
            for name, make in shapes(task).items():
                if arguments.shapes and name not in arguments.shapes:
                    continue
                cells += 1
                try:
                    growth = grow(runs[task], make, form, arguments.shortest or SHORTEST[task])
                except Slow:
                    bad += 1
                    print(f"{task:6} {form:9} {name:28} more than {TOO_LONG} seconds  <<<", flush=True)
                    continue
                bad += not growth.linear
                print(
                    f"{task:6} {form:9} {name:28} {growth.length:6} {1e6 * growth.times[0] / growth.length:11.2f}"
                    f" {growth.ratios[0]:5.2f} {growth.ratios[1]:5.2f}{'' if growth.linear else '  <<<'}",
                    flush=True,
                )
    count = len({name for task in arguments.tasks for name in shapes(task)})
    print(f"\n{cells} cells ({count} shapes), {bad} worse than linear")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
