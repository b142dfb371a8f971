"""Whether an edit that no rule vouches for takes out, or puts in, words that say something."""

from __future__ import annotations

from unslant.core.types import Applicability
from unslant.rewrite.candidate import Candidate
from unslant.rewrite.change import Words
from unslant.rewrite.ranking import stem
from unslant.rules.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    DETERMINERS,
    FUNCTION,
    NO_ADVERBS,
    PERHAPS_ADJECTIVE_ENDINGS,
)

__all__ = ["lost_meaning"]

_ENDINGS = (
    *ADJECTIVE_ENDINGS,
    *PERHAPS_ADJECTIVE_ENDINGS,
    *("ing", "ed", "ish", "est", "esque", "some", "ant", "ent", "ly", "worthy", "ble", "ular"),
)
_NOUN_ENDINGS = ("ment", "tion", "ition", "student", "president", "agent", "parent", "resident")
_MORE_ADJECTIVES = frozenset(
    "superb sublime awesome supreme ultimate perfect epic vast huge proud brave noble vile cruel".split()
)
_SAY_SOMETHING = frozenset(
    "false fake former failed unfounded baseless illegal unlawful criminal convicted disputed unproven unverified "
    "debunked discredited disgraced dead deadly fatal armed public private federal national local political military "
    "foreign domestic religious racial sexual medical legal official elected appointed married divorced pregnant "
    "disabled blind deaf early late annual daily weekly monthly only sole partial total final original".split()
)
"""Words that only describe, but say something that may be checked; leaving them out is for a person to decide."""


def lost_meaning(text: str, candidate: Candidate) -> tuple[str, Applicability] | None:
    """Return why a person should look at what the edit does to the meaning, and the verdict; None: nothing is lost.

    A rule's own wording is vouched for by whoever wrote the rule. The edit model may leave out what it stands by, words
    that can be checked aside. Otherwise only words that describe may go, where the writer's view is what they add. No
    word may come that was not there before. Simply leaving out anything else is no fix.
    """
    if candidate.vouched:
        return None
    change, deletion = candidate.change, candidate.origin == "deletion"
    before, removed, put = Words(text), Words(text[change.start : change.end]), Words(change.text)
    stems = {stem(word) for word in removed.plain}
    for at, word in enumerate(put.plain):
        if put.is_word(at) and word not in FUNCTION and stem(word) not in stems:
            return f"Nobody vouches that \u201c{put.written[at]}\u201d says the same.", Applicability.REVIEW
    if candidate.origin == "edits" and not put.count():
        return _left_out(before, candidate)
    following = before.after(change.end)
    for at in range(before.after(change.start), following):
        if not _only_describes(before, at, following):
            verdict = Applicability.DISPLAY if deletion else Applicability.REVIEW
            return f"\u201c{before.written[at]}\u201d may say something that should stay.", verdict
    if deletion and candidate.kind != "framing":
        return "The words may say something that should stay.", Applicability.REVIEW
    return None


def _left_out(words: Words, candidate: Candidate) -> tuple[str, Applicability] | None:
    """Judge words that the edit model leaves out: it has learned from editors which say nothing that is missed."""
    if not candidate.stood_by:
        return "The model is not sure of it.", Applicability.REVIEW
    change = candidate.change
    for at in range(words.after(change.start), words.after(change.end)):
        if words.plain[at] in _SAY_SOMETHING:
            return (
                f"\u201c{words.written[at]}\u201d may say something that should stay.",
                Applicability.REVIEW,
            )
    return None


def _only_describes(words: Words, at: int, following: int) -> bool:
    word = words.plain[at]
    if not words.is_word(at) or word in ADVERBS or word in ("and", "or", "a", "an"):
        return True
    if word in _SAY_SOMETHING or word in DETERMINERS or word in FUNCTION:
        return False
    if word.endswith("ly") and word not in NO_ADVERBS:
        return True
    return _describing(word) and _before_noun(words, at, following)


def _describing(word: str) -> bool:
    shaped = word.endswith(_ENDINGS) and len(word) > 4 and not word.endswith(_NOUN_ENDINGS)
    return shaped or word in ADJECTIVES or word in _MORE_ADJECTIVES


def _before_noun(words: Words, start: int, following: int) -> bool:
    """Say whether a word follows that can be described; without, the words left out were what is said."""
    if words.plain[following : following + 1] == ['"']:
        # "the legendary "Night Owl"", but not "it was legendary "in its way""
        return start > 0 and words.plain[start - 1] in DETERMINERS
    while following < len(words) and (
        words.plain[following] in (",", "and", "or") or _describing(words.plain[following])
    ):
        following += 1
    return following < len(words) and words.is_word(following) and words.plain[following] not in FUNCTION
