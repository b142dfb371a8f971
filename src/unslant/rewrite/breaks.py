"""What an edit breaks in a sentence that was whole before: an article without its noun, a verb without what is said.

These checks look at the place of the edit. Whether the words of a sentence stand in an order that English has is asked
in :mod:`unslant.rewrite.grammar`.
"""
# ruff: noqa: ARG001 (all checks have the same parameters)

from __future__ import annotations

from collections.abc import Callable, Sequence

from unslant.core.types import Edit
from unslant.rewrite.grammar import ARTICLES, ENDS, FINITE, NO_NOUNS, is_verb, problems
from unslant.rewrite.wordings import load_listed
from unslant.text.edits import move_offset
from unslant.text.function_words import (
    ADJECTIVE_ENDINGS,
    ADJECTIVES,
    ADVERBS,
    BE,
    DEGREES,
    DETERMINERS,
    FUNCTION,
    HAVE,
    LINKING,
    MODALS,
    NO_ADVERBS,
    PARTICLES,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
    SUBJECTS,
)
from unslant.text.words import Words, split_words

__all__ = ["find_break"]

_DEGREES = DEGREES | frozenset("very so too rather quite extremely utterly".split()) - {"as"}
_APOSTROPHES = ("'", "\u2019")
_NEED_AN_ADJECTIVE = frozenset(
    "deal extent degree manner fashion way pace sort kind scale status reputation light sense tone terms note mood "
    "condition shape number amount while majority display effect message move figure man woman person thing things "
    "moment moments people result results rate rates lengths ways odds detail part pill "
    "efforts relationship party country nation characteristic goal evening night day".split()
)
"""Nouns that say little by themselves: *in a spectacular fashion*, *a great deal*."""
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())
_CIRCUMSTANCES = frozenset("after before over at about in on as when while during following".split())
_AFTER_A_COMMA = frozenset("like unlike though although which who whose including especially but not".split())
"""What keeps its comma when the aside before it goes: *Women, of course, like any other group, …*."""
_PLURALS = frozenset("people men women police media many some most few others both all children".split())
_DO = frozenset("do did does".split())
_RAISING = frozenset("so too how as equally".split())
"""Words that need another one to raise."""
_BESIDE = 3
"""How many words apart a repeated word is noticed."""
_ONLY_PAST = frozenset("spoke wrote took went gave saw did began drew knew broke chose withdrew".split())
"""Past forms that are no participles: *has spoke*."""
_NO_PASSIVE = frozenset("fallen risen died arrived responded objected disagreed interfered appealed".split())
"""Participles of verbs without a passive: *were fallen into uncertainty*."""
_SAYS = frozenset("say says said saying".split())
_STATES = frozenset("state states stated stating".split())
_BARE_VERBS = frozenset("say says state states criticize argue argues dispute".split())
_PRESENT_SPEECH = frozenset(
    "insist insists claim claims acknowledge acknowledges admit admits assert asserts maintain maintains lament "
    "laments complain complains argue argues contend contends concede concedes boast boasts brag brags".split()
)
_GERUNDS = frozenset("criticizing criticising opposing praising saying disputing responding".split())
_BEFORE_NOUNS = frozenset("a the constant frequent public regular repeated daily endless continual".split())
"""*Constant criticizing trade* lacks an *of*."""


def find_break(text: str, new: str, edits: Sequence[Edit]) -> str | None:
    """Return what edits of a sentence break, or None; ``new`` is the sentence after them."""
    added = problems(new) - problems(text)
    if added:
        return next(iter(added))
    if not new.strip():
        return "nothing"
    after = split_words(new)
    for number, edit in enumerate(edits):
        at = move_offset(edit.start, edits[:number])
        for problem, is_broken in _CHECKS:
            if is_broken(text, after, at, edit):
                return problem
    return None


