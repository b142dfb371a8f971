"""Whether a word can be a verb, a noun, an adjective or an adverb where it stands.

A heuristic over three words before and two after: a tagger would cost more time and memory than all the rules together.
It answers yes when it cannot tell. ``docs/parts-of-speech.md`` says how often it is right.
"""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["plausible"]

_DETERMINERS = frozenset(
    "a an the this these those his her its their my our your whose every each some any no another such both either "
    "neither several many few all much more most less first second third last next other one two three four five six "
    "seven eight nine ten twelve twenty hundred thousand million dozens numerous various own same".split()
)
_PREPOSITIONS = frozenset(
    "of in on at by for with from about against between into through during without within over under among upon "
    "across behind beyond despite regarding concerning toward towards via per like amid since after before until "
    "near around outside inside above below".split()
)
_MODALS = frozenset(
    "will would can could may might must shall should do does did don't doesn't didn't won't wouldn't can't couldn't "
    "cannot mustn't shouldn't please let's".split()
)
_BE = frozenset("is are was were be been being am isn't aren't wasn't weren't he's she's it's who's".split())
_HAVE = frozenset("has have had having hasn't haven't hadn't they've we've i've you've".split())
_LINKING = _BE | frozenset(
    "seem seems seemed become becomes became remain remains remained look looks looked feel feels felt sound sounds "
    "sounded appear appears appeared get gets got grow grows grew turn turns turned go goes went fall fell".split()
)
_SUBJECTS = frozenset("i he she they we you it who which nobody everyone everybody someone anyone others".split())
_OBJECTS = frozenset("him them us me it that how why what when where whether who".split())
_CONJUNCTIONS = frozenset("and or but nor yet as than if when while because though although so".split())
_ADVERBS = frozenset(
    "not never ever also often once already long now then soon still just even only always sometimes well so very too "
    "rather quite almost again".split()
)
_PARTICLES = frozenset("out back up down off away".split())
_PASTS = frozenset(
    "took left came went made said told hit began fell rose led got gave kept ran saw became broke met won lost found "
    "sold held brought set stood grew put cut drew sent built bought wrote knew thought spent".split()
)
"""Irregular past forms that are common enough to follow a subject or to precede an object."""
_SAME_IN_THE_PAST = frozenset("hit cut put set shut split spread hurt cost cast burst bid quit beat".split())
_PLURALS = frozenset("people men women children police".split())
_NO_PLURALS = frozenset("news series species sports arms sales business".split())
_ADJECTIVES = frozenset(
    "old new young big small large great high low good bad long short early late recent similar empty sudden grand "
    "pure main major minor free full open hard heavy strong weak public local angry final former true false".split()
)
_ADJECTIVE_ENDINGS = ("al", "ous", "ive", "ful", "ic", "able", "ible", "less", "ary")
_ALSO_PEOPLE = frozenset(
    "blind deaf dumb mute poor rich old young sick dead gay straight black white brown male female lame mad crazy "
    "insane native elderly wealthy needy extreme great".split()
)
"""Adjectives without a telling ending that also stand for people or things: *the poor*."""
_BOTH_WAYS = frozenset("just only even still pretty very hard far right well fast sheer straight".split())
"""Adverbs that look like adjectives."""
_TAKES_TO = frozenset(
    "due prone according subject access response vulnerable open close opposed reaction similar exposed addition "
    "threat led leads leading lead contrast thanks damage end switch".split()
)
"""Words after which *to* is a preposition: *prone to attack*."""
_FUNCTION = (
    _DETERMINERS | _PREPOSITIONS | _MODALS | _LINKING | _HAVE | _SUBJECTS | _OBJECTS | _CONJUNCTIONS
    | _ADVERBS | _PARTICLES | {"to", ""}
)  # fmt: skip


def plausible(context: Sequence[str], pos: str, slot: str) -> bool:
    """Say whether the fourth of six lower-case words of a sentence can be of this part of speech.

    An empty string stands wherever punctuation or the edge of the sentence comes between it and the words; ``slot`` is
    the form that the word has as this part of speech (see ``inflect.Slot``).
    """
    third, second, before, word, after, later = context
    while _is_adverb(before) and pos in ("v", "n") and second:
        # an adverb hides the word that decides: "the deeply troubled", "has clearly stated"
        third, second, before = "", third, second
    match pos:
        case "v":
            return _leaning((third, second, before, word, after, later), slot) >= 0
        case "n":
            if word in _BOTH_WAYS:
                return _opens_noun(before)
            if slot == "base" and (word in _ALSO_PEOPLE or word.endswith((*_ADJECTIVE_ENDINGS, "ed"))):
                return before not in _LINKING and (after in _FUNCTION or _is_finite(after))
            slot = "ing" if word.endswith("ing") else slot
            return _leaning((third, second, before, word, after, later), slot) <= 0
        case "adj":
            return _adjective(before, word, after)
        case _:
            # between a determiner and a noun it describes the noun: "a just society", but "a very old house"
            described = before in _DETERMINERS and after not in _FUNCTION and later in _FUNCTION
            return not described and not (before in _DETERMINERS and after in ("", "of"))


