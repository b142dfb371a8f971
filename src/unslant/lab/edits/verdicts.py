"""Edits with a verdict, as the model of edits reads them.

Files of verdicts name documents and positions; the texts come from the corpora, and each sentence is read again by the
detector. Beside them stand edits that were judged one by one, the editors' own fixes with damaged copies, and contrast
pairs. These say what breaks a sentence or loses a fact, whoever proposes it: what names a proposer is left out of them.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from unslant.core.errors import ConfigError, InputError
from unslant.core.example import Example
from unslant.core.taxonomy import PREFIX
from unslant.core.types import Analysis, Document, Edit, Finding, Span
from unslant.edits.classes import edit_class
from unslant.edits.features import features
from unslant.edits.invariants import refusal
from unslant.edits.propose import proposals
from unslant.edits.types import EditTarget, Proposal, Reason, Source
from unslant.lab import corpora
from unslant.lab.corpora.editor import EDITOR, read_passages
from unslant.lab.corpora.tables import CorpusMissing
from unslant.pipeline import AnalyzedDocument, Pipeline
from unslant.spec import Spec
from unslant.text.edits import trim_edit
from unslant.text.function_words import FUNCTION
from unslant.text.reading import narrow_to_spans, read
from unslant.text.tidy import tidy_edit
from unslant.text.words import split_words

Progress = Callable[[str, int, int], None]

_ARTICLES = "allsides"
_PARTS = ("train", "calibration", "dev")
"""Edits of the test part are not learned from."""
_FROZEN = 0.13
"""The share of documents whose verdicts nobody tunes on: about 400 edits to review of those that ship."""
_FORMS = {"": ("s", "ed", "ing"), "s": ("", "ing"), "ed": ("", "ing", "s"), "ing": ("ed", "")}
_LONGEST = 12
"""Fixes that rewrite more words than this are sentences of their own, not edits."""
_OF_PROPOSER = ("from ", "words from ", "finding", "rewriter", "trust", "rule ", "further")
"""Features that name the proposer or the finding; edits that nobody proposed have none of them."""
_PER_CORPUS = 1_200
"""Sentences of each supporting corpus, drawn by their names."""
_JUDGED, _MADE = 1.0, 0.4
"""The weight of a supporting edit that was judged or written by an editor, and of a damaged copy."""


@dataclass(frozen=True, slots=True)
class JudgedEdit:
    """An edit with its features and its verdict."""

    document: str
    verdict: str
    inputs: Mapping[str, float]
    edit_class: tuple[str, ...] = ()
    """The lines of the policy that could apply, the most specific first; empty: nobody proposed it."""
    draw: int = 0
    weight: float = 1.0
    with_network: bool = True
    refused: bool = False
    """Whether an invariant refuses it, whatever the model says."""

    @property
    def source(self) -> str:
        """Who proposed it; empty: nobody did."""
        return self.edit_class[0].partition(":")[0] if self.edit_class else ""

    @property
    def good(self) -> bool:
        """Whether the reader found it good."""
        return self.verdict == "good"


def is_frozen(document: str) -> bool:
    """Return whether a document belongs to the test set that nobody tunes on."""
    digest = hashlib.sha256(f"edits/{document}".encode()).digest()
    return int.from_bytes(digest[:4]) / 2**32 < _FROZEN


def read_verdicts(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Read files of verdicts, one JSON object a line."""
    rows: list[dict[str, Any]] = []
    for path in paths:
        try:
            rows += [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
        except (OSError, ValueError) as error:
            raise InputError(f"{str(path)!r} cannot be read as verdicts: {error}") from error
    needed = {"document", "start", "end", "replacement", "verdict"}
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict) or not needed <= row.keys():
            raise InputError(f"verdict {number} lacks one of {', '.join(sorted(needed))}")
    return rows


def judged_edits(
    rows: Sequence[Mapping[str, Any]], data: str | Path | None, spec: Spec, progress: Progress
) -> list[JudgedEdit]:
    """Return the edits of some verdicts; those of a rule also as they look where no network is asked."""
    by_document: dict[str, list[Mapping[str, Any]]] = {}
    for row in rows:
        by_document.setdefault(str(row["document"]), []).append(row)
    texts = _texts(set(by_document), data)
    pipeline = Pipeline(spec, decide=True)
    found: list[JudgedEdit] = []
    for number, (name, own) in enumerate(by_document.items(), 1):
        if name in texts:
            found += _of_document(pipeline, read(texts[name], "text", name), own)
        progress("documents", number, len(by_document))
    if not found:
        raise ConfigError("none of the edits that were read is in the corpora; name their folder with --data")
    return found


