"""The model's findings: where, of which kind, how sure, and why."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import unslant
from unslant.acceptance import Acceptance, Evidence
from unslant.core.errors import ModelError
from unslant.core.types import Document, Edit, Finding, Sentence, Severity, Span, Verdict
from unslant.neural.analyzer import ModelAnalyzer, Proposals
from unslant.neural.checkpoint import GRAPH, TABLES, labelled_edit, load_package
from unslant.neural.network import Network
from unslant.neural.span_edits import SpanEdits
from unslant.neural.subwords import normalize_whitespace
from unslant.pipeline import Pipeline
from unslant.registry import names, resolve
from unslant.spec import Spec
from unslant.testing import check_analyzer
from unslant.text.edits import apply_edits
from unslant.text.tidy import tidy_edits

from .conftest import TINY

Make = Callable[[str], Sentence]
MODEL = Spec(analyzers=("model",), model=str(TINY))

_PIECES = [
    "The town was awful. ",
    "awful",
    "Supposedly",
    "-",
    "' ",
    "\u2019s ",
    "  ",
    "\n",
    "[x] ",
    "e\u0301",
    "\ud800",
    "\x00",
]
_PIECES += [
    "\U0001f469\u200d\U0001f680",
    "\u0130",
    "\u05e9\u05dc\u05d5\u05dd",
    "**glorious** ",
    "<b>allegedly</b> ",
    "1,000 ",
    "a" * 40,
]
texts = st.lists(st.sampled_from(_PIECES) | st.text(max_size=6), max_size=20).map("".join)
SEGMENTER = resolve("segmenter", "nupunkt")(Spec())


@pytest.mark.parametrize("form", names("reader"))
@settings(max_examples=40, deadline=None)
@given(source=texts)
def test_the_contract_holds_for_any_text(analyzer: ModelAnalyzer, form: str, source: str) -> None:
    check_analyzer(analyzer, list(SEGMENTER.split(unslant.read(source, form))))


@settings(max_examples=60, deadline=None)
@given(source=texts)
def test_findings_are_whole_words_in_order_and_apart(source: str) -> None:
    findings = unslant.check(source, format="markdown", spec=MODEL).findings
    end = 0
    for finding in findings:
        start, before = finding.span.start, end
        end = finding.span.end
        assert before <= start
        assert source[start:end] == finding.text == finding.text.strip()
        assert not (start and source[start - 1].isalnum() and source[start].isalnum())
        assert not (end < len(source) and source[end - 1].isalnum() and source[end].isalnum())


def test_slanted_words_are_found_with_their_kind(analyzer: ModelAnalyzer, sentence: Make) -> None:
    (analysis,) = analyzer.analyze([sentence("The council was awful, and supposedly it met on monday.")])
    assert [(finding.text, finding.kind, finding.origin, finding.rule) for finding in analysis.findings] == [
        ("awful", "framing", "model", None),
        ("supposedly", "epistemological", "model", None),
    ]
    assert analysis.probability is not None
    assert analysis.probability > 0.9


def test_a_plain_sentence_has_a_low_probability_and_no_finding(
    analyzer: ModelAnalyzer, sentence: Make
) -> None:
    (analysis,) = analyzer.analyze([sentence("The council met on monday and a road opened.")])
    assert analysis.findings == ()
    assert analysis.probability is not None
    assert analysis.probability < 0.5


def test_blanked_markup_changes_neither_judgement_nor_place(analyzer: ModelAnalyzer, sentence: Make) -> None:
    plain, marked = analyzer.analyze(
        [sentence("the town was awful"), sentence("the [abc]   town\n was [x] awful")]
    )
    assert marked.probability == plain.probability
    assert [finding.span.start for finding in marked.findings] == [26]
    assert [finding.text for finding in marked.findings] == ["awful"]


def test_a_sentence_much_longer_than_the_network_reads_is_judged_to_its_end(
    analyzer: ModelAnalyzer, sentence: Make
) -> None:
    filler = "the town met on monday and a road opened and it was long and "
    for number in range(6):
        text = f"{filler * number}the river was glorious and {filler * 5}it was awful"
        (analysis,) = analyzer.analyze([sentence(text)])
        assert {"glorious", "awful"} <= {finding.text for finding in analysis.findings}
        assert analysis.probability is not None
        assert analysis.probability > 0.9


def test_the_threshold_gives_fewer_or_more(sentence: Make) -> None:
    text = sentence("It was the legendary, awful and supposedly glorious town.")
    counts = []
    for threshold in (0.05, 0.5, 0.93, 0.999):
        analyzer = ModelAnalyzer(Spec(model=str(TINY), threshold=threshold))
        (analysis,) = analyzer.analyze([text])
        counts.append(sum((finding.probability or 0) >= threshold for finding in analysis.findings))
    assert counts == sorted(counts, reverse=True)
    assert counts[0] > 0
    assert counts[-1] == 0


def test_the_severity_follows_how_sure_it_is() -> None:
    spec = Spec(analyzers=("model",), model=str(TINY))
    (finding,) = unslant.check("the town was awful", spec=spec).findings
    assert finding.probability is not None
    assert finding.probability > 0.9
    assert finding.severity is Severity.WARNING
    mild = Finding(
        Span(13, 18), "awful", "framing", "why", "model", severity=Severity.SUGGESTION, probability=0.6
    )
    document = Document("the town was awful", "the town was awful")
    scored = Acceptance().score(mild, Sentence(document, Span(0, 18)), Evidence())
    assert scored.severity is Severity.SUGGESTION


def test_the_why_says_how_sure_which_kind_and_the_nearest_rule(
    analyzer: ModelAnalyzer, sentence: Make
) -> None:
    (finding,) = analyzer.analyze([sentence("the town was awful")])[0].findings
    assert finding.probability is not None
    assert finding.why.startswith(
        f"Very likely slanted ({finding.probability:.0%}), framing: loaded or one-sided words"
    )
    assert finding.why.endswith("The nearest rule is framing/disparagement (Disparaging adjective).")


def test_one_thread_and_many_say_the_same(monkeypatch: pytest.MonkeyPatch, sentence: Make) -> None:
    said = []
    texts = [sentence(f"the town was awful {'and long ' * number}") for number in range(12)]
    for count in ("1", "3"):
        monkeypatch.setenv("UNSLANT_THREADS", count)
        said.append(ModelAnalyzer(MODEL).analyze(texts))
    assert said[0] == said[1]


def test_verdicts_follow_the_two_thresholds() -> None:
    text = "The town was awful. The council met on monday. A road opened on the river."
    verdicts: dict[tuple[float, float], list[Verdict | None]] = {}
    for pair in ((0.4, 0.6), (0.0, 1.0), (0.0, 0.0)):
        report = unslant.check(text, spec=Spec(analyzers=("model",), model=str(TINY), uncertain=pair))
        verdicts[pair] = [sentence.verdict for sentence in report.sentences]
    chances = [sentence.probability or 0 for sentence in report.sentences]
    expected = [
        Verdict.SLANTED if chance >= 0.6 else Verdict.NEUTRAL if chance < 0.4 else Verdict.UNCERTAIN
        for chance in chances
    ]
    assert verdicts[0.4, 0.6] == expected
    assert expected[0] is Verdict.SLANTED
    assert verdicts[0.0, 1.0] == [Verdict.UNCERTAIN] * 3
    assert verdicts[0.0, 0.0] == [Verdict.SLANTED] * 3


def test_rules_alone_give_no_verdict() -> None:
    report = unslant.check("The legendary town.", spec=Spec(analyzers=("rules",)))
    assert [(sentence.probability, sentence.verdict) for sentence in report.sentences] == [(None, None)]


def test_rules_and_model_run_together() -> None:
    spec = Spec(analyzers=("rules", "model"), model=str(TINY))
    report = unslant.check("The town was awful.", spec=spec)
    (finding,) = report.findings
    assert (finding.rule, finding.origin) == ("framing/disparagement", "rules+model")
    assert finding.probability is not None
    assert report.sentences[0].verdict is Verdict.SLANTED


def test_the_report_names_the_model(tiny: Path) -> None:
    from unslant.neural.checkpoint import identity

    assert unslant.check("A town.", spec=MODEL).provenance["model"] == identity(str(tiny))


def test_a_sentence_that_was_read_before_is_marked_where_it_stands_now(
    analyzer: ModelAnalyzer, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    network = analyzer.network.read
    monkeypatch.setattr(analyzer.network, "read", lambda text: read.append(text) or network(text))
    words = "The zoo was awful, and it was supposedly glorious on monday."
    first, second = SEGMENTER.split(unslant.read(f"{words} {words}"))
    one, other = analyzer.analyze([first])[0], analyzer.analyze([second])[0]
    assert read == [words]
    assert one.findings
    for mine, its in zip(one.findings, other.findings, strict=True):
        assert its.span.start - mine.span.start == len(words) + 1
        assert (its.text, its.kind, its.why, its.probability) == (
            mine.text,
            mine.kind,
            mine.why,
            mine.probability,
        )
    assert [(p.start - p.end, p.replacement, p.probability) for p in one.proposals] == [
        (p.start - p.end, p.replacement, p.probability) for p in other.proposals
    ]
    assert all(second.span.start <= p.start <= p.end <= second.span.end for p in other.proposals)


LABELS = ("delete", "replace:said", "before:some", "before:,")


def proposed(sentence: Sentence, **labels: str) -> list[Edit]:
    """Propose as if the head were sure of an edit for some words; neighbours that go, go together."""
    normalized = normalize_whitespace(sentence.text)
    chosen: list[Edit] = []
    at = 0
    for word in normalized.text.split(" "):
        span, name = Span(at, at + len(word)), labels.get(word)
        last = chosen[-1] if chosen else None
        if name == "delete" and last and not last.replacement and last.end == at - 1:
            chosen[-1] = Edit(last.start, span.end, "", probability=0.9)
        elif name is not None:
            chosen.append(labelled_edit(name, span, 0.9))
        at += len(word) + 1
    return list(Proposals(sentence, normalized, SpanEdits(0.1, lambda: chosen), 0.5))


def applied(source: str, edits: list[Edit]) -> str:
    """Apply proposals as the fixer does: tidied, without touching markup."""
    text = re.sub(r"\[.*?\]", lambda markup: "\0" * len(markup[0]), source)
    return apply_edits(source, tidy_edits(text, edits))


@pytest.mark.parametrize(
    ("source", "edits", "after"),
    [
        ("He  never\n  claimed it", {"claimed": "replace:said"}, "He  never\n  said it"),
        ("He  never\n  claimed it", {"never": "delete"}, "He\n  claimed it"),
        ("  Very   old towns grew", {"Very": "delete"}, "  Old towns grew"),
        ("All   towns grew", {"towns": "before:some"}, "All   some towns grew"),
        ("All   towns grew", {"towns": "before:,"}, "All,   towns grew"),
        ("The towns grew", {"The": "before:some"}, "Some the towns grew"),
        ("All towns  grew", {"grew": "delete"}, "All towns"),
    ],
)
def test_offsets_are_those_of_the_source(
    sentence: Callable[..., Sentence], source: str, edits: dict[str, str], after: str
) -> None:
    assert applied(source, proposed(sentence(source), **edits)) == after


def test_proposals_are_those_of_the_sentence_whenever_they_are_looked_at(
    sentence: Callable[..., Sentence],
) -> None:
    normalized = normalize_whitespace("He claimed it")
    chosen = [
        Edit(3, 10, "said", probability=0.72),
        Edit(3, 10, "", probability=0.09),
    ]
    first, other = (
        Proposals(sentence("He claimed it"), normalized, SpanEdits(0.1, lambda: chosen), 0.5)
        for _ in range(2)
    )
    assert len(first) == 2
    assert first[0] == Edit(3, 10, "said", probability=0.72)
    assert first[:1] == (first[0],)
    assert first == other == tuple(first)
    assert hash(first) == hash(other)
    assert first != Proposals(sentence("He claimed it"), normalized, SpanEdits(1.0, list), 0.5)
    assert repr(first) == repr(tuple(first))


def test_a_sentence_later_in_a_document_has_the_documents_offsets() -> None:
    source = "One went. He claimed it"
    (edit,) = proposed(Sentence(Document(source, source), Span(10, len(source))), claimed="replace:said")
    assert source[edit.start : edit.end] == "claimed"


def test_markup_is_never_written_over(sentence: Callable[..., Sentence]) -> None:
    source = "He very[*] badly claimed it"
    # both words in one stretch would take the markup between them along
    assert proposed(sentence(source), very="delete", badly="delete") == []
    (alone,) = proposed(sentence(source), very="delete")
    assert applied(source, [alone]) == "He[*] badly claimed it"
    (edit,) = proposed(sentence(source), claimed="replace:said")
    assert applied(source, [edit]) == "He very[*] badly said it"


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from(["He", "very", "claimed", "it", "[x]"]), min_size=1, max_size=7),
    st.lists(st.sampled_from([" ", "  ", "\n"]), min_size=7, max_size=7),
    st.dictionaries(st.sampled_from(["He", "very", "claimed", "it"]), st.sampled_from(LABELS)),
)
def test_markup_stays_and_offsets_are_inside(
    words: list[str], gaps: list[str], edits: dict[str, str]
) -> None:
    source = "".join(word + gap for word, gap in zip(words, gaps, strict=False)).strip()
    prose = source.replace("[x]", "   ")
    if not prose.strip():
        return
    for item in proposed(Sentence(Document(source, prose), Span(0, len(source))), **edits):
        assert 0 <= item.start <= item.end <= len(source)
        after = apply_edits(source, [item])
        assert after.count("[x]") == source.count("[x]")
        assert after.startswith(source[: item.start])
        assert after.endswith(source[item.end :])


def test_a_model_without_the_head_proposes_nothing(
    analyzer: ModelAnalyzer, sentence: Callable[..., Sentence]
) -> None:
    (analysis,) = analyzer.analyze([sentence("the awful road opened")])
    assert analysis.findings
    assert analysis.proposals == ()


def _as_edits(folder: Path, labels: list[str], size: int | None = 1) -> Path:
    """Let a model's head of three tags pass for one of edits, with tables of some size beside it."""
    path = folder / "model.json"
    about = json.loads(path.read_text())
    about["heads"]["spans"] |= {"type": "edits", "labels": labels}
    if size is not None:
        shapes = {"widths": (2, size), "borders": (2, size), "score": (size + 1,), "ops": (2, size + 1)}
        np.savez(folder / TABLES, **{name: np.zeros(shape) for name, shape in shapes.items()})
        about["files"][TABLES] = hashlib.sha256((folder / TABLES).read_bytes()).hexdigest()
    path.write_text(json.dumps(about))
    return folder