def _cuts_word(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether an edge of the edit lies within a word, hyphens included."""
    removed = text[edit.start : edit.end]
    before, following = text[edit.start - 1 : edit.start], text[edit.end : edit.end + 1]
    left = (_inner(before) or before in _APOSTROPHES) and _inner(removed[:1])
    left = bool(before) and left and not edit.replacement[:1].isspace()
    right = _inner(following) and _inner(removed[-1:]) and not edit.replacement[-1:].isspace()
    return bool(left or right)


def _inner(char: str) -> bool:
    return char.isalnum() or char in ("-", "\u2010", "\u2011", "_") if char else False


def _strands_degree(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a deletion leaves *very* or *truly* alone between an article and a noun."""
    if edit.replacement.strip():
        return False
    last = after.before(at)
    if last < 0 or last + 1 >= len(after) or not after.is_word(last + 1):
        return False
    word = after.plain[last]
    degree = word in _DEGREES or (word.endswith("ly") and len(word) > 4 and word not in NO_ADVERBS)
    return (
        degree
        and last > 0
        and (after.plain[last - 1] in DETERMINERS or word in _DEGREES - ADVERBS | {"rather"})
    )


def _strands_comparison(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether *so*, *too* or *how* no longer has what it raises, or *as* what it concedes.

    *A plan that we so badly need*, *failing so badly at it*; *ugly as these pages are*.
    """
    last = after.before(at)
    if edit.replacement.strip() or last + 1 >= len(after):
        return False
    following = after.plain[last + 1]
    removed = text[edit.start : edit.end].strip(" ,")
    adverb = removed.endswith("ly") and removed not in NO_ADVERBS
    if following == ":" and last >= 0:
        return True  # "put it bluntly:"
    if last < 0 or not after.is_word(last):
        return following in ("as", "though") and removed.isalpha() and not adverb
    if after.plain[last].endswith("ly") and after.plain[last] not in NO_ADVERBS and not adverb:
        # "politically painful requests"
        return not _can_be_raised(following) and not following.endswith(("ed", "ing"))
    return after.plain[last] in _RAISING and not _can_be_raised(following)


def _describes(word: str) -> bool:
    return (
        word in ADJECTIVES or word in load_listed().adjectives or word in ("fresh", "such", "other", "more")
    )


def _loses_comma(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether an aside went with both its commas, and what follows needs one."""
    removed, last = text[edit.start : edit.end].strip(), after.before(at)
    aside = removed.startswith(",") and removed.endswith(",") and not edit.replacement.strip()
    return aside and last + 1 < len(after) and after.plain[last + 1] in _AFTER_A_COMMA


def _loses_article(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether *the* went with a word that stays, or with one of two that it led.

    *The most moving case* and *Case*; *the elderly and vulnerable* and *older people and vulnerable*.
    """
    removed, put = split_words(text[edit.start : edit.end]).plain, split_words(edit.replacement).plain
    if removed[:1] not in (["the"], ["a"], ["an"]) or put[:1] in (["the"], ["a"], ["an"]):
        return False
    following = after.after(at) + len(put)
    if put and following + 1 < len(after) and after.plain[following] in ("and", "or"):
        return after.plain[following + 1] not in DETERMINERS and removed[0] == "the"
    kept = bool(put) and removed[-len(put) :] == put
    return kept and put[0].isalpha() and not put[0].endswith("s")


def _raises_noun(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a word of degree now stands before a noun: *the more bizarre feuds* and *the more disputes*."""
    first, put = after.after(at), split_words(edit.replacement).plain
    removed = split_words(text[edit.start : edit.end]).plain
    if not put or not removed or not first or put[0] == removed[0]:
        return False
    described = _can_be_raised(removed[0]) or "-" in removed[0] or removed[0] in load_listed().adjectives
    if not described:
        return False  # "more manpower"
    return after.plain[first - 1] in ("more", "most", "less", "least") and not (
        _can_be_raised(put[0]) or put[0].endswith(("ed", "ing"))
    )


def _can_be_raised(word: str) -> bool:
    """Say whether *so* or *too* may stand before a word."""
    if word in ("much", "many", "far", "often", "long", "few", "little", "well", "that"):
        return True
    return word in ADJECTIVES or word.endswith(("ly", *ADJECTIVE_ENDINGS, *PERHAPS_ADJECTIVE_ENDINGS))


def _article_before_name(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a deletion leaves *a* before a name by itself: *a defiant Trump told*, but not *a Trump voter*."""
    last = after.before(at)
    if edit.replacement.strip() or last < 0 or after.plain[last] not in ("a", "an"):
        return False
    place = last + 1
    if place >= len(after) or not after.written[place][0].isupper() or after.written[place].isupper():
        return False
    while place < len(after) and after.written[place][0].isupper():
        place += 1
    several = place - last > 2  # "a fiery President Obama"
    return several or place == len(after) or not after.is_word(place) or is_verb(after, place)


def _echoes(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether the new wording repeats a word right beside it: *the estate tax (estate tax)*."""
    put = [word for word in split_words(edit.replacement).plain if len(word) > 3 and word not in FUNCTION]
    first = after.after(at)
    count = len(split_words(edit.replacement))
    around = (
        *after.plain[max(0, first - _BESIDE) : first],
        *after.plain[first + count : first + count + _BESIDE],
    )
    return any(word in around for word in put)


def _strands_possessive(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a deletion removes the noun of *her*: "until her passing in May", not "loved her dearly in May"."""
    removed = text[edit.start : edit.end].split()
    if edit.replacement.strip() or not removed or removed[-1].lower().endswith("ly"):
        return False
    last = after.before(at)
    if last < 0 or last + 1 >= len(after) or after.plain[last] != "her":
        return False
    following = after.plain[last + 1]
    return following in ENDS or following in FINITE or following in NO_NOUNS


def _strands_linking(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a deletion takes what *looked* or *seemed* led to: "He looked in the wig"."""
    last = after.before(at)
    if edit.replacement.strip() or last < 0 or last + 1 >= len(after):
        return False
    return after.plain[last] in LINKING - BE and (
        not after.is_word(last + 1) or after.plain[last + 1] in PREPOSITIONS
    )


def _phrase_as_adjective(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a noun with a phrase was put where a noun describes the next one.

    *Thousands of illegal immigrant students*, which *immigrant without legal status students* is not.
    """
    put, removed = split_words(edit.replacement).plain, split_words(text[edit.start : edit.end]).plain
    if not PREPOSITIONS.intersection(put[1:-1]) or PREPOSITIONS.intersection(removed) or not removed:
        return False
    first = after.after(at)
    following = first + len(put)
    leads = after.plain[first - 1] if first else ""
    if len(removed) > 1 and leads.endswith("ly"):
        return True  # "currently illegal immigrants"
    if leads in DETERMINERS or removed[-1].endswith("s") or not 0 < first < following < len(after):
        return False
    word = after.plain[following]
    return word == '"' or (
        after.is_word(following) and word not in FUNCTION and not is_verb(after, following)
    )


def _participle_with_object(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a form that took a preposition lost it where only an adjective stands: *less praised the plan*."""
    removed = split_words(text[edit.start : edit.end]).plain
    first = after.after(at)
    if len(removed) < 2 or removed[-1] not in PREPOSITIONS or first >= len(after):
        return False
    leads = [word for word in after.plain[max(0, first - 3) : first] if not word.endswith("ly")][-1:]
    alone = edit.replacement.strip().isalpha() and edit.replacement.strip().endswith("ed")
    takes_object = first + 1 < len(after) and after.plain[first + 1] in DETERMINERS
    stands = bool(leads) and leads[0] in (DEGREES | BE | frozenset(("very", "so", "too")))
    return alone and takes_object and stands


def _verb_for_noun(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a bare verb was put for a noun: "the debunked say that", "its old says"."""
    first = after.after(at)
    alone = len(edit.replacement.split()) == 1  # "state regulation" is a noun
    if not alone or first >= len(after):
        return False
    if after.plain[first] not in _BARE_VERBS | _GERUNDS:
        return False
    if text[: edit.start].rstrip().endswith(_APOSTROPHES) or _stands_for_noun(after, first):
        return True
    before = after.plain[max(0, first - 2) : first]
    if after.plain[first] in _GERUNDS:
        return bool(before) and before[-1] in _BEFORE_NOUNS
    described = before[-1:] and before[-1].endswith(("ed", "al", "ous", "ive", "ing", "ful", "ible", "able"))
    return bool(described) or (bool(before) and before[-1] in ARTICLES)


def _stands_for_noun(after: Words, first: int) -> bool:
    """Say whether *say* has no subject before it that takes the form: *the unproven say that*, *fighting back says*."""
    place = first - 1
    while place >= 0 and (after.plain[place] in ADVERBS or after.plain[place].endswith("ly")):
        place -= 1
    if place < 0 or not after.is_word(place):
        return False
    leads, name = after.plain[place], after.written[place][0].isupper()
    if after.plain[first + 1 : first + 2] and after.plain[first + 1] in FINITE:
        return True  # "that claim has gained traction"
    if after.plain[first] == "say":
        subject = leads in SUBJECTS or leads in MODALS or leads in ("to", "not", "who", "that", "and", "or")
        return not (
            subject or leads.endswith(("s", "n't", "'d", "'ll", "'ve")) or leads in _PLURALS or leads in _DO
        )
    if after.plain[first] == "says":
        if leads in PARTICLES or leads in DETERMINERS - {"this", "that"} or _describes(leads):
            return True
        return leads.endswith("s") and not name and leads not in SUBJECTS | {"this"}
    return False


def _no_object(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether *criticizes* stands where nothing can follow it: "the town criticizes, but", "a criticize to"."""
    first = after.after(at)
    if edit.replacement.strip() == "criticize" and after.plain[first + 1 : first + 2] in (
        ["to"],
        ["from"],
        ["of"],
    ):
        return True
    if edit.replacement.strip() == "criticized" and 0 < first < len(after) - 1:
        active = after.plain[first - 1] not in FINITE and after.is_word(first - 1)
        return active and (
            after.plain[first + 1] in _DAYS or after.plain[first + 1] in ("after", "back", "out")
        )
    if edit.replacement.strip() != "criticizes" or first >= len(after):
        return False
    return first + 1 >= len(after) or not after.is_word(first + 1)


def _capital_inside(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a clause that opened with a capital is left without what opened it: *But let's face it: The …*."""
    removed, following = text[edit.start : edit.end].rstrip(), text[edit.end :].lstrip()
    opens = not any(char.isalnum() for char in text[: edit.start])
    return not edit.replacement.strip() and removed.endswith(":") and following[:1].isupper() and not opens


def _other_form(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a single word became one of another form: *many insist* and *many said*, *attacks* and *criticized*.

    With *to* or a helper before it, the form is another matter.
    """
    removed, put = text[edit.start : edit.end].strip().lower(), edit.replacement.strip()
    if put == "said" and removed in _PRESENT_SPEECH:
        return True
    if not (removed.isalpha() and put.isalpha()):
        return False
    past = put == "said" or put.endswith("ed")
    present = removed.endswith(("s", "ing")) and not removed.endswith("ss")
    return past and present


def _strands_noun(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether a deletion takes the adjective that made sense of a phrase, or one of two that *and* joined.

    *Conducted a great deal of research*, *one of the most renowned poets*, *how evil and awful liberal critics were*.
    """
    last = after.before(at)
    if edit.replacement.strip() or last < 0 or last + 1 >= len(after) or not after.is_word(last + 1):
        return False
    if after.plain[last] in ("and", "or"):
        return True
    led = (
        after.plain[last] in DETERMINERS
        or after.plain[last] in PREPOSITIONS
        or after.plain[last].endswith("'s")
        or (after.plain[last] == "to" and after.plain[last + 1] == "lengths")
    )
    several = after.plain[max(0, last - 3) : last + 1]
    return led and (
        after.plain[last + 1] in _NEED_AN_ADJECTIVE or several[:2] in (["one", "of"], ["some", "of"])
    )


def _wrong_participle(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether *has bragged* became *has spoke*, or *opined on* became *said on*."""
    first = after.after(at)
    if not edit.replacement.strip() or first >= len(after):
        return False
    before = [word for word in after.plain[max(0, first - 3) : first] if not word.endswith("ly")]
    if after.plain[first] in _ONLY_PAST and before[-1:] and before[-1] in HAVE:
        return True
    if after.plain[first] in _NO_PASSIVE and before[-1:] and before[-1] in BE:
        return True
    following = after.plain[first + 1] if first + 1 < len(after) else ""
    return after.plain[first] in _SAYS and following in ("on", "with", "against", "about", "for", "of")


def _says_no_clause(text: str, after: Words, at: int, edit: Edit) -> bool:
    """Say whether *said* was put before words that state nothing: "said three lives", "said the door be left open"."""
    first = after.after(at)
    if not edit.replacement.strip() or first >= len(after) or after.plain[first] not in _SAYS | _STATES:
        return False
    if after.plain[first] in _STATES and len(edit.replacement.split()) > 1:
        return False  # "state regulation"
    stop = first + 1
    while stop < len(after) and after.is_word(stop):
        stop += 1
    clause = range(first + 1, stop)
    if not clause or after.plain[first + 1] in (
        "that",
        "so",
        "it",
        "what",
        "how",
        "why",
        "as",
        "in",
        "at",
        "to",
        "on",
    ):
        return any(_subjunctive(after, place) for place in clause)
    if after.plain[first + 1] in _DAYS:
        # "fumed Thursday after the vote"
        return first + 2 >= len(after) or after.plain[first + 2] in _CIRCUMSTANCES
    if after.written[first + 1][0].isupper():
        return False
    return not any(is_verb(after, place) for place in clause) or any(
        _subjunctive(after, place) for place in clause
    )


def _subjunctive(words: Words, at: int) -> bool:
    """Say whether *be* stands where a demand asks for it: *that he be held accountable*."""
    if words.plain[at] != "be" or not at:
        return False
    before = [word for word in words.plain[max(0, at - 3) : at] if not word.endswith("ly")]
    return not any(
        word in MODALS or word in ("to", "may", "might", "let", "'ll") or word.endswith(("'ll", "n't"))
        for word in before
    )


_CHECKS: Sequence[tuple[str, Callable[[str, Words, int, Edit], bool]]] = (
    ("part of a word", _cuts_word),
    ("a word of degree with nothing to add to", _strands_degree),
    ("a word of degree with nothing to add to", _strands_comparison),
    ("an article before a name", _article_before_name),
    ("a word twice", _echoes),
    ("a possessive with nothing to stand for", _strands_possessive),
    ("a noun that needs its adjective", _strands_noun),
    ("a verb of saying with nothing said", _says_no_clause),
    ("a past form where a participle stood", _wrong_participle),
    ("a verb of seeming with nothing after it", _strands_linking),
    ("a comma is missing", _loses_comma),
    ("an article is missing", _loses_article),
    ("a word of degree before a noun", _raises_noun),
    ("a phrase before a noun", _phrase_as_adjective),
    ("a past form where a participle stood", _participle_with_object),
    ("a verb where a noun stood", _verb_for_noun),
    ("a verb where a noun stood", _no_object),
    ("another form of the verb", _other_form),
    ("a capital in the middle of a sentence", _capital_inside),
)
"""What an edit may break; each check gets the sentence, its words after the edit, the place there, and the edit."""
