"""Whether the words around an edit need what it changes: to tell one thing from another, or for what is denied."""

from __future__ import annotations

from unslant.core.types import Edit
from unslant.text.function_words import BE, DETERMINERS, FUNCTION, PREPOSITIONS
from unslant.text.words import Words, split_words

__all__ = ["is_bound", "takes_side", "tells_apart"]

_OPPOSITES = (
    "left right leftist rightist left-wing right-wing far-left far-right centrist center-left center-right",
    "liberal liberals conservative conservatives progressive progressives moderate moderates radical radicals",
    "socialist conservative liberal",
    "hard-line hardline moderate",
    "democrat democrats republican republicans democratic",
    "legal illegal lawful unlawful documented undocumented",
    "rich poor wealthy richer poorer",
    "old young new older younger elderly ancient modern veteran",
    "male female men women man woman boys girls",
    "black white asian hispanic",
    "large small big tiny huge",
    "good bad better worse best worst",
    "safe unsafe dangerous",
    "true false real fake",
    "pro-life pro-choice anti-abortion abortion-rights",
    "pro-gun anti-gun gun-rights gun-control",
    "deaf hearing blind sighted disabled able-bodied",
    "heavy light modest",
    "public private",
    "strong weak",
)
"""Words that are told from each other; each is the opposite of all the others in its line."""
_OPPOSITE_OF = {
    word: frozenset(other for group in _OPPOSITES if word in group.split() for other in group.split())
    - {word}
    for word in " ".join(_OPPOSITES).split()
}


def tells_apart(text: str, edit: Edit) -> str | None:
    """Return the word with which the changed words are contrasted in the sentence, or None.

    *The far-right party won 20% and the far-left party won 10%*: the same noun stands elsewhere with another word
    before it, or the opposite of a word stands elsewhere.
    """
    words = split_words(text)
    first, following = words.after(edit.start), words.after(edit.end)
    inside, kept = set(range(first, following)), set(split_words(edit.replacement).plain)
    gone = [words.plain[at] for at in sorted(inside) if words.is_word(at) and words.plain[at] not in kept]
    others = [at for at in range(len(words)) if at not in inside and words.is_word(at)]
    for word in gone:
        opposite = _OPPOSITE_OF.get(word, frozenset())
        for at in others:
            if words.plain[at] in opposite:
                return words.written[at]
    if edit.replacement.strip():
        return None
    parallel = next(
        (words.written[at] for at in others if words.plain[at] in gone and _carries(words.plain[at])), None
    )
    if parallel is not None:
        return parallel
    head = _head(words, following)
    for at in others:
        if head and at != following and _singular(words.plain[at]) == head and _has_modifier(words, at):
            return words.written[at]
    return None


def _beside(words: Words, first: int) -> str | None:
    """Return the noun beside which another is set: *an awful writer and a decent editor*.

    Whatever is said of the first, if anything, what is said of the second compares it.
    """
    if first < 4 or words.plain[first - 1] not in ("a", "an") or words.plain[first - 2] not in ("and", "but"):
        return None
    noun = first - 3
    described = words.plain[max(0, noun - _DESCRIBED) : noun]
    if not words.is_word(noun) or words.plain[noun] in FUNCTION or not {"a", "an"}.intersection(described):
        return None
    return words.written[noun]


_DESCRIBED = 4
"""How many words before a noun its article may stand."""


_BINDING = frozenset(
    "not never n't almost nearly virtually hardly scarcely barely falsely wrongly mistakenly incorrectly erroneously "
    "baselessly equally".split()
)
"""Words that say how far the next one holds: without it, or with another, the sentence says something else."""


_TERMS = frozenset(
    "scheduler algorithm heuristic tumour tumor allele stroke infarction hemorrhage conductor anemia fracture radical "
    "prostatectomy mastectomy variable regression quantifier".split()
)
"""Nouns of a trade: a word before them belongs to the term, as in *a greedy scheduler* and *a massive stroke*."""


