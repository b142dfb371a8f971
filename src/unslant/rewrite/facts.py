"""What a sentence states that no edit may change.

Names, numbers, dates, units, negation, modality and links; that something is false or against the law; causes and
contrasts; and degrees that carry a quantity.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from unslant.text.function_words import DETERMINERS, FUNCTION
from unslant.text.words import Words, split_words

__all__ = ["FACTS", "changed_fact"]

_NUMBER = re.compile(r"\d[\d.,:/\u2013-]*\d|\d")
_NUMBER_WORDS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred hundreds thousand thousands "
    "million millions billion billions trillion trillions dozen dozens half third quarter twice double triple "
    "zero both once first second".split()
)
_DATES = frozenset(
    "january february march april june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday today yesterday tomorrow tonight century centuries decade decades year years "
    "month months week weeks day days hour hours minute minutes".split()
)
_UNITS = frozenset(
    "percent percentage km kilometers kilometres kilometer kilometre miles mile meters metres meter metre cm mm feet "
    "foot inches inch kg kilograms kilogram grams gram tons tonnes ton pounds pound ounces liters litres liter litre "
    "gallons acres hectares degrees celsius fahrenheit watts volts mph kph hz mb gb dollars dollar euros euro cents "
    "yen rupees pesos francs".split()
)
_SIGNS = re.compile(r"[%\u2030\u00b0$\u20ac\u00a3\u00a5]")
_NEGATION = frozenset(
    "not no never nor neither none nobody nothing nowhere without cannot hardly scarcely barely unable lack lacks "
    "lacked refuse refuses refused deny denies denied fail fails failed".split()
)
_MODALITY = frozenset(
    "may might could must should shall will would can ought need alleged allegedly reported reportedly suspected "
    "accused purported purportedly supposed supposedly presumed presumably likely unlikely possible possibly probable "
    "probably perhaps maybe apparently seemingly potential potentially expected proposed planned attempted if unless "
    "whether hopefully according estimated roughly approximately almost nearly".split()
)
_FALSITY = frozenset(
    "false falsely untrue untruthful untruthfully falsified counterfeit wrongly wrongfully mistakenly incorrectly "
    "incorrect erroneously inaccurately inaccurate misleading misleadingly debunked disproven disproved discredited "
    "refuted baseless baselessly unfounded groundless fabricated fake faked forged forgery fictitious bogus hoax "
    "fraudulent fraudulently unproven unsubstantiated unverified doctored claimed".split()
)
"""``claimed`` counts before a noun only: a claimed discovery is not a discovery."""
_LEGALITY = frozenset(
    "illegal illegals illegally unlawful unlawfully lawful lawfully legal legally unconstitutional unconstitutionally "
    "convicted indicted guilty criminal criminally fugitive banned prohibited outlawed "
    "terrorist terrorists".split()
)
_CAUSE = frozenset("because therefore thus hence due thanks owing caused".split())
_CONTRAST = frozenset(
    "although though despite spite but however yet while whereas unlike instead nevertheless nonetheless except "
    "otherwise contrast regardless notwithstanding".split()
)
_QUANTITY = frozenset(
    "only too nearly almost barely more less least fewer exactly slightly sharply narrowly partly partially severely "
    "critically mildly lightly modest majority minority largest smallest biggest highest lowest longest shortest "
    "oldest youngest increasingly".split()
)
_DEGREE = frozenset(
    "most best worst even far so rather entirely completely totally seriously heavily strictly primarily mainly "
    "mostly largely widely rarely often sometimes always just still already again extremely".split()
)
"""Words of degree that may carry a quantity or merely stress: a person decides."""
_OPENING = ("\u201c", "\u201e", "\u00ab")
_INNER = re.compile(r"[-\u2010\u2011'\u2019][^\W\d_a-z]")
"""A capital within a word: *anti-Catholic*, *O'Neil*; letters beyond the alphabet count too."""
_LINK = re.compile(r"(?:https?://|www\.)\S+|\b[\w.+-]+@[\w-]+\.[\w.]+")


def _parts(words: Words, known: frozenset[str]) -> Iterator[str]:
    """Yield the known words, those within hyphens among them: *a three-day strike*."""
    return (part for word in words.plain for part in word.split("-") if part in known)


def _numbers(words: Words) -> Counter[str]:
    return Counter((*_NUMBER.findall(words.text), *_parts(words, _NUMBER_WORDS)))


