"""Which edits are taken for neutrality edits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.lab.wiki.dump_files import LEAD, NEUTRAL, SLANTED, TAIL, Dump, PageOf, Rev, edited
from unslant.core.errors import UnknownName
from unslant.lab.wiki.dump import DumpReader, HarvestError
from unslant.lab.wiki.revisions import (
    RADIUS,
    NeutralityEdit,
    comment_languages,
    comment_list,
    find_neutrality_edits,
)


def found(tmp_path: Path, history: list[Rev], *without: str) -> tuple[list[NeutralityEdit], Counter[str]]:
    path = Dump([PageOf(history)]).write(tmp_path / "a.xml")
    counts: Counter[str] = Counter()
    ((_, revisions),) = [(page, list(history)) for page, history in DumpReader(path, frozenset({0})).pages()]
    return list(find_neutrality_edits(revisions, comment_list("en"), frozenset(without), counts)), counts


def test_an_edit_for_neutrality_is_found(tmp_path: Path) -> None:
    (one,), _ = found(tmp_path, edited(SLANTED, NEUTRAL))
    assert (one.id, one.parent, one.comment, one.user) == (2, 1, "NPOV", "Ada")
    assert (one.blocks[0].before, one.blocks[0].after) == (LEAD + SLANTED + TAIL, LEAD + NEUTRAL + TAIL)


@pytest.mark.parametrize(
    ("comment", "user", "reason"),
    [
        ("copyedit", "Ada", "comment"),
        ("", "Ada", "comment"),
        ("Bot: NPOV tag", "Ada", "bot"),
        ("NPOV", "TidyBot", "bot"),
        ("Reverted POV edits by Ben", "Ada", "revert"),
        ("rv pov", "Ada", "revert"),
        ("Undid revision 7: not neutral", "Ada", "revert"),
        (None, "Ada", "suppressed comment"),
    ],
)
def test_what_is_left_out_is_counted_by_its_reason(
    tmp_path: Path, comment: str | None, user: str, reason: str
) -> None:
    history = edited(SLANTED, NEUTRAL, "x", user)
    history[1].comment = comment
    kept, counts = found(tmp_path, history)
    assert kept == []
    assert counts[reason] == 1 + (reason == "comment")  # the first revision's comment says nothing either


def test_an_edit_of_another_revision_than_the_one_before_is_left_out(tmp_path: Path) -> None:
    history = [Rev("A"), *edited(SLANTED, NEUTRAL)]
    path = Dump([PageOf(history)]).write(tmp_path / "a.xml")
    path.write_text(path.read_text().replace("<parentid>2</parentid>", "<parentid>1</parentid>"))
    counts: Counter[str] = Counter()
    for _, revisions in DumpReader(path, frozenset({0})).pages():
        assert list(find_neutrality_edits(revisions, comment_list("en"), frozenset(), counts)) == []
    assert counts["other parent"] == 1


def test_an_edit_that_brings_back_an_old_text_is_a_revert_whatever_it_says(tmp_path: Path) -> None:
    history = [Rev("Old line."), Rev("New line, quite different."), Rev("Old line.", "NPOV")]
    assert found(tmp_path, history)[1]["revert"] == 1
    assert len(found(tmp_path, history, "revert")[0]) == 1


def test_an_edit_taken_back_by_its_author_is_left_out(tmp_path: Path) -> None:
    history = [*edited(SLANTED, NEUTRAL), Rev(LEAD + SLANTED + TAIL, "oops", "Ada")]
    assert found(tmp_path, history)[0] == []
    assert found(tmp_path, history)[1]["self-revert"] == 1
    assert len(found(tmp_path, history, "self-revert")[0]) == 1


def test_an_edit_taken_back_by_another_stays(tmp_path: Path) -> None:
    history = [*edited(SLANTED, NEUTRAL), Rev(LEAD + SLANTED + TAIL, "no", "Ben")]
    assert len(found(tmp_path, history)[0]) == 1


def test_a_self_revert_counts_only_within_the_radius(tmp_path: Path) -> None:
    between = [Rev(f"{LEAD}{NEUTRAL}{TAIL} Line {place}.", "", "Ben") for place in range(RADIUS)]
    history = [*edited(SLANTED, NEUTRAL), *between, Rev(LEAD + SLANTED + TAIL, "oops", "Ada")]
    assert len(found(tmp_path, history)[0]) == 1
    assert found(tmp_path, [*history[:-2], history[-1]])[0] == []


def test_suppressed_texts_are_counted(tmp_path: Path) -> None:
    assert found(tmp_path, [Rev(None), Rev("x y z", "NPOV")])[1]["suppressed text"] == 1
    assert found(tmp_path, [Rev("x y z"), Rev(None, "NPOV")])[1]["suppressed text"] == 1


def test_data_and_scripts_are_not_prose(tmp_path: Path) -> None:
    history = [Rev("a = 1"), Rev("a = 2", "neutral", model="Scribunto")]
    assert found(tmp_path, history)[1]["not wikitext"] == 1


def test_several_blocks_are_left_out_unless_wanted(tmp_path: Path) -> None:
    before, after = "One line.\n\nStays.\n\nTwo lines.", "One row.\n\nStays.\n\nTwo rows."
    history = [Rev(before), Rev(after, "NPOV")]
    assert found(tmp_path, history)[1]["one-block"] == 1
    (one,), _ = found(tmp_path, history, "one-block")
    assert [block.after for block in one.blocks] == ["One row.", "Two rows."]


@pytest.mark.parametrize(
    ("language", "yes", "no"),
    [
        (
            "en",
            ["NPOV", "rm POV", "neutral wording", "rm weasel words", "wp:npov", "{{POV}}"],
            ["typo", "poverty line"],
        ),
        ("de", ["NPOV", "neutraler formuliert", "Wertung raus"], ["Tippfehler"]),
        ("fr", ["neutralisation", "pas neutre"], ["orthographe"]),
        ("es", ["PVN", "neutralidad"], ["ortografía"]),
        ("it", ["NPOV", "non neutrale"], ["corr"]),
        ("pt", ["imparcialidade", "PDV"], ["correção"]),
    ],
)
def test_each_language_has_its_list(language: str, yes: list[str], no: list[str]) -> None:
    listed = comment_list(language)
    assert language in comment_languages()
    assert listed.version >= 1
    assert [item for item in yes if not listed.is_neutrality(item)] == []
    assert [item for item in no if listed.is_neutrality(item)] == []


def test_people_are_not_bots() -> None:
    listed = comment_list("en")
    assert [name for name in ("Bottle", "Abbott", "Botany fan", "Sebottom") if listed.is_bot(name, "")] == []
    assert all(listed.is_bot(name, "") for name in ("TidyBot", "Bot 7", "cleanup-bot", "FixBot II"))


def test_an_own_list_can_be_given(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(
        'version = 3\nlanguage = "xx"\nneutral = ["zap"]\nrevert = ["q"]\nbot_comment = ["b"]\nbot_user = ["c"]\n'
    )
    assert comment_list(str(own)).is_neutrality("ZAP it")
    own2 = tmp_path / "bad.toml"
    own2.write_text("version = ")
    with pytest.raises(HarvestError, match=r"bad\.toml: not a list of comments"):
        comment_list(str(own2))
    with pytest.raises(UnknownName, match=r"no list of comments named 'eng'\. Did you mean 'en'"):
        comment_list("eng")
