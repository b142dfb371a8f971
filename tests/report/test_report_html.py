"""The page, read with a parser."""

from __future__ import annotations

import base64
import hashlib
import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest
from hypothesis import given, settings

from tests.report.report_samples import DOUBT, ROLE, RULES, finding, outcome, rendered
from tests.report.report_strategies import runs
from unslant.core.types import Note, Severity, Span
from unslant.report import Outcome
from unslant.report.html import stylesheet

VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    """Collects tags, attributes and visible text; insists that every element is closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.marks: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "mark":
            self.marks.append("")
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "style" not in self._open:
            self.text += data
        if "mark" in self._open:
            self.marks[-1] += data

    def having(self, name: str) -> list[dict[str, str | None]]:
        return [attributes for tag, attributes in self.tags if tag == name]


SOURCE = "One.\n\nIts legendary chairman claimed <b>this</b> & that.\r\nLast.\n"
CHECKED = outcome(
    SOURCE,
    finding(SOURCE, "legendary", "well-known", ""),
    finding(
        SOURCE,
        "chairman",
        "chair",
        kind="demographic",
        dimension="gender",
        rule="demographic/gendered-role",
        why=ROLE,
    ),
    finding(SOURCE, "claimed", kind="epistemological", why=DOUBT, severity=Severity.SUGGESTION),
    path="docs/<a> & b.md",
    notes=(Note("Unused <ignore>.", Span(0, 3)),),
)
FAILED = Outcome("gone.txt", error="gone.txt does not exist.")


def test_findings_are_marked_in_the_text_and_explained_below() -> None:
    page = Page(rendered("html", CHECKED, rules=RULES))
    assert page.marks == ["legendary", "chairman", "claimed"]
    assert [mark["class"] for mark in page.having("mark")] == [
        "kind-framing",
        "kind-demographic",
        "kind-epistemological",
    ]
    assert "<b>this</b> & that.\nLast." in page.text
    for said in (ROLE, DOUBT, "demographic (gender)", "line 3, column 15", "“well-known”, or leave it out"):
        assert said in page.text
    assert "Source: A paper" in page.text
    assert "line 1, column 1: Unused <ignore>." in page.text


def test_the_summary_counts_by_kind_rule_and_file() -> None:
    text = Page(rendered("html", CHECKED, outcome("Fine."), FAILED, rules=RULES)).text
    assert "2 files checked, 3 findings: 2 warnings, 1 suggestion; 1 file could not be checked." in text
    assert "gone.txt: gone.txt does not exist." in text
    assert re.search(r"framing/praise-adjective\s*Peacock term\s*2\n", text)
    assert re.search(r"docs/<a> & b\.md\s*3\n", text)
    assert re.search(r"demographic\s*wording that presumes .*?1\n", text)


def test_a_clean_run_has_a_page_too() -> None:
    page = Page(rendered("html", outcome("Fine.")))
    assert "1 file checked, no slanted wording found." in page.text
    assert not page.having("table")


def test_every_link_leads_somewhere_on_the_page() -> None:
    page = Page(rendered("html", CHECKED, CHECKED))
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = [link["href"] for link in page.having("a")]
    assert len(targets) == 2 * (3 + 3 + 1)
    assert all(target and target.startswith("#") and target[1:] in ids for target in targets)
    labels = [value for _, attributes in page.tags if (value := attributes.get("aria-labelledby"))]
    assert labels
    assert set(labels) <= set(ids)


def test_nothing_is_loaded_and_nothing_runs() -> None:
    text = rendered("html", CHECKED)
    page = Page(text)
    assert not {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object", "embed", "form"}
    assert not [
        name for _, attributes in page.tags for name in attributes if name.startswith("on") or name == "style"
    ]
    (policy,) = [meta["content"] for meta in page.having("meta") if "http-equiv" in meta]
    style = re.search("<style>(.*?)</style>", text, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in style[1]
    assert "@import" not in style[1]


def test_landmarks_and_headings_are_in_order() -> None:
    page = Page(rendered("html", CHECKED, FAILED))
    names = [tag for tag, _ in page.tags]
    assert [names.count(tag) for tag in ("header", "main", "footer", "h1")] == [1, 1, 1, 1]
    levels = [int(tag[1]) for tag in names if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert page.having("html") == [{"lang": "en"}]


def test_overlapping_findings_are_marked_without_doubling_the_text() -> None:
    source = "A truly legendary show."
    page = Page(
        rendered(
            "html", outcome(source, finding(source, "truly legendary"), finding(source, "legendary show"))
        )
    )
    assert page.marks == ["truly ", "legendary", " show"]
    numbers = re.search(r"A truly legendary(\d) show(\d)\.", page.text)
    assert numbers is not None
    assert numbers.groups() == ("1", "2")


def test_long_tables_are_folded() -> None:
    many = [outcome(SOURCE, finding(SOURCE, "legendary"), path=f"{number}.md") for number in range(20)]
    page = Page(rendered("html", *many))
    assert len(page.having("details")) == 1
    assert "By file: 20 rows" in page.text


@settings(max_examples=60, deadline=None)
@given(runs)
def test_any_text_is_shown_and_never_obeyed(run: list[Outcome]) -> None:
    text = rendered("html", *run, rules=RULES)
    text.encode("utf-8")
    page = Page(text)
    expected = {
        "html",
        "head",
        "meta",
        "title",
        "style",
        "body",
        "header",
        "main",
        "footer",
        "section",
        "div",
    }
    expected |= {
        "h1",
        "h2",
        "h3",
        "h4",
        "p",
        "ul",
        "ol",
        "li",
        "a",
        "span",
        "strong",
        "code",
        "mark",
        "blockquote",
    }
    expected |= {"fieldset", "legend", "label", "input"}
    expected |= {"table", "caption", "thead", "tbody", "tr", "th", "td", "details", "summary"}
    assert {tag for tag, _ in page.tags} <= expected
    assert len(page.having("blockquote")) >= sum(bool(item.report and item.report.findings) for item in run)


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (
        part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("theme", [0, 1])
@pytest.mark.parametrize(
    ("ink", "paper"),
    [
        ("ink", "page"),
        ("ink", "panel"),
        ("soft", "page"),
        ("soft", "panel"),
        ("link", "page"),
        ("link", "panel"),
    ]
    + [(kind, f"{kind}-wash") for kind in ("framing", "epistemological", "demographic", "other")]
    + [("ink", f"{kind}-wash") for kind in ("framing", "epistemological", "demographic", "other")],
)
def test_light_and_dark_have_enough_contrast(theme: int, ink: str, paper: str) -> None:
    pairs = re.findall(r"--([a-z-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", stylesheet())
    colors = {name: shades[theme] for name, *shades in pairs}
    bright, dim = sorted((luminance(colors[ink]), luminance(colors[paper])), reverse=True)
    assert (bright + 0.05) / (dim + 0.05) >= 4.5


def test_kinds_and_severities_can_be_hidden_without_a_script() -> None:
    text = rendered("html", CHECKED, rules=RULES)
    switches = re.findall(r'<input type="checkbox" id="show-([\w-]+)" checked>', text)
    assert len(switches) >= 2
    for name in switches:
        assert re.search(rf'class="card [^"]*\b{name}\b', text), name
        assert f"body:has(#show-{name}:not(:checked)) .card.{name}" in text


def test_all_reports_share_the_theme() -> None:
    from unslant.lab.report.page import html_page
    from unslant.report.shading import shaded_page

    for page in (rendered("html", CHECKED), html_page("x", []), shaded_page([])):
        assert stylesheet() in page
