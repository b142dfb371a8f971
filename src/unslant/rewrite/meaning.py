"""Whether an edit that no rule vouches for removes or adds meaning."""

from __future__ import annotations

from unslant.core.types import Applicability
from unslant.rewrite.records import earned_class
from unslant.rewrite.result import Suggestion
from unslant.rewrite.scoring import stem
from unslant.rewrite.wordings import WORDINGS
from unslant.text.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BE,
    DETERMINERS,
    FUNCTION,
    HAVE,
    NO_ADVERBS,
    PASTS,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
)
from unslant.text.words import Words, split_words

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
    "disabled blind deaf early late annual daily weekly monthly only sole partial total final original defunct "
    "now-defunct provable coherent unusual rare racist sexist bullish bearish decisive forced actual unarmed violent "
    "peaceful retired elected unelected part-time full-time transparent aggressive award-winning hawkish dovish "
    "stagnant cool strict faint rough erstwhile green shady sliding slipping falling rising growing "
    "shrinking declining dwindling waning futile fruitless reliably".split()
)
"""Describing words that state something checkable; a person must decide whether to leave them out."""
_FACTUAL_PARTS = frozenset(
    "cut based free led backed funded owned born trained armed wide term old long made grown speaking rated run "
    "occupied controlled linked related sponsored level time produced built elect".split()
)
"""Second parts of compounds that state something checkable: *a brilliant-cut diamond*, *a state-owned bank*."""
_SURE = 0.7
"""At or above this probability, a word that the edit model writes needs no review."""
_JOINING = frozenset(("and", "but", "or", "yet"))
_CONNECTIVES = frozenset("so then thus therefore hence still yet".split())
"""Adverbs that say how sentences follow from each other."""
_CONTRACTED = frozenset("he's she's it's that's there's here's who's what's where's how's let's".split())
"""Words that end like a possessive, but hold a verb: *he's infuriating voters*."""
_GROUNDS = frozenset("for with by".split())
"""What opens a phrase that says why or how, if an article follows: *…, for a very personal reason*."""
_STOPS = frozenset(("", ",", ".", ";", ":", "!", "?", ")"))
_LEADS = DETERMINERS | PREPOSITIONS | BE | HAVE | _JOINING | frozenset(("", ",", "(", '"', "as", "to"))
"""What a describing word may follow."""


def lost_meaning(text: str, suggestion: Suggestion) -> tuple[str, Applicability] | None:
    """Return why a person should review what the edit does to the meaning, and the verdict; None: nothing is lost.

    The author of a rule answers for its wording. Where the edit model is confident it may delete words, except those
    that state something checkable, and replace one word by another. Otherwise only describing words may go, and no new
    word may be added. Deleting anything else is not a fix; deleting what a model merely flags needs review.
    """
    if suggestion.by_rule:
        return None
    bare, deletion = suggestion.bare, suggestion.origin == "deletion"
    before, removed, put = (
        split_words(text),
        split_words(text[bare.start : bare.end]),
        split_words(bare.replacement),
    )
    if suggestion.origin == WORDINGS:
        return _judge_listed(before, removed, put, suggestion)
    stems = {stem(word) for word in removed.plain}
    for at, word in enumerate(put.plain):
        if put.is_word(at) and word not in FUNCTION and stem(word) not in stems and not suggestion.confident:
            return f"Nobody vouches that \u201c{put.written[at]}\u201d says the same.", Applicability.REVIEW
    if suggestion.origin == "edits" and not suggestion.confident:
        return "The model is not sure of it.", Applicability.REVIEW
    if suggestion.confident:
        return _left_out(before, suggestion) if not put.count() else _written(removed, put, suggestion.trust)
    following = before.after(bare.end)
    for at in range(before.after(bare.start), following):
        if not _only_describes(before, at, following):
            verdict = Applicability.DISPLAY if deletion else Applicability.REVIEW
            return f"\u201c{before.written[at]}\u201d may say something that should stay.", verdict
    if deletion and any(
        finding.kind != "framing" or finding.origin == "model" for finding in suggestion.findings
    ):
        return "The words may say something that should stay.", Applicability.REVIEW
    return None


def _states_fact(word: str) -> bool:
    _, hyphen, last = word.rpartition("-")
    return bool(hyphen) and last in _FACTUAL_PARTS


def _judge_listed(
    words: Words, removed: Words, put: Words, suggestion: Suggestion
) -> tuple[str, Applicability] | None:
    """Judge an edit of the list of wordings, which knows words but not the sentence."""
    if any(removed.is_word(at) and word not in put.plain for at, word in enumerate(removed.plain)):
        lost = _left_out(words, suggestion) if not put.count() else None
        if lost is not None:
            return lost
    if not put.count() and earned_class(suggestion) is not None:
        return None
    return "The wording is usual, but nobody vouches that it says the same here.", Applicability.REVIEW


