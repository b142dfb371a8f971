"""Whether a word can be a verb, a noun, an adjective or an adverb where it stands.

A heuristic over three words before and two after: a tagger would cost more time and memory than all the rules together.
It answers yes when it cannot tell. ``docs/parts-of-speech.md`` says how often it is right.
"""

from __future__ import annotations

from collections.abc import Sequence

from unslant.text.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    ADVERBS_FIRST,
    ALSO_PEOPLE,
    ALSO_PEOPLE_ENDINGS,
    ARTICLES,
    BE,
    BOTH_WAYS,
    BREAKS,
    CONJUNCTIONS,
    DEGREES,
    DETERMINERS,
    FUNCTION,
    HAVE,
    LINKING,
    MODALS,
    NEVER_VERBS,
    NO_ADVERBS,
    NO_PLURALS,
    OBJECT_PRONOUNS,
    OBJECTS,
    PARTICLES,
    PASTS,
    PERHAPS_ADJECTIVE_ENDINGS,
    PLURALS,
    PREPOSITIONS,
    SAME_IN_THE_PAST,
    SUBJECTS,
    TAKES_TO,
)


def plausible(context: Sequence[str], pos: str, slot: str) -> bool:
    """Return whether the fourth of six lower-case words can be of this part of speech.

    An empty string stands wherever punctuation or the edge of the sentence comes between it and the words; ``slot`` is
    the form that the word has as this part of speech (see ``inflect.Slot``).
    """
    _, second, before, word, after, later = context
    match pos:
        case "v":
            return _leaning(context, slot) >= 0
        case "n":
            if word in BOTH_WAYS:
                return _opens_noun(before)
            if slot == "base" and _also_people(word) and not _stands_alone(before, after, later):
                return False
            if word.endswith(NEVER_VERBS):
                return True
            return _leaning(context, "ing" if word.endswith("ing") else slot) <= 0
        case "adj":
            return _adjective(second, before, word, after, later)
        case _:
            described = before in ARTICLES and (
                after in BREAKS or (_ends_noun(later) and not _describes(after))
            )
            return word not in BOTH_WAYS or not described


def _leaning(context: Sequence[str], slot: str) -> int:
    """Return 1 if a possible verb must be a verb, -1 if it cannot be, and 0 if the context does not decide."""
    third, second, before, word, after, later = context
    while second and _is_adverb(before):
        # an adverb hides the word that decides: "the deeply troubled", "has clearly stated"
        third, second, before = "", third, second
    if slot == "ing":
        return _leaning_ing(before, after)
    if slot in ("past", "participle"):
        return _leaning_past(before, after)
    if before in MODALS:
        return 1 if slot == "base" else -1
    if before == "to":
        return -1 if slot == "s" else 0 if second in TAKES_TO else 1
    if before in SUBJECTS:
        return 1
    if before == "that":
        # "banks that fail", "rejected that claim"
        return 0 if slot == "s" or not second else 1 if _is_plural(second) else -1
    if before in HAVE or before in LINKING:
        return 0 if word in SAME_IN_THE_PAST else -1
    if _opens_noun(before) or before == "s":
        # tokenised text has a separate "s" for "'s"
        return -1
    if slot == "s":
        return _leaning_s(third, second, before, after, later)
    return _leaning_base(second, before, word, after)


def _leaning_base(second: str, before: str, word: str, after: str) -> int:
    """Distinguish *residents claim* from *a health claim*: the subject of a bare form is plural."""
    if before in FUNCTION or _is_adverb(before):
        return -1 if after == "of" or _is_finite(after) else 1 if _starts_object(after) else 0
    if _is_plural(before) and second not in ("a", "an"):
        if after in PASTS:
            return -1
        # after a singular, the word before may itself be the verb: "the app sends push alerts"
        return 1 if second in FUNCTION or _describes(second) or _starts_object(after) else 0
    if word in SAME_IN_THE_PAST:
        return 1 if _starts_object(after) else 0
    # a singular that stands for many: "the council claim that"; but "a poetry slam every Friday"
    return 0 if after == "to" or (_starts_object(after) and after not in ("every", "each", "last")) else -1


