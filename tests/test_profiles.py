"""Which standard a text is judged by, and what that changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import unslant
from unslant.core.errors import UnknownName
from unslant.core.types import Document, Severity
from unslant.lab import corpora
from unslant.lab.corpora.editor import read_passages
from unslant.profiles import detect_profile, profile, profile_of, profiles
from unslant.rules.analyzer import finding_cards
from unslant.spec import Spec, selects

PROSE = "The mayor spoke about the harbour on Monday. The council will vote in May.\n"
MANUAL = "Run `make install` to install the library. The option --prefix sets the directory.\n"


def _document(text: str, name: str = "<text>", format_name: str = "text") -> Document:
    return Document(text, text, name, format_name)


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (_document(PROSE), "news"),
        (_document(PROSE, "a.wiki", "wikitext"), "encyclopedia"),
        (_document(PROSE, "blog/post.md", "markdown"), "news"),
        (_document(PROSE, "page.html", "html"), "news"),
        (_document(MANUAL), "docs"),
        (_document(MANUAL, "page.html", "html"), "docs"),
        (_document(PROSE, "docs/history.md", "markdown"), "docs"),
        (_document(PROSE, "a/README.md", "markdown"), "docs"),
        (_document(PROSE, "README"), "docs"),
        (_document(PROSE, "readmeans.txt"), "news"),
        (_document(""), "news"),
    ],
)
def test_the_document_suggests_its_profile(document: Document, expected: str) -> None:
    assert detect_profile(document) == expected
    assert profile_of(document, Spec()).name == expected


def test_settings_and_paths_decide_before_the_document() -> None:
    manual = _document(MANUAL, "a/manual.md")
    assert profile_of(manual, Spec(profile="news")).name == "news"
    assert (
        profile_of(manual, Spec(profile="news", profiles=(("*.md", "encyclopedia"),))).name == "encyclopedia"
    )
    assert profile_of(manual, Spec(profile="news", profiles=(("*.md", "auto"),))).name == "docs"
    with pytest.raises(UnknownName, match="Did you mean 'docs'"):
        profile("doc")


def test_profiles_are_sound() -> None:
    rules = finding_cards(Spec()).values()
    for name in profiles():
        entry = profile(name)
        assert 0 < entry.threshold <= entry.model < 1
        assert entry.threshold < entry.warning < 1
        assert set(entry.standards) <= set(profiles())
        assert set(entry.standards.values()) <= {"sure", "all"}
        assert entry.standards.get("people"), (
            "terms that style guides advise against are reported in any text"
        )
        for selector in entry.ignore:
            assert any(selects(selector, rule.id, rule.kind, rule.dimension) for rule in rules), selector
        assert all(word == word.lower() for word in entry.ordinary)


@pytest.mark.parametrize(
    "text",
    [
        "Note that you should see the following output.",
        "It is very simple to use, really.",
        "The kernel panics, and `kill` ends the process.",
        "Bash aborts the script; the master process dies.",
        "You must quote the argument.",
        "The greedy search takes the likeliest token.",
        "A tag such as alpha sorts first, also in the degenerate case of one version.",
    ],
)
def test_instructions_and_technical_senses_are_ordinary_in_documentation(text: str) -> None:
    spec = Spec(analyzers=("rules",), profile="docs", threshold=0.0)
    assert unslant.check(text, spec=spec).findings == ()


def test_boasts_are_reported_in_documentation_too() -> None:
    found = unslant.check(
        "A world-class, revolutionary parser.", spec=Spec(analyzers=("rules",), profile="docs")
    )
    assert found.findings


TERMS = {
    "The mayor is confined to a wheelchair.": "The mayor is using a wheelchair.",
    "The singer suffers from autism.": "The singer has autism.",
    "The firemen left at nine.": "The firefighters left at nine.",
    "The project needs more manpower.": "The project needs more staff.",
    "Managers and their wives met in the hall.": "Managers and their spouses met in the hall.",
    "Each employee must submit his timesheet.": "Each employee must submit their timesheet.",
}


@pytest.mark.parametrize("name", profiles())
@pytest.mark.parametrize(("text", "wording"), TERMS.items())
def test_terms_for_people_are_suggestions_with_a_wording_in_any_text(
    name: str, text: str, wording: str
) -> None:
    (finding,) = unslant.check(text, spec=Spec(profile=name)).findings
    assert finding.kind == "demographic"
    edited = [text[: edit.start] + edit.replacement + text[edit.end :] for edit in finding.edits]
    assert wording in edited
    if name != "people":
        assert finding.severity is Severity.SUGGESTION


@pytest.mark.parametrize(
    "text",
    [
        "Mentor junior guys in the team.",
        "Native English speaker required.",
        "The ramp is not for normal people.",
        "Older workers who cannot keep up with modern technology may leave.",
        "Rockstar Wanted",
        "We are a young and dynamic team.",
        "Every chairman and every spokesman is invited.",
    ],
)
def test_a_job_advertisement_is_judged_by_whom_it_excludes(text: str) -> None:
    assert unslant.check(text, spec=Spec(profile="people")).findings


def test_an_opinion_may_be_held_but_not_sneered() -> None:
    column = "I believe that we should repeal the toll. It is clearly a mistake, and we must act."
    sneer = "I believe that the toll is a mistake. Its moronic fans are libtards."
    assert unslant.check(column, spec=Spec(profile="opinion")).findings == ()
    assert len(unslant.check(sneer, spec=Spec(profile="opinion")).findings) >= 1


def test_words_that_belittle_are_reported_in_documentation_on_request() -> None:
    text = "Simply run the script. It is easy to install. Obviously, the cache is stale."
    quiet = Spec(analyzers=("rules",), profile="docs")
    assert unslant.check(text, spec=quiet).findings == ()
    found = unslant.check(text, spec=replace(quiet, include=("docs/plain",))).findings
    assert [finding.text for finding in found] == ["Simply", "It is easy", "Obviously"]
    assert {finding.rule for finding in found} == {"framing/belittling"}


def test_technical_terms_have_a_wording_in_documentation_but_not_in_code_or_news() -> None:
    text = "Add the host to the whitelist. Set `whitelist` to true, or pass --whitelist.\n"
    document = unslant.read(text, format="markdown")
    (finding,) = unslant.check(document, spec=Spec(profile="docs")).findings
    assert (finding.text, finding.edits[0].replacement) == ("whitelist", "allowlist")
    assert unslant.check("The senate put him on a blacklist.", spec=Spec(analyzers=("rules",))).findings == ()


@pytest.mark.shared
def test_documentation_is_distinguished_from_news(shared_data: Path) -> None:
    passages = list(read_passages(corpora.load("editor", shared_data), "train"))
    told = [(passage.genre, detect_profile(_document(passage.text, passage.id))) for passage in passages]
    docs = [name for genre, name in told if genre == "documentation"]
    news = [name for genre, name in told if genre == "news"]
    assert docs.count("docs") > 0.75 * len(docs)
    assert news.count("news") > 0.995 * len(news)


@pytest.mark.parametrize("name", profiles())
def test_every_profile_has_a_page_with_its_bounds(name: str) -> None:
    page = (Path(__file__).parents[1] / "docs" / "profiles" / f"{name}.md").read_text("utf-8")
    entry = profile(name)
    assert entry.reports in page
    for bound in (entry.threshold, entry.model, entry.warning):
        assert f"| {bound} |" in page
    assert all(f"`{selector}`" in page for selector in (*entry.ignore, *entry.standards))


JOB = (
    "We are looking for a full-time warehouse assistant to join our team in Leeds. You will pick and pack"
    " orders, drive a forklift and keep the stock records. Applicants need a valid licence and two years "
    "of experience. We offer a salary of 24,000 pounds, paid holidays and a pension. To apply, send your "
    "CV by Friday."
)
REPORT = (
    "The council voted on Tuesday to close two libraries, officials said. The mayor told reporters that "
    "the decision would save 400,000 pounds a year. Opponents gathered outside the town hall. A "
    "spokesperson for the police said nobody was arrested. The vote followed months of talks between the "
    "parties."
)
COLUMN = (
    "I have lived beside this road for thirty years, and I believe that the toll is a mistake. My "
    "neighbours drive to work because there is no bus. I agree that the town needs money, but I doubt "
    "that this is the way to raise it. I hope the council will think again before it asks my children to "
    "pay for its debts."
)


@pytest.mark.parametrize(("text", "expected"), [(JOB, "people"), (REPORT, "news"), (COLUMN, "opinion")])
def test_the_words_of_a_text_say_what_it_is(text: str, expected: str) -> None:
    report = unslant.check(text, spec=Spec(analyzers=("rules",)))
    assert report.provenance["profile"] == expected


def test_a_heading_says_that_a_text_is_opinion() -> None:
    assert detect_profile(_document(f"Opinion: A bad toll\n\n{REPORT}")) == "opinion"


def test_a_report_that_quotes_a_job_advertisement_stays_a_report() -> None:
    assert (
        detect_profile(_document(f"{REPORT} {REPORT} The advertisement asks for two years of experience."))
        == "news"
    )
