"""Which findings are reported, and how those about the same words become one."""

from __future__ import annotations

import pytest

from unslant import check
from unslant.core.types import Directive, Document, Edit, Finding, Severity, Span
from unslant.selection import Selection, merge
from unslant.spec import Spec

TEXT = 'A legendary singer said "a legendary show" and left.'


def finding(start: int = 2, **changes: object) -> Finding:
    values: dict[str, object] = {
        "span": Span(start, start + 9),
        "text": TEXT[start : start + 9],
        "kind": "framing",
        "why": "Why.",
        "origin": "rules",
        "rule": "framing/praise-adjective",
    }
    return Finding(**(values | changes))  # type: ignore[arg-type]


def kept(
    spec: Spec, *findings: Finding, path: str = "a/b.md", directives: tuple[Directive, ...] = ()
) -> list[Finding]:
    document = Document(TEXT, TEXT, id=path, quotations=(Span(24, 42),), directives=directives)
    return Selection(document, spec).keep(findings or (finding(),))


def test_everything_by_default() -> None:
    assert kept(Spec()) == [finding()]


def test_select_and_ignore_take_rules_globs_kinds_and_dimensions() -> None:
    gendered = finding(kind="demographic", rule="demographic/role", dimension="gender")
    for selector in ("demographic/role", "demographic/*", "demographic", "gender"):
        assert kept(Spec(select=(selector,)), finding(), gendered) == [gendered]
        assert kept(Spec(ignore=(selector,)), finding(), gendered) == [finding()]


def test_per_file_ignores_look_at_the_path() -> None:
    for glob, path in (("*.md", "a/b.md"), ("a/*", "a/b.md"), ("b.md", "./a/b.md"), ("a/**", "x/a/b.md")):
        assert kept(Spec(per_file_ignores=((glob, ("framing",)),)), path=path) == []
    assert kept(Spec(per_file_ignores=(("*.txt", ("framing",)),)))


def test_the_threshold_is_for_those_who_give_a_probability() -> None:
    assert kept(Spec(threshold=0.7), finding(probability=0.6)) == []
    assert kept(Spec(threshold=0.7), finding(probability=0.7), finding()) != []
    assert kept(Spec(threshold=1.0)) == [finding()]


@pytest.mark.parametrize(
    ("accept", "words"),
    [
        ((), ["legendary"]),
        (("legendary album",), []),
        (("Legendary",), []),
        (("legendary-album",), []),
        (("legendary creature",), ["legendary"]),
        (("album",), ["legendary"]),
    ],
)
def test_accepted_words_are_no_reason_for_a_finding(accept: tuple[str, ...], words: list[str]) -> None:
    report = check("The band released a legendary album in 1977.", spec=Spec(accept=accept))
    assert [finding.text for finding in report.findings] == words


def test_what_stands_beside_accepted_words_is_judged_without_them() -> None:
    text = "The legendary creature was a shameful and legendary failure."
    report = check(text, spec=Spec(accept=("legendary",)))
    assert [finding.text for finding in report.findings] == ["shameful"]
    report = check("A very legendary good man.", spec=Spec(accept=("legendary",)))
    assert report.findings
    for finding in report.findings:
        assert "legendary" not in finding.text
        assert report.document.source[finding.span.start : finding.span.end] == finding.text


def test_quotations_are_left_alone_by_default() -> None:
    quoted = finding(27)
    assert TEXT[27:36] == "legendary"
    assert kept(Spec(), quoted) == []
    assert kept(Spec(quotations=True), quoted) == [quoted]


def test_a_finding_about_the_quotation_marks_stays() -> None:
    marks = finding(span=Span(24, 42), text=TEXT[24:42])
    assert kept(Spec(), marks) == [marks]


def test_the_last_severity_that_matches_counts() -> None:
    spec = Spec(severity=(("framing", Severity.ERROR), ("framing/praise-adjective", Severity.SUGGESTION)))
    assert [item.severity for item in kept(spec)] == [Severity.SUGGESTION]


