"""Which part of speech a word has where it stands: terms with a tag match one sense and not the other."""

from __future__ import annotations

import pytest

from unslant.rules.automaton import Tokens
from unslant.rules.terms import build, parse_term


def matches(term: str, sentence: str) -> list[str]:
    tokens = Tokens(sentence)
    return [tokens.written(match.first) for match in build([parse_term(term, {})]).find(tokens)]


VERBS = [
    ("attack", "They attack the bill every week.", ["attack"]),
    ("attack", "She attacked the bill.", ["attacked"]),
    ("attack", "He is attacking the bill.", ["attacking"]),
    ("attack", "The attack came at dawn.", []),
    ("attack", "An attack on the bill failed.", []),
    ("attack", "The attacks of the past were worse.", []),
    ("blast", "Critics blast the plan.", ["blast"]),
    ("blast", "He blasted the plan.", ["blasted"]),
    ("blast", "The blast hurt nobody.", []),
    ("blast", "Two blasts were heard.", []),
    ("claim", "Residents claim the road is unsafe.", ["claim"]),
    ("claim", "The claim was false.", []),
    ("claim", "His claims were false.", []),
    ("claim", "She claims that it rained.", ["claims"]),
    ("charge", "They charge him with fraud.", ["charge"]),
    ("charge", "The charge was dropped.", []),
    ("charge", "Prosecutors charged him with fraud.", ["charged"]),
    ("demand", "Voters demand a recount.", ["demand"]),
    ("demand", "The demand for bread rose.", []),
    ("fight", "They will fight the law.", ["fight"]),
    ("fight", "The fight was long.", []),
    ("hit", "The senator hit the plan again.", ["hit"]),
    ("hit", "It was a big hit in Paris.", []),
    ("lie", "The mayor lied to the council.", ["lied"]),
    ("lie", "It was a lie.", []),
    ("push", "They push the plan in May.", ["push"]),
    ("push", "The push for reform failed.", []),
    ("rage", "The debate raged for weeks.", ["raged"]),
    ("rage", "His rage was known.", []),
    ("slam", "She will slam the plan.", ["slam"]),
    ("slam", "He has slammed the plan.", ["slammed"]),
    ("slam", "It was a slam dunk.", []),
    ("vow", "He vowed to fight.", ["vowed"]),
    ("vow", "The vow was broken.", []),
    ("whine", "They whine about taxes.", ["whine"]),
    ("whine", "The whine of the saw woke him.", []),
]

NOUNS = [
    ("claim", "The claim was false.", ["claim"]),
    ("claim", "The claims were false.", ["claims"]),
    ("claim", "They will claim the prize.", []),
    ("attack", "The attack failed.", ["attack"]),
    ("attack", "They must attack the plan.", []),
    ("radical", "The radicals met in Oslo.", ["radicals"]),
    ("radical", "It was a radical plan.", []),
    ("extremist", "An extremist wrote it.", ["extremist"]),
    ("elite", "The elites of the city met.", ["elites"]),
    ("mob", "A mob gathered.", ["mob"]),
    ("mob", "Fans will mob the singer.", []),
    ("crony", "His cronies left.", ["cronies"]),
    ("hack", "A hack wrote it.", ["hack"]),
    ("hack", "They could hack the server.", []),
    ("regime", "The regime fell.", ["regime"]),
    ("poor", "The poor were hit hardest.", ["poor"]),
    ("poor", "The poor man left.", []),
    ("liberal", "A liberal won the seat.", ["liberal"]),
    ("conservative", "A conservative won the seat.", ["conservative"]),
    ("liberal", "The liberal mayor won.", []),
    ("conservative", "The conservative mayor won.", []),
]

ADJECTIVES = [
    ("radical", "It was a radical plan.", ["radical"]),
    ("stunning", "It was a stunning win.", ["stunning"]),
    ("stunning", "The win was stunning.", ["stunning"]),
    ("stunning", "He was stunning them with a hammer.", []),
    ("alleged", "The alleged thief fled.", ["alleged"]),
    ("alleged", "He alleged that they fled.", []),
    ("celebrated", "The celebrated painter died.", ["celebrated"]),
    ("celebrated", "They have celebrated the win.", []),
    ("striking", "It was a striking contrast.", ["striking"]),
    ("striking", "They were striking the tent.", []),
    ("pretty", "It is a pretty house.", ["pretty"]),
    ("great", "It was a great storm.", ["great"]),
    ("massive", "A massive crowd came.", ["massive"]),
    ("distinguished", "A distinguished guest came.", ["distinguished"]),
    ("distinguished", "She distinguished the two.", []),
]

ADVERBS = [
    ("pretty", "It was pretty late.", ["pretty"]),
    ("just", "He just left.", ["just"]),
    ("just", "It is a just law.", []),
    ("wildly", "It was wildly popular.", ["wildly"]),
    ("rather", "It was rather late.", ["rather"]),
    ("still", "They still meet.", ["still"]),
]


@pytest.mark.parametrize(("word", "sentence", "found"), VERBS)
def test_verbs(word: str, sentence: str, found: list[str]) -> None:
    assert matches(f"{word}@v", sentence) == found


@pytest.mark.parametrize(("word", "sentence", "found"), NOUNS)
def test_nouns(word: str, sentence: str, found: list[str]) -> None:
    assert matches(f"{word}@n", sentence) == found


@pytest.mark.parametrize(("word", "sentence", "found"), ADJECTIVES)
def test_adjectives(word: str, sentence: str, found: list[str]) -> None:
    assert matches(f"{word}@adj", sentence) == found


@pytest.mark.parametrize(("word", "sentence", "found"), ADVERBS)
def test_adverbs(word: str, sentence: str, found: list[str]) -> None:
    assert matches(f"{word}@adv", sentence) == found


@pytest.mark.parametrize(
    ("term", "sentence", "found"),
    [
        ("rip@v (into|apart)", "Critics ripped into the plan.", True),
        ("rip@v (into|apart)", "Critics ripped the plan.", False),
        ("(sky|soaring) high? prices", "The soaring prices hurt.", True),
        ("(sky|soaring) high? prices", "The sky-high prices hurt.", True),
        ("(sky|soaring) high? prices", "The high prices hurt.", False),
        ("the _ lobby", "The gun lobby met.", True),
        ("the _ lobby", "The lobby was full.", False),
        ("the _ lobby", "The old gun lobby met.", False),
        ("^clearly", "Clearly, it rained.", True),
        ("^clearly", "It clearly rained.", False),
        ("Turkey", "Turkey signed the treaty.", True),
        ("Turkey", "They ate turkey.", False),
        ("so called", "The so-called plan failed.", True),
        ("so called", "He did so. Called back, he left.", False),
        ("don't", "They don\u2019t know.", True),
        ("bring@v to light", "The study brought to light a flaw.", True),
        ("bring@v to light", "The study brought light to a flaw.", False),
        ("[the|a] mob [of]", "The mob of fans came.", True),
        ("[the|a] mob [of]", "The mob came.", False),
        ("mere {number}", "A mere 12 people came.", True),
        ("mere {number}", "A mere child came.", False),
        ("naturally {aside}", "Naturally, it failed.", True),
        ("naturally {aside}", "It occurs naturally in soil.", False),
    ],
)
def test_the_language_of_terms(term: str, sentence: str, found: bool) -> None:
    from unslant.rules.frames import fits

    parsed = parse_term(term, {})
    tokens = Tokens(sentence)
    hits = [
        match
        for match in build([parsed]).find(tokens)
        if not parsed.frame or fits(parsed.frame, tokens, match.first, match.last)
    ]
    assert bool(hits) is found