_CAMPS = frozenset(
    "far-right far-left left-wing right-wing leftwing rightwing left-leaning right-leaning conservative liberal "
    "leftist leftists rightist rightists communist communists fascist fascists libertarian "
    "progressive socialist republican democratic pro-life pro-choice anti-abortion pro-gun anti-gun".split()
)
"""Which camp somebody belongs to is a fact: the words may be replaced, but not left out."""
_DOUBTS = frozenset("hard difficult impossible tough".split())
"""*It is hard to believe that opinion will change* says that it will not."""
_MANNER = frozenset("clearly plainly visibly openly distinctly sharply cleanly neatly properly".split())
"""Adverbs that say how something was done if a participle before its noun follows: *clearly separated modules*."""
_STATING = (
    "stat",
    "explain",
    "defin",
    "spell",
    "speak",
    "spoke",
    "writ",
    "express",
    "communicat",
    "hear",
    "see",
    "saw",
)
"""How verbs begin that one does clearly or plainly: *state clearly what is expected*."""
_NEAR = 5
_THINGS = frozenset(
    "tunnel hole rock rocks door doors wall walls floor ground head heads face coast shore brakes table desk ball "
    "pavement sidewalk".split()
)
"""What can be blasted, slammed or hammered in the literal sense."""


_VIOLENCE = frozenset(
    "shooting shootings massacre massacres bombing bombings murder murders killing killings attack attacks terrorism "
    "slaughter genocide rape assassination beheading violence".split()
)
"""What nobody merely criticizes."""
_ARMS = frozenset(
    "gunman gunmen gunfire shots shot rockets rocket missiles missile artillery mortars rifle rifles pistol weapon "
    "weapons ammunition rounds bullets troops soldiers militants rebels militia shooter sniper police officers "
    "guns gun".split()
)
"""With one of these in the sentence, who fires back may not be speaking."""


_FORCES = frozenset(
    "sanctions tariffs storm storms hurricane hurricanes typhoon flood floods recession pandemic inflation wind winds "
    "wave waves drought virus".split()
)
"""What slams or hammers without a word: *an economy slammed by sanctions*."""


_MUTE = frozenset(
    "error errors mistake leak leaks breach accident crash incident glitch scan scans test tests testing experiment "
    "experiments footage video videos image images photo photos photograph photographs picture pictures data dna "
    "evidence numbers figures results excavation excavations autopsy".split()
)
"""What reveals or shows something, but says nothing."""


def _mute_subject(words: Words, first: int) -> str | None:
    """Return the thing that is made to speak: *an error this month said that*."""
    for place in range(first - 1, max(-1, first - 1 - _NEAR), -1):
        if not words.is_word(place) or words.plain[place] in ("that", "who", "which", "and"):
            return None
        if words.plain[place] in _MUTE:
            return words.written[place]
    return None


_PERSONS = frozenset("fanatic maniac heretic cynic".split())
"""Nouns that look like adjectives: nobody is left if they go."""
_IDIOMS = tuple(
    idiom.split()
    for idiom in ("fire and fury", "sound and fury", "shock and awe", "hue and cry", "law and order")
)
_UNWILLING = ("refus", "declin", "fail", "unwilling", "reluctan", "loath", "forc", "compel", "first", "last")
"""*Refused to admit it* is not *refused to say it*; *the first to admit it* is a phrase."""


def _in_idiom(words: Words, first: int, following: int) -> str | None:
    for idiom in _IDIOMS:
        for place in range(max(0, first - len(idiom) + 1), following):
            if words.plain[place : place + len(idiom)] == idiom:
                return " ".join(words.written[place : place + len(idiom)])
    return None


