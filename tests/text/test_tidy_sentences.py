"""What an edit leaves behind, in sentences of many kinds: articles, commas, brackets, spaces and capitals."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.marked import parse_edits
from unslant.core.types import Edit
from unslant.text.edits import apply_edits
from unslant.text.tidy import indefinite_article, tidy_edit, tidy_edits


def tidied(marked: str) -> str:
    text, edits = parse_edits(marked)
    return apply_edits(text, tidy_edits(text, edits))


@pytest.mark.parametrize(
    ("word", "article"),
    [
        ("apple", "an"),
        ("bill", "a"),
        ("Oregon", "an"),
        ("Texas", "a"),
        ("hour", "an"),
        ("hourly", "an"),
        ("honest", "an"),
        ("honorary", "an"),
        ("honourable", "an"),
        ("heir", "an"),
        ("heiress", "an"),
        ("house", "a"),
        ("hotel", "a"),
        ("historic", "a"),
        ("union", "a"),
        ("uniform", "a"),
        ("unilateral", "a"),
        ("unique", "a"),
        ("university", "a"),
        ("unintended", "an"),
        ("unimpressive", "an"),
        ("unidentified", "an"),
        ("unpopular", "an"),
        ("use", "a"),
        ("useful", "a"),
        ("user", "a"),
        ("usual", "a"),
        ("utility", "a"),
        ("utopian", "a"),
        ("uranium", "a"),
        ("unanimous", "a"),
        ("Ukrainian", "a"),
        ("Ugandan", "a"),
        ("Uyghur", "a"),
        ("umbrella", "an"),
        ("ugly", "an"),
        ("urgent", "an"),
        ("upset", "an"),
        ("European", "a"),
        ("euro", "a"),
        ("eulogy", "a"),
        ("ubiquitous", "a"),
        ("one", "a"),
        ("one-sided", "a"),
        ("once", "a"),
        ("onerous", "an"),
        ("ongoing", "an"),
        ("online", "an"),
        ("only", "an"),
        ("FBI", "an"),
        ("NRA", "an"),
        ("LGBT", "an"),
        ("SEC", "an"),
        ("CIA", "a"),
        ("GOP", "a"),
        ("DNC", "a"),
        ("UN", "a"),
        ("EU", "an"),
        ("X", "an"),
        ("U", "a"),
        ("F", "an"),
        ("B", "a"),
        ("year", "a"),
        ("yearly", "a"),
    ],
)
def test_the_article_goes_by_sound(word: str, article: str) -> None:
    assert indefinite_article(word) == article


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("She gave an {impassioned |}speech.", "She gave a speech."),
        ("It was a {truly |}awful winter.", "It was an awful winter."),
        ("He is an {ardent|} Republican.", "He is a Republican."),
        ("He is a {staunch|} independent.", "He is an independent."),
        ("They met an {unelected|} official.", "They met an official."),
        ("They met an {unelected|} bureaucrat.", "They met a bureaucrat."),
        ("A {brave|} umbrella maker testified.", "An umbrella maker testified."),
        ("An {infamous|} European court ruled.", "A European court ruled."),
        ("A {so-called|} expert spoke.", "An expert spoke."),
        ("A {cruel|} FBI raid followed.", "An FBI raid followed."),
        ("An {extreme|} GOP bill failed.", "A GOP bill failed."),
        ("It took a {grueling|} hour.", "It took an hour."),
        ("She holds an {impressive|} honorary degree.", "She holds an honorary degree."),
        ("She holds a {prestigious|} honorary degree.", "She holds an honorary degree."),
        ("He is an {incredible|} one-time senator.", "He is a one-time senator."),
        ("An {egregious|} unanimous vote ended it.", "A unanimous vote ended it."),
        ("An {outrageous|} unimportant clause fell.", "An unimportant clause fell."),
    ],
)
def test_the_article_agrees_with_the_word_that_now_follows(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("He was a {chairman|official} for years.", "He was an official for years."),
        ("He was an {illegal alien|person without papers}.", "He was a person without papers."),
        ("She became a {spokeswoman|advocate}.", "She became an advocate."),
        ("A {mob|crowd} gathered.", "A crowd gathered."),
        ("A {mob|angry crowd} gathered.", "An angry crowd gathered."),
        ("An {outrageous|unusual} rule passed.", "An unusual rule passed."),
        ("An {outrageous|usual} rule passed.", "A usual rule passed."),
        (
            "It was an {assault|attack} on a {fireman|emergency worker}.",
            "It was an attack on an emergency worker.",
        ),
        ("A {regime|US administration} fell.", "A US administration fell."),
    ],
)
def test_the_article_agrees_with_what_is_written_instead(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("It won a {staggering|} 61% of the vote.", "It won 61% of the vote."),
        ("It cost a {whopping|} $3 million in fees.", "It cost $3 million in fees."),
        ("It drew an {incredible|} 20,000 people.", "It drew 20,000 people."),
        ("It ran for a {mere|} 12 days.", "It ran for 12 days."),
        ("It employs a {massive|} 4,500 workers.", "It employs 4,500 workers."),
        ("They spent a {shameful|} $40,000 on lunches.", "They spent $40,000 on lunches."),
        ("It read a {damning|} 2016 report.", "It read a 2016 report."),
        ("It aired a {shocking|} 30-second clip.", "It aired a 30-second clip."),
    ],
)
def test_a_number_that_counts_something_takes_no_article(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("{Unfortunately|}, the bill passed.", "The bill passed."),
        ("{Shockingly|}, nobody voted.", "Nobody voted."),
        ("{Of course|}, taxes rose.", "Taxes rose."),
        ("{Iconic|} songs were sung.", "Songs were sung."),
        ("{Radical|} activists marched.", "Activists marched."),
        ("{Clearly|} they lost.", "They lost."),
        ("{Clearly|} McConnell lost.", "McConnell lost."),
        ("{Clearly|} eBay lost.", "EBay lost."),
        ("{Greedy|} 3M managers met.", "3M managers met."),
        ("{greedy|} managers met.", "managers met."),
        ('"{Sadly|}, it rained," she wrote.', '"It rained," she wrote.'),
        ("({Sadly|}, it rained.)", "(It rained.)"),
    ],
)
def test_the_first_word_of_the_sentence_is_capitalised(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("{Mobs|crowds} formed.", "Crowds formed."),
        ("{The regime|the government} fell.", "The government fell."),
        ("{regime|government} change", "government change"),
        ("The {Regime|government} fell.", "The government fell."),
        ("{Illegals|undocumented immigrants} came.", "Undocumented immigrants came."),
        ("{Bureaucrats|officials} and {cronies|allies} met.", "Officials and allies met."),
    ],
)
def test_a_replacement_at_the_start_keeps_the_capital(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The plan failed, {disgracefully|}.", "The plan failed."),
        ("The plan failed, {thank God|}!", "The plan failed!"),
        ("The plan failed, {sadly|}; the other passed.", "The plan failed; the other passed."),
        ("The plan ({shamefully|}) failed.", "The plan failed."),
        ("The plan [{sic|}] failed.", "The plan [] failed."),
        ("The plan failed {miserably|}.", "The plan failed."),
        ("The plan failed {miserably|}, he said.", "The plan failed, he said."),
        ("The plan failed {miserably|}: nobody came.", "The plan failed: nobody came."),
        ("The plan failed {miserably|} and ended.", "The plan failed and ended."),
        ("Was the plan {truly|} bad?", "Was the plan bad?"),
        ("The {very |}bad plan failed.", "The bad plan failed."),
        ("The{ very|} bad plan failed.", "The bad plan failed."),
        ("The {very|} bad plan failed.", "The bad plan failed."),
    ],
)
def test_no_gap_or_lonely_mark_is_left(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("A {corrupt|}, greedy mayor resigned.", "A greedy mayor resigned."),
        ("A {corrupt|} and greedy mayor resigned.", "A greedy mayor resigned."),
        ("A {corrupt|}, and greedy mayor resigned.", "A greedy mayor resigned."),
        ("A {corrupt|} but able mayor resigned.", "An able mayor resigned."),
        ("The {vile|}, old law fell.", "The old law fell."),
        ("Her {stunning|}, long speech ended.", "Her long speech ended."),
        ("An old, {vile|} law fell.", "An old law fell."),
        ("A new and {reckless|} rule passed.", "A new rule passed."),
        ("A new, {reckless|} and costly rule passed.", "A new and costly rule passed."),
        ("A harmful and {reckless|} rule passed.", "A harmful rule passed."),
        ("It was {vile|} and old.", "It was old."),
        ("It was old and {vile|}.", "It was old."),
        ("It was old, and {vile|}.", "It was old."),
        ("Is it old or {vile|}?", "Is it old?"),
        ("It was old but {vile|}, he wrote.", "It was old, he wrote."),
        ("Voters and {vile|} pundits spoke.", "Voters and pundits spoke."),
        ("Taxes rose, {reckless|} spending fell.", "Taxes rose, spending fell."),
        ("A {corrupt|}, {greedy|} mayor resigned.", "A mayor resigned."),
        ("A {corrupt|} and {greedy|} mayor resigned.", "A mayor resigned."),
        ("A {corrupt|}, {greedy|} and {vile|} mayor resigned.", "A mayor resigned."),
        ("A {corrupt|}, {greedy|} and able mayor resigned.", "An able mayor resigned."),
    ],
)
def test_a_list_of_adjectives_closes_its_ranks(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The senator {|reportedly }spoke.", "The senator reportedly spoke."),
        ("The senator {|reportedly}spoke.", "The senator reportedly spoke."),
        ("The senator spoke{| again}.", "The senator spoke again."),
        ("The senator spoke{|again}.", "The senator spoke again."),
        ("The senator spoke {|,}but left.", "The senator spoke, but left."),
        ("{|some of }The senators spoke.", "Some of the senators spoke."),
        ("{|some}Senators spoke.", "Some Senators spoke."),
        ("{|yesterday}I spoke.", "Yesterday I spoke."),
        ("It was a {|early }vote.", "It was an early vote."),
        ("It was an {|close }election.", "It was a close election."),
    ],
)
def test_an_insertion_fits_in(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The {utterly|}\nreckless law fell.", "The\nreckless law fell."),
        ("The utterly\n{reckless|} law fell.", "The utterly\nlaw fell."),
        ("The {illegal\naliens|undocumented immigrants} left.", "The undocumented\nimmigrants left."),
        ("The {illegal\r\naliens|undocumented immigrants} left.", "The undocumented\r\nimmigrants left."),
        ("The {death\n  tax|estate tax} fell.", "The estate\n  tax fell."),
        ("The {death\ntax|levy} fell.", "The levy\nfell."),
    ],
)
def test_lines_end_where_they_ended(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("The \0\0{radical|}\0\0 plan failed.", "The \0\0\0\0 plan failed."),
        ("The \0\0{radical|new}\0\0 plan failed.", "The \0\0new\0\0 plan failed."),
        ("The {radical |}\0\0plan\0\0 failed.", "The \0\0plan\0\0 failed."),
        ("An \0{iconic |}voice\0 spoke.", "An \0voice\0 spoke."),
        ("\0\0{Clearly|}, the plan failed.", "\0\0The plan failed."),
    ],
)
def test_markup_stays_where_it_is(marked: str, expected: str) -> None:
    assert tidied(marked) == expected


@pytest.mark.parametrize(
    ("marked", "edits"),
    [
        ("He {very|} {boldly|} spoke.", 1),
        ("He {boldly|} spoke of a {cruel|} plan.", 2),
        ("A {cruel|}, {vile|} plan failed.", 1),
        ("A {cruel|harsh} {vile|bad} plan failed.", 1),
        ("The {cruel|} plan and the {vile|} law failed.", 2),
    ],
)
def test_neighbours_become_one_edit_and_others_stay_apart(marked: str, edits: int) -> None:
    text, given_edits = parse_edits(marked)
    assert len(tidy_edits(text, given_edits)) == edits


def test_a_single_edit_is_tidied_like_a_list_of_one() -> None:
    text = "He made an absurd claim."
    edit = Edit(11, 17, "")
    assert tidy_edit(text, edit) == tidy_edits(text, [edit])[0]
    assert apply_edits(text, [tidy_edit(text, edit)]) == "He made a claim."


def test_no_edits_stay_no_edits() -> None:
    assert tidy_edits("Nothing changes here.", []) == ()


SENTENCES = [
    "The radical left pushed an extreme bill through the city council on Monday.",
    "The radical right pushed an extreme bill through the city council on Monday.",
    "Senators, both Democrats and Republicans, met (briefly) in a small, hot room.",
    "A truly stunning and heroic effort by an unknown aide saved the day.",
    "He said that an honest, hard-working mayor would never raise a single tax.",
]


@given(st.sampled_from(SENTENCES), st.data())
def test_deleting_any_one_word_leaves_no_double_space_and_no_space_before_a_mark(
    text: str, data: st.DataObject
) -> None:
    words = list(re.finditer(r"[\w-]+", text))
    word = data.draw(st.sampled_from(words))
    after = apply_edits(text, [tidy_edit(text, Edit(word.start(), word.end(), ""))])
    assert "  " not in after
    assert not re.search(r"\s[,.)]|\(\s", after)
    assert after[0].isupper()
    assert after.endswith(".")


@given(st.sampled_from(SENTENCES), st.data())
def test_replacing_any_one_word_changes_nothing_but_that_word_and_its_article(
    text: str, data: st.DataObject
) -> None:
    words = list(re.finditer(r"[\w-]+", text))
    number = data.draw(st.integers(0, len(words) - 1))
    word = words[number]
    after = apply_edits(text, [tidy_edit(text, Edit(word.start(), word.end(), "official"))])
    old, new = re.findall(r"[\w-]+", text), re.findall(r"[\w-]+", after)
    assert len(new) == len(old)
    differing = [at for at in range(len(old)) if old[at] != new[at]]
    assert set(differing) <= {number - 1, number}
    if number - 1 in differing:
        assert (old[number - 1].lower(), new[number - 1].lower()) == ("a", "an")


@pytest.mark.parametrize(
    ("number", "article"),
    [
        ("8", "an"),
        ("80", "an"),
        ("8-3", "an"),
        ("11", "an"),
        ("18th", "an"),
        ("11,000", "an"),
        ("18,500,000", "an"),
        ("93-3", "a"),
        ("1", "a"),
        ("110", "a"),
        ("180", "a"),
        ("1,800", "a"),
        ("2021", "a"),
    ],
)
def test_the_article_before_a_number(number: str, article: str) -> None:
    assert indefinite_article(number) == article


@pytest.mark.parametrize(
    ("marked", "result"),
    [
        ("It passed in an {eye-popping|} 93-3 vote.", "It passed in a 93-3 vote."),
        ("It passed in a {stunning|} 8-3 vote.", "It passed in an 8-3 vote."),
        ("The report is long and {totally|} wrong.", "The report is long and wrong."),
        ("It was a long and {stunning|} day.", "It was a long day."),
        ("He left and, {surprisingly|}, more of them stayed.", "He left and more of them stayed."),
        ("He left, {surprisingly|}, in May.", "He left, in May."),
    ],
)
def test_what_a_deletion_leaves_beside_it(marked: str, result: str) -> None:
    assert tidied(marked) == result
