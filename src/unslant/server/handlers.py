"""The handlers of the routes: they turn a payload into a request for the engine, and know no framework.

For clients that do not count code points, a report is cut into segments, with what was left out of it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from unslant.core.taxonomy import model_findings
from unslant.core.types import Edit, Finding, Report, SentenceVerdict, Severity, WordSenses
from unslant.profiles import profile as profile_by_name
from unslant.profiles import profiles as profile_names
from unslant.registry import names
from unslant.server.engine import EngineRequest, Result, SentText, TextJob
from unslant.server.explaining import explanation_to_dict, rule_in_full
from unslant.server.requests import (
    CheckMany,
    CheckOne,
    CompareRequest,
    ExplainRequest,
    FixMany,
    FixOne,
    ProfileRequest,
    RequestError,
    TextItem,
    apply_settings,
    parse_one_or_many,
    parse_request,
)
from unslant.server.settings import ServerSettings
from unslant.spec import Spec
from unslant.text.formats import format_of
from unslant.text.skipped import find_skipped
from unslant.text.tidy import tidy_edit


def with_segments(report: Report, spec: Spec) -> dict[str, Any]:
    """Return the JSON form with ``segments``, and for everything with a span the half-open range of its segments.

    ``skipped`` lists what the settings leave alone, and why; a finding that can simply be left out has a ``deletion``.

    JavaScript counts UTF-16 units. A page that gets segments joins them and never counts: together they are the
    source, and no segment crosses the end of a sentence, a finding or an edit.
    """
    wire = report.to_dict()
    wire["skipped"] = [
        {"span": span.to_dict(), "reason": reason} for span, reason in find_skipped(report.document, spec)
    ]
    for finding, shown in zip(report.findings, wire["findings"], strict=True):
        if finding.deletable:
            shown["deletion"] = _deletion(report, finding).to_dict()
    cuts = sorted({0, len(report.document.source), *_boundaries(wire)})
    segments: list[dict[str, Any]] = [
        {"text": report.document.source[start:end], "sentence": None, "findings": []}
        for start, end in pairwise(cuts)
    ]
    for holder in _items_with_spans(wire):
        span = holder["span"]
        holder["segments"] = [bisect_left(cuts, span["start"]), bisect_left(cuts, span["end"])]
    _label_segments(segments, wire)
    return wire | {"segments": segments}


def _deletion(report: Report, finding: Finding) -> Edit:
    """Return the edit that leaves the words out, with the spaces, capitals and articles that the rest then needs."""
    starts = [sentence.span.start for sentence in report.sentences]
    sentence = report.sentences[max(bisect_right(starts, finding.span.start) - 1, 0)].span
    words = Edit(finding.span.start - sentence.start, finding.span.end - sentence.start, "")
    end = max(sentence.end, finding.span.end)
    return tidy_edit(report.document.prose[sentence.start : end], words).shift(sentence.start)


def _label_segments(segments: Sequence[dict[str, Any]], wire: Mapping[str, Any]) -> None:
    """Record the sentence and the findings of each segment."""
    for number, sentence in enumerate(wire["sentences"]):
        for segment in segments[slice(*sentence["segments"])]:
            segment["sentence"] = number
    for number, finding in enumerate(wire["findings"]):
        for segment in segments[slice(*finding["segments"])]:
            segment["findings"].append(number)


def _items_with_spans(wire: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from wire["sentences"]
    for finding in wire["findings"]:
        yield finding
        yield from finding["edits"]
        if "deletion" in finding:
            yield finding["deletion"]
    yield from wire["skipped"]
    yield from (note for note in wire["notes"] if note["span"])


def _boundaries(wire: Mapping[str, Any]) -> Iterator[int]:
    for holder in _items_with_spans(wire):
        yield holder["span"]["start"]
        yield holder["span"]["end"]


ANSWERS = "unslant/answers/1"
"""The name and version of the response to several texts."""


def check(payload: object, settings: ServerSettings) -> EngineRequest:
    """Find slanted wording in one text or several."""
    sent = parse_one_or_many(CheckOne, CheckMany, payload)
    job = TextJob(apply_settings(settings.spec, sent.settings))
    return _make_request(sent, job, settings, _Form("report", _wire(job, sent.segments)))


def _wire(job: TextJob, segments: bool) -> Callable[[Report], dict[str, Any]]:
    """Return the function that serialises a report."""
    if not segments:
        return Report.to_dict
    return lambda report: with_segments(report, job.spec)


def fix(payload: object, settings: ServerSettings) -> EngineRequest:
    """Rewrite one text or several."""
    sent = parse_one_or_many(FixOne, FixMany, payload)
    job = TextJob(apply_settings(settings.spec, sent.settings), "fix")
    return _make_request(sent, job, settings, _Form("fixed", lambda fixed: fixed.to_dict()))


def compare(payload: object, settings: ServerSettings) -> EngineRequest:
    """Find only the slanted wording that a new version of a text introduces."""
    sent = parse_request(CompareRequest, payload)
    after = sent_text(TextItem(text=sent.after, format=sent.format, id=sent.id))
    _check_length(len(sent.before) + len(sent.after), settings)
    job = TextJob(apply_settings(settings.spec, sent.settings))

    def build_response(results: Sequence[Result]) -> dict[str, Any]:
        from unslant.workspace.changes import find_introduced

        report = _require_result(results[0])
        new = find_introduced([sent.before], sent.after)
        report = replace(
            report, findings=tuple(finding for finding in report.findings if new.overlaps(finding.span))
        )
        return _wire(job, sent.segments)(report)

    return EngineRequest(job, [after], build_response, compared_length=len(sent.before))


def explain(payload: object, settings: ServerSettings) -> EngineRequest:
    """Return the words of a short text that the model's judgement depends on."""
    sent = parse_request(ExplainRequest, payload)
    if "model" not in settings.spec.analyzers:
        raise RequestError(422, "invalid", "this server does not run the model")
    return EngineRequest(
        TextJob(settings.spec, "explain"),
        [SentText(sent.text)],
        lambda results: explanation_to_dict(_require_result(results[0])),
    )


