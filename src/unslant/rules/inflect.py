"""The inflected forms of English verbs and nouns.

Regular forms follow the spelling rules; irregular forms of words in the catalogue are listed. A library with all words
would take longer to load than all the rules; the tests compare these forms with such a library.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

Slot = Literal["base", "s", "past", "participle", "ing"]

_VERBS: dict[str, tuple[str, str, str, str]] = {
    "be": ("is", "was", "been", "being"),
    "beat": ("beats", "beat", "beaten", "beating"),
    "become": ("becomes", "became", "become", "becoming"),
    "begin": ("begins", "began", "begun", "beginning"),
    "bite": ("bites", "bit", "bitten", "biting"),
    "blow": ("blows", "blew", "blown", "blowing"),
    "break": ("breaks", "broke", "broken", "breaking"),
    "bring": ("brings", "brought", "brought", "bringing"),
    "buy": ("buys", "bought", "bought", "buying"),
    "catch": ("catches", "caught", "caught", "catching"),
    "come": ("comes", "came", "come", "coming"),
    "cut": ("cuts", "cut", "cut", "cutting"),
    "deal": ("deals", "dealt", "dealt", "dealing"),
    "do": ("does", "did", "done", "doing"),
    "draw": ("draws", "drew", "drawn", "drawing"),
    "drink": ("drinks", "drank", "drunk", "drinking"),
    "drive": ("drives", "drove", "driven", "driving"),
    "eat": ("eats", "ate", "eaten", "eating"),
    "fall": ("falls", "fell", "fallen", "falling"),
    "feed": ("feeds", "fed", "fed", "feeding"),
    "feel": ("feels", "felt", "felt", "feeling"),
    "fight": ("fights", "fought", "fought", "fighting"),
    "find": ("finds", "found", "found", "finding"),
    "fling": ("flings", "flung", "flung", "flinging"),
    "forget": ("forgets", "forgot", "forgotten", "forgetting"),
    "get": ("gets", "got", "gotten", "getting"),
    "give": ("gives", "gave", "given", "giving"),
    "go": ("goes", "went", "gone", "going"),
    "grow": ("grows", "grew", "grown", "growing"),
    "have": ("has", "had", "had", "having"),
    "hear": ("hears", "heard", "heard", "hearing"),
    "hide": ("hides", "hid", "hidden", "hiding"),
    "hit": ("hits", "hit", "hit", "hitting"),
    "hold": ("holds", "held", "held", "holding"),
    "hurt": ("hurts", "hurt", "hurt", "hurting"),
    "keep": ("keeps", "kept", "kept", "keeping"),
    "know": ("knows", "knew", "known", "knowing"),
    "lay": ("lays", "laid", "laid", "laying"),
    "lead": ("leads", "led", "led", "leading"),
    "leave": ("leaves", "left", "left", "leaving"),
    "let": ("lets", "let", "let", "letting"),
    "lie": ("lies", "lied", "lied", "lying"),
    "lose": ("loses", "lost", "lost", "losing"),
    "make": ("makes", "made", "made", "making"),
    "mean": ("means", "meant", "meant", "meaning"),
    "meet": ("meets", "met", "met", "meeting"),
    "pay": ("pays", "paid", "paid", "paying"),
    "put": ("puts", "put", "put", "putting"),
    "read": ("reads", "read", "read", "reading"),
    "ride": ("rides", "rode", "ridden", "riding"),
    "rise": ("rises", "rose", "risen", "rising"),
    "run": ("runs", "ran", "run", "running"),
    "say": ("says", "said", "said", "saying"),
    "see": ("sees", "saw", "seen", "seeing"),
    "seek": ("seeks", "sought", "sought", "seeking"),
    "sell": ("sells", "sold", "sold", "selling"),
    "send": ("sends", "sent", "sent", "sending"),
    "set": ("sets", "set", "set", "setting"),
    "shake": ("shakes", "shook", "shaken", "shaking"),
    "shed": ("sheds", "shed", "shed", "shedding"),
    "shoot": ("shoots", "shot", "shot", "shooting"),
    "show": ("shows", "showed", "shown", "showing"),
    "shut": ("shuts", "shut", "shut", "shutting"),
    "sing": ("sings", "sang", "sung", "singing"),
    "slay": ("slays", "slew", "slain", "slaying"),
    "slide": ("slides", "slid", "slid", "sliding"),
    "sling": ("slings", "slung", "slung", "slinging"),
    "speak": ("speaks", "spoke", "spoken", "speaking"),
    "spend": ("spends", "spent", "spent", "spending"),
    "spew": ("spews", "spewed", "spewed", "spewing"),
    "spin": ("spins", "spun", "spun", "spinning"),
    "spit": ("spits", "spat", "spat", "spitting"),
    "spread": ("spreads", "spread", "spread", "spreading"),
    "stand": ("stands", "stood", "stood", "standing"),
    "steal": ("steals", "stole", "stolen", "stealing"),
    "stick": ("sticks", "stuck", "stuck", "sticking"),
    "strike": ("strikes", "struck", "struck", "striking"),
    "swear": ("swears", "swore", "sworn", "swearing"),
    "sweep": ("sweeps", "swept", "swept", "sweeping"),
    "swing": ("swings", "swung", "swung", "swinging"),
    "take": ("takes", "took", "taken", "taking"),
    "teach": ("teaches", "taught", "taught", "teaching"),
    "tear": ("tears", "tore", "torn", "tearing"),
    "tell": ("tells", "told", "told", "telling"),
    "think": ("thinks", "thought", "thought", "thinking"),
    "throw": ("throws", "threw", "thrown", "throwing"),
    "tie": ("ties", "tied", "tied", "tying"),
    "die": ("dies", "died", "died", "dying"),
    "understand": ("understands", "understood", "understood", "understanding"),
    "undergo": ("undergoes", "underwent", "undergone", "undergoing"),
    "overcome": ("overcomes", "overcame", "overcome", "overcoming"),
    "win": ("wins", "won", "won", "winning"),
    "wear": ("wears", "wore", "worn", "wearing"),
    "weep": ("weeps", "wept", "wept", "weeping"),
    "wreak": ("wreaks", "wreaked", "wreaked", "wreaking"),
    "write": ("writes", "wrote", "written", "writing"),
}

_BE = {"am": "base", "are": "base", "is": "s", "was": "past", "were": "past"}

_NOUNS: dict[str, str] = {
    "child": "children",
    "crisis": "crises",
    "foot": "feet",
    "half": "halves",
    "hero": "heroes",
    "knife": "knives",
    "leaf": "leaves",
    "life": "lives",
    "mouse": "mice",
    "person": "people",
    "thief": "thieves",
    "tooth": "teeth",
    "tomato": "tomatoes",
    "potato": "potatoes",
    "veto": "vetoes",
    "wife": "wives",
    "wolf": "wolves",
    "elf": "elves",
}

_DOUBLED = frozenset(
    "admit begin commit compel concur confer control defer deter emit equip excel expel extol forget format incur "
    "infer kidnap occur omit outwit patrol permit prefer propel rebel rebut recur refer regret remit repel submit "
    "transfer transmit upset".split()
)
"""Verbs of two or more syllables that double their last consonant."""

_VOWELS = frozenset("aeiou")
_SIBILANTS = ("s", "x", "z", "ch", "sh")


def _doubles(verb: str) -> bool:
    if verb in _DOUBLED:
        return True
    if len(verb) < 3 or verb[-1] in "aeiouwxyh" or verb[-2] not in _VOWELS or verb[-3] in _VOWELS:
        # "quit": the u belongs to the q
        return len(verb) == 4 and verb[:2] == "qu" and verb[-1] not in "aeiouwxy"
    return sum(letter in _VOWELS for letter in verb) == 1


def _with_s(word: str) -> str:
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(_SIBILANTS) or word in ("go", "do", "echo", "torpedo") else "s")


def _verb(verb: str) -> tuple[str, str, str, str]:
    if known := _VERBS.get(verb):
        return known
    for prefix in ("over", "under", "out", "mis", "re", "with"):
        stem = verb.removeprefix(prefix)
        if stem != verb and stem in _VERBS:
            s, past, participle, ing = _VERBS[stem]
            return prefix + s, prefix + past, prefix + participle, prefix + ing
    stem = verb + verb[-1] if _doubles(verb) else verb
    if verb.endswith("e"):
        past = verb + "d"
    elif verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        past = verb[:-1] + "ied"
    else:
        past = verb + "ked" if verb.endswith("ic") else stem + "ed"
    if verb.endswith("ie"):
        ing = verb[:-2] + "ying"
    elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        ing = verb[:-1] + "ing"
    else:
        ing = verb + "king" if verb.endswith("ic") else stem + "ing"
    return _with_s(verb), past, past, ing


def _plural(noun: str) -> str:
    if known := _NOUNS.get(noun):
        return known
    if noun.endswith("man") and noun.lower() not in (
        "human",
        "german",
        "roman",
        "shaman",
        "talisman",
        "ottoman",
    ):
        return noun[:-3] + "men"
    if noun.endswith(("child", "wife")):
        stem = "child" if noun.endswith("child") else "wife"
        return noun.removesuffix(stem) + _NOUNS[stem]
    return _with_s(noun)


@lru_cache(maxsize=4096)
def forms(lemma: str, pos: str) -> dict[str, Slot]:
    """Return every form of a lower-case lemma with its slot; an uninflected word has one form."""
    if pos == "v":
        s, past, participle, ing = _verb(lemma)
        slots: dict[str, Slot] = {participle: "participle", past: "past", s: "s", ing: "ing", lemma: "base"}
        if lemma == "be":
            slots.update(_BE)  # type: ignore[arg-type]
        return slots
    if pos == "n":
        return {_plural(lemma): "s", lemma: "base"}
    return {lemma: "base"}


def inflect(lemma: str, pos: str, slot: Slot) -> str:
    """Return the form of a lemma for a slot."""
    if pos == "v":
        s, past, participle, ing = _verb(lemma)
        return {"base": lemma, "s": s, "past": past, "participle": participle, "ing": ing}[slot]
    if pos == "n" and slot == "s":
        return _plural(lemma)
    return lemma
