"""A text of which the page sends parts, or the editor shows a part first, is judged as in one piece."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import unslant
from unslant.core.types import Report
from unslant.editor.checker import part_around
from unslant.pipeline import Pipeline
from unslant.server.explaining import profiles_to_dicts
from unslant.server.handlers import sent_text
from unslant.server.requests import TextItem
from unslant.text.reading import narrow_to_spans, read

pytestmark = pytest.mark.node

PAGE = Path(unslant.__file__).parent / "server" / "page"
SPEC = unslant.Spec(analyzers=("rules",), threshold=0.0, profile="news")
SCRIPT = """
import { readFileSync } from "node:fs";
const { Draft } = await import(process.argv[1]);
const split = ([text, format, senses]) => {
  const draft = new Draft();
  draft.format = format;
  draft.edit(text);
  draft.setSenses(senses);
  return draft.chunks.map(({ before, text, after, senses }) => ({ before, text, after, senses }));
};
console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf-8")).map(split)));
"""
BAD = "This shameful, disgraceful and legendary plan is a disaster."
OWN = [
    f'He said: "{BAD}\n\n"{BAD} It was.\n\n"{BAD} So it was.\n\n"It ends here." A shameful day.\n\n{BAD}\n',
    f"He said: “{BAD}\n\n" + f"“{BAD} And {BAD}\n\n" * 60 + f"“It ends here.” {BAD}\n",
    f"“{BAD} And more came.\n\nNobody goes on with it. {BAD}\n\n“{BAD}” he said.\n",
    f"He said: “{BAD}\n\n> “{BAD} And {BAD}\n\n- “{BAD} Then {BAD}\n\n“Done.”\n",
    f'An 8" pipe. {BAD} ' * 70 + f'"{BAD} " ' * 40 + f"\n\n“{BAD} {BAD}\n\n“Done.”\n",
    "Ann's “hall” is old. " * 200 + f"It was “{BAD} {'So it goes on and on here. ' * 300}” and {BAD}\n",
    f"# Title\n\n<!-- unslant: ignore-block framing -- a statement -->\n\n{BAD}\n\n{BAD}\n\n"
    f"<!-- unslant: end-ignore -->\n\n{BAD}\n",
    f"---\ntitle: x\n---\n\n{BAD}\n\n“{BAD} So {BAD}\n\n“{BAD}”\n\n"
    "<!-- unslant: ignore-file framing/praise-adjective -- ours -->\n",
    "They called it a witch hunt.\n\nThe trials of witches began in 1692.\n",
    "They met Legendary in Hull.\n\nNobody in Hull saw Legendary.\n\nThe songs of Legendary Sam.\n",
]


def cut(texts: Sequence[tuple[str, str]]) -> list[list[dict[str, Any]]]:
    """Return the parts that the page sends, each with what stands around it and what the text says of its words."""
    about = profiles_to_dicts((read(text, form) for text, form in texts), SPEC)
    asked = [[text, form, found["senses"]] for (text, form), found in zip(texts, about, strict=True)]
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, (PAGE / "draft.js").as_uri()],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[list[dict[str, Any]]] = json.loads(done.stdout)
    assert ["".join(part["text"] for part in parts) for parts in found] == [text for text, _ in texts]
    return found


def said(report: Report, shift: int = 0) -> list[tuple[int, int, str | None, str]]:
    return [
        (each.span.start + shift, each.span.end + shift, each.rule, each.severity) for each in report.findings
    ]


def compare(texts: Sequence[tuple[str, str]]) -> int:
    """Check each text whole and in parts; return the number of findings."""
    pipeline = Pipeline(SPEC)
    count = 0
    for (text, form), parts in zip(texts, cut(texts), strict=True):
        (whole,) = pipeline.check([read(text, form)])
        found, start = [], 0
        for part in parts:
            (report,) = pipeline.check([sent_text(TextItem(format=form, **part)).read()])
            found += said(report, start)
            start += len(part["text"])
        assert found == said(whole), text
        count += len(found)
    return count


def test_own_texts() -> None:
    assert compare([(text, form) for text in OWN for form in ("text", "markdown")]) > 100


def first_rows(path: Path, count: int) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line)["text"] for line, _ in zip(lines, range(count), strict=False)]


@pytest.mark.shared
def test_real_articles(shared_data: Path) -> None:
    articles = first_rows(shared_data / "ptc" / "articles.jsonl.gz", 300)
    # also as one long paragraph, and as the lines of a wire report that has straight marks
    texts = [(text, form) for text in articles for form in ("text", "markdown")]
    texts += [(" ".join(text.split()), "text") for text in articles[:100]]
    texts += [
        (text.replace("“", '"').replace("”", '"').replace("\n", "\n\n"), "text") for text in articles[100:200]
    ]
    assert compare(texts) > 3_000


def in_paragraphs(text: str) -> str:
    """Return an article of one line with a paragraph for each sentence, and a mark where a quotation goes on."""
    joined = re.sub(r" ([.,;:!?”]|\N{RIGHT SINGLE QUOTATION MARK})", r"\1", text).replace("“ ", "“")
    parts = re.split(r"(?<=[.!?]) (?=[A-Z“])|(?<=[.!?]”) (?=[A-Z“])", joined)
    still = 0
    for number, part in enumerate(parts):
        parts[number] = f"“{part}" if still and not part.startswith("“") else part
        still = max(still + part.count("“") - part.count("”"), 0) and 1
    return "\n\n".join(parts)


def allsides(data: Path) -> list[str]:
    rows = first_rows(data / "allsides" / "articles_first250w.jsonl.gz", 2_000)
    articles = [in_paragraphs(text) for text in rows if text.count("“") > 2][:300]
    assert len(articles) == 300
    return articles


@pytest.mark.shared
def test_articles_whose_paragraphs_go_on_with_a_quotation(shared_data: Path) -> None:
    articles = allsides(shared_data)
    assert sum("\n\n“" in text for text in articles) > 200
    assert compare([(text, "text") for text in articles]) > 300


@pytest.mark.shared
def test_what_the_editor_shows_first_is_what_it_shows_in_the_end(shared_data: Path) -> None:
    pages = allsides(shared_data)
    pipeline = Pipeline(SPEC)
    count = 0
    for first in range(0, len(pages), 10):
        text = "\n\n".join(pages[first : first + 10])
        document = read(text, "text")
        (whole,) = pipeline.check([document])
        for focus in range(0, len(text), 1_500):
            part = part_around(text, focus)
            (report,) = pipeline.check([narrow_to_spans(document, [part])])
            expected = [each for each in said(whole) if part.start <= each[0] and each[1] <= part.end]
            assert said(report) == expected, text[part.start : part.end]
            count += len(expected)
    assert count > 1_000
