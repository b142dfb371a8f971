from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.lab.corpora.corpus_files import wikibias_row, write_jsonl
from unslant.core.errors import UnknownName
from unslant.core.taxonomy import dimensions
from unslant.lab import corpora
from unslant.lab.corpora.catalogue import dimension_map
from unslant.lab.corpora.dataset import verify


def test_importing_the_door_is_light() -> None:
    heavy = "pyarrow python_calamine rensa numpy pandas openpyxl".split()
    code = f"import sys, unslant.lab.corpora as c; c.cards(); print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": "src"}
    )
    assert done.stdout.strip() == "[]"


def test_every_public_name_resolves() -> None:
    assert all(getattr(corpora, name) is not None for name in corpora.__all__)


def test_every_card_is_whole() -> None:
    for card in corpora.cards():
        assert card.title
        assert card.citation
        assert card.licence
        assert card.url.startswith("https://")
        assert card.files
        assert all(file.sha256 is None or len(file.sha256) == 64 for file in card.files)
        assert card.to_dict()["name"] == card.name
    assert {"wikibias", "babe/sg1", "cad/full", "allsides/media"} <= set(corpora.names())


def test_every_mapped_dimension_is_one_of_the_eleven() -> None:
    for corpus in ("reddit_bias", "crows_pairs", "stereoset", "hatexplain", "cad"):
        assert set(dimension_map(corpus).values()) - {None} <= set(dimensions())
    assert set(dimension_map("cad").values()) - {None} == set(dimensions())


def test_an_unknown_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="Did you mean 'wikibias'"):
        corpora.load("wikibais")
    with pytest.raises(UnknownName, match="Did you mean 'babe/sg"):
        corpora.load("babe/sgl")


def test_a_corpus_is_found_where_it_was_said_to_be(
    wikibias: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("UNSLANT_DATA", raising=False)
    assert len(list(corpora.load("wikibias", wikibias))) == 6
    with pytest.raises(
        corpora.CorpusMissing, match=r"unslant data get wikibias, or put train.jsonl, dev.jsonl"
    ):
        corpora.load("wikibias")
    monkeypatch.setenv("UNSLANT_DATA", str(wikibias))
    assert len(list(corpora.load("wikibias"))) == 6
    with pytest.raises(corpora.CorpusMissing):
        corpora.load("wikibias", tmp_path / "elsewhere")
    (wikibias / "wikibias" / "dev.jsonl").unlink()
    with pytest.raises(corpora.CorpusMissing, match=r"lacks dev.jsonl"):
        corpora.load("wikibias")


def test_wikibias_spans_cover_the_same_words(wikibias: Path) -> None:
    source, target = list(corpora.load("wikibias", wikibias))[:2]
    assert source.text == 'The legendary band\'s album, "Blue", sold.'
    assert source.spans
    (marked,) = source.spans
    assert source.text[marked.span.start : marked.span.end] == "legendary band's"
    assert (marked.kind, source.kinds, source.label, source.split) == ("framing", {"framing"}, True, "train")
    assert (target.label, target.spans, target.pair, target.side) == (False, (), source.pair, "target")


def test_a_wikibias_source_without_marks_is_not_judged(wikibias: Path) -> None:
    rows = [
        wikibias_row("9_0", "source", "A day .", types=[]),
        wikibias_row("9_1", "target", "The day .", types=[]),
    ]
    write_jsonl(wikibias / "wikibias" / "train.jsonl", rows)
    source, target = list(corpora.load("wikibias", wikibias))[:2]
    assert (source.label, source.spans, source.kinds) == (None, None, None)
    assert (target.label, target.spans, target.kinds) == (False, (), frozenset())


def test_published_labels_judge_the_sources_without_marks(wikibias: Path) -> None:
    rows = [
        wikibias_row("8_0", "source", "A day .", types=[]),
        wikibias_row("9_0", "source", "A fine day .", types=[]),
        wikibias_row("9_1", "target", "A day .", types=[]),
    ]
    write_jsonl(wikibias / "wikibias" / "train.jsonl", rows)
    labels = [
        {"id": name, "split": "train", "label": label} for name, label in (("8_0", 0), ("9_0", 1), ("9_1", 0))
    ]
    with gzip.open(wikibias / "wikibias" / "published_labels.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(json.dumps(row) + "\n" for row in labels)
    neutral, biased, target = list(corpora.load("wikibias", wikibias, strict=True))[:3]
    assert (neutral.label, neutral.spans, neutral.kinds) == (False, (), frozenset())
    # judged as a whole: which words are biased, and of which kind, is not known
    assert (biased.label, biased.spans, biased.kinds) == (True, None, None)
    assert (target.label, target.spans) == (False, ())


def test_a_damaged_file_of_published_labels_is_named(wikibias: Path) -> None:
    with gzip.open(wikibias / "wikibias" / "published_labels.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write('{"id": "9_0", "split": "train", "label": "yes"}\n')
    with pytest.raises(
        corpora.CorpusError, match=r"published_labels.jsonl.gz: every line needs .* fetch the file"
    ):
        list(corpora.load("wikibias", wikibias))


def test_a_kind_is_not_guessed_where_a_sentence_has_two(wikibias: Path) -> None:
    row = wikibias_row(
        "9_0", "source", "A great but alleged day .", "great", types=["framing", "epistemological"]
    )
    write_jsonl(wikibias / "wikibias" / "train.jsonl", [row])
    first = next(iter(corpora.load("wikibias", wikibias)))
    assert first.spans
    assert first.spans[0].kind is None
    assert first.kinds == {"framing", "epistemological"}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"tags": ["O"]}, "tags do not fit the tokens"),
        ({"types": ["odd"]}, "unknown label"),
        ({"label": 7}, "unknown label"),
        ({"tokens": [], "tags": []}, "empty token or no tokens"),
        ({"label": 0}, "marks and label disagree"),
    ],
)
def test_bad_rows_are_counted_and_strict_reading_stops(
    wikibias: Path, change: dict[str, object], reason: str
) -> None:
    row = wikibias_row("9_0", "source", "A great day .", "great", **change)
    write_jsonl(wikibias / "wikibias" / "train.jsonl", [row])
    corpus = corpora.load("wikibias", wikibias)
    list(corpus)
    assert corpus.skipped == {reason: 1}
    with pytest.raises(corpora.CorpusError, match=r"train.jsonl, row 1: "):
        list(corpora.load("wikibias", wikibias, strict=True))


def test_verify_checks_digests(wikibias: Path) -> None:
    found = [problem.reason for problem in verify(corpora.load("wikibias", wikibias))]
    assert found == ["not the version that the loader was written for"] * 3


def test_the_fingerprint_is_that_of_the_files(wikibias: Path) -> None:
    before = corpora.load("wikibias", wikibias).fingerprint()
    assert corpora.load("wikibias", wikibias).fingerprint() == before
    write_jsonl(wikibias / "wikibias" / "dev.jsonl", [wikibias_row("8_0", "source", "A day .")])
    assert corpora.load("wikibias", wikibias).fingerprint() != before
