"""A page about a scored table: how the scores are distributed, what differs by group, which wordings, and examples.

The page is filled while the scores are written, in memory that does not grow with the table. Texts and groups are read
from the tables again, row by row, because scores do not repeat them.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from html import escape
from pathlib import Path
from typing import Any

from unslant.core.errors import SourceError
from unslant.core.taxonomy import kinds, technique_of_rule
from unslant.core.types import Verdict
from unslant.report.html import html_head
from unslant.report.printable import clean
from unslant.report.svg import Svg
from unslant.tables.scoring import Record
from unslant.tables.sources import Row, TableColumns, check_columns, read_rows
from unslant.version import VERSION

_BINS = 20
_MOST_FINDINGS = 5
"""Texts with more findings share the last bar."""
_MOST_GROUPS = 500
"""Further groups are counted together, so that a column of ids does no harm."""
_SHOWN = 25
_EXAMPLES = 10
_REACH = 160
"""Code points of an example around its first and last finding."""


@dataclass(slots=True)
class _Group:
    """Counts of some texts."""

    texts: int = 0
    flagged: int = 0
    """Texts with at least one finding."""
    slanted: int = 0
    judged: int = 0
    sentences: int = 0
    findings: int = 0

    def add(self, record: Record) -> None:
        self.texts += 1
        self.flagged += record["findings"] > 0
        self.slanted += record["verdict"] == Verdict.SLANTED.value
        self.judged += record["probability"] is not None
        self.sentences += record["sentences"]
        self.findings += record["findings"]


@dataclass(frozen=True, slots=True, order=True)
class _Example:
    rank: tuple[float, int]
    row: Row = field(compare=False)
    record: Record = field(compare=False)


class ScorePage:
    """Takes the records of a run, in order, and returns the page."""

    def __init__(self, inputs: Sequence[Path], column: str, group: str | None) -> None:
        self._inputs = inputs
        self._group = group
        columns = TableColumns(column, group, "--group")
        for path in inputs:
            check_columns(path, columns)
        self._rows = (row for path in inputs for row in read_rows(path, columns))
        self._all = _Group()
        self._groups: dict[str, _Group] = {}
        self._errors: Counter[str] = Counter()
        self._languages: Counter[str] = Counter()
        self._verdicts: Counter[str] = Counter()
        self._probabilities: Counter[int] = Counter()
        self._counts: Counter[int] = Counter()
        self._rules: Counter[str] = Counter()
        self._rule_texts: Counter[str] = Counter()
        self._likeliest: list[_Example] = []
        self._sample: list[_Example] = []

    def add(self, records: Iterable[Record]) -> None:
        """Count the records of the next rows."""
        for record in records:
            row = next(self._rows, None)
            if row is None or (row.file, row.number) != (record["file"], record["row"]):
                raise SourceError(f"{record['file']} has changed since it was scored; repeat with --restart")
            if record["error"] is not None:
                self._errors[str(record["error"])] += 1
                continue
            self._count(row, record)

    def _count(self, row: Row, record: Record) -> None:
        if record["language"]:  # not judged is not clean
            self._languages[record["language"]] += 1
            return
        self._all.add(record)
        self._group_of(row).add(record)
        self._counts[min(record["findings"], _MOST_FINDINGS)] += 1
        if record["probability"] is not None:
            self._probabilities[min(int(record["probability"] * _BINS), _BINS - 1)] += 1
        if record["verdict"] is not None:
            self._verdicts[record["verdict"]] += 1
        rules = [_rule(span) for span in json.loads(record["spans"])]
        self._rules.update(rules)
        self._rule_texts.update(set(rules))
        if rules:
            self._offer(row, record)

    def _group_of(self, row: Row) -> _Group:
        name = _label(row.id) if self._group else row.file
        if name not in self._groups and len(self._groups) >= _MOST_GROUPS:
            name = "all others"
        return self._groups.setdefault(name, _Group())

    def _offer(self, row: Row, record: Record) -> None:
        """Keep the likeliest texts, and a sample that depends on the row alone."""
        spans = json.loads(record["spans"])
        order = -self._all.texts  # of equals, the first
        likeliest = max(span["probability"] or 0.0 for span in spans)
        _push(self._likeliest, _Example((likeliest, order), row, record))
        lot = int.from_bytes(hashlib.sha256(f"{row.file}\0{row.number}".encode()).digest()[:8])
        _push(self._sample, _Example((float(lot), order), row, record))

    def render(self) -> str:
        """Return the page."""
        title = f"Scores of {self._all.texts:,} texts"
        return "".join(
            (
                html_head(clean(title), ("unslant.report", "page.css"), ("unslant.tables", "page.css")),
                f"<header>\n<h1>{title}</h1>\n<p>{_text(self._headline())}</p>\n</header>\n<main>\n",
                *self._not_scored(),
                *self._distribution(),
                *self._group_section(),
                *self._rule_section(),
                *self._examples(),
                f"</main>\n<footer><p>Made by unslant {_text(VERSION)} on {date.today().isoformat()} from ",
                _text(", ".join(map(str, self._inputs[:5])) + (", …" if len(self._inputs) > 5 else "")),
                ". It comments on wording, not on people, and can be wrong.</p></footer>\n</body>\n</html>\n",
            )
        )

    def _headline(self) -> str:
        every = self._all
        if not every.texts:
            return "No text could be scored."
        said = f"{_percent(every.flagged, every.texts)} have at least one finding"
        if every.judged:
            said += f"; {_percent(every.slanted, every.judged)} of those that the model judged are slanted"
        return f"{said}. {every.findings:,} findings in {every.sentences:,} sentences."

    def _not_scored(self) -> Iterator[str]:
        if not self._errors and not self._languages:
            return
        yield '<section>\n<h2>Not judged</h2>\n<ul class="errors">\n'
        for reason, count in self._errors.most_common(_SHOWN):
            yield f"<li>{count:,}: {_text(reason)}</li>\n"
        for language, count in self._languages.most_common(_SHOWN):
            yield f"<li>{count:,}: the language is {_text(language)}, and unslant reads English</li>\n"
        yield "</ul>\n</section>\n"

    def _distribution(self) -> Iterator[str]:
        if not self._all.texts:
            return
        yield "<section>\n<h2>Distribution</h2>\n"
        if self._probabilities:
            names = [f"{step / _BINS:.2f}" for step in range(_BINS)]
            bars = [self._probabilities[step] for step in range(_BINS)]
            yield _figure(
                _columns("Texts by probability of slant", names, bars, every=4),
                "Texts by the probability that an editor would change something in their most slanted sentence: "
                + ", ".join(f"{self._verdicts[verdict.value]:,} {verdict.value}" for verdict in Verdict)
                + ". The probability is calibrated on the editors' corpus, not on your texts.",
            )
        names = [*map(str, range(_MOST_FINDINGS)), f"{_MOST_FINDINGS}+"]
        bars = [self._counts[count] for count in range(_MOST_FINDINGS + 1)]
        yield _figure(_columns("Texts by number of findings", names, bars), "Texts by number of findings.")
        yield "</section>\n"

    def _group_section(self) -> Iterator[str]:
        if len(self._groups) < 2:
            return
        what = self._group or "file"
        ordered = sorted(self._groups.items(), key=lambda item: (-item[1].texts, item[0]))
        shown = ordered[:_SHOWN]
        yield f"<section>\n<h2>By {_text(what)}</h2>\n"
        yield _figure(
            _group_chart(f"Share of texts with findings, by {what}", shown),
            "Share of texts with at least one finding. The lines are 95 % intervals (Wilson): groups whose lines "
            "overlap widely may differ by chance alone.",
        )
        head = (what, "texts", "with findings", "95 % interval", "slanted", "findings per 100 sentences")
        yield _table(
            "Groups with the most texts first. “Slanted” is the share of the texts that the model judged.",
            head,
            [_group_row(name, group) for name, group in shown],
        )
        if len(ordered) > _SHOWN:
            yield f"<p>{len(ordered) - _SHOWN:,} smaller groups are not shown.</p>\n"
        yield "</section>\n"

    def _rule_section(self) -> Iterator[str]:
        if not self._rules:
            return
        rows = []
        for rule, count in sorted(self._rules.items(), key=lambda item: (-item[1], item[0]))[:_SHOWN]:
            technique = technique_of_rule(rule)
            rows.append(
                (
                    f"<code>{_text(rule)}</code>",
                    _text(technique.title) if technique else "",
                    f"{count:,}",
                    f"{self._rule_texts[rule]:,}",
                    _percent(self._rule_texts[rule], self._all.texts),
                )
            )
        yield "<section>\n<h2>By technique and rule</h2>\n"
        about = "Techniques of the model (model/…) and rules; “unslant explain” explains each."
        yield _table(about, ("rule", "technique", "findings", "texts", "share of texts"), rows)
        if len(self._rules) > _SHOWN:
            yield f"<p>{len(self._rules) - _SHOWN:,} rarer ones are not shown.</p>\n"
        yield "</section>\n"

    def _examples(self) -> Iterator[str]:
        for title, kept in (
            ("Likeliest findings", self._likeliest),
            ("Texts with findings, chosen at random", self._sample),
        ):
            if not kept:
                continue
            yield f"<section>\n<h2>{title}</h2>\n"
            for example in sorted(kept, reverse=True):
                yield self._example(example)
            yield "</section>\n"

    def _example(self, example: _Example) -> str:
        record, row = example.record, example.row
        where = [f"{row.file}, row {row.number:,}"]
        if record["id"] is not None:
            where.append(f"id {record['id']}")
        if self._group:
            where.append(f"{self._group}: {_label(row.id)}")
        if record["probability"] is not None:
            where.append(f"{record['verdict']}, {record['probability']:.2f}")
        quoted = "".join(_marked(row.text, json.loads(record["spans"])))
        return (
            f'<figure class="example"><figcaption>{_text(" · ".join(where))}</figcaption>'
            f'<blockquote dir="auto">{quoted}</blockquote></figure>\n'
        )


def _push(kept: list[_Example], example: _Example) -> None:
    if len(kept) < _EXAMPLES:
        heapq.heappush(kept, example)
    else:
        heapq.heappushpop(kept, example)


def _rule(span: Mapping[str, Any]) -> str:
    return span["rule"] or f"kind: {span['kind']}"


def _label(value: object) -> str:
    return "(none)" if value is None or value == "" else str(value)


def _text(text: str) -> str:
    return escape(clean(text))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def _interval(hits: int, total: int) -> tuple[float, float]:
    """Return Wilson's interval for a share at 95 %; without cases, everything is possible."""
    if not total:
        return 0.0, 1.0
    z = 1.96
    share, square = hits / total, z * z / total
    middle = share + square / 2
    reach = z * math.sqrt(share * (1 - share) / total + square / (4 * total))
    return max(0.0, (middle - reach) / (1 + square)), min(1.0, (middle + reach) / (1 + square))


