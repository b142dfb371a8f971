"""The real corpora, where they are at hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import pytest

from unslant.lab import corpora
from unslant.lab.corpora.abuse import build_cad_sets
from unslant.lab.corpora.alignment import detokenize, surface
from unslant.lab.corpora.catalogue import digest
from unslant.lab.corpora.dataset import verify
from unslant.lab.corpora.splits import assign_splits, find_overlap
from unslant.lab.corpora.statistics import compare_published
from unslant.text.words import CHARACTERS

pytestmark = pytest.mark.shared

ARTEFACTS = re.compile(r" [,;](?=\s|$)| \.$|``|''|-[LR][RSC]B-|\S n't\b|\S '(?:s|re|ve|ll|d|m)\b")


@pytest.mark.parametrize(
    ("name", "size", "splits"),
    [
        ("wikibias", 8190, {"train": 5026, "dev": 1066, "test": 2098}),
        ("babe/sg1", 1700, {None: 1700}),
        ("babe/sg2", 3674, {None: 3674}),
        ("babe/mbic", 1700, {None: 1700}),
        ("anno_lexical", 48330, {"train": 33831, "dev": 7249, "test": 7250}),
        ("wnc", 2 * (2093 - 4), None),
        ("cad", 23416, {"train": 13584, "dev": 4525, "test": 5307}),
        ("headlines", 54646, {None: 54646}),
        ("outlet_ratings/allsides", 140, None),
        ("outlet_ratings/adfontes", 428, None),
        ("reddit_bias", 10395, None),
        ("crows_pairs", 2 * 1508, None),
        ("stereoset", 2 * 4229, None),
        ("hatexplain", 18962, None),
        ("toxic_spans", 10629, {"train": 7939, "test": 2000, "dev": 690}),
        ("editor", 14489, {"train": 12149, "dev": 776, "test": 1564}),
        ("contrast", 2 * 920, None),
        ("edits/bad", 1350, {"train": 1350}),
        ("edits/good", 300, {"train": 300}),
        ("ptc", 371, None),
        ("persuasion", 6818, None),
        ("memes", 951, {"train": 688, "dev": 63, "test": 200}),
        ("multi_dim_news", 2007, None),
        ("crowd_bias", 825, None),
        ("anno_lexical/votes", 46847, {None: 46847}),
        ("babe/reannotated", 3718, {"train": 2793, "test": 925}),
        ("npov", 2 * 4170, None),
        ("npov/all", 2 * 6933, {"train": 2 * 5730, "dev": 2 * 504, "test": 2 * 699}),
        ("wnc/notebook", 2 * 1095, None),
        ("wnc/notebook-all", 2 * 3952, None),
        ("uncertainty", 16216, None),
        ("weasel", 14630, {"train": 7342, "test": 7288}),
        ("newsmtsc", 11335, {"train": 8717, "dev": 1472, "test": 1146}),
        ("subj", 9998, None),
        ("mpqa", 3507, None),
        ("sst2", 9436, None),
        ("headline_emotion", 4428, None),
        ("stereotype", 2202, None),
        ("warming_stance", 2007, None),
        ("argument_stance", 5219, None),
        ("roundups", 4 * 3066, {"train": 4 * 2452, "dev": 4 * 307, "test": 4 * 307}),
        ("real_world", 6 * 200, None),
        ("political_prompts/paired", 2 * 1350, None),
        ("political_prompts/issues", 3 * 212, None),
        ("political_prompts/templates", 999, None),
        ("political_prompts/responses", 500, None),
        ("coverage", 180, None),
        ("coverage/questions", 30, None),
        ("twinviews", 2 * 13796, None),
        ("vaa", 7658, None),
    ],
)
def test_every_row_is_read(
    shared_data: Path, name: str, size: int, splits: dict[str | None, int] | None
) -> None:
    examples = list(corpora.load(name, shared_data))
    assert len(examples) == size
    assert len({example.id for example in examples}) == size
    assert all(example.text.strip() for example in examples)
    assert splits is None or Counter(example.split for example in examples) == splits


def test_paradetox_has_one_toxic_sentence_a_pair(shared_data: Path) -> None:
    examples = list(corpora.load("paradetox", shared_data))
    assert (
        sum(bool(example.label) for example in examples)
        == 11927
        == len({example.pair for example in examples})
    )


def test_the_files_are_those_of_the_catalogue(shared_data: Path) -> None:
    for card in corpora.cards():
        for file in card.files:
            if file.sha256:
                assert digest(shared_data / card.folder / file.name) == file.sha256, file.name


def test_wikibias_reads_as_people_write_and_its_spans_cover_the_same_words(shared_data: Path) -> None:
    examples = {example.id: example for example in corpora.load("wikibias", shared_data)}
    for split in ("train", "dev", "test"):
        for line in (shared_data / "wikibias" / f"{split}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            example = examples[row["id"]]
            joined = detokenize(row["tokens"])
            assert joined.text == example.text
            assert joined.tokens() == [surface(token) for token in row["tokens"]]
            assert not ARTEFACTS.search(example.text)
            covered = {
                at
                for at, span in enumerate(joined.spans)
                if any(marked.span.contains(span) for marked in example.spans or ())
            }
            assert covered == {at for at, tag in enumerate(row["tags"]) if tag != "O"}


def test_wikibias_test_spans_are_the_authors_own(shared_data: Path) -> None:
    text = (shared_data / "wikibias" / "test_source_gold.conll").read_text(encoding="utf-8")
    gold: dict[tuple[str, ...], list[set[str]]] = {}
    for block in text.strip().split("\n\n"):
        tokens, tags = zip(*(line.rsplit(" ", 1) for line in block.splitlines()), strict=True)
        gold.setdefault(tuple(tokens), []).append(marked_words(tokens, tags))
    ours = {example.id: example for example in corpora.load("wikibias", shared_data)}
    lines = (shared_data / "wikibias" / "test.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [
        row
        for row in map(json.loads, lines)
        if row["side"] == "source" and row["tag_boundary"] == "orig_gold"
    ]
    assert len(rows) == 1043
    for row in rows:
        example = ours[row["id"]]
        found = {example.text[marked.span.start : marked.span.end] for marked in example.spans or ()}
        assert found in gold[tuple(row["tokens"])]


def marked_words(tokens: Sequence[str], tags: Sequence[str]) -> set[str]:
    joined = detokenize(tokens)
    starts = [at for at, tag in enumerate(tags) if tag == "B-bias"]
    ends = [
        next((at for at in range(start + 1, len(tags)) if tags[at] != "I-bias"), len(tags)) - 1
        for start in starts
    ]
    spans = [joined.cover(start, end) for start, end in zip(starts, ends, strict=True)]
    return {joined.text[span.start : span.end] for span in spans}


@pytest.mark.parametrize("name", ["wnc", "allsides"])
def test_tokenised_news_and_wiki_text_reads_as_people_write(shared_data: Path, name: str) -> None:
    left = [
        example.id
        for number, example in enumerate(corpora.load(name, shared_data))
        if number % 5 == 0 and re.search(r" [,;](?=\s|$)|``|-[LR]RB-|\S n't\b", example.text)
    ]
    assert left == []


@pytest.mark.parametrize(("name", "explained"), [("babe/sg1", 0), ("babe/mbic", 0), ("babe/sg2", 2)])
def test_the_tables_of_babe_come_out(shared_data: Path, name: str, explained: int) -> None:
    rows = compare_published(corpora.load(name, shared_data))
    different = [row for row in rows if not row.same]
    assert len(rows) >= 8
    assert len(different) == explained
    assert all(row.why for row in different)


def test_the_tables_of_wikibias_differ_only_where_it_is_said_why(shared_data: Path) -> None:
    rows = {row.name: row for row in compare_published(corpora.load("wikibias", shared_data))}
    assert all(row.same or row.why for row in rows.values())
    biased, neutral = rows["Table 3: biased sentences"], rows["Table 3: neutral sentences"]
    assert (rows["Table 3: sentence pairs"].ours, biased.ours, neutral.ours) == (4095, 3400 - 3, 4798 - 5)
    assert [rows[f"Table 4: {split}, biased"].ours for split in ("train", "dev", "test")] == [2116, 431, 850]
    assert all(rows[f"Table 4: {split}, tokens per sentence"].same for split in ("train", "dev", "test"))


def test_shares_agree_with_the_majority(shared_data: Path) -> None:
    examples = [example for example in corpora.load("babe/sg1", shared_data) if example.share is not None]
    assert len(examples) == 1700
    agree = sum(
        (example.share > 0.5) == example.label
        for example in examples
        if example.label is not None and example.share
    )
    judged = sum(example.label is not None and bool(example.share) for example in examples)
    assert agree / judged > 0.98


@pytest.mark.parametrize(
    ("name", "raters", "ratings"), [("sg1", 8, 13570), ("sg2", 8, 18362), ("mbic", 888, 17775)]
)
def test_raw_annotations_speak_of_the_sentences(
    shared_data: Path, name: str, raters: int, ratings: int
) -> None:
    found = list(corpora.raw_annotations(f"babe/{name}", shared_data))
    known = {example.id for example in corpora.load(f"babe/{name}", shared_data)}
    assert len({annotation.annotator for annotation in found}) == raters
    assert sum(annotation.task == "bias" for annotation in found) == ratings
    strangers = {annotation.item for annotation in found} - known
    assert len(strangers) == {"sg1": 1, "sg2": 2, "mbic": 0}[name]


def test_three_sentences_of_anno_lexical_are_in_sg2(shared_data: Path) -> None:
    found = find_overlap(corpora.load("babe/sg2", shared_data), corpora.load("anno_lexical", shared_data))
    assert len(found.exact) == 3


def test_sg1_lies_within_sg2(shared_data: Path) -> None:
    found = find_overlap(corpora.load("babe/sg1", shared_data), corpora.load("babe/sg2", shared_data))
    assert len({match.left for match in (*found.exact, *found.near)}) > 1690


def test_what_can_be_made_of_the_short_cad(shared_data: Path) -> None:
    sets = build_cad_sets(corpora.load("cad", shared_data))
    groups = Counter(example.extra["group"] for example in sets["group"])
    assert groups == {"identity": 804, "affiliation": 398, "person": 343}
    labels = Counter(example.label for example in sets["diagnosis"])
    assert labels[True] == labels[False] == 1363


def test_verify_names_the_marked_sentences_that_are_published_as_neutral(shared_data: Path) -> None:
    problems = [str(problem) for problem in verify(corpora.load("wikibias", shared_data))]
    assert problems[0] == "train.jsonl, row 26: marks and label disagree (1 spans, label False)"
    assert len(problems) == 4  # a target, and three sources


def test_a_split_of_wikibias_keeps_pairs(shared_data: Path) -> None:
    examples = list(corpora.load("wikibias", shared_data))
    where = assign_splits(examples, {"train": 0.8, "test": 0.2})
    parts: dict[str | None, set[str]] = {}
    for example in examples:
        parts.setdefault(example.pair, set()).add(where[example.id])
    assert all(len(found) == 1 for found in parts.values())
    assert Counter(where.values())["test"] == pytest.approx(len(examples) / 5, rel=0.02)


def test_the_editors_corpus_is_complete(shared_data: Path) -> None:
    examples = list(corpora.load("editor", shared_data))
    spans = [labelled for example in examples for labelled in example.spans or ()]
    assert len(spans) == 7210
    assert sum(labelled.fix is not None for labelled in spans) == 5719
    assert Counter(example.genre for example in examples).keys() == {"news", "encyclopedia", "documentation"}
    assert sum(example.second is not None for example in examples) == 385
    documents = {(example.document, example.split) for example in examples}
    assert len(documents) == len({document for document, _ in documents})


def test_judged_edits_are_of_training_sentences(shared_data: Path) -> None:
    texts = {
        example.id: example.text
        for example in corpora.load("editor", shared_data)
        if example.split == "train"
    }
    assert all(texts.get(str(edit.pair)) == edit.text for edit in corpora.load("edits", shared_data))


def test_sentences_of_ptc_hold_every_span_of_its_articles(shared_data: Path) -> None:
    whole = sum(len(example.spans or ()) for example in corpora.load("ptc", shared_data))
    parts = sum(len(example.spans or ()) for example in corpora.load("ptc/sentences", shared_data))
    assert (whole, parts) == (6129, 6489)


def test_votes_repeat_only_training_sentences(shared_data: Path) -> None:
    def plain(text: str) -> str:
        return "".join(CHARACTERS.findall(text.lower()))

    splits = {plain(example.text): example.split for example in corpora.load("anno_lexical", shared_data)}
    votes = corpora.load("anno_lexical/votes", shared_data)
    assert Counter(splits.get(plain(example.text)) for example in votes) == {"train": 30679, None: 16168}