_ZEAL = frozenset("radical extreme extremist militant fundamentalist fanatical hard-line hardline".split())
_FAITHS = (
    "islam",
    "muslim",
    "christian",
    "catholic",
    "evangelical",
    "protestant",
    "jew",
    "judaism",
    "hindu",
    "sikh",
)
"""How the names of faiths begin: *the threat from radical Islam* is not a threat from Islam."""
_TRUTH = frozenset("true false right wrong correct incorrect".split())
_SEEMING = frozenset("obviously clearly plainly evidently undeniably indisputably".split())
"""How something true may look: *the obviously true thing* may turn out not to be."""
_LOADED = frozenset(
    "nothing disaster failure joke lie mistake blunder embarrassment betrayal success triumph".split()
)
"""Nouns that judge: a *large lie* is no more neutral than a *massive* one."""
_FEELINGS = frozenset("furious angry irate livid outraged enraged".split())
_PEOPLE = frozenset(
    "constituents voters supporters parents protesters protestors crowd crowds residents customers fans workers "
    "members lawmakers students citizens taxpayers people".split()
)
"""Of whom *furious* says what they feel; *a furious attack* is only a strong one."""
_OUTCOMES = frozenset("resounding overwhelming commanding sweeping decisive landslide".split())
"""Of a victory: who was denied a resounding one may have won."""
_DENIALS = frozenset("not never unable failed fails fail cannot without neither nor".split())
_SHARES = frozenset("most all few none half majority".split())
_HAVING = (["has"], ["have"], ["had"])
_THING_TO = frozenset("something nothing anything much little plenty".split())
"""*Something to boast about* is not something to speak about."""
_HURT = frozenset("jobs lives people population populations".split())
"""What can be decimated, but not weakened."""
_SIZES = frozenset("large small".split())
_DROPPED = frozenset("at against into on".split())


def _needed_before(words: Words, first: int, following: int, edit: Edit) -> str | None:
    """Return the next word if it needs the changed one, or goes badly with the new one."""
    if following >= len(words) or following - first != 1:
        return None
    gone, noun, new = words.plain[first], words.plain[following], edit.replacement.strip()
    if not new:
        article = words.plain[first - 1 : first] in (["a"], ["an"], ["the"])
        needed = (
            (gone in _ZEAL and noun.startswith(_FAITHS))
            or (gone in _FEELINGS and noun in _PEOPLE)
            or (article and gone in _SEEMING and noun in _TRUTH)
        )
        needed = needed or _is_the_statement(words, first, following)
        needed = needed or (gone in _OUTCOMES and _denied(words, first))
    else:
        needed = (new in _SIZES and noun in _LOADED) or (new == "public" and noun == "health")
        needed = needed or (
            new.startswith("weaken") and not _HURT.isdisjoint(words.plain[following : following + 3])
        )
    return words.written[following] if needed else None


def _denied(words: Words, first: int) -> bool:
    return any(word in _DENIALS or word.endswith("n't") for word in words.plain[:first])


def _is_the_statement(words: Words, first: int, following: int) -> bool:
    """Say whether the words are what is said, or of whom: *it has a terrible end.*, *most of the sane ones*."""
    before = words.plain[max(0, first - 3) : first]
    if before[:1] and before[0] in _SHARES and before[1:] == ["of", "the"]:
        return True
    if (
        words.plain[first].endswith("ly")
        or before[-1:] not in (["a"], ["an"])
        or before[-2:-1] not in _HAVING
    ):
        return False
    end = next((at for at in range(following, len(words)) if not words.is_word(at)), len(words))
    return end - following < 3 and words.plain[end : end + 1] in ([], ["."], ["!"], ["?"])


def _said_otherwise(words: Words, first: int, following: int, edit: Edit) -> str | None:
    """Return the word with which *said* or another wording says something else."""
    new, before = edit.replacement.split(" ")[0], words.plain[max(0, first - 4) : first]
    if new in ("say", "says", "said") and "as" in before and _denied(words, first):
        # "they had not been robbed, as he claimed"
        return "as"
    if new.startswith("critici") and following < len(words) and words.plain[following].startswith("critic"):
        return words.written[following]
    if new in ("speak", "talk") and before[-1:] == ["to"] and before[-2:-1] and before[-2] in _THING_TO:
        return words.written[first - 2]
    if new in ("involving", "with") and before[-1:] and before[-1] in BE:
        return words.written[first - 1]
    return None