def _group_row(name: str, group: _Group) -> tuple[str, ...]:
    low, high = _interval(group.flagged, group.texts)
    rate = f"{100 * group.findings / group.sentences:.1f}" if group.sentences else ""
    return (
        _text(name),
        f"{group.texts:,}",
        _percent(group.flagged, group.texts),
        f"{100 * low:.1f} to {100 * high:.1f} %",
        _percent(group.slanted, group.judged),
        rate,
    )


def _table(caption: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table of escaped cells; the first of a row names it."""
    titles = "".join(f'<th scope="col">{_text(title)}</th>' for title in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>\n'
        for first, *cells in rows
    )
    return (
        f'<table class="numbers">\n<caption>{_text(caption)}</caption>\n'
        f"<thead><tr>{titles}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    )


def _figure(drawing: str, caption: str) -> str:
    return f"<figure>{drawing}<figcaption>{_text(caption)}</figcaption></figure>\n"


def _columns(title: str, names: Sequence[str], bars: Sequence[int], every: int = 1) -> str:
    """Draw upright bars with their names below; ``every`` leaves names out where there are many."""
    width, height, wide = 640.0, 180.0, 640.0 / len(bars)
    most, total = max(bars, default=0) or 1, sum(bars) or 1
    svg = Svg(width, height + 24, title)
    for at, (name, count) in enumerate(zip(names, bars, strict=True)):
        tall = (height - 20) * count / most
        tip = f"{name}: {count:,} texts ({_percent(count, total)})"
        svg.rect(at * wide + 1, height - tall, wide - 2, tall, title=tip, css="bar")
        if len(bars) <= 10 and count:
            svg.text(at * wide + wide / 2, height - tall - 5, f"{count:,}", text_anchor="middle")
        if at % every == 0:
            place = at * wide if every > 1 else at * wide + wide / 2
            svg.text(place, height + 16, name, css="soft", text_anchor="start" if every > 1 else "middle")
    svg.line(0, height, width, height, css="axis")
    return svg.render()


def _group_chart(title: str, groups: Sequence[tuple[str, _Group]]) -> str:
    """Draw the share of texts with findings of each group, with its interval."""
    left, width, tall = 200.0, 380.0, 24.0
    svg = Svg(left + width + 60, tall * len(groups) + 4, title)
    top = max(_interval(group.flagged, group.texts)[1] for _, group in groups) or 1.0
    for at, (name, group) in enumerate(groups):
        y = at * tall
        low, high = _interval(group.flagged, group.texts)
        share = group.flagged / group.texts
        shown = name if len(name) <= 28 else f"{name[:27]}…"
        svg.text(left - 8, y + 16, clean(shown), text_anchor="end")
        tip = f"{clean(name)}: {_percent(group.flagged, group.texts)} of {group.texts:,} texts"
        svg.rect(left, y + 5, width * share / top, tall - 10, title=tip, css="bar")
        svg.line(
            left + width * low / top, y + tall / 2, left + width * high / top, y + tall / 2, css="interval"
        )
        svg.text(left + width * high / top + 6, y + 16, _percent(group.flagged, group.texts), css="soft")
    return svg.render()


def _marked(text: str, spans: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield a text with its findings marked, cut to what is around them."""
    start = max(0, spans[0]["start"] - _REACH)
    end = min(len(text), max(spans[0]["end"], min(spans[-1]["end"], start + 4 * _REACH)) + _REACH)
    at = start
    yield "… " if start else ""
    for span in spans:
        if span["end"] > end:
            break
        yield _lines(text[at : span["start"]])
        kind = span["kind"] if span["kind"] in kinds() else "other"
        words = _lines(text[span["start"] : span["end"]])
        yield f'<mark class="kind-{kind}" title="{_text(_rule(span))}">{words}</mark>'
        at = span["end"]
    yield _lines(text[at:end])
    yield " …" if end < len(text) else ""


def _lines(text: str) -> str:
    return "\n".join(map(_text, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))
