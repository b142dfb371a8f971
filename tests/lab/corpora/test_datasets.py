from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.lab.corpora.corpus_files import write_csv, write_jsonl, write_parquet, write_xlsx
from unslant.core.example import Example
from unslant.lab import corpora
from unslant.lab.corpora.news import strip_outlet


def words(example: Example) -> list[str]:
    return [example.text[marked.span.start : marked.span.end] for marked in example.spans or ()]


def babe_row(text: str, **more: Any) -> dict[str, Any]:
    row = {
        "text": text,
        "news_link": "https://example.org/1",
        "outlet": "USA Today",
        "topic": "taxes",
        "type": "left",
    }
    return (
        row
        | {"label_bias": "Biased", "label_opinion": "Entirely factual", "biased_words": "['great']"}
        | more
    )


@pytest.fixture
def babe(tmp_path: Path) -> Path:
    rows = [
        babe_row("A great, great day; so it is."),
        babe_row("A plain day.", label_bias="Non-biased", biased_words="['gone']"),
        babe_row("A day.", label_bias="No agreement", biased_words="[]", type=""),
    ]
    write_csv(tmp_path / "babe" / "final_labels_SG2.csv", rows, ";")
    return tmp_path


def raw_rows() -> list[dict[str, Any]]:
    said = [("A great, great day; so it is.", "Biased"), ("A great, great day; so it is", "Non-biased")]
    said += [("A plain day.", "Biased, unfair"), ("A plain day.", "")]
    return [
        babe_row(
            text,
            label_bias=label,
            biased_words="great, so it",
            annotator_id="1.0" if at % 2 else "2.0",
            df_id="1",
        )
        for at, (text, label) in enumerate(said)
    ]


def test_babe(babe: Path) -> None:
    corpus = corpora.load("babe/sg2", babe)
    first, second, third = corpus
    assert words(first) == ["great", "great"]
    assert [example.label for example in (first, second, third)] == [True, False, None]
    assert (first.outlet, first.topic, first.leaning, third.leaning) == ("usa-today", "taxes", "left", None)
    assert first.share is None
    assert corpus.skipped == {"marked word not in its sentence": 1}
    assert [example.id for example in corpora.load("babe", babe)] == [first.id, second.id, third.id]


def test_babe_raw_annotations_are_linked_to_the_sentences(babe: Path) -> None:
    write_xlsx(babe / "babe" / "raw_labels_SG2.xlsx", raw_rows())
    first, second, third = corpora.load("babe/sg2", babe)
    assert (first.share, second.share, third.share) == (0.5, 1.0, None)
    found = list(corpora.raw_annotations("babe/sg2", babe))
    assert {annotation.item for annotation in found} == {first.id, second.id}
    assert [a.label for a in found if a.task == "bias"] == ["Biased", "Non-biased", "Biased"]
    assert [a.label for a in found if a.task == "words" and a.item == first.id][:2] == ["great", "so it"]
    assert {(a.annotator, a.batch) for a in found} == {("1", "1"), ("2", "1")}


def test_babe_raw_annotations_name_what_is_wrong(babe: Path, tmp_path: Path) -> None:
    with pytest.raises(corpora.CorpusMissing, match=r"raw_labels_SG2.xlsx"):
        list(corpora.raw_annotations("babe/sg2", babe))
    write_xlsx(babe / "babe" / "raw_labels_SG2.xlsx", [raw_rows()[0] | {"label_bias": "odd"}])
    with pytest.raises(corpora.CorpusError, match=r"raw_labels_SG2.xlsx, row 2: unknown label \(odd\)"):
        list(corpora.raw_annotations("babe/sg2", babe))
    write_jsonl(tmp_path / "wnc" / "train_pairs.jsonl", [{"src": "a b", "tgt": "a", "origin": "x_train"}])
    with pytest.raises(corpora.CorpusError, match="no raw annotations"):
        list(corpora.raw_annotations("wnc", tmp_path))


def test_wnc(tmp_path: Path) -> None:
    rows = [
        {"src": "a great , on - air day .", "tgt": "an on - air day .", "origin": "lou_train"},
        {"src": "a day .", "tgt": "a very good day .", "origin": "rpryzant_baseline_test"},
        {"src": "same .", "tgt": "same .", "origin": "lou_test"},
        {"src": "", "tgt": "x", "origin": "lou_test"},
    ]
    write_jsonl(tmp_path / "wnc" / "train_pairs.jsonl", rows)
    everything = corpora.load("wnc", tmp_path)
    found = list(everything)
    assert [(e.text, e.label, e.side, e.split) for e in found[:2]] == [
        ("a great, on-air day.", True, "source", "train"),
        ("an on-air day.", False, "target", "train"),
    ]
    assert len(found) == 4
    assert everything.skipped == {"source and target are the same": 1, "empty text": 1}
    assert len(list(corpora.load("wnc/clean", tmp_path))) == 2


