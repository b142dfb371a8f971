"""Whose words they are: reported speech, headlines, code and words that documentation speaks about."""

from __future__ import annotations

import pytest

import unslant
from tests.marked import parse_spans
from unslant.text.context import attributed_speech, code_in_prose, is_title

RULES = unslant.Spec(analyzers=("rules",), profile="news")


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        # said that
        ("The senator said that the bill was a shameful handout.", "shameful handout"),
        ("The governor argued that the cuts were heartless.", "heartless"),
        ("Republicans warned that the plan would be ruinous.", "ruinous"),
        ("Democrats warned that the plan would be ruinous.", "ruinous"),
        ("The union insisted that the offer was an insult.", "insult"),
        ("Critics told the paper that the law was cruel.", "cruel"),
        # without that, from the finite verb on
        ("The mayor said the plan was reckless.", "reckless"),
        ("Activists say the ruling is a disaster.", "disaster"),
        # called, described as, denounced as
        ("Opponents called the measure a cruel joke.", "cruel joke"),
        ("Supporters hailed the measure as a historic triumph.", "historic triumph"),
        ("She described the speech as shameless pandering.", "shameless pandering"),
        ("He dismissed the report as a partisan smear.", "partisan smear"),
        ("They accused the agency of brazen overreach.", "brazen overreach"),
        # according to, before and after
        ("According to the union, the owners behaved shamefully.", "shamefully"),
        ("The owners behaved shamefully, according to the union.", "shamefully"),
        ("In the words of one aide, the session was a circus.", "circus"),
        # the sentence first
        ("The session was a circus, one aide said.", "circus"),
        ("The session was a circus, said Ann Doe.", "circus"),
        ("The session was a circus, he added.", "circus"),
    ],
)
def test_words_of_others(text: str, inside: str) -> None:
    start = text.index(inside)
    assert any(span.start <= start and start + len(inside) <= span.end for span in attributed_speech(text)), (
        attributed_speech(text)
    )


@pytest.mark.parametrize(
    ("text", "outside"),
    [
        ("The reckless mayor spoke.", "reckless"),
        ("The reckless mayor said that taxes would rise.", "reckless"),
        ("I said that the mayor was reckless.", "reckless"),
        ("We say that the mayor is reckless.", "reckless"),
        ("One must say that the mayor is reckless.", "reckless"),
        ("The mayor was reckless, according to court records.", "reckless"),
        ("The mayor was reckless, according to a new study.", "reckless"),
        ("According to the latest census data, the reckless growth went on.", "reckless"),
        ("He said so; the reckless mayor left.", "reckless"),
        ("She called the reckless mayor.", "reckless"),
        ("He said hello to the reckless mayor.", "reckless"),
    ],
)
def test_words_of_the_writer(text: str, outside: str) -> None:
    start = text.index(outside)
    assert not any(span.start <= start < span.end for span in attributed_speech(text))


@pytest.mark.parametrize(
    "marked",
    [
        "Set [[max_size]] and [[minSize]] first.",
        "Call [[stop()]] or [[Engine.start()]] now.",
        "Use [[std::vector]] or [[node->next]] here.",
        "Run it with [[--verbose]] or [[-v]] today.",
        "It is in [[/etc/hosts]] and [[~/notes]] now.",
        "Open [[setup.py]] and [[docs/index.html]] first.",
        "Set [[$HOME]] and [[${USER}]] first.",
        "See [[./run.sh]] for more.",
    ],
)
def test_code(marked: str) -> None:
    text, spans = parse_spans(marked)
    assert list(code_in_prose(text)) == spans


@pytest.mark.parametrize(
    "text",
    [
        "McDonald, MacArthur, DeSantis and LaGuardia met.",
        "He owns an iPhone and an eBook.",
        "The left-right divide and either/or thinking grew.",
        "It cost $5 and not $6.",
        "He paused - then spoke - and left.",
        "The U.S. and the U.K. agreed.",
        "She said (again) that it was so.",
        "The 9/11 attacks and 24/7 news",
    ],
)
def test_what_only_looks_like_code(text: str) -> None:
    assert code_in_prose(text) == ()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Senate Passes Sweeping Climate Bill", True),
        ("How the Radical Left Lost Young Voters", True),
        ("How the Radical Right Lost Young Voters", True),
        ("A Shocking Look at Modern Schools in the Midwest", True),
        ("Senate passes sweeping climate bill", False),
        ("SENATE PASSES SWEEPING CLIMATE BILL", False),
        ("Senate Passes Sweeping Climate Bill.", False),
        ("Did the Senate Pass the Sweeping Climate Bill?", False),
        ("Senator Doe Won", False),
        ("", False),
    ],
)
def test_headlines(text: str, title: bool) -> None:
    assert is_title(text) is title


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The mayor slammed the plan.", ["slammed"]),
        ("Set slammed_door to true here.", []),
        ("The mayor said that the shameful plan was dead.", []),
        ("The shameful plan is dead, the mayor said.", []),
    ],
)
def test_what_is_reported(text: str, found: list[str]) -> None:
    assert [finding.text for finding in unslant.check(text, spec=RULES).findings] == found
