"""Names are not the writer's choice of wording."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.core.types import Document, Sentence, Span
from unslant.rules.analyzer import RuleAnalyzer
from unslant.rules.automaton import Tokens
from unslant.rules.names import is_headline, looks_like_name
from unslant.spec import Spec

_NAMES = """
She moved to [Great] Britain in 1950.
The ship crossed the [Black] Sea.
Towns along the [White] Nile were flooded.
He died at [Blind] River in 1911.
The [Elderly] Care Act passed in May.
The [Homeless] World Cup was held in Oslo.
Members of the [Liberal] Party left the hall.
[Liberal] Party members left the hall.
The [White] House declined to comment.
[Legendary] Pictures bought the rights to the book.
[Iconic] Brands Ltd was sold in March.
It was published by [Striking] Books of Leeds.
[Great] Lakes ports reopened in April.
[Great] Western Railway cut two services.
[Black] Sabbath formed in Birmingham.
[Pretty] Things were a band from Kent.
[Only] Connect is a quiz show.
[Blind] Lemon Jefferson recorded it twice.
They saw The [Iconic] at the arena.
Alexander the [Great] died in Babylon.
Dr. [Great] spoke at noon.
Mr. [Black] denied it.
The letter was signed by J. [Black] and two others.
Gov. [White] vetoed the bill.
Her novel, The [Radical] Gardener, sold well.
The [Great] Gatsby is set on Long Island.
The album [Pretty] on the Inside came out in 1991.
The song “[Crazy]” was a hit in Norway.
The song '[Crazy]' was a hit in Norway.
Her first film was "[Shocking]" in 1988.
“[Legendary] Pictures is a studio,” she said.
The winner: [Great] Western Railway.
The buyer — [Iconic] Brands of Leeds — paid in cash.
(The owner is [Striking] Books.)
([Legendary] Pictures paid for the film.)
The Anti-[Radical] League met in Vienna.
[Black]-Scholes prices are quoted daily.
The [MAD] doctrine was named in 1962.
[Great] Russian Encyclopedia volumes were sold off.
[Black] Friday Sale leaflets were handed out.
The president of the [Great] Plains Society met King Charles at Windsor Castle in March.
The President of the United States met the [Great] Chief of Tonga at Hampton Court.
The award went to [Stunning], a horse from Kent.
"""

_NOT_NAMES = """
The [great] storm passed.
[Great] storms hit the coast.
[Legendary] pictures of the dam were sold.
[Elderly] care is costly.
The verdict: [Shocking] work.
He called it: “[Stunning] work.”
“[Shocking],” she said.
'[Shocking] as it was, it stood,' he wrote.
It was over — [Shocking] news for the club.
It was over—[Shocking] news for the club.
It was over - [Shocking] news for the club.
([Shocking] as it was, the score stood.)
Really? [Stunning] news.
So it goes… [Shocking] as ever.
1. [Great] food for little money.
• [Great] food for little money.
[Stunning] Italian views drew visitors.
[Shocking] British figures were published.
[Radical] French painters met there.
[Elderly] Germans save more.
[Poor] Londoners moved east.
[Radical] Christians founded the town.
[Shocking] July figures surprised the bank.
[Great] Sunday weather drew crowds.
[Shocking] BBC footage was shown.
[Controversial] Senator Hall resigned.
[Legendary] Mr Hall sang twice.
[Black]-owned shops reopened.
[Crazy] I may be.
[Crazy] I'm not.
This is [SHOCKING] news.
A [RADICAL] idea was put forward.
Mayor Unveils [Radical] Plan for Harbour
[Shocking] Scandal Rocks Quiet Town
Is This the Most [Shocking] Storm of the Year?
Why the [Iconic] Bridge Will Close: What We Know
MAYOR UNVEILS [RADICAL] PLAN
[GAY] COUPLE WINS COURT CASE
He shouted that it was a [SAD] STORY and left the room.
“[Great] Work”: Mayor Thanks Volunteers After Flood
"""


def _cases(text: str) -> list[str]:
    return text.strip().splitlines()


def _word(marked: str) -> str:
    return marked[marked.index("[") + 1 : marked.index("]")]


@pytest.fixture(scope="module")
def analyzer() -> RuleAnalyzer:
    words = sorted({_word(case).lower() for case in _cases(_NAMES) + _cases(_NOT_NAMES)})
    rule = f"""
        version = 1
        [[rule]]
        id = "framing/test"
        title = "Test"
        kind = "framing"
        why = "For the test."
        source = "this test"
        terms = {words}
        """
    return RuleAnalyzer(Spec(rule_files=(("test.toml", rule),)))


def _flagged(analyzer: RuleAnalyzer, marked: str) -> bool:
    start = marked.index("[")
    text = marked.replace("[", "", 1).replace("]", "", 1)
    (analysis,) = analyzer.analyze([Sentence(Document(text, text), Span(0, len(text)))])
    return ("framing/test", start) in {(found.rule, found.span.start) for found in analysis.findings}


@pytest.mark.parametrize("marked", _cases(_NAMES))
def test_names_are_left_alone(analyzer: RuleAnalyzer, marked: str) -> None:
    assert not _flagged(analyzer, marked)


@pytest.mark.parametrize("marked", _cases(_NOT_NAMES))
def test_capitals_that_are_due_anyway_hide_nothing(analyzer: RuleAnalyzer, marked: str) -> None:
    assert _flagged(analyzer, marked)


def test_a_term_of_several_words_may_begin_a_sentence() -> None:
    tokens = Tokens("World class food was served.")
    assert not looks_like_name(tokens, 0, 1)
    tokens = Tokens("World Class Foods was sold.")
    assert looks_like_name(tokens, 0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mayor Unveils Plan for Harbour", True),
        ("MAYOR UNVEILS PLAN FOR HARBOUR", True),
        ("Mayor unveils plan for harbour", False),
        ("Mayor Ann Hall met King Charles.", False),
        ("Great Britain", False),
        ("“Mayor Unveils Plan for Harbour.”", False),
    ],
)
def test_headlines(text: str, expected: bool) -> None:
    assert is_headline(Tokens(text)) is expected


@given(st.text(alphabet="aB. '\"-\u2014(I1\u00c9\u0130\n", max_size=30))
@settings(max_examples=150, deadline=None)
def test_only_a_word_with_a_capital_looks_like_a_name(text: str) -> None:
    tokens = Tokens(text)
    is_headline(tokens)
    for at in range(len(tokens)):
        assert not looks_like_name(tokens, at, at) or tokens.written(at)[0].isupper()