def test_anno_lexical(tmp_path: Path) -> None:
    rows = [{"text": "A day.", "source_name": "here", "label": 1, "sentence_id": "a"}]
    for split in ("train", "dev", "test"):
        bad = rows[0] | {"label": 3, "sentence_id": split}
        write_parquet(tmp_path / "anno_lexical" / f"anno-lexical-{split}.parquet", [rows[0], bad])
    corpus = corpora.load("anno_lexical", tmp_path)
    assert [(e.split, e.label, e.outlet) for e in corpus] == [
        (s, True, "here") for s in ("train", "dev", "test")
    ]
    assert corpus.skipped == {"unknown label": 3}


def test_allsides(tmp_path: Path) -> None:
    row = {"ID": "x", "topic": "taxes", "source": "Here", "date": "2020", "title": "T", "bias_text": "left"}
    row |= {"splits": {"random": "train", "media": "valid"}, "text": "It does n't rain , `` he '' said ."}
    write_jsonl(tmp_path / "allsides" / "articles_first250w.jsonl.gz", [row, row | {"ID": "y", "splits": {}}])
    by_media, unused = corpora.load("allsides", tmp_path)
    assert (by_media.text, by_media.split, by_media.leaning) == (
        'It doesn\'t rain, "he" said.',
        "dev",
        "left",
    )
    assert (unused.split, by_media.label) == (None, None)
    assert next(iter(corpora.load("allsides/random", tmp_path))).split == "train"


@pytest.mark.parametrize(
    ("title", "outlet", "text"),
    [
        ("Rain falls | Fox News", "Fox News", "Rain falls"),
        ("Rain falls - CNN", "edition.cnn.com", "Rain falls"),
        ("Rain falls : NPR", "npr.org", "Rain falls"),
        ("Rain falls - BBC News", "bbc.co.uk", "Rain falls"),
        ("Rain falls - The Guardian", "theguardian.com", "Rain falls"),
        ("Rain falls - so does snow", "npr.org", "Rain falls - so does snow"),
        ("NPR reports rain", "npr.org", "NPR reports rain"),
        ("Rain: what it means", "vox.com", "Rain: what it means"),
    ],
)
def test_the_outlet_is_taken_off_a_headline(title: str, outlet: str, text: str) -> None:
    assert strip_outlet(title, outlet) == text


def test_headlines_can_be_labelled_by_their_outlets(tmp_path: Path) -> None:
    row = {"title": "A road opens", "outlet": "x", "date": "", "origin": "", "id": ""}
    rows = [row | {"leaning": leaning} for leaning in ("left", "center", "right")]
    write_csv(tmp_path / "headlines" / "headlines.csv.gz", rows)
    assert [example.label for example in corpora.load("headlines/distant", tmp_path)] == [True, False, True]
    # the leaning of an outlet is no verdict on its headline
    assert {example.label for example in corpora.load("headlines", tmp_path)} == {None}


def test_headlines(tmp_path: Path) -> None:
    row = {"title": "Rain - CNN", "outlet": "cnn.com", "leaning": "left", "date": "", "origin": "o", "id": ""}
    write_csv(tmp_path / "headlines" / "headlines.csv.gz", [row, row | {"leaning": "up"}])
    corpus = corpora.load("headlines", tmp_path)
    (only,) = corpus
    assert (only.text, only.id, only.extra["title"]) == ("Rain", "row-2", "Rain - CNN")
    assert corpus.skipped == {"unknown label": 1}


def test_outlet_ratings(tmp_path: Path) -> None:
    rated = {"news_source": "Here", "bias_rating": "Lean Left", "reliability": 0.5, "bias": -3.0}
    rated |= {"community_trust": 0.4, "outlet_id": "h"}
    write_parquet(tmp_path / "outlet_ratings" / "outlets.parquet", [rated])
    write_parquet(
        tmp_path / "outlet_ratings" / "adfontes_snapshot.parquet",
        [{"source": "H", "reliability": 1.0, "bias": 2.0}],
    )
    first, second = corpora.load("outlet_ratings", tmp_path)
    assert (first.outlet, first.leaning, first.extra["bias"]) == ("Here", "left", -3.0)
    assert (second.leaning, second.extra["rater"]) == (None, "Ad Fontes")
    assert len(list(corpora.load("outlet_ratings/allsides", tmp_path))) == 1