def profile(payload: object, settings: ServerSettings) -> EngineRequest:
    """Return the profile by which a text is judged unless a request names one, and the senses of its own words.

    A client that sends a text in parts asks this of the whole and sends the answer with each part.
    """
    text = sent_text(parse_request(ProfileRequest, payload))
    _check_length(text.length, settings)
    job = TextJob(settings.spec, "profile")
    return EngineRequest(job, [text], lambda results: _require_result(results[0]))


def profiles() -> dict[str, Any]:
    """Return all profiles."""
    known = map(profile_by_name, profile_names())
    return {"profiles": [{"name": each.name, "title": each.title, "about": each.about} for each in known]}


def rules(settings: ServerSettings) -> dict[str, Any]:
    """Return all rules, and what the model finds without one."""
    from unslant.rules.analyzer import rule_cards

    return {
        "rules": [
            {
                "id": rule.id,
                "title": rule.title,
                "kind": rule.kind,
                "dimension": rule.dimension,
                "severity": rule.severity.value,
                "why": rule.why,
                "source": rule.source,
            }
            for rule in rule_cards(settings.spec).values()
        ],
        "techniques": [
            {"id": each.id, "title": each.title, "kind": each.kind} for each in model_findings().values()
        ],
    }


def rule(name: str, settings: ServerSettings) -> dict[str, Any]:
    """Return one rule or technique in full."""
    found = rule_in_full(name, settings.spec)
    if found is None:
        raise RequestError(404, "not_found", "no such rule")
    return found


def models(settings: ServerSettings) -> dict[str, Any]:
    """Return the analyzers, with details of the model."""
    return {"models": [_model(name, settings) for name in settings.spec.analyzers]}


def _model(name: str, settings: ServerSettings) -> dict[str, Any]:
    about: dict[str, Any] = {"name": name, "digest": None, "heads": [], "about": ""}
    if name != "model":
        return about
    from unslant.neural.checkpoint import identity, load_package, locate

    package = load_package(locate(settings.spec.model))
    return about | {
        "digest": identity(settings.spec.model),
        "heads": list(package.heads),
        "about": str(package.card().get("about", "")),
    }