def _preposition_again(words: Words, first: int, following: int, edit: Edit) -> str | None:
    """Return the preposition that repeats one that goes: *took a swipe at the judge and at the court*."""
    last = words.plain[following - 1]
    if following - first < 2 or last not in _DROPPED or edit.replacement.split()[-1:] in ([], [last]):
        return None
    for place in range(following, len(words) - 1):
        if words.plain[place] in ("and", "or", "but") and words.plain[place + 1] == last:
            return words.written[place + 1]
    return None


def _speech_without_object(words: Words, first: int, following: int, edit: Edit) -> str | None:
    """Return the verb after a quotation, if criticizing would have no object: *“…,” the paper blasted in May*."""
    if not edit.replacement.startswith("critici") or '"' not in words.plain[max(0, first - _NEAR) : first]:
        return None
    ends = following >= len(words) or not words.is_word(following) or words.plain[following] in PREPOSITIONS
    return words.written[first] if ends else None


def _stands_alone(words: Words, first: int, following: int, edit: Edit) -> str | None:
    """Return the noun that would open a sentence without its article: *Great site, you can …*."""
    inside = words.plain[first:following]
    if first != 0 or not inside or inside[0].endswith("ly"):
        return None
    if not edit.replacement.strip() and len(inside) == 1:
        noun = following
    elif len(inside) == 2 and edit.replacement.lower() == inside[1]:
        noun = first + 1
    else:
        return None
    return words.written[noun] if words.plain[noun + 1 : noun + 2] == [","] else None


def _needs_verb(words: Words, first: int) -> str | None:
    """Return what somebody would not do, if saying so instead is something else."""
    if first > 1 and words.plain[first - 1] == "to" and words.plain[first - 2].startswith(_UNWILLING):
        return words.written[first - 2]
    return None


def _hit_in_fact(words: Words, following: int, edit: Edit) -> str | None:
    """Return what is hit and not criticized: *slammed the door*, *an economy slammed by sanctions*."""
    if not edit.replacement.startswith("critici"):
        return None
    hit = _THINGS | _FORCES if words.plain[following : following + 1] == ["by"] else _THINGS
    for reach, listed in ((_NEAR, hit), (3, _VIOLENCE)):
        for place in range(following, min(following + reach, len(words))):
            if words.plain[place] in listed:
                return words.written[place]
    return None


def _without_voice(words: Words, start: int, edit: Edit) -> str | None:
    """Return why nobody speaks here: a thing that cannot, somebody who will not, or weapons that fire."""
    if edit.replacement.split(" ")[0] in ("say", "says", "said"):
        return _mute_subject(words, start) or _needs_verb(words, start)
    if edit.replacement.startswith("respond") and words.plain[start].startswith("fir"):
        return next(
            (words.written[place] for place in range(len(words)) if words.plain[place] in _ARMS), None
        )
    return None


def _missed_when_gone(words: Words, start: int, following: int, edit: Edit) -> str | None:
    """Return what needs the words that an edit deletes."""
    if edit.replacement.strip():
        return None
    again = _repeated(words, start, following)
    if again is not None:
        return again
    for place in range(start, following):
        if words.plain[place] in _DOUBTS and words.plain[place + 1 : place + 2] == ["to"]:
            return words.written[place]
        if words.plain[place] in _CAMPS or words.plain[place] in _PERSONS:
            return words.written[place]
    return words.written[min(following, len(words) - 1)] if _says_how(words, start, following) else None