def test_reddit_bias(tmp_path: Path) -> None:
    row = {
        "text": "well, they are all late.",
        "bias_pos": "they are all late",
        "label": "1.0",
        "label_group": "1",
    }
    plain, odd = row | {"label": "0.0", "label_group": "4"}, row | {"label_group": "9"}
    write_csv(tmp_path / "reddit_bias" / "reddit_bias.csv", [row, plain, odd])
    corpus = corpora.load("reddit_bias", tmp_path)
    first, second = corpus
    assert (words(first), first.dimension, first.label) == (["they are all late"], "gender", True)
    assert (second.spans, second.dimension, second.label) == ((), "race", False)
    assert corpus.skipped == {"unknown label": 1}


def test_crows_pairs(tmp_path: Path) -> None:
    row = {
        "": "0",
        "sent_more": "Old people forget.",
        "sent_less": "Young people forget.",
        "stereo_antistereo": "stereo",
    }
    row |= {"bias_type": "age", "annotations": "[['age'], [], ['age'], ['age']]"}
    looks = row | {"": "1", "bias_type": "physical-appearance"}
    write_csv(tmp_path / "crows_pairs" / "crows_pairs_anonymized.csv", [row, looks])
    more, less, other, _ = corpora.load("crows_pairs", tmp_path)
    assert (more.label, more.share, more.dimension, more.pair) == (True, 0.75, "age", "0")
    assert (less.label, less.share, less.side) == (None, None, "target")
    assert (other.dimension, other.extra["bias_type"]) == (None, "physical-appearance")


def test_stereoset(tmp_path: Path) -> None:
    row = {"type": "intersentence", "target": "nurse", "bias_type": "profession", "context": "She is a nurse"}
    row |= {"stereotype": "She is kind.", "anti-stereotype": "She is rude.", "unrelated": "Cats sleep."}
    write_jsonl(
        tmp_path / "stereoset" / "stereoset.jsonl",
        [row, row | {"type": "intrasentence"}, row | {"bias_type": "x"}],
    )
    corpus = corpora.load("stereoset", tmp_path)
    texts = [(example.text, example.label) for example in corpus]
    assert texts[:2] == [("She is a nurse. She is kind.", True), ("She is a nurse. She is rude.", None)]
    assert texts[2] == ("She is kind.", True)
    assert corpus.skipped == {"unknown label": 1}


def test_hatexplain(tmp_path: Path) -> None:
    groups = {f"label_{group}": "0" for group in ("gender", "religion", "race", "economic", "minority")}
    row = {"text": "they ruin all of it again", "rationale_pos": "they ruin;it again", "label": "2", **groups}
    rows = [
        row | {"label_race": "1"},
        row | {"rationale_pos": "", "label": "1", "label_race": "1", "label_gender": "1"},
        row | {"rationale_pos": "", "label": "0"},
        row | {"rationale_pos": "nowhere"},
    ]
    write_csv(tmp_path / "hatexplain" / "preprocessed.csv", rows)
    corpus = corpora.load("hatexplain", tmp_path)
    first, second, third, _ = corpus
    assert (words(first), first.dimension) == (["they ruin", "it again"], "race")
    assert (second.spans, second.dimension, second.extra["groups"]) == (None, None, "gender,race")
    assert (third.spans, third.label) == ((), False)
    assert corpus.skipped == {"marked phrase not in its text": 1}


def test_toxic_spans(tmp_path: Path) -> None:
    rows = [
        {"spans": "[0, 1, 2, 6, 7]", "text": "bad or so"},
        {"spans": "[]", "text": "hm"},
        {"spans": "[5]", "text": "x"},
    ]
    for name in ("tsd_train.csv", "tsd_trial.csv", "tsd_test.csv"):
        write_csv(tmp_path / "toxic_spans" / name, rows)
    corpus = corpora.load("toxic_spans", tmp_path)
    found = list(corpus)
    assert words(found[0]) == ["bad", " s"]
    assert [(example.split, example.label) for example in found[:3]] == [
        ("train", True),
        ("train", None),
        ("dev", True),
    ]
    assert corpus.skipped == {"span outside the text": 3}


def test_paradetox(tmp_path: Path) -> None:
    row = {"toxic": "you fool", "neutral1": "you", "neutral2": "you there", "neutral3": ""}
    write_csv(tmp_path / "paradetox" / "paradetox.tsv", [row, row | {"neutral1": "", "neutral2": ""}], "\t")
    corpus = corpora.load("paradetox", tmp_path)
    assert [(e.text, e.label, e.side, e.pair) for e in corpus] == [
        ("you fool", True, "source", "2"),
        ("you", False, "target", "2"),
        ("you there", False, "target", "2"),
    ]
    assert corpus.skipped == {"empty text": 1}
