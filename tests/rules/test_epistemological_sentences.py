"""Epistemological bias: words that make a statement more or less certain than it is, and the same words elsewhere."""

from __future__ import annotations

import pytest

from tests.rules.of_rule import found_by, marked

FOUND = [
    ("epistemological/loaded-attribution", "The mayor [[claimed that]] crime had fallen."),
    ("epistemological/loaded-attribution", "The mayor [[claims]] crime has fallen."),
    ("epistemological/loaded-attribution", "The union [[claimed]] the offer was too low."),
    ("epistemological/loaded-attribution", "The firm [[claims to]] employ 400 people."),
    ("epistemological/admission", "The senator [[refused to accept responsibility]]."),
    ("epistemological/admission", "The firm [[owned up to]] the leak."),
    ("epistemological/booster", "[[Clearly]], the vote was close."),
    ("epistemological/booster", "The court [[obviously]] disagreed."),
    ("epistemological/booster", "It is [[undoubtedly]] the oldest mill."),
    ("epistemological/booster", "She is [[unquestionably]] the favorite."),
    ("epistemological/doubt-adverb", "The [[so-called]] reform failed."),
    ("epistemological/doubt-adverb", "The [[supposed]] expert left early."),
    ("epistemological/doubt-adverb", "He [[supposedly]] paid the fee."),
    ("epistemological/doubt-adverb", "The [[self-proclaimed]] king lives in Kent."),
    ("epistemological/doubt-adverb", "The [[purportedly]] new law is from 1990."),
    ("epistemological/alleged", "The [[alleged]] thief was released."),
    ("epistemological/alleged", "He [[allegedly]] took the money."),
    ("epistemological/baseless", "The [[baseless]] charge was repeated."),
    ("epistemological/baseless", "The [[unfounded]] rumor spread."),
    ("epistemological/baseless", "The [[debunked]] theory is back."),
    ("epistemological/downplay", "It was [[nothing more than]] a dispute."),
    ("epistemological/downplay", "They paid [[a mere]] ten dollars."),
    ("epistemological/fact-noun", "[[The fact that]] he left is known."),
    ("epistemological/fact-noun", "[[In fact]], he left."),
    ("epistemological/factive-verb", "She [[realized that]] the plan would fail."),
    ("epistemological/factive-verb", "The paper [[pointed out that]] the bridge was old."),
    ("epistemological/falsehood-label", "The film is [[propaganda]]."),
    ("epistemological/falsehood-label", "The book spreads a [[conspiracy theory]]."),
    ("epistemological/implicative-verb", "The mayor [[managed to]] avoid the vote."),
    ("epistemological/implicative-verb", "The mayor [[bothered to]] reply."),
    ("epistemological/implicative-verb", "The firm [[had the audacity to]] ask for more."),
    ("epistemological/obligation", "[[We must]] act on housing."),
    ("epistemological/obligation", "[[We need to]] act on housing."),
    ("epistemological/presupposition", "[[As we all know]], the river floods."),
    ("epistemological/presupposition", "[[As everyone knows]], the river floods."),
    ("epistemological/universal-claim", "[[Everyone knows]] that the river floods."),
    ("epistemological/universal-claim", "[[Everybody agrees]] that the river floods."),
    ("epistemological/undeniable", "It is an [[undeniable]] success."),
    ("epistemological/undeniable", "The figures are [[indisputable]]."),
    ("epistemological/proof-verb", "The test [[proved him wrong]]."),
    ("epistemological/weasel-some", "[[Some critics say]] the law is too weak."),
    ("epistemological/weasel-some", "[[Many people believe]] the law is too weak."),
    ("epistemological/weasel-passive", "[[It is widely believed]] that the law is weak."),
    ("epistemological/agentless-view", "[[It is believed that]] the law is weak."),
    ("epistemological/agentless-view", "[[It was thought that]] the law was weak."),
    ("epistemological/weasel-experts", "[[Experts say]] the law is too weak."),
    ("epistemological/unattributed-opinion", "[[Some would say]] the law is too weak."),
    ("epistemological/unattributed-opinion", "[[It would seem]] the law is too weak."),
    ("epistemological/causal-claim", "He [[single-handedly]] saved the club."),
    ("epistemological/first-person-plural", "It is a threat to [[our country]]."),
    ("epistemological/first-person-plural", "They fight for [[our values]]."),
    ("epistemological/rhetorical-question", "[[Why would anyone]] vote for it?"),
    ("epistemological/accusation", "The parties play the [[blame game]]."),
    ("epistemological/absolute-frequency", "The firm [[has always been]] late."),
]

LEFT_ALONE = [
    ("epistemological/loaded-attribution", "The storm claimed three lives."),
    ("epistemological/loaded-attribution", "She claimed the title in 2019."),
    ("epistemological/loaded-attribution", "He filed an insurance claim."),
    ("epistemological/loaded-attribution", "The heirs claimed the estate."),
    ("epistemological/admission", "The museum admitted forty visitors."),
    ("epistemological/booster", "The signs are clearly marked paths."),
    ("epistemological/doubt-adverb", "He was supposed to pay."),
    ("epistemological/alleged", "Prosecutors alleged that he left."),
    ("epistemological/fact-noun", "The fact sheet lists ten fees."),
    ("epistemological/factive-verb", "He realized a profit of ten dollars."),
    ("epistemological/implicative-verb", "She managed the shop for years."),
    ("epistemological/implicative-verb", "She neglected the garden."),
    ("epistemological/obligation", "They must pay the fee."),
    ("epistemological/universal-claim", "Everyone came to the party."),
    ("epistemological/undeniable", "He denied the charge."),
    ("epistemological/weasel-some", "Some critics of the law moved away."),
    ("epistemological/weasel-some", "Ann Doe, a critic, said the law is too weak."),
    ("epistemological/agentless-view", "She believed that the law was weak."),
    ("epistemological/weasel-experts", "The experts met at noon."),
    ("epistemological/falsehood-label", "The theory of gravity is old."),
    ("epistemological/rhetorical-question", "She asked why the vote was late."),
    ("epistemological/first-person-plural", "Our Town is a play."),
    ("epistemological/downplay", "The best hotel is at the lake."),
    ("epistemological/proof-verb", "The bread must prove for an hour."),
]


@pytest.mark.parametrize(("rule", "sentence"), FOUND)
def test_found(rule: str, sentence: str) -> None:
    text, words = marked(sentence)
    assert found_by(rule, text) == words


@pytest.mark.parametrize(("rule", "sentence"), LEFT_ALONE)
def test_left_alone(rule: str, sentence: str) -> None:
    assert found_by(rule, sentence) == []