def is_bound(text: str, edit: Edit) -> str | None:
    """Return the word that the changed words belong to, or None: *did not clearly show*, *an aggressive tumour*."""
    words = split_words(text)
    at = words.before(edit.start)
    while at >= 0 and words.plain[at] in (",", "and", "even"):
        at -= 1
    following = words.after(edit.end)
    if following < len(words) and words.plain[following] in _TERMS:
        return words.written[following]
    if edit.replacement.strip() in ("", "a", "an"):
        first = words.after(edit.start)
        beside = _beside(words, first + (words.plain[first : first + 1] in (["a"], ["an"])))
        if beside is not None and not words.plain[following - 1].endswith("ly"):
            return beside
    start = words.after(edit.start)
    whole = (
        _hit_in_fact(words, following, edit)
        or _in_idiom(words, start, following)
        or _stands_alone(words, start, following, edit)
        or _needed_before(words, start, following, edit)
        or _preposition_again(words, start, following, edit)
        or _speech_without_object(words, start, following, edit)
        or _said_otherwise(words, start, following, edit)
        or _without_voice(words, start, edit)
        or _missed_when_gone(words, start, following, edit)
    )
    if whole is not None:
        return whole
    aside = following + (words.plain[following : following + 1] == [","])
    if at < 0 and words.plain[aside : aside + 2] == ["if", "not"]:
        # "Disturbingly, if not surprisingly, …"
        return words.written[aside]
    if words.plain[start:following] == ["far"] and following < len(words):
        return words.written[following]
    if at < 0:
        return None
    word = words.plain[at]
    return words.written[at] if word in _BINDING or word.endswith("n't") else None


def _repeated(words: Words, first: int, following: int) -> str | None:
    """Return the word that refers back to a deleted one: *firmly promoted, and just as firmly denied*."""
    for place in range(following + 1, len(words)):
        if words.plain[place] in words.plain[first:following] and words.plain[place - 1] in (
            "as",
            "more",
            "less",
        ):
            return words.written[place]
    return None


def _says_how(words: Words, first: int, following: int) -> bool:
    """Say whether an adverb says how: *a clearly marked path*, *state clearly*, but not *she clearly wanted it*."""
    if following - first != 1 or words.plain[first] not in _MANNER:
        return False
    if following == len(words) or not words.is_word(following):
        # "hear him clearly."
        return any(word.startswith(_STATING) for word in words.plain[max(0, first - 3) : first])
    if following + 1 >= len(words):
        return False
    leads = words.plain[first - 1] if first else ""
    if leads.startswith(_STATING):
        return True
    noun = words.plain[following + 1]
    describes = words.is_word(following + 1) and noun not in FUNCTION
    return (
        describes
        and words.plain[following].endswith("ed")
        and (not leads or leads in DETERMINERS or leads in PREPOSITIONS)
    )


def _head(words: Words, following: int) -> str:
    """Return the word that the deleted words may have described."""
    if following >= len(words) or not words.is_word(following) or words.plain[following] in FUNCTION:
        return ""
    return _singular(words.plain[following])


def _has_modifier(words: Words, at: int) -> bool:
    return at > 0 and words.is_word(at - 1) and words.plain[at - 1] not in FUNCTION


def _carries(word: str) -> bool:
    """Say whether a word is said twice for effect: *a great man, and a great calling*."""
    return word not in FUNCTION and not word.endswith("ly")


def _singular(word: str) -> str:
    return word[:-1] if word.endswith("s") and len(word) > 3 else word


_ONE_SIDED = frozenset(
    "undocumented illegal illegals alien aliens pro-life pro-choice anti-choice unborn pro-abortion gun-grabbing woke "
    "extremist extremists terrorist terrorists freedom-fighter freedom-fighters patriot patriots radical "
    "radicals".split()
)
"""Words that one side uses for what the other calls by another: nobody is offered one for the other."""


def takes_side(text: str, edit: Edit) -> str | None:
    """Return the word of one side that an edit would put in, or None."""
    stood = set(split_words(text).plain)
    return next(
        (word for word in split_words(edit.replacement).plain if word in _ONE_SIDED and word not in stood),
        None,
    )
