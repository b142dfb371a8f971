"""Any subset of the offered edits gives what all of it together gives, in the command and the page."""

from __future__ import annotations

import json
import random
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant
from tests.cli.conftest import Run
from tests.marked import apply_one_by_one
from unslant.core.types import Applicability, Edit
from unslant.edits.fixer import Fixer
from unslant.edits.result import Fixed
from unslant.lab import corpora
from unslant.spec import TIERS, Spec
from unslant.text.edits import apply_edits
from unslant.text.reading import read

ALL = Spec(analyzers=TIERS["all"])
OWN = [
    "The shameless, radical senator slammed the so-called reform in a stunning, historic speech.",
    "Sadly, the legendary, brilliant singer passed away in a beautiful hall.",
    "It was an utterly shocking and truly disgraceful vote, and critics claimed it was a sham.",
    "An iconic, infamous and outrageous scene shocked the brave firemen, of course.",
    "Unfortunately, the disastrous plan failed, and the regime lashed out at its critics.",
]
PAGE = Path(unslant.__file__).parent / "server" / "page"
SCRIPT = """
import { readFileSync } from "node:fs";
const { applied, compatible } = await import(process.argv[1]);
const cases = JSON.parse(readFileSync(0, "utf-8"));
console.log(JSON.stringify(cases.map(({ text, edits }) => applied(text, compatible(edits)))));
"""


def real_sentences(data: Path) -> list[str]:
    found = [each.text for each in corpora.load("editor", data) if each.split == "dev" and each.spans]
    return [text for text in found if text.isascii() and "\n" not in text][:90]


def fixed_sentences(texts: Sequence[str]) -> list[Fixed]:
    return list(Fixer(ALL).fix(map(unslant.read, texts)))


def subset(edits: Sequence[Edit], generator: random.Random) -> list[Edit]:
    usable = [edit for edit in edits if edit.applicability is not Applicability.DISPLAY]
    chosen = [edit for edit in usable if generator.random() < 0.6]
    generator.shuffle(chosen)
    return chosen


def check_page(everything: Sequence[Fixed], generator: random.Random) -> None:
    cases, expected = [], []
    for fixed in everything:
        text = fixed.document.source
        chosen = subset([each.edit for each in fixed.edits], generator)
        edits = [
            {
                "start": edit.start,
                "end": edit.end,
                "replacement": edit.replacement,
                "applicability": edit.applicability.value,
            }
            for edit in chosen
        ]
        cases.append({"text": text, "edits": edits})
        expected.append(apply_one_by_one(text, chosen))
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, (PAGE / "fixes.js").as_uri()],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout) == expected


def check_command(run: Run, path: Path, texts: Sequence[str], generator: random.Random) -> None:
    """Answer the questions at random, and compare what is written with the accepted edits made together."""
    text = "\n\n".join(texts) + "\n"
    path.write_text(text)
    (fixed,) = Fixer(ALL, unsafe=True).fix([read(text, "text", path.name)])
    answered = {finding for each in fixed.edits for finding in each.findings}
    questions = [(each.edit.span, each) for each in fixed.edits]
    unanswered = [(each.span, None) for each in fixed.report.findings if each not in answered]
    chosen: list[Edit] = []
    answers = []
    for span, each in sorted([*questions, *unanswered], key=lambda pair: pair[0]):
        if any(span.overlaps(edit.span) for edit in chosen):
            continue
        choices = [each.edit, *each.alternatives] if each else []
        usable = [edit for edit in choices if edit.applicability is not Applicability.DISPLAY]
        accept = bool(usable) and generator.random() < 0.6
        answers.append("a" if accept else "s")
        chosen += usable[:1] if accept else []
    run("fix", "--interactive", path.name, stdin=("\n".join(answers) + "\n").encode())
    assert path.read_text() == apply_edits(text, chosen)
    generator.shuffle(chosen)
    assert apply_one_by_one(text, chosen) == apply_edits(text, chosen)


def test_own_sentences(run: Run, folder: Path) -> None:
    everything = fixed_sentences(OWN)
    assert sum(len(fixed.edits) for fixed in everything) > 8
    for seed in range(4):
        check_command(run, folder / "own.txt", OWN, random.Random(seed))


@pytest.mark.node
def test_own_sentences_on_the_page() -> None:
    everything = fixed_sentences(OWN)
    for seed in range(3):
        check_page(everything, random.Random(seed))


@pytest.mark.node
@pytest.mark.shared
def test_real_sentences(run: Run, folder: Path, shared_data: Path) -> None:
    texts = real_sentences(shared_data)
    everything = fixed_sentences(texts)
    assert sum(len(fixed.edits) for fixed in everything) > 10
    check_command(run, folder / "real.txt", texts, random.Random(1))
    check_page(everything, random.Random(1))