def test_edits_that_cannot_be_read_are_reported(copy: Path) -> None:
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["keep", "delete", "what:ever"]))
    with pytest.raises(ModelError, match=r"model\.json is incomplete"):
        load_package(_as_edits(copy, ["delete", "keep", "replace:x"]))


def test_tables_that_are_missing_or_of_another_model_are_reported(copy: Path) -> None:
    with pytest.raises(ModelError, match=r"has no digest of edits\.npz"):
        load_package(_as_edits(copy, ["keep", "delete", "replace:x"], None))
    with pytest.raises(ModelError, match=r"edits\.npz' cannot be used: ops has the shape"):
        Network(load_package(_as_edits(copy, ["keep", "delete"])))
    with pytest.raises(ModelError, match=r"has 3 outputs per word, but edits\.npz needs 6"):
        Network(load_package(_as_edits(copy, ["keep", "delete", "replace:x"])))
    (copy / TABLES).write_bytes(b"other")
    with pytest.raises(ModelError, match=r"edits\.npz is damaged"):
        Network(load_package(copy))


def test_a_graph_that_cannot_be_used_is_an_error_before_any_text_and_can_be_mended(copy: Path) -> None:
    graph = (copy / GRAPH).read_bytes()
    (copy / GRAPH).write_bytes(graph[:-1])
    spec = Spec(analyzers=("rules", "model"), model=str(copy))
    with pytest.raises(ModelError, match=r"model\.onnx is damaged"):
        Pipeline(spec)
    (copy / GRAPH).write_bytes(graph)
    (report,) = Pipeline(spec).check([unslant.read("The town was awful.", "text")])
    assert report.findings
