"""A spaCy component: findings as spans of a document.

    import spacy
    import unslant.integrations.spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("unslant")
    [span.text for span in nlp("The senator slammed the plan.").spans["unslant"]]

Installed with unslant, spaCy finds the component by itself, without the second import.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from unslant.core.errors import ConfigError, MissingExtra
from unslant.core.types import Finding, Report
from unslant.pipeline import Pipeline
from unslant.spec import Spec
from unslant.text.reading import read
from unslant.validation import check_spec

try:
    from spacy.language import Language
    from spacy.tokens import Doc, Span
except ModuleNotFoundError as missing:
    raise MissingExtra("the component", "spacy", "parser") from missing

_KEY = "unslant"
"""Where the report is in the user data of a document, as plain data: spaCy can write it to bytes and read it again."""


def _report(doc: Doc) -> Report | None:
    """Return the report on a document, or None if the component has not seen it."""
    stored = doc.user_data.get(_KEY)
    return None if stored is None else Report.from_dict(read(doc.text), stored)


def _finding(span: Span) -> Finding | None:
    """Return the finding that a span stands for, or None."""
    for stored in (span.doc.user_data.get(_KEY) or {}).get("findings", ()):
        finding = Finding.from_dict(stored)
        inside = span.start_char <= finding.span.start and finding.span.end <= span.end_char
        if inside and finding.id == span.label_:
            return finding
    return None


if not Doc.has_extension("unslant"):
    Doc.set_extension("unslant", getter=_report)
if not Span.has_extension("finding"):
    Span.set_extension("finding", getter=_finding)


class SlantComponent:
    """Puts findings into ``doc.spans``, labelled with their rule, and the whole report into ``doc._.unslant``.

    A span covers every token that a finding touches. Its extension ``span._.finding`` is the finding itself, with its
    reason, severity, probability and edits. Both are kept as plain data in ``doc.user_data``, so that documents can be
    written and sent to other processes; a ``DocBin`` keeps them with ``store_user_data=True``.
    """

    def __init__(self, name: str, spec: Spec, spans_key: str) -> None:
        if not spans_key:
            raise ConfigError("spans_key must not be empty")
        check_spec(spec)
        self.name = name
        self._spec = spec
        self._spans_key = spans_key
        self._pipeline = Pipeline(spec)

    def __reduce__(self) -> tuple[type[SlantComponent], tuple[str, Spec, str]]:
        """Send only the settings to another process, which builds the pipeline again."""
        return SlantComponent, (self.name, self._spec, self._spans_key)

    def __call__(self, doc: Doc) -> Doc:
        """Check one document."""
        (report,) = self._pipeline.check([read(doc.text)])
        return self._annotate(doc, report)

    def pipe(self, stream: Iterable[Doc], batch_size: int = 128) -> Iterator[Doc]:
        """Check a stream of documents; short ones are batched."""
        batch: list[Doc] = []
        for doc in stream:
            batch.append(doc)
            if len(batch) >= batch_size:
                yield from self._batch(batch)
                batch = []
        yield from self._batch(batch)

    def _batch(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        for doc, report in zip(docs, self._pipeline.check([read(doc.text) for doc in docs]), strict=True):
            yield self._annotate(doc, report)

    def _annotate(self, doc: Doc, report: Report) -> Doc:
        spans = []
        for finding in report.findings:
            span = doc.char_span(
                finding.span.start, finding.span.end, label=finding.id, alignment_mode="expand"
            )
            if span is not None:
                spans.append(span)
        doc.spans[self._spans_key] = spans
        doc.user_data[_KEY] = report.to_dict()
        return doc


@Language.factory(
    "unslant",
    assigns=["doc.spans", "doc._.unslant"],
    default_config={"analyzers": ["rules"], "spans_key": "unslant", "threshold": None, "quotations": False},
)
def make_component(
    nlp: Language,  # noqa: ARG001
    name: str,
    analyzers: list[str],
    spans_key: str,
    threshold: float | None,
    quotations: bool,
) -> Any:
    """Build the component from its configuration."""
    spec = Spec(analyzers=tuple(analyzers), threshold=threshold, quotations=quotations)
    return SlantComponent(name, spec, spans_key)
