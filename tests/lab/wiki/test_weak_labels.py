"""Labels without annotators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from unslant.cli.main import main
from unslant.lab.corpora.own_files import FileDataset
from unslant.lab.wiki.edits import SentenceWords, chunk_type, find_edits
from unslant.lab.wiki.weak_labels import LabelledPair, drop_least_likely, label_pair, relabel


def edits_of(source: str, target: str) -> list[tuple[str, str | None, str | None]]:
    """Kind, words before, words after."""
    pair = label_pair(source, target)
    return [
        (
            edit.kind,
            source[edit.source.start : edit.source.end] if edit.source else None,
            target[edit.target.start : edit.target.end] if edit.target else None,
        )
        for edit in pair.edits
    ]


def marked(source: str, target: str) -> list[str]:
    return [source[span.start : span.end] for span in label_pair(source, target).spans]


def test_neighbouring_words_are_a_substitution() -> None:
    found = edits_of("The mill boasts ten rooms.", "The mill has ten rooms.")
    assert found == [("substitution", "boasts", "has")]


def test_words_alone_are_deletions_and_additions() -> None:
    assert edits_of("A lovely mill.", "A mill.") == [("deletion", "lovely", None)]
    assert edits_of("A mill.", "A mill, some say.") == [("addition", None, ", some say")]


def test_parts_around_a_repeated_preposition_are_one_phrase() -> None:
    found = edits_of("They hailed the victory of heroes today.", "They saw the end of fighting today.")
    assert found[-1] == ("substitution", "hailed the victory of heroes", "saw the end of fighting")


def test_what_moved_is_matched_by_likeness() -> None:
    found = edits_of(
        "The remarkable discovery changed everything, and Lee was lucky.",
        "Lee was lucky, and this remarkable discovery did change things.",
    )
    assert ("deletion", "remarkable discovery", None) not in found


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["the", "mill"], "noun"),
        (["has", "been"], "verb"),
        (["in", "town"], "preposition"),
        ([","], "mark"),
        (["shouted"], "verb"),
    ],
)
def test_chunks_have_a_type(words: list[str], kind: str) -> None:
    assert chunk_type(words) == kind


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("The wonderful mill is old.", "The mill is old.", ["wonderful"]),
        ("He was brutally defeated.", "He was defeated.", ["brutally"]),
        ("The mill was desinged early.", "The mill was designed early.", []),
        ("The Mill is old.", "The mill is old.", []),
        ("It is “old”, very.", 'It is "old" very.', []),
        ("The mill opened in 1900.", "The mill opened in 1901.", []),
        ("Same text.", "Same text.", []),
        ("", "", []),
    ],
)
def test_what_was_slanted_is_marked_and_corrections_are_not(
    source: str, target: str, words: list[str]
) -> None:
    assert marked(source, target) == words


def test_a_filtered_edit_says_why() -> None:
    (edit,) = label_pair("The mill was desinged.", "The mill was designed.").edits
    assert (edit.set_aside, edit.confidence) == ("spelling", 0.0)
    (edit,) = label_pair("The Mill is old.", "The mill is old.").edits
    assert edit.set_aside == "case"


_sentences = st.lists(
    st.sampled_from("the a old lovely mill is was not of in , . Lee 1900 very".split()), max_size=12
).map(" ".join)


@settings(max_examples=150, deadline=None)
@given(_sentences, _sentences, st.floats(0.01, 1))
def test_edits_turn_the_source_into_the_target(source: str, target: str, threshold: float) -> None:
    before, after = SentenceWords.of(source), SentenceWords.of(target)
    edits = find_edits(before, after)
    gone = {place for edit in edits for place in range(*edit.before)}
    come = {place for edit in edits for place in range(*edit.after)}
    kept = [word for place, word in enumerate(before.forms) if place not in gone]
    assert kept == [word for place, word in enumerate(after.forms) if place not in come]
    pair = label_pair(source, target, threshold)
    assert all(
        edit.confidence >= threshold for edit in pair.edits if edit.source in pair.spans and edit.source
    )
    assert 0 <= pair.confidence <= 1
    assert pair.label is bool(pair.spans)


def test_a_lower_threshold_marks_no_less() -> None:
    source, target = "The very fine old mill, loved by all, is there.", "The mill is there in town."
    counts = [len(label_pair(source, target, place / 10).spans) for place in range(11)]
    assert counts == sorted(counts, reverse=True)


def _pair(confidence: float) -> LabelledPair:
    return LabelledPair("a", "b", (), (), confidence)


def test_the_least_likely_are_dropped_and_the_order_stays() -> None:
    pairs = [_pair(place / 10) for place in (3, 9, 1, 7, 5)]
    assert [pair.confidence for pair in drop_least_likely(pairs, 0.4)] == [0.9, 0.7, 0.5]
    assert drop_least_likely(pairs, 0.0) == pairs


def test_a_model_takes_back_but_never_adds() -> None:
    slanted = label_pair("The wonderful mill is old.", "The mill is old.")
    plain = label_pair("The mill was desinged.", "The mill was designed.")
    assert [pair.label for pair in relabel([slanted, plain], lambda texts: [0.1] * len(texts))] == [
        False,
        False,
    ]
    assert list(relabel([slanted, plain], lambda texts: [0.9] * len(texts))) == [slanted, plain]


@pytest.fixture
def pairs_file(tmp_path: Path) -> Path:
    rows = [
        {
            "id": "a",
            "source": "The wonderful mill is old.",
            "target": "The mill is old.",
            "page": "7",
            "split": "dev",
        },
        {"id": "b", "source": "The mill was desinged.", "target": "The mill was designed."},
        {"id": "c", "source": "", "target": "The mill."},
    ]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_the_command_writes_what_training_reads(pairs_file: Path, tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(main, ["label", str(pairs_file), "--output", str(tmp_path / name)])
    assert result.exit_code == 0, result.output
    assert "2 pairs: 1 slanted sources with 1 spans, 0 dropped, 1 not usable" in result.output
    examples = list(FileDataset(tmp_path / name))
    assert [(example.id, example.label, example.side, example.pair) for example in examples] == [
        ("a:source", True, "source", "a"),
        ("a:target", False, "target", "a"),
        ("b:source", False, "source", "b"),
        ("b:target", False, "target", "b"),
    ]
    (span,) = examples[0].spans or ()
    assert examples[0].text[span.span.start : span.span.end] == "wonderful"
    assert (examples[0].document, examples[0].split) == ("7", "dev")


def test_the_command_drops_and_relabels(pairs_file: Path) -> None:
    result = CliRunner().invoke(main, ["label", str(pairs_file), "--drop", "0.5", "--relabel"])
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["pair"] for row in rows} == {"b"}
    assert "1 dropped" in result.stderr


@pytest.mark.parametrize(("name", "text"), [("none.jsonl", None), ("bad.csv", "x,y\n1,2\n")])
def test_what_is_no_file_of_pairs_is_named(tmp_path: Path, name: str, text: str | None) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)
    result = CliRunner().invoke(main, ["label", str(tmp_path / name)], standalone_mode=False)
    assert name in str(result.exception)