def _texts(names: set[str], data: str | Path | None) -> dict[str, str]:
    found = {example.id: example.text for example in corpora.load(_ARTICLES, data) if example.id in names}
    for part in _PARTS:
        for passage in read_passages(corpora.load(EDITOR, data), part):
            if passage.id in names:
                found[passage.id] = passage.text
    return found


def _of_document(
    pipeline: Pipeline, document: Document, rows: Sequence[Mapping[str, Any]]
) -> Iterator[JudgedEdit]:
    spans = [sentence.span for sentence in pipeline.split(document)]
    wanted = [
        span for span in spans if any(span.start <= row["start"] and row["end"] <= span.end for row in rows)
    ]
    if not wanted:
        return
    (analyzed,) = pipeline.analyze([narrow_to_spans(document, wanted)])
    for row in rows:
        span = Span(row["start"], max(row["end"], row["start"] + 1))
        if not any(sentence.contains(span) for sentence in wanted):
            continue
        for target, finding in _findings(analyzed, span):
            proposal = _find(target, finding, row)
            if proposal is None:
                continue
            seen = _judged(proposal, row)
            yield seen
            alone = _without_network(proposal)
            if alone is not None:
                yield replace(_judged(alone, row), weight=0.5, with_network=False)
            break


def _judged(proposal: Proposal, row: Mapping[str, Any]) -> JudgedEdit:
    return JudgedEdit(
        str(row["document"]),
        row["verdict"],
        features(proposal),
        edit_class(proposal),
        _draw(row),
        refused=refusal(proposal) not in (None, Reason.STATED, Reason.DEGREE),
    )


def _draw(row: Mapping[str, Any]) -> int:
    """Return the number of a draw of edits that unslant offered; 0 for others, such as wordings of a rewriter."""
    draw = row.get("draw", 0)
    return draw if isinstance(draw, int) else 0


def _findings(analyzed: AnalyzedDocument, span: Span) -> Iterator[tuple[EditTarget, Finding]]:
    """Yield the findings at a place; where there is none any more, one is made up from what the network says."""
    for target in analyzed.targets:
        for finding in target.findings:
            if finding.span.overlaps(span):
                yield target, finding
    for sentence, analyses in analyzed.sentences:
        if sentence.span.contains(span):
            yield _made_up(sentence.document, sentence.span, analyses, span)


def _made_up(
    document: Document, sentence: Span, analyses: Sequence[Analysis], span: Span, rule: str | None = None
) -> tuple[EditTarget, Finding]:
    from unslant.core.types import Sentence

    words = next((tuple(each.words) for each in analyses if each.words), ())
    probability = next((each.probability for each in analyses if each.probability is not None), None)
    proposed = tuple(edit for each in analyses for edit in each.proposals)
    score = max((word.probability for word in words if word.span.overlaps(span)), default=0.5)
    text = document.source[span.start : span.end]
    finding = Finding(span, text, "framing", "", "model", rule, probability=score)
    return EditTarget(Sentence(document, sentence), (finding,), probability, words, proposed), finding


def _find(target: EditTarget, finding: Finding, row: Mapping[str, Any]) -> Proposal | None:
    """Return the proposal that a verdict is about, as its source makes it today, or as it was made then."""
    wanted = Edit(row["start"] - target.start, row["end"] - target.start, row["replacement"])
    if not wanted.start < wanted.end <= len(target.text):
        return None
    if "source" in row:
        # a wording as its source wrote it, in place of exactly these words
        bare = trim_edit(target.text, wanted)
        tidied = tidy_edit(target.masked, bare)
        log_probability = row.get("log_probability")
        trust = math.exp(min(0.0, log_probability)) if log_probability is not None else 1.0
        if tidied.start >= tidied.end:
            return None
        return Proposal(target, finding, bare, tidied, Source(row["source"]), trust, log_probability)
    for proposal in proposals(target, finding):
        if proposal.tidied.change == wanted.change:
            return proposal
    return Proposal(target, finding, trim_edit(target.text, wanted), wanted, Source.NETWORK, 0.5)


def _without_network(proposal: Proposal) -> Proposal | None:
    """Return the same edit as rules propose it where no network is asked; None if they do not."""
    if "rules" not in proposal.finding.origin:
        return None
    finding = replace(proposal.finding, origin="rules", probability=None)
    target = replace(proposal.target, words=(), probability=None, proposals=())
    same = (each for each in proposals(target, finding) if each.tidied.change == proposal.tidied.change)
    return next(same, None)


