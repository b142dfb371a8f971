"""Whether a word can be a verb, a noun, an adjective or an adverb where it stands.

A heuristic over the neighbouring words: a tagger would cost more time and memory than all the rules together. It
answers yes when it cannot tell. ``docs/rules.md`` says how often it is right.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["plausible"]

_DETERMINERS = frozenset(
    "a an the this these those his its their my our your every each some any no another such both either neither "
    "several many few more most first second third last other one two three own".split()
)
_PREPOSITIONS = frozenset(
    "of in on at by for with from about against between into through during without within over under among upon "
    "across behind beyond despite regarding concerning toward towards via per".split()
)
_AUXILIARIES = frozenset(
    "will would can could may might must shall should do does did don't doesn't didn't won't wouldn't can't couldn't "
    "cannot mustn't shouldn't to".split()
)
_HAVE_BE = frozenset(
    "is are was were be been being am has have had having get gets got getting isn't aren't wasn't weren't hasn't "
    "haven't hadn't he's she's it's they've we've i've you've who's".split()
)
_SUBJECTS = frozenset("i he she they we you it who which that".split())
_OBJECT_STARTS = frozenset(
    "that the a an his their its this these those him them us me it how why what when whether to out back".split()
)
_CONJUNCTIONS = frozenset("and or but nor yet as than if when while because".split())
_COPULAS = frozenset(
    "is are was were be been being am seem seems seemed become becomes became remain remains remained look looks "
    "looked feel feels felt sound sounds sounded appear appears appeared get gets got isn't aren't "
    "wasn't weren't".split()
)
_NOUN_ENDINGS = ("tion", "ment", "ness", "ity", "ism", "ship", "ance", "ence", "ers", "ors", "ists", "ians")
_LINKS = frozenset("of for in on at by with from about against that to and or than as".split())


def plausible(words: Sequence[str], at: int, pos: str, form: str) -> bool:
    """Say whether ``words[at]`` can be of this part of speech here.

    ``words`` are the lower-case words of one sentence, with an empty string wherever punctuation stands between two of
    them; ``form`` is the slot that the word fills as this part of speech (see ``inflect.Slot``).
    """
    before = words[at - 1] if at else ""
    after = words[at + 1] if at + 1 < len(words) else ""
    match pos:
        case "v":
            return _verb(words, at, form, before, after)
        case "n":
            return _noun(form, before, after)
        case "adj":
            return _adjective(before, after)
        case _:
            return before not in _DETERMINERS or after not in ("", *_LINKS)


def _verb(words: Sequence[str], at: int, form: str, before: str, after: str) -> bool:
    if before.endswith("ly") and at >= 2 and form != "ing":
        # an adverb hides the word that decides: "the deeply troubled", "has clearly stated"
        before = words[at - 2]
    if before in _AUXILIARIES:
        return form == "base" or before == "to"
    if before in _SUBJECTS and before != "that":
        return True
    if form in ("base", "s"):
        return _finite(form, before, after)
    if form == "ing":
        return before not in ("the", "this", "an", "a") or after not in ("", "of")
    # past forms: after a determiner or a preposition they describe a noun ("the alleged attack", "of admitted guilt")
    if before in _HAVE_BE:
        return True
    described = after not in ("", *_LINKS, *_OBJECT_STARTS)
    return not ((before in _DETERMINERS or before in _PREPOSITIONS or before.endswith("'s")) and described)


def _finite(form: str, before: str, after: str) -> bool:
    if before in _DETERMINERS or before in _PREPOSITIONS or before.endswith(("'s", "s'")) or before == "her":
        return False
    if before in _HAVE_BE:
        return False
    if after == "of" or after in _HAVE_BE or (after in _AUXILIARIES and after != "to"):
        return False
    if after in _OBJECT_STARTS or after in _SUBJECTS:
        return True
    if form == "base":
        return before == "" or before in _CONJUNCTIONS or (before.endswith("s") and not before.endswith("ss"))
    if (
        before.endswith(("al", "ous", "ive", "ful", "ic", "able", "ible", "less", "ary"))
        or before in _CONJUNCTIONS
    ):
        return after not in ("", *_LINKS)
    return not before.endswith("s") or before.endswith("ss")


def _noun(form: str, before: str, after: str) -> bool:
    if before in _DETERMINERS or before in _PREPOSITIONS or before.endswith(("'s", "s'")):
        return form == "s" or after in ("", *_LINKS) or after in _HAVE_BE or not after.endswith(_NOUN_ENDINGS)
    if before in _AUXILIARIES and before != "to":
        return False
    return not (before in _SUBJECTS and before != "that" and after in _OBJECT_STARTS)


def _adjective(before: str, after: str) -> bool:
    if (
        before in _COPULAS
        or before.endswith("ly")
        or before in ("very", "so", "too", "more", "most", "as", "quite")
    ):
        return True
    if before in _AUXILIARIES:
        return False
    if before in _DETERMINERS or before in _PREPOSITIONS or before.endswith("'s"):
        # with nothing to describe it is a noun: "the great", "for good"
        return after != "" and after not in _LINKS and after not in _HAVE_BE
    return True
