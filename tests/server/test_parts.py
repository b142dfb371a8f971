"""A text that the page sends in parts is judged as in one piece."""

from __future__ import annotations

import gzip
import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

import unslant
from unslant.core.types import Report
from unslant.pipeline import Pipeline
from unslant.text.reading import read

pytestmark = pytest.mark.node

PAGE = Path(unslant.__file__).parent / "server" / "page"
SPEC = unslant.Spec(analyzers=("rules",), threshold=0.0, profile="news")
SCRIPT = """
import { readFileSync } from "node:fs";
const { Draft } = await import(process.argv[1]);
const split = ([text, format]) => {
  const draft = new Draft();
  draft.format = format;
  draft.edit(text);
  return draft.chunks.map(({ before, text, after }) => [before, text, after]);
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
]


def cut(texts: Sequence[tuple[str, str]]) -> list[list[tuple[str, str, str]]]:
    """Return the parts that the page sends, each with what stands around it."""
    done = subprocess.run(
        ["node", "--input-type=module", "-e", SCRIPT, (PAGE / "draft.js").as_uri()],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=True,
    )
    found = [[(before, text, after) for before, text, after in parts] for parts in json.loads(done.stdout)]
    assert ["".join(text for _, text, _ in parts) for parts in found] == [text for text, _ in texts]
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
        for before, part, after in parts:
            (report,) = pipeline.check([read(part, form, before=before, after=after)])
            found += said(report, start)
            start += len(part)
        assert found == said(whole), text
        count += len(found)
    return count


def test_own_texts() -> None:
    assert compare([(text, form) for text in OWN for form in ("text", "markdown")]) > 100


@pytest.mark.shared
def test_real_articles(shared_data: Path) -> None:
    with gzip.open(shared_data / "ptc" / "articles.jsonl.gz", "rt", encoding="utf-8") as lines:
        articles = [json.loads(line)["text"] for line, _ in zip(lines, range(300), strict=False)]
    # also as one long paragraph, and as the lines of a wire report that has straight marks
    texts = [(text, form) for text in articles for form in ("text", "markdown")]
    texts += [(" ".join(text.split()), "text") for text in articles[:100]]
    texts += [
        (text.replace("“", '"').replace("”", '"').replace("\n", "\n\n"), "text") for text in articles[100:200]
    ]
    assert compare(texts) > 3_000
