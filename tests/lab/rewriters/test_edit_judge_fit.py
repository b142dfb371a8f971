"""Fitting the judge of edits: what it learns, and that an interrupted run goes on where it stopped."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from unslant.lab.rewriters.edit_judge import JudgeFit, collect_offered, fit_regression
from unslant.lab.rewriters.judged_edits import JudgedEdit
from unslant.rewrite.edit_judge import EditJudge, shipped_judge
from unslant.spec import TIERS, Spec

RULES = Spec(analyzers=TIERS["rules"])


def corpus(folder: Path) -> Path:
    """Write an editors' corpus of three documents."""
    texts = {
        "one": "The stunning hall opened in May.",
        "two": "Critics slammed the plan on Monday.",
        "three": "Clearly, the ferry sank.",
    }
    (folder / "editor").mkdir()
    with gzip.open(folder / "editor" / "train.jsonl.gz", "wt", encoding="utf-8") as file:
        for name, text in texts.items():
            word = "stunning "
            spans = []
            if word in text:
                start = text.index(word)
                spans = [
                    {
                        "start": start,
                        "end": start + len(word),
                        "text": word,
                        "grade": "must",
                        "kind": "framing",
                        "technique": "praise",
                        "fix": "",
                    }
                ]
            sentence = {"id": f"{name}-0", "document": name, "text": text, "spans": spans}
            passage = {
                "source": "allsides",
                "genre": "news",
                "leaning": None,
                "outlet": None,
                "connected": True,
                "sentences": [sentence],
            }
            file.write(json.dumps(passage) + "\n")
    for part in ("dev", "test"):
        gzip.open(folder / "editor" / f"{part}.jsonl.gz", "wt").close()
    return folder


def test_the_editor_decides_about_edits_that_could_be_offered(tmp_path: Path) -> None:
    edits = collect_offered(corpus(tmp_path), RULES, tmp_path / "offered.jsonl")
    verdicts = {(edit.after, edit.good) for edit in edits}
    assert ("The hall opened in May.", True) in verdicts
    assert ("Critics criticized the plan on Monday.", False) in verdicts


def test_an_interrupted_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    data, path = corpus(tmp_path), tmp_path / "offered.jsonl"
    whole = collect_offered(data, RULES, path)
    lines = path.read_text("utf-8").splitlines(keepends=True)
    path.write_text(lines[0] + lines[1][:20], "utf-8")
    assert collect_offered(data, RULES, path) == whole
    assert path.read_text("utf-8").splitlines(keepends=True) == lines


def test_the_regression_learns_which_edits_are_good() -> None:
    order = shipped_judge().order
    edits = [
        JudgedEdit(
            str(number),
            "train",
            "fix",
            f"The {word} {noun} opened in May.",
            f"The {noun if good else word} opened in May.",
            good,
        )
        for number, (word, noun) in enumerate(
            (word, noun) for word in ("stunning", "awful", "hapless") for noun in ("hall", "shop", "school")
        )
        for good in (True, False)
    ]
    judge = EditJudge(order, fit_regression(order, edits, JudgeFit()), 0.5, 0.5, 0.5, {})
    before = "The hapless library opened in May."
    assert judge.probability(before, "The library opened in May.") > 0.5
    assert judge.probability(before, "The hapless opened in May.") < 0.5
