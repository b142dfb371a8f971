"""Corpora of propaganda, opinion, Wikipedia edits, outlets' reports and prompts, from small files."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from unslant.core.types import Span
from unslant.lab import corpora


def write(path: Path, *rows: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)


def write_table(path: Path, rows: Sequence[Mapping[str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


ARTICLE = "A headline\n\nThey lie.\nThey always lie."


def test_an_article_keeps_all_its_spans(tmp_path: Path) -> None:
    spans = [
        {"start": 12, "end": 37, "technique": "Repetition"},
        {"start": 12, "end": 20, "technique": "Doubt"},
    ]
    write(tmp_path / "ptc/articles.jsonl.gz", {"id": "7", "text": ARTICLE, "spans": spans})
    (article,) = corpora.load("ptc", tmp_path, strict=True)
    assert [(labelled.span, labelled.technique) for labelled in article.spans or ()] == [
        (Span(12, 20), "Doubt"),
        (Span(12, 37), "Repetition"),
    ]


def test_a_span_over_two_lines_is_in_both_sentences(tmp_path: Path) -> None:
    spans = [{"start": 12, "end": 37, "technique": "Repetition"}]
    write(tmp_path / "ptc/articles.jsonl.gz", {"id": "7", "text": ARTICLE, "spans": spans})
    headline, first, second = corpora.load("ptc/sentences", tmp_path, strict=True)
    assert (headline.text, headline.label, headline.document) == ("A headline", False, "7")
    assert [labelled.span for labelled in first.spans or ()] == [Span(0, 9)]
    assert [labelled.span for labelled in second.spans or ()] == [Span(0, 15)]


def test_a_paragraph_has_techniques_without_words(tmp_path: Path) -> None:
    write(tmp_path / "persuasion/paragraphs.jsonl.gz", {"text": "They lie.", "techniques": ["Doubt"]})
    (paragraph,) = corpora.load("persuasion", tmp_path)
    assert (paragraph.techniques, paragraph.spans, paragraph.label) == (frozenset({"Doubt"}), None, True)


def test_a_meme_with_a_span_outside_is_named(tmp_path: Path) -> None:
    row = {"id": "1", "split": "dev", "text": "VOTE\nNOW", "spans": [[0, 4, "Slogans"]]}
    write(tmp_path / "memes/spans.jsonl.gz", row, {**row, "id": "2", "spans": [[0, 99, "Slogans"]]})
    corpus = corpora.load("memes", tmp_path)
    (meme,) = corpus
    assert (meme.id, meme.split) == ("dev-1", "dev")
    assert corpus.skipped == {"span outside the text": 1}


PAIR = {"src": "A great mill.", "tgt": "A mill.", "rev": None, "edits": 1, "deleted": 1, "inserted": 0}


@pytest.mark.parametrize(("name", "pairs"), [("npov", 1), ("npov/all", 2)])
def test_only_tight_edits_are_loaded_unless_all_are_wanted(tmp_path: Path, name: str, pairs: int) -> None:
    tight = {**PAIR, "split": "train", "tight": True, "also_in": ["wikibias_train"]}
    write(tmp_path / "npov/pairs.jsonl.gz", tight, {**tight, "tight": False, "also_in": None})
    examples = list(corpora.load(name, tmp_path))
    assert len(examples) == 2 * pairs
    assert [(example.side, example.label) for example in examples[:2]] == [
        ("source", True),
        ("target", False),
    ]
    assert examples[0].extra["also_in"] == "wikibias_train"


def test_pairs_of_the_notebook_have_their_own_file(tmp_path: Path) -> None:
    row = {**PAIR, "rev": "12", "split": None, "tight": True, "also_in": None}
    write(tmp_path / "wnc/notebook_pairs.jsonl.gz", row)
    source, _ = corpora.load("wnc/notebook", tmp_path, strict=True)
    assert (source.text, source.extra["revision"]) == ("A great mill.", "12")


def test_a_hedge_is_a_span_and_no_verdict(tmp_path: Path) -> None:
    row = {"doc": "Mill", "id": "S1", "text": "It may be old.", "spans": [[3, 6, "epistemic"]]}
    write(tmp_path / "uncertainty/sentences.jsonl.gz", row)
    (sentence,) = corpora.load("uncertainty", tmp_path)
    assert (sentence.id, sentence.document, sentence.label) == ("Mill-S1", "Mill", None)
    assert [(span.span, span.technique) for span in sentence.spans or ()] == [(Span(3, 6), "epistemic")]


def test_each_target_of_a_sentence_is_an_example(tmp_path: Path) -> None:
    targets = [
        {"Input.gid": "a", "from": 0, "to": 3, "mention": "Ann", "polarity": 6.0},
        {"Input.gid": "b", "from": 12, "to": 15, "mention": "Bob", "polarity": 2.0},
        {"Input.gid": "c", "from": 0, "to": 3, "mention": "Cem", "polarity": 4.0},
    ]
    row = {"primary_gid": "a", "sentence_normalized": "Ann rescues Bob.", "targets": targets}
    write(tmp_path / "newsmtsc/train.jsonl.gz", row)
    for name in ("devtest_mt", "devtest_rw"):
        write(tmp_path / f"newsmtsc/{name}.jsonl.gz")
    corpus = corpora.load("newsmtsc", tmp_path)
    ann, bob = corpus
    assert (ann.extra["sentiment"], bob.extra["sentiment"]) == ("positive", "negative")
    assert ann.pair == bob.pair
    assert corpus.skipped == {"marked phrase not in its text": 1}


@pytest.mark.parametrize(
    ("name", "file", "column", "value"),
    [
        ("subj", "sentences", "subjective", 1),
        ("mpqa", "sentences", "sentiment", "negative"),
        ("sst2", "sentences", "sentiment", "positive"),
        ("warming_stance", "sentences", "stance", "neutral"),
        ("argument_stance", "pairs", "stance", "agree"),
    ],
)
def test_what_is_not_about_slant_has_no_label(
    tmp_path: Path, name: str, file: str, column: str, value: object
) -> None:
    path = tmp_path / name / f"{file}.jsonl.gz"
    write(path, {"text": "A text.", column: value}, {"text": "A text.", column: "other"})
    corpus = corpora.load(name, tmp_path)
    (example,) = corpus
    assert (example.label, example.extra[column]) == (None, value)
    assert corpus.skipped == {"unknown label": 1}


def test_entities_in_arguments_become_characters(tmp_path: Path) -> None:
    write(tmp_path / "argument_stance/pairs.jsonl.gz", {"text": "Say &quot;yes&quot;.", "stance": "agree"})
    (argument,) = corpora.load("argument_stance", tmp_path)
    assert argument.text == 'Say "yes".'


def test_a_headline_without_a_cue_has_no_emotive_words(tmp_path: Path) -> None:
    row = {"text": "Mayor fears floods", "cue": "fears", "experiencer": "Mayor"}
    write(tmp_path / "headline_emotion/headlines.jsonl.gz", row, {**row, "cue": ""}, {**row, "cue": "joy"})
    corpus = corpora.load("headline_emotion", tmp_path)
    first, second = corpus
    assert [labelled.span for labelled in first.spans or ()] == [Span(6, 11)]
    assert second.spans == ()
    assert corpus.skipped == {"marked phrase not in its text": 1}


def test_bias_ratings_are_soft_labels(tmp_path: Path) -> None:
    write(tmp_path / "crowd_bias/sentences.jsonl.gz", {"text": "A text.", "share": 0.25})
    (rated,) = corpora.load("crowd_bias", tmp_path)
    assert (rated.share, rated.label) == (0.25, None)


def test_flags_of_a_news_sentence_stay_apart_from_its_bias(tmp_path: Path) -> None:
    row = {"text": "A text.", "bias": 1, "framing": 0, "hidden_assumpt": 1, "subj": 0}
    write(tmp_path / "multi_dim_news/sentences.jsonl.gz", row)
    (sentence,) = corpora.load("multi_dim_news", tmp_path)
    assert sentence.label is True
    assert sentence.extra == {"framing": 0, "hidden_assumptions": 1, "subjectivity": 0}


def test_a_round_up_is_the_target_of_three_reports(tmp_path: Path) -> None:
    report = {"title": "T", "text": "A text."}
    write(tmp_path / "roundups/events.jsonl.gz", {"split": "val", "outlets": [report] * 3, "neutral": report})
    examples = list(corpora.load("roundups", tmp_path, strict=True))
    assert [example.side for example in examples] == ["source", "source", "source", "target"]
    assert {(example.pair, example.split, example.leaning) for example in examples} == {("1", "dev", None)}


def test_new_labels_of_babe_stand_beside_the_old(tmp_path: Path) -> None:
    row = {
        "text": "A radical plan.",
        "label": 1,
        "sg2": 0,
        "in_sg2": True,
        "split_naacl2025": "train_dev",
        "experts": {"a": 1, "b": 0},
        "llms": {"gpt_4": 1},
        "biased_words": "['radical']",
        "outlet": "Fox News",
        "topic": "tax",
    }
    write(tmp_path / "babe/reannotated.jsonl.gz", row)
    (sentence,) = corpora.load("babe/reannotated", tmp_path, strict=True)
    assert (sentence.label, sentence.share, sentence.split, sentence.outlet) == (
        True,
        0.5,
        "train",
        "fox-news",
    )
    assert (sentence.extra["sg2"], sentence.extra["llm_gpt_4"]) == (0, 1)
    assert [labelled.span for labelled in sentence.spans or ()] == [Span(2, 9)]


def test_paired_prompts_differ_in_their_stance(tmp_path: Path) -> None:
    row = {
        "topic_name": "tax",
        "partisan": "True",
        "main_category": "POLICIES",
        "template": "Argue that {stance}",
    }
    sides = {
        "prompt_a": "Argue for it.",
        "prompt_b": "Argue against it.",
        "stance_a": "for",
        "stance_b": "against",
    }
    write_table(tmp_path / "political_prompts/anthropic_paired.csv.gz", [row | sides])
    first, second = corpora.load("political_prompts/paired", tmp_path, strict=True)
    assert (first.pair, first.extra["stance"]) == (second.pair, "for")
    assert second.text == "Argue against it."


def test_issues_that_the_authors_left_out_are_left_out(tmp_path: Path) -> None:
    issue = {"topic_id": "3", "topic_neutral": "tax", "topic_pro": "good tax", "topic_con": "bad tax"}
    rows = [issue | {"tag_exclude": ""}, issue | {"topic_id": "4", "tag_exclude": "1"}]
    write_table(tmp_path / "political_prompts/issuebench_issues.csv.gz", rows)
    examples = list(corpora.load("political_prompts/issues", tmp_path, strict=True))
    assert [example.extra["framing"] for example in examples] == ["neutral", "pro", "con"]