@dataclass(frozen=True, slots=True)
class _Form:
    """How results are serialised."""

    name: str
    """The key of a result in a response to several texts."""
    wire: Callable[[Any], dict[str, Any]]


def _make_request(
    sent: FixOne | FixMany, job: TextJob, settings: ServerSettings, form: _Form
) -> EngineRequest:
    if isinstance(sent, FixMany):
        return _order_many(sent.items, job, settings, form)
    text = sent_text(sent)
    _check_length(text.length, settings)
    return EngineRequest(job, [text], lambda results: form.wire(_require_result(results[0])))


def _order_many(
    items: Sequence[object], job: TextJob, settings: ServerSettings, form: _Form
) -> EngineRequest:
    """Request several texts; an invalid one gets its own error and does not affect the others."""
    if len(items) > settings.limits.items:
        raise RequestError(
            413, "too_many_items", f"a request can contain at most {settings.limits.items} items"
        )
    read = [_item(item) for item in items]
    texts = [text for text in read if isinstance(text, SentText)]
    _check_length(sum(text.length for text in texts), settings)

    def build_response(results: Sequence[Result]) -> dict[str, Any]:
        done = iter(results)
        answers = [next(done) if isinstance(text, SentText) else text for text in read]
        return {"schema": ANSWERS, "items": [_answer(result, form) for result in answers]}

    return EngineRequest(job, texts, build_response)


def _answer(result: Result, form: _Form) -> dict[str, Any]:
    if isinstance(result, RequestError):
        return {"status": result.status, form.name: None, "error": result.to_dict()}
    return {"status": 200, form.name: form.wire(result), "error": None}


def _item(item: object) -> SentText | RequestError:
    try:
        return sent_text(parse_request(TextItem, item))
    except RequestError as error:
        return error


def sent_text(item: TextItem) -> SentText:
    """Return the text of a request, with the format that it has or that its name says."""
    name = item.id if item.id is not None else "<text>"
    form = item.format or format_of(name) or "text"
    if form not in names("reader"):
        raise RequestError(422, "invalid", f"format: must be one of {', '.join(names('reader'))}")
    senses = None
    if item.senses is not None:
        sent = (item.senses.names, item.senses.defined, item.senses.subjects)
        senses = WordSenses(*map(frozenset, sent))
    return SentText(item.text, form, name, item.before, item.after, senses)


def _check_length(length: int, settings: ServerSettings) -> None:
    if length > settings.limits.text_length:
        raise RequestError(
            413,
            "text_too_long",
            f"a request can contain at most {settings.limits.text_length:,} characters, not {length:,}; split it",
        )


def _require_result(result: Result) -> Any:
    if isinstance(result, RequestError):
        raise result
    return result


_SEVERITY_SCORES = {Severity.SUGGESTION: 0.5, Severity.WARNING: 0.8, Severity.ERROR: 0.95}
"""The score of a finding without a probability: a rule either matches or does not."""


@dataclass(frozen=True, slots=True, order=True)
class SlantScore:
    """A score from 0 to 1."""

    value: float
    judged: bool
    """Whether it is a probability, and not derived from a severity."""


_NOTHING_FOUND = SlantScore(0.0, False)


def highest_score(
    sentences: Iterable[SentenceVerdict], findings: Iterable[Finding], matters: Callable[[Finding], bool]
) -> SlantScore:
    """Return the highest score among the sentences and the findings that matter."""
    known = [
        SlantScore(sentence.probability, True) for sentence in sentences if sentence.probability is not None
    ]
    for finding in filter(matters, findings):
        judged = finding.probability is not None
        value = finding.probability if finding.probability is not None else _SEVERITY_SCORES[finding.severity]
        known.append(SlantScore(value, judged))
    return max(known, default=_NOTHING_FOUND)


def group_by_sentence(report: Report) -> list[tuple[SentenceVerdict, list[Finding]]]:
    """Return every sentence with its findings, in linear time."""
    starts = [sentence.span.start for sentence in report.sentences]
    found: list[list[Finding]] = [[] for _ in starts]
    for finding in report.findings:
        found[bisect_right(starts, finding.span.start) - 1].append(finding)
    return list(zip(report.sentences, found, strict=True))