def _leaning_s(third: str, second: str, before: str, after: str, later: str) -> int:
    """Distinguish *the company claims* from *the health claims* by what follows: both have a singular before them."""
    if after == "of" or _is_finite(after) or (after == "that" and _is_finite(later)):
        return -1
    if _is_finite(before):
        return -1
    if before in ("and", "or") and _is_plural(second):
        return 0 if _starts_object(after) else -1
    if _is_plural(before):
        # a name may end like a plural: "the Times reveals that"
        return 0 if _starts_object(after) else -1
    if before in FUNCTION or _is_adverb(before):
        return 1 if _starts_object(after) else 0
    if before.endswith(PERHAPS_ADJECTIVE_ENDINGS) and second not in ARTICLES:
        return -1 if second in PREPOSITIONS or _is_finite(second) else 0
    if after == "that" and later not in FUNCTION:
        # "the company claims that prices", but also "the world regimes that threaten"
        return 0
    if _starts_object(after) or _is_adverb(after) or after in PARTICLES:
        return 1
    if second in DETERMINERS:
        return 1 if after == "to" or after not in FUNCTION else 0
    return -1 if after == "" and second and third not in DETERMINERS else 0


def _leaning_past(before: str, after: str) -> int:
    """Distinguish *alleged that* from *the alleged attack* and *the accused*."""
    if before in HAVE or before in SUBJECTS:
        return 1
    if before in ARTICLES or (_opens_noun(before) and after not in FUNCTION):
        return -1
    return 1 if _starts_object(after) or (before in BE and after in ("by", "to")) else 0


def _leaning_ing(before: str, after: str) -> int:
    """Distinguish *by striking the tower* from *a striking contrast* and *the suffering of*."""
    if before in HAVE or (before in DETERMINERS and not _starts_object(after)) or before.endswith("'s"):
        return -1
    return 1 if _starts_object(after) or (before in BE and after not in FUNCTION) else 0


def _also_people(word: str) -> bool:
    return word in ALSO_PEOPLE or (word.endswith(ALSO_PEOPLE_ENDINGS) and not word.endswith("eed"))


def _stands_alone(before: str, after: str, later: str) -> bool:
    """Return whether an adjective is used as a noun: *the poor pay the price*, but not *the poor harvest*."""
    if before in LINKING or before in DEGREES:
        return False
    return _ends_noun(after) or _starts_object(later) or later in PARTICLES


def _adjective(second: str, before: str, word: str, after: str, later: str) -> bool:
    if word in BOTH_WAYS:
        if before in LINKING:
            return after in ("", "and") or (after in BREAKS and word not in ADVERBS_FIRST)
        return _describes_next(before, word, after, later) if _opens_noun(before) else before in CONJUNCTIONS
    if word.endswith(("ed", "ing")) and _has_object(before, word, after):
        return False
    if before in MODALS or (before == "to" and second not in TAKES_TO):
        return False
    if before in LINKING or before in DEGREES or not _opens_noun(before):
        return True
    return _describes_next(before, word, after, later)


def _has_object(before: str, word: str, after: str) -> bool:
    """Return whether an apparent adjective is a verb: *alleged that*, *was supposed to*, *by stunning them*."""
    if word.endswith("ed") and (before in HAVE or (before in BE and after in ("by", "to"))):
        return True
    if before in DETERMINERS:
        return False
    if after in ARTICLES or after in OBJECT_PRONOUNS:
        return True
    return word.endswith("ed") and after in OBJECTS and before not in LINKING and not _is_adverb(before)


def _describes_next(before: str, word: str, after: str, later: str) -> bool:
    """Return whether an adjective has a noun to modify; otherwise it is a noun: *the great*, *for good*."""
    if after in ("and", "or", "but"):
        return before in ("a", "an") or later not in FUNCTION
    if after in SAME_IN_THE_PAST:
        # also nouns: "a great hit"
        return True
    return after not in BREAKS and not (_also_people(word) and _is_finite(after))


def _ends_noun(after: str) -> bool:
    return after in FUNCTION or _is_finite(after)


def _opens_noun(word: str) -> bool:
    """Return whether a noun, or a modifier of one, must follow."""
    return word in DETERMINERS or word in PREPOSITIONS or word.endswith(("'s", "s'")) or _describes(word)


def _describes(word: str) -> bool:
    return word in ADJECTIVES or (word.endswith(ADJECTIVE_ENDINGS) and len(word) > 4)


def _starts_object(word: str) -> bool:
    if word in ("who", "which") or word in DEGREES:
        return False
    return word in DETERMINERS or word in OBJECTS or word in SUBJECTS


def _is_adverb(word: str) -> bool:
    return word in ADVERBS or (word.endswith("ly") and len(word) > 4 and word not in NO_ADVERBS)


def _is_finite(word: str) -> bool:
    """Return whether a word is a verb that has or needs a subject before it."""
    return (
        word in BE
        or word in HAVE
        or word in MODALS
        or word in PASTS
        or (word.endswith("ed") and len(word) > 4)
    )


def _is_plural(word: str) -> bool:
    if word in PLURALS:
        return True
    return (
        len(word) > 3
        and word.endswith("s")
        and not word.endswith(("ss", "us", "sis", "'s"))
        and word not in NO_PLURALS
    )