def _units(words: Words) -> Counter[str]:
    return Counter((*_SIGNS.findall(words.text), *_parts(words, _UNITS)))


def _counter_of(known: frozenset[str]) -> Callable[[Words], Counter[str]]:
    return lambda words: Counter(_parts(words, known))


def _negation(words: Words) -> Counter[str]:
    """Count denials, those within hyphens among them: *a not-so-subtle hint*."""
    contracted = Counter("not" for word in words.plain if word.endswith("n't"))
    return contracted + Counter(_parts(words, _NEGATION))


def _falsity(words: Words) -> Counter[str]:
    """Count what says that something is not so; *claimed* only where it describes a noun."""
    found = Counter(_parts(words, _FALSITY))
    attributive = sum(
        word == "claimed" and at > 0 and words.plain[at - 1] in DETERMINERS
        for at, word in enumerate(words.plain)
    )
    found["claimed"] = attributive
    return +found


def _counter_of_any(known: frozenset[str]) -> Callable[[Words], Counter[str]]:
    """Count all known words as one: one word of cause or contrast may stand for another."""
    return lambda words: Counter({"": sum(1 for _ in _parts(words, known))})


def _degree(words: Words) -> Counter[str]:
    """Count words of degree; neither *so-called* nor *far-right* states one."""
    parts = (
        part
        for word in words.plain
        for part in ([word] if word.startswith(("so-", "far-")) else word.split("-"))
    )
    return Counter(part for part in parts if part in _DEGREE)


def _links(words: Words) -> Counter[str]:
    return Counter(_LINK.findall(words.text))


FACTS: Mapping[str, Callable[[Words], Counter[str]]] = {
    "falsity": _falsity,
    "legality": _counter_of_any(_LEGALITY),
    "cause": _counter_of_any(_CAUSE),
    "contrast": _counter_of_any(_CONTRAST),
    "number": _numbers,
    "date": _counter_of(_DATES),
    "unit": _units,
    "negation": _negation,
    "modality": _counter_of(_MODALITY),
    "quantity": _counter_of(_QUANTITY),
    "degree": _degree,
    "link": _links,
}
"""What is counted before and after an edit, by the gate's name."""
_LAST = "degree"
"""Asked after all the others, as a person may decide about it."""


@lru_cache(1024)
def _facts(text: str) -> Mapping[str, Counter[str]]:
    words = split_words(text)
    return {name: facts(words) for name, facts in FACTS.items()}


def changed_fact(before: str, after: str) -> tuple[str, str] | None:
    """Return the first gate that an edit fails and the word that it changes; None: every fact is still there."""
    was, now = _facts(before), _facts(after)
    for name in FACTS:
        if name != _LAST and was[name] != now[name]:
            return name, _first(was[name], now[name])
    lost = _names(before) - Counter(split_words(after).written)
    come = _names(after) - Counter(split_words(before).written)
    for name in (*lost, *come):
        return "name", name
    if was[_LAST] != now[_LAST]:
        return _LAST, _first(was[_LAST], now[_LAST])
    return None


def _first(old: Counter[str], new: Counter[str]) -> str:
    return next(iter((old - new) + (new - old)))


@lru_cache(1024)
def _names(text: str) -> Counter[str]:
    """Count words written like names: with a capital that their place does not ask for, also after a hyphen."""
    words = split_words(text)
    return Counter(
        word
        for at, word in enumerate(words.written)
        if words.plain[at] != "i" and ((word[0].isupper() and not _opens(words, at)) or _INNER.search(word))
    )


def _opens(words: Words, at: int) -> bool:
    """Say whether a capital is due here; the first word of a name that goes on is none of those.

    It is at the start of the sentence and of a quotation. After a colon or a stop within the sentence a capital may be
    due, but *U.S.* and *Dr. Ruiz* look the same, so there it counts as a name.
    """
    if len(words.written[at]) > 1 and words.written[at].isupper():
        return False
    if words.text[: words.spans[at][0]].strip() and not _begins_quotation(words, at):
        return False
    follows = at + 1 < len(words) and words.written[at + 1][0].isupper()
    return not (follows and words.plain[at] not in FUNCTION)


def _begins_quotation(words: Words, at: int) -> bool:
    """Say whether a quotation mark opens right before a word; one that closes has a letter or a stop before it."""
    start = words.spans[at][0]
    before = words.text[:start]
    return before.endswith(_OPENING) or (before.endswith('"') and not before[:-1].rstrip("(")[-1:].strip())