def test_an_inline_ignore_that_ignores_nothing_is_noted_and_one_that_does_is_not() -> None:
    used = Directive(Span(0, 1), Span(0, 20), ("framing",), "a band's name")
    unused = Directive(Span(0, 1), Span(30, 40), ("framing",), "left over")
    document = Document(TEXT, TEXT, directives=(used, unused))
    selection = Selection(document, Spec())
    assert selection.keep([finding()]) == []
    assert [note.span for note in selection.notes()] == [unused.span]


def test_an_ignore_is_not_called_unused_because_the_run_looks_at_something_else() -> None:
    directive = Directive(Span(0, 1), Span(0, 20), ("framing",), "a band's name")
    document = Document(TEXT, TEXT, directives=(directive,))
    selection = Selection(document, Spec(select=("gender",)))
    assert selection.keep([finding()]) == []
    assert selection.notes() == []


def test_findings_of_two_analyzers_about_the_same_words_become_one() -> None:
    edit = Edit(2, 11, "well-known")
    by_rule = finding(edits=(edit,))
    by_model = finding(origin="model", rule=None, probability=0.9, severity=Severity.SUGGESTION)
    (merged,) = merge([by_rule, by_model])
    assert merged.origin == "rules+model"
    assert (merged.rule, merged.probability, merged.severity, merged.edits) == (
        "framing/praise-adjective",
        0.9,
        Severity.WARNING,
        (edit,),
    )


def test_the_longer_finding_replaces_the_one_inside_it() -> None:
    longer = finding(span=Span(2, 18), text=TEXT[2:18], rule="framing/brochure")
    assert [item.rule for item in merge([finding(), longer])] == ["framing/brochure"]


def test_findings_of_two_kinds_about_the_same_words_become_one() -> None:
    worse = finding(kind="demographic", rule="demographic/role", severity=Severity.ERROR)
    (merged,) = merge([finding(), worse])
    assert (merged.rule, merged.severity) == ("demographic/role", Severity.ERROR)


def test_of_words_inside_one_another_one_finding_is_left() -> None:
    text = "He refused to admit that."

    def found(words: str, **changes: object) -> Finding:
        start = text.index(words)
        return finding(span=Span(start, start + len(words)), text=words, **changes)

    edit = Edit(14, 19, "say")
    (merged,) = merge(
        [
            found("refused", rule="epistemological/implicative-verb", kind="epistemological"),
            found("admit", rule="epistemological/admission", kind="epistemological", edits=(edit,)),
            found("refused to admit", rule="framing/evasion"),
            found("admit that", origin="model", rule="model/loaded-attribution", probability=0.9),
        ]
    )
    assert (merged.text, merged.origin, merged.edits) == ("refused to admit", "rules+model", (edit,))


def test_a_nested_rule_that_is_surer_makes_the_finding_surer() -> None:
    longer = finding(
        span=Span(2, 18),
        text=TEXT[2:18],
        rule="framing/brochure",
        severity=Severity.SUGGESTION,
        probability=0.6,
    )
    (merged,) = merge([finding(probability=0.9), longer])
    assert (merged.rule, merged.severity, merged.probability) == ("framing/brochure", Severity.WARNING, 0.9)


def test_findings_below_the_wanted_severity_are_dropped_by_the_severity_that_the_settings_give() -> None:
    mild = finding(severity=Severity.SUGGESTION)
    assert kept(Spec(min_severity=Severity.WARNING), mild) == []
    raised = Spec(min_severity=Severity.WARNING, severity=(("framing", Severity.ERROR),))
    assert [item.severity for item in kept(raised, mild)] == [Severity.ERROR]


def test_a_rule_that_the_settings_name_is_reported_whatever_its_record() -> None:
    doubtful = finding(probability=0.2)
    assert kept(Spec(), doubtful) == []
    assert kept(Spec(select=("framing",)), doubtful) == []
    assert kept(Spec(select=("framing/praise-adjective",)), doubtful) == [doubtful]
    named = Spec(severity=(("framing/praise-adjective", Severity.WARNING),))
    assert kept(named, doubtful) == [doubtful]
    assert kept(Spec(select=("framing/praise-adjective",), threshold=0.5), doubtful) == []
    by_a_model = finding(origin="model", rule="model/praise", probability=0.2)
    assert kept(Spec(select=("model/praise",)), by_a_model) == []