def supporting_edits(data: str | Path | None, spec: Spec, progress: Progress) -> Iterator[JudgedEdit]:
    """Yield edits whose verdict does not come from reading what unslant proposed."""
    generator = random.Random(0)  # noqa: S311
    pipeline = Pipeline(spec)
    for name in (EDITOR, "editor_active", "contrast", "contrast_senses", "edits"):
        try:
            examples = [example for example in corpora.load(name, data) if example.split != "test"]
        except CorpusMissing:  # the others teach the same
            continue
        if name != "edits":
            examples = sorted(examples, key=lambda each: hashlib.sha256(each.id.encode()).digest())
            examples = [each for each in examples if each.spans or "start" in each.extra][:_PER_CORPUS]
        documents = [read(example.text, "text", example.id) for example in examples]
        for number, (example, analyzed) in enumerate(
            zip(examples, pipeline.analyze(documents), strict=True), 1
        ):
            yield from _of_example(example, analyzed, generator)
            progress(name, number, len(examples))


def _of_example(
    example: Example, analyzed: AnalyzedDocument, generator: random.Random
) -> Iterator[JudgedEdit]:
    text, document = example.text, str(example.document or example.pair or example.id)
    start, end = example.extra.get("start"), example.extra.get("end")
    if example.side == "target" and isinstance(start, int) and isinstance(end, int):
        # where no editor would touch the word, leaving it out is no edit
        yield from _supporting(analyzed, document, None, [(Edit(start, end, ""), "needless", _JUDGED)])
    for marked in example.spans or ():
        if marked.fix is None or len(text[marked.span.start : marked.span.end].split()) > _LONGEST:
            continue
        fix = Edit(marked.span.start, marked.span.end, marked.fix)
        verdict = str(example.extra.get("verdict", "good"))
        edits = [(fix, verdict, _JUDGED)]
        if verdict == "good" and "verdict" not in example.extra:
            edits += [(edit, "ungrammatical", _MADE) for edit in _damage(text, fix, generator)]
        rule = f"{PREFIX}{marked.technique}" if marked.technique else None
        yield from _supporting(analyzed, document, rule, edits)


def _supporting(
    analyzed: AnalyzedDocument, document: str, rule: str | None, edits: Sequence[tuple[Edit, str, float]]
) -> Iterator[JudgedEdit]:
    """Yield edits of one place, the first of which is in a single sentence, with what they are and count."""
    first = edits[0][0]
    for sentence, analyses in analyzed.sentences:
        if not sentence.span.contains(Span(first.start, first.end)):
            continue
        for edit, said, weight in edits:
            span = Span(edit.start, max(edit.end, edit.start + 1))
            target, finding = _made_up(sentence.document, sentence.span, analyses, span, rule)
            inside = edit.shift(-target.start)
            tidied = tidy_edit(target.masked, inside) if inside.start >= 0 else inside
            if tidied.start >= tidied.end or tidied.end > len(target.text):
                continue
            proposal = Proposal(target, finding, inside, tidied, Source.REWRITER, 0.5)
            if proposal.after == target.text:
                continue
            inputs = {
                name: value for name, value in features(proposal).items() if not name.startswith(_OF_PROPOSER)
            }
            yield JudgedEdit(document, said, inputs, weight=weight)


def _damage(text: str, fix: Edit, generator: random.Random) -> list[Edit]:
    """Return two wrong versions of a fix: words shifted, missing, or in another form."""
    words = split_words(text)
    first, following = words.after(fix.start), words.after(fix.end)
    wrong: list[Edit] = []
    if following < len(words) and words.is_word(following):
        wrong.append(Edit(fix.start, words.spans[following][1], fix.replacement))
    if first > 0 and words.is_word(first - 1) and first < len(words):
        wrong.append(Edit(words.spans[first - 1][0], fix.end, fix.replacement))
    put = fix.replacement.split()
    if len(put) > 1:
        wrong += [
            Edit(fix.start, fix.end, " ".join(put[:-1])),
            Edit(fix.start, fix.end, " ".join(put[1:])),
        ]
    if put:
        wrong += [Edit(fix.start, fix.end, " ".join((*put[:-1], form))) for form in _other_forms(put[-1])]
        wrong.append(Edit(fix.start, fix.end, ""))
    elif following - first > 1:
        wrong.append(Edit(fix.start, words.spans[following - 2][1], ""))
    generator.shuffle(wrong)
    return wrong[:2]


def _other_forms(word: str) -> Iterator[str]:
    if not word.isalpha() or word.lower() in FUNCTION:
        return
    ending = next((each for each in ("ing", "ed", "s") if word.endswith(each)), "")
    stem = word[: len(word) - len(ending)]
    yield from (stem + other for other in _FORMS[ending])