def _leaning(context: tuple[str, ...], slot: str) -> int:
    """Return 1 where a word that may be a verb must be one, -1 where it cannot be, 0 where nothing tells."""
    _, second, before, word, after, _ = context
    if slot == "ing":
        return _leaning_ing(before, after)
    if slot in ("past", "participle"):
        return _leaning_past(before, after)
    if before in _MODALS:
        return 1 if slot == "base" else -1
    if before == "to":
        return -1 if slot == "s" else 0 if second in _TAKES_TO else 1
    if before in _SUBJECTS:
        return 1
    if before == "that":
        return 0 if second not in _FUNCTION else -1 if slot == "base" else 0
    if before in _HAVE or before in _BE:
        return 0 if word in _SAME_IN_THE_PAST else -1
    if _opens_noun(before):
        return -1
    return _leaning_s(context) if slot == "s" else _leaning_base(context)


def _leaning_base(context: tuple[str, ...]) -> int:
    """Tell *residents claim* from *a health claim*: the subject of a bare form is a plural."""
    _, second, before, word, after, _ = context
    if before in _FUNCTION:
        return -1 if after == "of" or _is_finite(after) else 1 if _starts_object(after) else 0
    if _is_plural(before):
        # after a singular the word before may itself be the verb: "the app sends push alerts"
        return 1 if second in _FUNCTION or _describes(second) or _starts_object(after) else 0
    if word in _SAME_IN_THE_PAST:
        return 1 if _starts_object(after) else 0
    return 0 if after in _DETERMINERS else -1


def _leaning_s(context: tuple[str, ...]) -> int:
    """Tell *the company claims* from *the health claims*: by what follows, as both have a singular before them."""
    _, second, before, _, after, later = context
    if after == "of" or _is_finite(after) or (after == "that" and _is_finite(later)):
        return -1
    if _is_plural(before) or _is_finite(before):
        return -1
    if before in _FUNCTION:
        return 1 if _starts_object(after) else 0
    if _starts_object(after) or after.endswith("ly") or after in _PARTICLES:
        return 1
    if second in _DETERMINERS:
        return 1 if after == "to" or after not in _FUNCTION else 0
    return -1 if after == "" and second else 0


def _leaning_past(before: str, after: str) -> int:
    """Tell *alleged that* from *the alleged attack*."""
    if before in _HAVE or before in _SUBJECTS:
        return 1
    if _opens_noun(before) and after not in _FUNCTION:
        return -1
    return 1 if _starts_object(after) or (before in _BE and after in ("by", "to")) else 0


def _leaning_ing(before: str, after: str) -> int:
    """Tell *by striking the tower* from *a striking contrast* and *the suffering of*."""
    if before in _HAVE or (before in _DETERMINERS and not _starts_object(after)) or before.endswith("'s"):
        return -1
    return 1 if _starts_object(after) or (before in _BE and after not in _FUNCTION) else 0


def _adjective(before: str, word: str, after: str) -> bool:
    if word in _BOTH_WAYS:
        return after not in _FUNCTION if _opens_noun(before) else before in _LINKING and after in ("", "and")
    if word.endswith(("ed", "ing")) and (_starts_object(after) or (before in _BE and after in ("by", "to"))):
        return False
    if before in _LINKING or _is_adverb(before) or before in ("more", "most", "as"):
        return True
    if before in _MODALS or before == "to":
        return False
    # with nothing to describe it is a noun: "the great", "for good"
    return not _opens_noun(before) or not (after in _FUNCTION or _is_finite(after))


def _opens_noun(word: str) -> bool:
    """Say whether a noun, or what describes one, must follow."""
    return word in _DETERMINERS or word in _PREPOSITIONS or word.endswith(("'s", "s'")) or _describes(word)


def _describes(word: str) -> bool:
    return word in _ADJECTIVES or (word.endswith(_ADJECTIVE_ENDINGS) and len(word) > 4)


def _starts_object(word: str) -> bool:
    return word in _DETERMINERS or word in _OBJECTS


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 4)


def _is_finite(word: str) -> bool:
    """Say whether a word is a verb that has, or wants, a subject before it."""
    return word in _BE or word in _HAVE or word in _MODALS or word in _PASTS or word.endswith("ed")


def _is_plural(word: str) -> bool:
    if word in _PLURALS:
        return True
    return word.endswith("s") and not word.endswith(("ss", "us", "is", "ics", "'s")) and word not in _NO_PLURALS