def test_a_profile_switches_rules_off_unless_they_are_named() -> None:
    degree = finding(rule="framing/very")
    assert kept(Spec(profile="docs"), degree) == []
    assert kept(Spec(profile="docs", select=("framing/very",)), degree) == [degree]
    assert kept(Spec(profile="news"), degree) == [degree]
    assert kept(Spec(profile="news", profiles=(("*.md", "docs"),)), degree) == []
    assert kept(Spec(profile="docs", profiles=(("*.md", "docs"), ("a/*", "news"))), degree) == [degree]


def test_what_a_model_reports_can_be_named_in_every_setting() -> None:
    by_technique = finding(origin="model", rule="model/praise", probability=0.9)
    by_kind = finding(12, origin="llm:some-model", rule=None, probability=0.9)
    for selector, expected in (
        ("model/praise", by_technique),
        ("model/*", by_technique),
        ("llm/framing", by_kind),
    ):
        assert kept(Spec(select=(selector,)), by_technique, by_kind) == [expected]
        assert expected not in kept(Spec(ignore=(selector,)), by_technique, by_kind)
        changed = kept(Spec(severity=((selector, Severity.ERROR),)), by_technique, by_kind)
        assert [item.severity is Severity.ERROR for item in changed] == [
            item is expected for item in (by_technique, by_kind)
        ]


def by_model(start: int, end: int, **changes: object) -> Finding:
    values: dict[str, object] = {
        "span": Span(start, end),
        "text": TEXT[start:end],
        "origin": "model",
        "rule": None,
    }
    return finding(**(values | {"why": "Likely.", "probability": 0.8} | changes))


def test_a_rule_replaces_a_model_that_marks_more_or_fewer_words() -> None:
    edit = Edit(2, 11, "well-known")
    for start, end in ((0, 18), (2, 18), (2, 8), (5, 18)):
        (merged,) = merge([by_model(start, end), finding(edits=(edit,))])
        assert (merged.span, merged.why, merged.rule) == (Span(2, 11), "Why.", "framing/praise-adjective")
        assert (merged.origin, merged.probability, merged.edits) == ("rules+model", 0.8, (edit,))


def test_every_rule_inside_a_long_span_of_the_model_keeps_its_words() -> None:
    rules = [finding(), finding(span=Span(12, 18), text=TEXT[12:18], rule="framing/other")]
    found = merge([by_model(0, 23), *rules])
    assert [(item.rule, item.origin) for item in found] == [
        ("framing/praise-adjective", "rules+model"),
        ("framing/other", "rules+model"),
    ]


def test_the_very_same_words_are_reported_once_even_if_the_model_sees_another_kind() -> None:
    (merged,) = merge([finding(), by_model(2, 11, kind="epistemological")])
    assert (merged.kind, merged.origin) == ("framing", "rules+model")
    assert len(merge([finding(), by_model(2, 18, kind="epistemological")])) == 1


def test_a_model_does_not_change_the_severity_that_was_set_for_a_rule() -> None:
    (merged,) = merge([finding(severity=Severity.SUGGESTION), by_model(2, 11, severity=Severity.ERROR)])
    assert merged.severity is Severity.SUGGESTION


def test_what_only_the_model_sees_stays() -> None:
    found = merge([finding(), by_model(12, 18)])
    assert [item.origin for item in found] == ["rules", "model"]


def test_what_was_ignored_as_a_rule_is_not_reported_again_by_the_model() -> None:
    same = finding(rule=None, origin="model", probability=0.9)
    elsewhere = finding(9, rule=None, origin="model", probability=0.9, kind="demographic")
    directive = Directive(
        Span(0, 1), Span(0, len(TEXT)), ("framing/praise-adjective",), "it is the name of a film"
    )
    assert kept(Spec(), finding(), same, elsewhere, directives=(directive,)) == [elsewhere]
    assert kept(Spec(ignore=("framing/praise-adjective",)), same, finding()) == []
    assert kept(Spec(ignore=("framing/praise-adjective",)), same) == [same]
