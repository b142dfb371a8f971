"""From what was sent to an order; no framework, no queue, no waiting."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from unslant.core.types import Report
from unslant.registry import names
from unslant.server.orders import Job, Order, Result, Text
from unslant.server.refusal import Refusal
from unslant.server.requests import CheckRequest, CompareRequest, FixRequest, Item, parsed
from unslant.server.segments import with_segments
from unslant.server.settings import ServerSettings
from unslant.server.tuning import tuned
from unslant.text.formats import format_of

__all__ = ["ANSWERS", "check", "compare", "fix", "models", "rules"]

ANSWERS = "unslant/answers/1"
"""The name and version of the object that answers several texts."""


def check(payload: object, settings: ServerSettings) -> Order:
    """Find slanted wording in one text or several."""
    sent = parsed(CheckRequest, payload)
    wire = with_segments if sent.segments else Report.to_dict
    return _order(sent, Job(tuned(settings.spec, sent.settings)), settings, wire)


def fix(payload: object, settings: ServerSettings) -> Order:
    """Rewrite one text or several."""
    sent = parsed(FixRequest, payload)
    return _order(
        sent, Job(tuned(settings.spec, sent.settings), fix=True), settings, lambda one: one.to_dict()
    )


def compare(payload: object, settings: ServerSettings) -> Order:
    """Find slanted wording in a text, but only what was not in the version before."""
    sent = parsed(CompareRequest, payload)
    after = _text(Item(text=sent.after, format=sent.format, id=sent.id))
    _within(len(sent.before) + len(sent.after), settings)

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        from unslant.workspace.introduced import introduced

        report = _kept(results[0])
        new = introduced([sent.before], sent.after)
        report = replace(
            report, findings=tuple(finding for finding in report.findings if new.touches(finding.span))
        )
        return with_segments(report) if sent.segments else report.to_dict()

    return Order(Job(tuned(settings.spec, sent.settings)), [after], finish)


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


def _order(sent: CheckRequest | FixRequest, job: Job, settings: ServerSettings, wire: Any) -> Order:
    if (sent.text is None) == (sent.items is None):
        raise Refusal(422, "invalid", "give either 'text' or 'items'")
    if sent.text is not None:
        text = _text(Item(text=sent.text, format=sent.format, id=sent.id))
        _within(len(sent.text), settings)
        return Order(job, [text], lambda results: wire(_kept(results[0])))
    if sent.format is not None or sent.id is not None:
        raise Refusal(422, "invalid", "with 'items', 'format' and 'id' belong into each item")
    return _several(sent.items or [], job, settings, wire)


def _several(items: Sequence[object], job: Job, settings: ServerSettings, wire: Any) -> Order:
    """Order several texts; what is wrong with one is told in its place and does not touch the others."""
    if len(items) > settings.limits.items:
        raise Refusal(413, "too_many_items", f"a request may hold {settings.limits.items} items")
    read = [_item(item) for item in items]
    texts = [one for one in read if isinstance(one, Text)]
    _within(sum(len(text.source) for text in texts), settings)

    def finish(results: Sequence[Result]) -> dict[str, Any]:
        done = iter(results)
        answers = [next(done) if isinstance(one, Text) else one for one in read]
        return {"schema": ANSWERS, "items": [_answer(one, wire) for one in answers]}

    return Order(job, texts, finish)


def _answer(result: Result, wire: Any) -> dict[str, Any]:
    if isinstance(result, Refusal):
        return {"status": result.status, "report": None, "error": result.to_dict()}
    return {"status": 200, "report": wire(result), "error": None}


def _item(item: object) -> Text | Refusal:
    try:
        return _text(parsed(Item, item))
    except Refusal as refusal:
        return refusal


def _text(item: Item) -> Text:
    name = item.id if item.id is not None else "<text>"
    form = item.format or format_of(name) or "text"
    if form not in names("reader"):
        raise Refusal(422, "invalid", f"format: must be one of {', '.join(names('reader'))}")
    return Text(item.text, form, name)


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
