"""Whether a sentence is still grammatical, by the order of its words.

There is no parser, only a list of things that no sentence of edited English has, such as two articles in a row or a
preposition before a full stop. Only problems that an edit adds count; it is not blamed for an odd sentence.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from unslant.core.types import Edit
from unslant.rewrite.wordings import load_listed
from unslant.rules.pos import plausible
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
    PASTS,
    PERHAPS_ADJECTIVE_ENDINGS,
    PREPOSITIONS,
    SUBJECTS,
)
from unslant.text.tidy import indefinite_article
from unslant.text.words import Words, split_words

__all__ = ["find_break", "problems"]

_ARTICLES = frozenset("a an the his her its their my our your every".split())
_NO_NOUNS = frozenset("of in by for with to on at from against into during upon among between until".split())
"""Prepositions that cannot follow an article, unlike those of *the above* and *the like*."""
_ENDS = frozenset(",.;:!?)")
_FINITE = BE | HAVE | MODALS
_DEGREES = DEGREES | frozenset("very so too rather quite extremely utterly".split()) - {"as"}
_SHORT_PASTS = frozenset("died used owed fled tied lied".split())
_FREE_LAST = frozenset(
    "in on over through about up off out around before after since within without inside outside".split()
)
"""Prepositions that may also stand at the end: *the plan he spoke about*."""
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
_OPEN_CONJUNCTIONS = frozenset("and or but nor than because although though while".split())
_PAIRS: Sequence[tuple[str, Callable[[str, str], bool]]] = (
    ("two articles in a row", lambda word, following: word in _ARTICLES and following in _ARTICLES),
    (
        "an article with nothing to stand for",
        lambda word, following: (
            word in _ARTICLES - {"her"}
            and (following in _ENDS or following in _FINITE or following in _OPEN_CONJUNCTIONS)
        ),
    ),
    (
        "an article before a preposition",
        lambda word, following: word in _ARTICLES - {"her"} and following in _NO_NOUNS,
    ),
    (
        "a preposition with nothing after it",
        lambda word, following: (
            word in PREPOSITIONS - _FREE_LAST
            and (following in _ENDS or following in ("and", "or", "is", "was"))
        ),
    ),
    (
        "two prepositions in a row",
        lambda word, following: word in ("of", "by", "for", "with") and following in PREPOSITIONS,
    ),
    (
        "a conjunction before a stop",
        lambda word, following: word in _OPEN_CONJUNCTIONS and following in _ENDS,
    ),
    (
        "two conjunctions in a row",
        lambda word, following: word in ("and", "or", "but") and following in ("and", "or"),
    ),
    (
        "a verb of being with nothing after it",
        lambda word, following: (
            word in LINKING - {"look", "looked", "looks", "go", "went", "goes", "fell"} and following in _ENDS
        ),
    ),
    (
        "a comma with nothing before it",
        lambda word, following: word in ("(", ",") and following in (",", ".", ";", ":", ")"),
    ),
    ("empty brackets", lambda word, following: word + following in ("()", "[]", '""')),
)


@lru_cache(16_384)
def _wrong_pair(word: str, following: str) -> tuple[str, ...]:
    """Return the problems of two adjacent words; cached, as a sentence and its candidates share nearly all pairs."""
    found = [name for name, wrong in _PAIRS if wrong(word, following)]
    if word == following and (word[0].isalnum() or word[0] == "_") and word not in ("that", "had", "her"):
        found.append("a word twice")
    return tuple(found)


@lru_cache(1024)
def problems(text: str) -> Counter[str]:
    """Return the problems in the order of the words; cached, as all candidates compare with the same sentence."""
    return Counter(_problems(split_words(text)))


def _problems(words: Words) -> Iterator[str]:
    plain = words.plain
    if len(words):
        yield from _edges(words)
    for at in range(len(words) - 1):
        word, following = plain[at], plain[at + 1]
        yield from _wrong_pair(word, following)
        if (
            word in ("a", "an")
            and following[0].isalpha()
            and indefinite_article(words.written[at + 1]) != word
        ):
            yield "the wrong article"
        if word in _ARTICLES and plain[at + 1 : at + 3] == ["opposed", "to"]:
            yield "an article before a phrase that cannot follow it"
    for opening, closing in ("()", "[]", "{}"):
        if plain.count(opening) != plain.count(closing):
            yield "a bracket without its partner"
    if plain.count('"') % 2:
        yield "a quotation mark without its partner"
    if not any(_verb(words, at) for at in range(len(words))):
        yield "no verb"


def _edges(words: Words) -> Iterator[str]:
    first, last = words.plain[0], words.plain[-1]
    if first in (",", ".", ";", ")") or words.written[0][0].islower():
        yield "an odd beginning"
    dangling = words.plain[1:3] == [",", "that"]  # "However, that one agent was near."
    if first in ("and", "or", "that", "of", "than") or dangling:
        yield "a beginning with a joining word"
    if last in DETERMINERS or last in _OPEN_CONJUNCTIONS or words.is_word(len(words) - 1):
        yield "an odd end"


def _verb(words: Words, at: int) -> bool:
    """Say whether a word is surely or probably a verb with a subject."""
    word = words.plain[at]
    if word in _FINITE or word in PASTS or word in LINKING:
        return True
    before = words.plain[at - 1] if at else ""
    if word.endswith("ed") and (len(word) > 4 or word in _SHORT_PASTS):
        # "the renowned singer", "a self-proclaimed king"
        return "-" not in word and before not in DETERMINERS and before not in PREPOSITIONS
    if before in SUBJECTS:
        return words.is_word(at)
    if not at or not words.is_word(at) or not (word.endswith("s") or before.endswith("s")):
        return False
    return plausible(_context(words, at), "v", "s" if word.endswith("s") else "base")


def _context(words: Words, at: int) -> list[str]:
    """Return three words before, the word and two after; marks leave empty strings."""
    found = []
    for place in range(at - 3, at + 3):
        inside = 0 <= place < len(words) and words.is_word(place)
        found.append(words.plain[place] if inside else "")
    return found


def find_break(text: str, new: str, edits: Sequence[Edit]) -> str | None:
    """Return what edits of a sentence break, or None; ``new`` is the sentence after them."""
    added = problems(new) - problems(text)
    if added:
        return next(iter(added))
    after = split_words(new)
    if not new.strip():
        return "nothing"
    for number, edit in enumerate(edits):
        at = move_offset(edit.start, edits[:number])
        if _cuts_word(text, edit):
            return "part of a word"
        if _strands_degree(after, at, edit) or _strands_comparison(text, after, at, edit):
            return "a word of degree with nothing to add to"
        if _article_before_name(after, at, edit):
            return "an article before a name"
        if _echoes(after, at, edit):
            return "a word twice"
        if _strands_possessive(text, after, at, edit):
            return "a possessive with nothing to stand for"
        if _strands_noun(after, at, edit):
            return "a noun that needs its adjective"
        if _says_no_clause(after, at, edit):
            return "a verb of saying with nothing said"
        if _wrong_participle(after, at, edit):
            return "a past form where a participle stood"
        if _strands_linking(after, at, edit):
            return "a verb of seeming with nothing after it"
        if _loses_comma(text, after, at, edit):
            return "a comma is missing"
        if _loses_article(text, after, at, edit):
            return "an article is missing"
        if _raises_noun(text, after, at, edit):
            return "a word of degree before a noun"
        if _phrase_as_adjective(text, after, at, edit):
            return "a phrase before a noun"
        if _participle_with_object(text, after, at, edit):
            return "a past form where a participle stood"
        if _verb_for_noun(text, after, at, edit) or _no_object(after, at, edit):
            return "a verb where a noun stood"
        if _other_form(text, edit):
            return "another form of the verb"
        if _capital_inside(text, edit):
            return "a capital in the middle of a sentence"
    return None


def _cuts_word(text: str, edit: Edit) -> bool:
    """Say whether an edge of the edit lies within a word, hyphens included."""
    removed = text[edit.start : edit.end]
    before, after = text[edit.start - 1 : edit.start], text[edit.end : edit.end + 1]
    left = (_inner(before) or before in _APOSTROPHES) and _inner(removed[:1])
    left = bool(before) and left and not edit.replacement[:1].isspace()
    right = _inner(after) and _inner(removed[-1:]) and not edit.replacement[-1:].isspace()
    return bool(left or right)


def _inner(char: str) -> bool:
    return char.isalnum() or char in ("-", "\u2010", "\u2011", "_") if char else False


def _strands_degree(after: Words, at: int, edit: Edit) -> bool:
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


def _article_before_name(after: Words, at: int, edit: Edit) -> bool:
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
    return several or place == len(after) or not after.is_word(place) or _verb(after, place)


def _echoes(after: Words, at: int, edit: Edit) -> bool:
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
    return following in _ENDS or following in _FINITE or following in _NO_NOUNS


def _strands_linking(after: Words, at: int, edit: Edit) -> bool:
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
    return word == '"' or (after.is_word(following) and word not in FUNCTION and not _verb(after, following))


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
    return bool(described) or (bool(before) and before[-1] in _ARTICLES)


def _stands_for_noun(after: Words, first: int) -> bool:
    """Say whether *say* has no subject before it that takes the form: *the unproven say that*, *fighting back says*."""
    place = first - 1
    while place >= 0 and (after.plain[place] in ADVERBS or after.plain[place].endswith("ly")):
        place -= 1
    if place < 0 or not after.is_word(place):
        return False
    leads, name = after.plain[place], after.written[place][0].isupper()
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


def _no_object(after: Words, at: int, edit: Edit) -> bool:
    """Say whether *criticizes* stands where nothing can follow it: "the town criticizes, but", "a criticize to"."""
    first = after.after(at)
    if edit.replacement.strip() == "criticize" and after.plain[first + 1 : first + 2] in (
        ["to"],
        ["from"],
        ["of"],
    ):
        return True
    if edit.replacement.strip() != "criticizes" or first >= len(after):
        return False
    return first + 1 >= len(after) or not after.is_word(first + 1)


def _capital_inside(text: str, edit: Edit) -> bool:
    """Say whether a clause that opened with a capital is left without what opened it: *But let's face it: The …*."""
    removed, following = text[edit.start : edit.end].rstrip(), text[edit.end :].lstrip()
    opens = not any(char.isalnum() for char in text[: edit.start])
    return not edit.replacement.strip() and removed.endswith(":") and following[:1].isupper() and not opens


def _other_form(text: str, edit: Edit) -> bool:
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


def _strands_noun(after: Words, at: int, edit: Edit) -> bool:
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


def _wrong_participle(after: Words, at: int, edit: Edit) -> bool:
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


def _says_no_clause(after: Words, at: int, edit: Edit) -> bool:
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
    return not any(_verb(after, place) for place in clause) or any(
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
