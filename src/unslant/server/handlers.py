"""From what was sent to an order; no framework, no queue, no waiting."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from unslant.core.types import Finding, Report, SentenceVerdict, Severity
from unslant.registry import names
from unslant.server.engine import Order, Result, SentText, TextJob
from unslant.server.requests import (
    CheckMany,
    CheckOne,
    CompareRequest,
    FixMany,
    FixOne,
    Refusal,
    TextItem,
    parsed,
    parsed_either,
    tuned,
)
from unslant.server.settings import ServerSettings
from unslant.text.formats import format_of

__all__ = [
    "ANSWERS",
    "SlantScore",
    "by_sentence",
    "check",
    "compare",
    "fix",
    "models",
    "rules",
    "score",
    "with_segments",
]

ANSWERS = "unslant/answers/1"
"""The name and version of the object that answers several texts."""


def check(payload: object, settings: ServerSettings) -> Order:
    """Find slanted wording in one text or several."""
    sent = parsed_either(CheckOne, CheckMany, payload)
    wire = with_segments if sent.segments else Report.to_dict
    return _order(sent, TextJob(tuned(settings.spec, sent.settings)), settings, _Form("report", wire))


def fix(payload: object, settings: ServerSettings) -> Order:
    """Rewrite one text or several."""
    sent = parsed_either(FixOne, FixMany, payload)
    job = TextJob(tuned(settings.spec, sent.settings), fix=True)
    return _order(sent, job, settings, _Form("fixed", lambda fixed: fixed.to_dict()))


def compare(payload: object, settings: ServerSettings) -> Order:
    """Find slanted wording in a text, but only what was not in the version before."""
    sent = parsed(CompareRequest, payload)
    after = _text(TextItem(text=sent.after, format=sent.format, id=sent.id))
    _within(len(sent.before) + len(sent.after), settings)

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        from unslant.workspace.introduced import introduced

        report = _kept(results[0])
        new = introduced([sent.before], sent.after)
        report = replace(
            report, findings=tuple(finding for finding in report.findings if new.touches(finding.span))
        )
        return with_segments(report) if sent.segments else report.to_dict()

    return Order(TextJob(tuned(settings.spec, sent.settings)), [after], finish, beside=len(sent.before))


def rules(settings: ServerSettings) -> dict[str, Any]:
    """Return what there is to say of every rule."""
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
        ]
    }


def models(settings: ServerSettings) -> dict[str, Any]:
    """Return who speaks: the analyzers, and of a model what names it."""
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
    """How results are written."""

    name: str
    """What a result is called where there are several."""
    wire: Callable[[Any], dict[str, Any]]


def _order(sent: FixOne | FixMany, job: TextJob, settings: ServerSettings, form: _Form) -> Order:
    if isinstance(sent, FixMany):
        return _several(sent.items, job, settings, form)
    text = _text(sent)
    _within(len(sent.text), settings)
    return Order(job, [text], lambda results: form.wire(_kept(results[0])))


def _several(items: Sequence[object], job: TextJob, settings: ServerSettings, form: _Form) -> Order:
    """Order several texts; what is wrong with one is told in its place and does not touch the others."""
    if len(items) > settings.limits.items:
        raise Refusal(413, "too_many_items", f"a request may hold {settings.limits.items} items")
    read = [_item(item) for item in items]
    texts = [one for one in read if isinstance(one, SentText)]
    _within(sum(len(text.source) for text in texts), settings)

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        done = iter(results)
        answers = [next(done) if isinstance(one, SentText) else one for one in read]
        return {"schema": ANSWERS, "items": [_answer(one, form) for one in answers]}

    return Order(job, texts, finish)


def _answer(result: Result, form: _Form) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"status": result.status, form.name: None, "error": result.to_dict()}
    return {"status": 200, form.name: form.wire(result), "error": None}


def _item(item: object) -> SentText | Refusal:
    try:
        return _text(parsed(TextItem, item))
    except Refusal as refusal:
        return refusal


def _text(item: TextItem) -> SentText:
    name = item.id if item.id is not None else "<text>"
    form = item.format or format_of(name) or "text"
    if form not in names("reader"):
        raise Refusal(422, "invalid", f"format: must be one of {', '.join(names('reader'))}")
    return SentText(item.text, form, name)


def _within(length: int, settings: ServerSettings) -> None:
    if length > settings.limits.text_length:
        raise Refusal(
            413,
            "text_too_long",
            f"a request may hold {settings.limits.text_length:,} characters of text, not {length:,}; split it",
        )


def _kept(result: Result) -> Any:
    if isinstance(result, Refusal):
        raise result
    return result


def with_segments(report: Report) -> dict[str, Any]:
    """Return the wire form with ``segments``, and on everything that has a span the half-open range of them."""
    wire = report.to_dict()
    cuts = sorted({0, len(report.document.source), *_ends(wire)})
    segments: list[dict[str, Any]] = [
        {"text": report.document.source[start:end], "sentence": None, "findings": []}
        for start, end in pairwise(cuts)
    ]
    for holder in _holders(wire):
        span = holder["span"]
        holder["segments"] = [bisect_left(cuts, span["start"]), bisect_left(cuts, span["end"])]
    _mark(segments, wire)
    return wire | {"segments": segments}


def _mark(segments: Sequence[dict[str, Any]], wire: Mapping[str, Any]) -> None:
    """Say of each piece which sentence it is in and which findings cover it."""
    for number, sentence in enumerate(wire["sentences"]):
        for segment in segments[slice(*sentence["segments"])]:
            segment["sentence"] = number
    for number, finding in enumerate(wire["findings"]):
        for segment in segments[slice(*finding["segments"])]:
            segment["findings"].append(number)


def _holders(wire: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield from wire["sentences"]
    for finding in wire["findings"]:
        yield finding
        yield from finding["edits"]
    yield from (note for note in wire["notes"] if note["span"])


def _ends(wire: Mapping[str, Any]) -> Iterator[int]:
    for holder in _holders(wire):
        yield holder["span"]["start"]
        yield holder["span"]["end"]


_STAND_IN = {Severity.SUGGESTION: 0.5, Severity.WARNING: 0.8, Severity.ERROR: 0.95}
"""What stands for a finding that nobody has given a probability, as a rule either matches or does not."""


@dataclass(frozen=True, slots=True, order=True)
class SlantScore:
    """A number between 0 and 1."""

    value: float
    judged: bool
    """Whether it is a probability, and not what stands for a severity or for silence."""


_SILENCE = SlantScore(0.0, False)


def score(
    sentences: Iterable[SentenceVerdict], findings: Iterable[Finding], matters: Callable[[Finding], bool]
) -> SlantScore:
    """Return the highest of what is known: probabilities of the sentences, and the findings that matter."""
    known = [SlantScore(one.probability, True) for one in sentences if one.probability is not None]
    for finding in filter(matters, findings):
        judged = finding.probability is not None
        value = finding.probability if finding.probability is not None else _STAND_IN[finding.severity]
        known.append(SlantScore(value, judged))
    return max(known, default=_SILENCE)


def by_sentence(report: Report) -> list[tuple[SentenceVerdict, list[Finding]]]:
    """Return every sentence with the findings in it, in one go through both."""
    starts = [sentence.span.start for sentence in report.sentences]
    found: list[list[Finding]] = [[] for _ in starts]
    for finding in report.findings:
        found[bisect_right(starts, finding.span.start) - 1].append(finding)
    return list(zip(report.sentences, found, strict=True))
