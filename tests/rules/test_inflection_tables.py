"""English spelling: the forms of verbs and nouns, written out."""

from __future__ import annotations

import pytest

from unslant.rules.inflect import Slot, forms, inflect

VERBS = """
    accuse accuses accused accused accusing
    admit admits admitted admitted admitting
    allege alleges alleged alleged alleging
    argue argues argued argued arguing
    attack attacks attacked attacked attacking
    bash bashes bashed bashed bashing
    become becomes became become becoming
    begin begins began begun beginning
    blast blasts blasted blasted blasting
    brag brags bragged bragged bragging
    break breaks broke broken breaking
    bully bullies bullied bullied bullying
    buy buys bought bought buying
    carry carries carried carried carrying
    cave caves caved caved caving
    commit commits committed committed committing
    cut cuts cut cut cutting
    decry decries decried decried decrying
    defy defies defied defied defying
    deny denies denied denied denying
    destroy destroys destroyed destroyed destroying
    die dies died died dying
    draw draws drew drawn drawing
    drop drops dropped dropped dropping
    equip equips equipped equipped equipping
    fight fights fought fought fighting
    fix fixes fixed fixed fixing
    forget forgets forgot forgotten forgetting
    free frees freed freed freeing
    go goes went gone going
    hammer hammers hammered hammered hammering
    hit hits hit hit hitting
    insist insists insisted insisted insisting
    kidnap kidnaps kidnapped kidnapped kidnapping
    lead leads led led leading
    lie lies lied lied lying
    mimic mimics mimicked mimicked mimicking
    open opens opened opened opening
    outdo outdoes outdid outdone outdoing
    overtake overtakes overtook overtaken overtaking
    pass passes passed passed passing
    pay pays paid paid paying
    permit permits permitted permitted permitting
    play plays played played playing
    ram rams rammed rammed ramming
    refer refers referred referred referring
    reveal reveals revealed revealed revealing
    rip rips ripped ripped ripping
    rush rushes rushed rushed rushing
    say says said said saying
    seize seizes seized seized seizing
    shove shoves shoved shoved shoving
    show shows showed shown showing
    slam slams slammed slammed slamming
    sob sobs sobbed sobbed sobbing
    speak speaks spoke spoken speaking
    steal steals stole stolen stealing
    stop stops stopped stopped stopping
    suffer suffers suffered suffered suffering
    tax taxes taxed taxed taxing
    torpedo torpedoes torpedoed torpedoed torpedoing
    travel travels traveled traveled traveling
    understand understands understood understood understanding
    visit visits visited visited visiting
    vow vows vowed vowed vowing
    whine whines whined whined whining
    withdraw withdraws withdrew withdrawn withdrawing
    write writes wrote written writing
"""
NOUNS = """
    activist activists
    ally allies
    anchorman anchormen
    attorney attorneys
    boss bosses
    box boxes
    bureaucrat bureaucrats
    child children
    church churches
    city cities
    congressman congressmen
    crisis crises
    crony cronies
    elite elites
    German Germans
    grandchild grandchildren
    half halves
    hero heroes
    housewife housewives
    human humans
    illegal illegals
    journalist journalists
    knife knives
    life lives
    mailman mailmen
    mob mobs
    party parties
    person people
    policy policies
    shaman shamans
    spokeswoman spokeswomen
    stepchild stepchildren
    tax taxes
    thief thieves
    thug thugs
    tooth teeth
    veto vetoes
    waitress waitresses
    wife wives
    witch witches
    wolf wolves
    woman women
"""


def rows(table: str) -> list[list[str]]:
    return [line.split() for line in table.strip().splitlines()]


@pytest.mark.parametrize("row", rows(VERBS), ids=lambda row: row[0])
def test_verbs(row: list[str]) -> None:
    base, s, past, participle, ing = row
    slots: list[Slot] = ["base", "s", "past", "participle", "ing"]
    assert [inflect(base, "v", slot) for slot in slots] == [base, s, past, participle, ing]
    assert set(forms(base, "v")) == {base, s, past, participle, ing}


@pytest.mark.parametrize("row", rows(NOUNS), ids=lambda row: row[0])
def test_nouns(row: list[str]) -> None:
    singular, plural = row
    assert inflect(singular, "n", "s") == plural
    assert inflect(singular, "n", "base") == singular
    assert forms(singular, "n") == {singular: "base", plural: "s"}


@pytest.mark.parametrize("pos", ["adj", "adv", ""])
def test_other_words_have_one_form(pos: str) -> None:
    assert forms("radical", pos) == {"radical": "base"}
    assert inflect("radical", pos, "s") == "radical"


@pytest.mark.parametrize(
    ("form", "slot"),
    [
        ("slammed", "past"),
        ("slams", "s"),
        ("slamming", "ing"),
        ("slam", "base"),
    ],
)
def test_a_form_tells_its_slot(form: str, slot: str) -> None:
    assert forms("slam", "v")[form] == slot


@pytest.mark.parametrize(
    ("form", "slot"),
    [("am", "base"), ("are", "base"), ("is", "s"), ("was", "past"), ("were", "past"), ("been", "participle")],
)
def test_to_be_has_forms_of_its_own(form: str, slot: str) -> None:
    assert forms("be", "v")[form] == slot


@pytest.mark.parametrize(
    ("verb", "participle"), [("speak", "spoken"), ("take", "taken"), ("write", "written")]
)
def test_a_participle_of_its_own_is_distinguished_from_the_past(verb: str, participle: str) -> None:
    assert forms(verb, "v")[participle] == "participle"
