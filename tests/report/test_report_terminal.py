"""The text format, as a person sees it."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings

from tests.growth import assert_linear
from tests.report.report_samples import DOUBT, ROLE, RULES, finding, outcome, rendered
from tests.report.report_strategies import runs
from unslant.core.types import Edit, Note, Severity, Span
from unslant.report import Outcome
from unslant.report.printable import cells

ANSI = re.compile(r"\x1b\[[0-9;]+m")
SOURCE = "The hall was full.\nIts legendary chairman claimed that\nthe roof was sound. All went home.\n"
OUTCOME = outcome(
    SOURCE,
    finding(SOURCE, "legendary", "well-known", ""),
    finding(
        SOURCE,
        "chairman",
        "chair",
        "chairperson",
        kind="demographic",
        dimension="gender",
        rule="demographic/gendered-role",
        why=ROLE,
        severity=Severity.ERROR,
    ),
    finding(
        SOURCE, "claimed", kind="epistemological", rule=None, origin="model", why=DOUBT, probability=0.75
    ),
    path="docs/hall.txt",
)


def test_findings_are_grouped_by_file_and_marked_in_their_sentence() -> None:
    assert rendered("text", OUTCOME, outcome("Fine.")) == (
        "docs/hall.txt  3 findings\n"
        "\n"
        "  2:5     warning  framing                              framing/praise-adjective\n"
        "          Its legendary chairman claimed that the roof was sound.\n"
        "              ^^^^^^^^^\n"
        "          Praises the subject instead of saying what it did.\n"
        "          try: “well-known”, or leave it out\n"
        "\n"
        "  2:15    error  demographic (gender)                  demographic/gendered-role\n"
        "          Its legendary chairman claimed that the roof was sound.\n"
        "                        ^^^^^^^^\n"
        "          Names a role by one gender, though people of any gender hold it.\n"
        "          try: “chair”, “chairperson”\n"
        "\n"
        "  2:24    warning  epistemological                         model/epistemological\n"
        "          Its legendary chairman claimed that the roof was sound.\n"
        "                                 ^^^^^^^\n"
        "          Casts doubt on the statement without saying why.\n"
        "          no wording offered: reword it, quote it, say who says so, or keep it\n"
        "\n"
        "2 files checked, 3 findings: 1 error, 2 warnings.\n"
        "More about a rule: unslant explain framing/praise-adjective\n"
        "Decide about each finding: unslant fix --interactive FILE\n"
    )


def test_colour_marks_in_the_sentence_instead_of_below_it() -> None:
    text = rendered("text", OUTCOME, color=True)
    assert "Its \x1b[1;4;33mlegendary\x1b[0m chairman" in text
    assert "legendary \x1b[1;4;31mchairman\x1b[0m claimed" in text
    assert "^" not in text
    without_carets = re.sub(r" +\^+\n", "", rendered("text", OUTCOME))
    assert ANSI.sub("", text) == without_carets


def test_verbose_names_the_guidance_and_how_sure_a_model_is() -> None:
    text = rendered("text", OUTCOME, verbose=True, rules=RULES)
    assert "source: A style guide\n" in text
    assert "probability: 75% (model)\n" in text
    assert "source:" not in rendered("text", OUTCOME, rules=RULES)


def test_without_a_wording_the_words_may_be_left_out_if_the_sentence_stands_without_them() -> None:
    report = OUTCOME.report
    assert report is not None
    found = tuple(replace(finding, edits=(), deletable=True) for finding in report.findings)
    text = rendered("text", replace(OUTCOME, report=replace(report, findings=found)))
    assert text.count("no wording offered: leave it out, reword it, quote it,") == 3


def test_a_clean_run_is_one_kind_line() -> None:
    assert rendered("text", outcome("Fine.")) == "1 file checked, no slanted wording found.\n"


def test_why_a_file_failed_is_left_to_standard_error_but_counted() -> None:
    text = rendered("text", Outcome("gone.txt", error="gone.txt does not exist."))
    assert text == "1 file could not be checked.\n"


def test_notes_stand_after_the_findings_of_their_file() -> None:
    noted = outcome(SOURCE, notes=(Note("An ignore ignores nothing; " * 3, Span(19, 22)), Note("Odd.", None)))
    assert rendered("text", noted) == (
        "text.txt\n"
        "\n"
        "  2:1     note  An ignore ignores nothing; An ignore ignores nothing; An ignore\n"
        "                ignores nothing;\n"
        "          note  Odd.\n"
        "\n"
        "1 file checked, no slanted wording found.\n"
    )


def marked(source: str, words: str, width: int = 80) -> tuple[str, str]:
    shown = rendered("text", outcome(source, finding(source, words)), width=width).split("\n")
    return shown[3], shown[4]


def test_carets_are_aligned_by_cells() -> None:
    above, below = marked("日本語の legendary 音楽.", "legendary")
    assert above == "          日本語の legendary 音楽."
    assert below == " " * (10 + 9) + "^^^^^^^^^"
    _, below = marked("The cafe\u0301 is legendary.", "legendary")
    assert below == " " * (10 + 12) + "^^^^^^^^^"
    _, below = marked("Das 東京 war.", "東京")
    assert below == " " * (10 + 4) + "^^^^"


def test_words_in_a_line_that_runs_right_to_left_are_marked_in_place() -> None:
    above, below = marked("הוא legendary מאוד.", "legendary")
    assert above == "          הוא »legendary« מאוד."
    assert "^" not in below


def test_a_long_sentence_is_cut_around_the_finding() -> None:
    source = "Before the show " * 20 + "a legendary act " + "and after it " * 20
    above, below = marked(source, "legendary", width=60)
    assert len(above) <= 60
    assert above.strip().startswith("… ")
    assert above.endswith(" …")
    assert above[below.index("^") : below.rindex("^") + 1] == "legendary"


def test_the_text_cannot_drive_the_terminal() -> None:
    source = "A \x1b]0;title\x07 legendary\x1b[2J act\x9b2J \u202eesrever."
    evil = outcome(source, finding(source, "legendary\x1b[2J", why="\x1b[1mwhy"), path="\x1b[31mred.txt")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", rendered("text", evil))
    colored = rendered("text", evil, color=True)
    assert set(re.findall(r"\x1b.[^m]*m?", colored)) == set(ANSI.findall(colored))


def test_an_edit_of_other_words_says_which() -> None:
    source = "She gave an iconic talk."
    wider = Edit(9, 18, "a well-known")
    text = rendered("text", outcome(source, finding(source, "iconic", edits=(wider,))))
    assert "try: “a well-known” for “an iconic”\n" in text
    removal = Edit(12, 19, "")
    text = rendered("text", outcome(source, finding(source, "iconic", edits=(removal,))))
    assert "try: leave it out\n" in text


def test_of_many_wordings_the_best_few_are_shown() -> None:
    text = rendered("text", outcome(SOURCE, finding(SOURCE, "legendary", *"abcdef")))
    assert "try: “a”, “b”, “c”, “d”, …\n" in text


@settings(max_examples=60)
@given(runs)
def test_any_report_can_be_shown_within_the_width(run: list[Outcome]) -> None:
    text = rendered("text", *run, width=60)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text)
    found = [line for line in text.split("\n") if re.match(r"  \d+:\d+ +(warning|error|suggestion)  ", line)]
    assert len(found) == sum(len(outcome.report.findings) for outcome in run if outcome.report)
    excerpts = [line for line in text.split("\n") if set(line.strip()) == {"^"}]
    assert all(cells(line) <= 60 for line in excerpts)


def test_many_findings_take_linear_time() -> None:
    def find(lines: int) -> Outcome:
        source = "It was a legendary and quite remarkable evening for all.\n" * lines
        found = finding(source[:57], "legendary", "noted")
        starts = range(9, len(source), 57)
        return outcome(source, *(replace(found, span=Span(start, start + 9)) for start in starts))

    def render(many: Outcome) -> None:
        assert many.report is not None
        assert rendered("text", many).count("^^^^^^^^^") == len(many.report.findings)

    assert_linear(render, find, 1_000)