def _left_out(words: Words, suggestion: Suggestion) -> tuple[str, Applicability] | None:
    """Judge words that the edit model leaves out: it has learned from editors which words nobody misses."""
    first, following = words.after(suggestion.bare.start), words.after(suggestion.bare.end)
    for at in range(first, following):
        if words.plain[at] in _SAY_SOMETHING or _states_fact(words.plain[at]):
            return (
                f"\u201c{words.written[at]}\u201d may say something that should stay.",
                Applicability.DISPLAY,
            )
    if not _can_go(words, first, following):
        return "What is left may miss the words.", Applicability.DISPLAY
    return None


def _written(removed: Words, put: Words, trust: float) -> tuple[str, Applicability] | None:
    """Judge a word that the edit model writes: it has learned which single words editors replace by which."""
    one_for_one = removed.count() == put.count() == 1
    if trust >= _SURE and one_for_one and not {*removed.plain, *put.plain} & (FUNCTION | _SAY_SOMETHING):
        return None
    return "Nobody vouches that the wording says the same.", Applicability.REVIEW


def _can_go(words: Words, first: int, following: int) -> bool:
    """Say whether a sentence works without some words: adverbs, words before a noun, phrases that are set off."""
    inside = [at for at in range(first, following) if words.is_word(at)]
    if len(inside) == 1 and words.plain[inside[0]] in _CONNECTIVES:
        return False
    if all(_adverb(words.plain[at]) for at in inside):
        return bool(inside)
    if all(words.plain[at] in FUNCTION for at in inside):
        return False
    if words.plain[first] in _JOINING and any(words.plain[at] in DETERMINERS for at in inside[1:]):
        # "its opera and its world-class orchestra"
        return False
    before, after = (words.plain[at] if 0 <= at < len(words) else "" for at in (first - 1, following))
    last = words.plain[inside[-1]]
    if words.plain[following - 1] == ",":
        return before in ("", ",")
    if after in _STOPS:
        listed = after == "," and before in DETERMINERS and _describing(last)
        return listed or _set_off(words, first, following, before)
    if after in FUNCTION or not words.is_word(following) or _may_be_verb(words, inside[-1]):
        return False
    if _possessive(before) and (after in PASTS or after.endswith("ed")) and not _describing(last):
        # "Franco's dictatorship ended"
        return False
    leads = before in _LEADS or _possessive(before) or _describing(before) or _adverb(before)
    # after a noun, a word with the ending of a verb may be one
    return leads or words.plain[first] in _JOINING or (_describing(last) and not last.endswith(("ed", "ing")))


def _set_off(words: Words, first: int, following: int, before: str) -> bool:
    """Say whether words before a stop are a phrase of their own: *Sadly, …*, *…, and rightly so.*, *(the best)*."""
    if words.plain[first] in _JOINING or words.plain[first] == "(":
        return True
    several = following - first > 1
    opening = first + (words.plain[first] == ",")
    if words.plain[opening] in _GROUNDS and words.plain[opening + 1 : opening + 2] in (
        ["a"],
        ["an"],
        ["the"],
    ):
        return False
    return several and (before in (",", "(") or words.plain[first] == "," or not before)


def _possessive(word: str) -> bool:
    return word.endswith(("'s", "s'")) and word not in _CONTRACTED


def _adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and word not in NO_ADVERBS)


def _only_describes(words: Words, at: int, following: int) -> bool:
    word = words.plain[at]
    if not words.is_word(at) or word in ADVERBS or word in ("and", "or", "a", "an"):
        return True
    if word in _SAY_SOMETHING or word in DETERMINERS or word in FUNCTION:
        return False
    if _adverb(word):
        return True
    return _describing(word) and not _may_be_verb(words, at) and _before_noun(words, at, following)


def _may_be_verb(words: Words, at: int) -> bool:
    """Say whether a word with the ending of a verb stands where one may: *Rebels executed teachers*, *has slammed*."""
    word = words.plain[at]
    if not word.endswith(("ed", "ing")):
        return False
    before = at - 1
    while before >= 0 and _adverb(words.plain[before]):
        before -= 1
    if before < 0:
        return word.endswith("ing")
    leads = words.plain[before]
    return not (
        leads in DETERMINERS
        or (leads in PREPOSITIONS and word.endswith("ed"))
        or _possessive(leads)
        or leads in _JOINING
    )


def _describing(word: str) -> bool:
    shaped = word.endswith(_ENDINGS) and len(word) > 4 and not word.endswith(_NOUN_ENDINGS)
    return shaped or word in ADJECTIVES or word in _MORE_ADJECTIVES


def _before_noun(words: Words, start: int, following: int) -> bool:
    """Say whether a word that can be described follows; otherwise the words left out were the statement itself."""
    if words.plain[following : following + 1] == ['"']:
        # "the legendary "Night Owl"", but not "it was legendary "in its way""
        return start > 0 and words.plain[start - 1] in DETERMINERS
    while following < len(words) and (
        words.plain[following] in (",", "and", "or") or _describing(words.plain[following])
    ):
        following += 1
    return following < len(words) and words.is_word(following) and words.plain[following] not in FUNCTION
