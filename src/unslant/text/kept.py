"""Words that the writer keeps: listed outside of the text, and found again when the text has changed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from unslant.core.taxonomy import PREFIX
from unslant.core.types import Finding, KeptWords
from unslant.text.words import WORD

LONGEST_SENTENCE = 300
"""How much of a sentence is listed, to recognise it when some of its words have changed."""
_LONGEST_WORDS = 200


def one_line(text: str, most: int) -> str:
    """Return a text on one line, shortened to so many code points."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "\u2026"


def mostly_same(sentence: str, other: str) -> bool:
    """Return whether two sentences have more than half of their words in common; both shortened by ``one_line``."""
    old, new = (Counter(word.lower() for word in WORD.findall(text)) for text in (sentence, other))
    return 2 * (old & new).total() > max(old.total(), new.total())


def keep_words(finding: Finding, sentence: str, reason: str = "") -> KeptWords:
    """Return the entry that keeps the words of a finding in this sentence."""
    return KeptWords(
        finding.rule or finding.kind,
        one_line(finding.text, _LONGEST_WORDS),
        one_line(sentence, LONGEST_SENTENCE),
        one_line(reason, LONGEST_SENTENCE),
    )


def without_kept(
    findings: Sequence[Finding], kept: Sequence[KeptWords], sentence_of: Callable[[Finding], str]
) -> tuple[Finding, ...]:
    """Return the findings that no entry is about; each entry is about one finding.

    Sentences that stand as they were come first; then those of which at most half of the words have changed.
    """
    left = list(kept)
    sentences = {finding: one_line(sentence_of(finding), LONGEST_SENTENCE) for finding in findings}

    def about(finding: Finding, same: Callable[[str, str], bool]) -> bool:
        words = one_line(finding.text, _LONGEST_WORDS)
        for at, entry in enumerate(left):
            if (
                words == entry.words
                and _same_rule(finding, entry)
                and same(entry.sentence, sentences[finding])
            ):
                del left[at]
                return True
        return False

    unchanged = {finding for finding in findings if about(finding, str.__eq__)}
    return tuple(
        finding for finding in findings if finding not in unchanged and not about(finding, mostly_same)
    )


def _same_rule(finding: Finding, entry: KeptWords) -> bool:
    """Return whether an entry names the rule; the model may see another technique in words that did not change."""
    name = finding.rule or finding.kind
    return name == entry.rule or (name.startswith(PREFIX) and entry.rule.startswith(PREFIX))
